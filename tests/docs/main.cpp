// Tests that what the pages say is so; with --update, makes it so where a program can.
#include <cstdio>
#include <exception>
#include <gtest/gtest.h>
#include <string>

#include "tests/docs/update.h"

int main(int argument_count, char** arguments) {
  if (argument_count == 2 && std::string(arguments[1]) == "--update") {
    try {
      for (const std::string& path : vitro::docs::update_tree(VITRO_SOURCE_DIR)) {
        std::printf("rewrote %s\n", path.c_str());
      }
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "test_docs: %s\n", error.what());
      return 1;
    }
  }
  testing::InitGoogleTest(&argument_count, arguments);
  return RUN_ALL_TESTS();
}
