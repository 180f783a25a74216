#include "examples/common/run_main.h"

#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "tensor/pictures/glyphs.h"
#include "tensor/storage.h"
#include "tensor/system.h"

#include "examples/common/command_line.h"

namespace vitro::examples {
namespace {

int report(const char* program, const std::string& what, int code) {
  std::cout.flush();
  std::cerr << program << ": " << visible_text(what) << '\n';  // newlines would make it two lines
  return code;
}

}  // namespace

int run_main(const char* program, const std::function<int()>& body) {
  keep_standard_streams();  // before the first file is opened
  try {
    const int code = body();
    std::cout.flush();
    if (!std::cout) return report(program, "cannot write to the standard output", 1);
    return code;
  } catch (const UsageError& error) {
    return report(program, error.what(), 2);
  } catch (const OutOfMemory& error) {
    return report(program, error.what(), 1);
  } catch (const std::bad_alloc&) {
    return report(program, "not enough memory", 1);
  } catch (const std::exception& error) {
    return report(program, error.what(), 1);
  }
}

}  // namespace vitro::examples
