#include "tests/docs/pictures.h"

#include <stdexcept>

#include "tests/examples/run_program.h"

namespace vitro::docs {

namespace {

// What a program drew into out/ when run without options.
std::string drawn_by(const std::string& program, const std::string& arguments,
                     const std::string& file) {
  const examples::TemporaryFolder folder;
  const examples::ProgramRun run = examples::run_program(program, arguments, folder.path());
  if (run.exit_code != 0) throw std::runtime_error(program + ": " + run.error);
  return examples::read_file(folder.path() / "out" / file);
}

}  // namespace

std::vector<Picture> make_pictures() {
  return {
      {"docs/images/reverse_attention.svg",
       drawn_by("03_train_reverse", "", "reverse_attention.svg")},
      {"docs/images/reverse_loss.svg", drawn_by("03_train_reverse", "", "reverse_loss.svg")},
  };
}

}  // namespace vitro::docs
