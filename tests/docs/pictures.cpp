#include "tests/docs/pictures.h"

#include <sstream>
#include <stdexcept>

#include "tensor/math.h"
#include "tensor/pictures/heatmap.h"
#include "tensor/positions.h"
#include "tensor/softmax.h"

#include "autograd/ops.h"

#include "nn/optim/schedule.h"

#include "examples/common/loss_curve.h"

#include "tests/docs/page.h"
#include "tests/examples/run_program.h"

namespace vitro::docs {

namespace {

using examples::Chart;
using examples::Curve;

// What a program wrote into `file` of the folder where it ran.
std::string written_by(const std::string& program, const std::string& arguments,
                       const std::string& file) {
  const examples::TemporaryFolder folder;
  const examples::ProgramRun run = examples::run_program(program, arguments, folder.path());
  if (run.exit_code != 0) throw std::runtime_error(program + ": " + run.error);
  return examples::read_file(folder.path() / file);
}

// The scaled scores that 01_attention_by_hand prints.
Tensor how_are_you_scores() { return Tensor({3, 3}, {1, 1, 3, 0, 0, 1, 1, 2, 1}); }

std::string word_map(const std::string& title, const Tensor& weights) {
  return heatmap_svg(weights, {.title = title,
                               .row_axis = "query",
                               .column_axis = "key",
                               .row_labels = {"How", "are", "you"},
                               .column_labels = {"How", "are", "you"},
                               .scale = HeatScale::kWeights});
}

std::string causal_map() {
  const Variable allowed = mask_scores(Variable(how_are_you_scores()), {.causal = true});
  return word_map("The same scores under the causal mask", softmax(allowed, -1).value());
}

std::string position_map() {
  return heatmap_svg(sinusoidal_positions(48, 32), {.title = "Sines and cosines of 48 positions",
                                                    .row_axis = "position",
                                                    .column_axis = "channel",
                                                    .scale = HeatScale::kSigned});
}

// The table that lesson_06_attention prints, as two curves.
std::string saturation_chart() {
  std::istringstream table(
      read_text(VITRO_SOURCE_DIR "/examples/expected/lesson_06_attention.txt"));
  Curve plain{"plain scores", {}, {}};
  Curve scaled{"divided by √d_k", {}, {}};
  bool inside = false;
  for (std::string line; std::getline(table, line);) {
    inside = inside || line.starts_with("  d_k");
    std::istringstream numbers(line);
    double d_k = 0, variance = 0, weight = 0, gradient = 0, scaled_variance = 0, scaled_weight = 0;
    if (!inside ||
        !(numbers >> d_k >> variance >> weight >> gradient >> scaled_variance >> scaled_weight)) {
      continue;
    }
    const double x = math::log(d_k) / math::log(2.0);
    plain.x.push_back(x);
    plain.y.push_back(weight);
    scaled.x.push_back(x);
    scaled.y.push_back(scaled_weight);
  }
  return examples::chart_svg({.title = "Largest weight among 16 random keys",
                              .x_axis = "log₂ d_k",
                              .curves = {plain, scaled},
                              .levels = {{"all alike, 1/16", 1.0 / 16}}});
}

std::string schedule_chart() {
  const nn::WarmupCosine options{.warmup = 10, .total = 100, .max_rate = 0.01, .min_rate = 0.001};
  Curve rate{"learning rate · 100", {}, {}};
  for (Index step = 0; step <= 120; ++step) {
    rate.x.push_back(static_cast<double>(step));
    rate.y.push_back(100 * nn::warmup_cosine(step, options));
  }
  return examples::chart_svg(
      {.title = "Warmup, then a cosine", .x_axis = "step", .curves = {rate}});
}

}  // namespace

std::vector<Picture> make_pictures() {
  const std::string images = "docs/images/";
  const std::string recordings = "docs/recordings/";
  return {
      {images + "reverse_attention.svg",
       written_by("03_train_reverse", "", "out/reverse_attention.svg")},
      {images + "reverse_loss.svg", written_by("03_train_reverse", "", "out/reverse_loss.svg")},
      {images + "char_model_loss.svg",
       written_by("04_char_model", "--n_layer 2 --n_embd 64 --max_iters 600 --max_new_tokens 0",
                  "out/char_model_loss.svg")},
      {images + "how_are_you.svg",
       word_map("Who looks at whom", softmax(how_are_you_scores(), -1))},
      {images + "causal.svg", causal_map()},
      {images + "positions.svg", position_map()},
      {images + "saturation.svg", saturation_chart()},
      {images + "schedule.svg", schedule_chart()},
      {recordings + "01_attention_by_hand.html",
       written_by("01_attention_by_hand", "--trace run.html", "run.html")},
      {recordings + "03_train_reverse.html",
       written_by("03_train_reverse", "--trace run.html", "run.html")},
  };
}

}  // namespace vitro::docs
