#include "tests/training_runs/training_run.h"

#include <stdexcept>
#include <string>

#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"

#include "tests/training_runs/models.h"

namespace vitro::training_runs {

Scalar TrainingRun::step() {
  const nn::WarmupCosine schedule{
      .warmup = 3, .total = 1000, .max_rate = 0.003, .min_rate = 0.0003};
  const Variable loss = next_loss();
  optimizer_->zero_grad();
  loss.backward();
  nn::clip_grad_norm(optimizer_->parameters(), 1);
  optimizer_->set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step_count_++, schedule)));
  optimizer_->step();
  return loss.item();
}

const std::vector<NamedRun>& all_runs() {
  static const std::vector<NamedRun> runs = {{"reverse_layer", 100, make_reverse_layer},
                                             {"char_gpt", 10, make_char_gpt},
                                             {"modern_gpt", 10, make_modern_gpt},
                                             {"spelled_out_gpt", 15, make_spelled_out_gpt},
                                             {"encoder_decoder", 10, make_encoder_decoder},
                                             {"classifier", 20, make_classifier},
                                             {"recurrent", 60, make_recurrent},
                                             {"operations", 60, make_operations}};
  return runs;
}

const NamedRun& find_run(const std::string& name) {
  for (const NamedRun& run : all_runs()) {
    if (run.name == name) return run;
  }
  throw std::invalid_argument("find_run: there is no training run '" + name + "'");
}

}  // namespace vitro::training_runs
