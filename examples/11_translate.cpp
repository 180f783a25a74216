// 11: an encoder–decoder translates: dates as people write them into ISO form.
//
// "March 5, 1987" becomes 1987-03-05, one character at a time. The encoder reads the whole source;
// the decoder writes, and for each character looks back at what was read: cross-attention. It is
// trained with the right target up to each character, and afterwards goes on from its own. With
// --pairs it learns any other list of pairs.
//
// Takes about a quarter of a minute on two cores.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tensor/pictures/heatmap.h"
#include "tensor/print.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/models/decode.h"
#include "nn/optim/accumulate.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"
#include "nn/text/shuffled_order.h"

#include "examples/common/command_line.h"
#include "examples/common/pair_data.h"
#include "examples/common/recording.h"
#include "examples/common/run_checkpoint.h"
#include "examples/common/run_main.h"
#include "examples/common/saved_weights.h"
#include "examples/common/sequence_tasks.h"
#include "examples/common/terminal.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "11_translate";

struct Settings {
  TrainingOptions training;
  std::string pairs;
  Index n_layer = 2;
  Index n_head = 4;
  Index n_embd = 64;
  Index test_count = 1000;
  Index beams = 3;
  std::string ask = "March 5, 1987";
};

/// --trace: a page of one step on a single unseen pair; the labels are those of its target.
void record_step(nn::EncoderDecoder& model, const Pairs& pairs, nn::Optimizer& optimizer,
                 const TrainingOptions& options, const TrainingReport& report) {
  const PairBatch one = batch_of(pairs, pairs.test, {0});
  std::vector<std::string> letters;
  for (const Index id : one.inputs.values()) letters.push_back(pairs.targets.decode({id}));
  StepRecording recording(
      options.trace,
      {.program = kProgram, .tokens = letters, .classes = pairs.targets.characters()});
  recording.add_losses(report.first_step(), report.losses());
  recording.record_training(
      model, optimizer, [&] { return cross_entropy(model(one.sources, one.inputs), one.targets); });
}

SavedTexts saved_texts(const Settings& s) {
  return {{"task", "translate"}, {"n_head", TextPiece(s.n_head).text()}};
}

/// Returns the exit code: not 0 where Ctrl+C cut the training short.
int train(nn::EncoderDecoder& model, const Pairs& pairs, const Settings& s, const CommandLine& line,
          Rng& rng) {
  const TrainingOptions& options = s.training;
  nn::Adam optimizer(model.named_parameters(), {});
  const nn::WarmupCosine schedule{std::min<Index>(100, options.max_iters / 10), options.max_iters,
                                  options.learning_rate, 0};
  nn::ShuffledOrder order(static_cast<Index>(pairs.train.size()), rng);
  RunCheckpoint checkpoint(line, options, "translate", {model, optimizer, rng}, {}, {&order});
  const Index first = checkpoint.first_step();
  const Index pairs_per_step = options.grad_accum * options.batch_size;
  TrainingReport report(options, pairs_per_step * (pairs.longest_target + 1), first);
  for (Index step = first; report.goes_on(step); ++step) {
    optimizer.zero_grad();
    nn::GradientAccumulation accumulation;
    for (Index part = 0; part < options.grad_accum; ++part) {  // each letter counts the same
      const PairBatch batch = batch_of(pairs, pairs.train, order.next(options.batch_size));
      const Variable logits = model(batch.sources, batch.inputs);  // [batch, time, letters]
      const Variable loss = cross_entropy(logits, batch.targets);  // []
      accumulation.add(loss, nn::counted_tokens(batch.targets));
    }
    const double loss = accumulation.finish(optimizer.parameters());
    nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step - 1, schedule)));
    optimizer.step();
    report.update(step, static_cast<Scalar>(loss));
    checkpoint.after(step);
  }
  report.end();
  if (!checkpoint.was_stopped()) save_trained(options.save, model, saved_texts(s));
  report.show_losses(pairs.targets.vocab_size(), "translate");
  if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
  record_step(model, pairs, optimizer, options, report);
  return 0;
}

nn::DecodeOptions decoding(const Pairs& pairs) {
  const Index edge = pairs.targets.encode(kEdge).front();
  return {.start_token = edge, .stop_token = edge, .longest = pairs.longest_target + 1};
}

void evaluate(nn::EncoderDecoder& model, const Pairs& pairs, const Settings& s) {
  const Index count = std::min(s.test_count, static_cast<Index>(pairs.test.size()));
  Index right = 0;
  for (Index start = 0; start < count; start += 250) {
    std::vector<Index> picked;
    for (Index i = start; i < std::min(start + 250, count); ++i) {
      picked.push_back(i * static_cast<Index>(pairs.test.size()) / count);  // from the whole list
    }
    const Indices sources = batch_of(pairs, pairs.test, picked).sources;
    const auto answers = nn::decode_greedily(model, sources, decoding(pairs));
    for (std::size_t row = 0; row < answers.size(); ++row) {
      const std::string& target = pairs.test[static_cast<std::size_t>(picked[row])].second;
      right += pairs.targets.decode(answers[row]) == target ? 1 : 0;
    }
  }
  const double share = static_cast<double>(right) / static_cast<double>(count);
  std::cout << "unseen sources translated without a mistake: " << right << " of " << count << " ("
            << number_text(100 * share, 1) << " %)\n";
  show_result("exact_match", share);
}

/// Translates one source with beams, and shows where each character of the best answer looked.
void answer(nn::EncoderDecoder& model, const Pairs& pairs, const Settings& s) {
  const std::vector<Index> ids = pairs.sources.encode(s.ask);
  const Indices source({static_cast<Index>(ids.size())}, ids);
  const auto found = nn::decode_with_beams(model, source, decoding(pairs), s.beams);
  std::cout << "\nasked:    " << s.ask << "\nanswered: " << pairs.targets.decode(found[0].tokens)
            << "\n";
  for (const nn::Hypothesis& hypothesis : found) {
    std::cout << "  log p " << number_text(hypothesis.log_probability, 4) << "  "
              << pairs.targets.decode(hypothesis.tokens) << "\n";
  }
  if (found[0].tokens.empty()) return;
  const NoGrad no_grad;
  model.eval();
  nn::MultiHeadAttention& attention = model.decoder_blocks().back()->cross_attention();
  attention.keep_weights();
  std::vector<Index> inputs = found[0].tokens;
  inputs.insert(inputs.begin(), decoding(pairs).start_token);
  inputs.pop_back();  // each character of the answer was written at the place of the one before
  model(reshape(source, {1, -1}), Indices({1, static_cast<Index>(inputs.size())}, inputs));
  const Tensor weights = mean(attention.weights().value(), {0, 1});  // [answer, source]
  HeatmapOptions picture{.title = "Where each written character looked (last block, mean of heads)",
                         .row_axis = "written",
                         .column_axis = "read",
                         .scale = HeatScale::kWeights};
  for (const Index id : found[0].tokens) picture.row_labels.push_back(pairs.targets.decode({id}));
  for (const Index id : ids) picture.column_labels.push_back(pairs.sources.decode({id}));
  const TerminalColor color = choose_color(s.training.color, terminal_state(OutputStream::kOut));
  std::cout << "\n" << heatmap_text(weights, picture, color);
}

// Before the training, not after. Throws UsageError, or std::invalid_argument for a character that
// no source holds.
void check_question(const Pairs& pairs, const std::string& question) {
  const auto length = static_cast<Index>(pairs.sources.encode(question).size());
  if (length <= pairs.longest_source) return;
  throw UsageError(join_text({"--ask: it has ", length, " characters; the longest source has ",
                              pairs.longest_source, ", and no place beyond is learnt"}));
}

void add_options(CommandLine& line, Settings& s) {
  s.training.max_iters = 1000;
  s.training.learning_rate = 0.003;
  s.training.eval_interval = 100;
  line.text("pairs", s.pairs, "FILE", "pairs to learn, 'source TAB target' a line; else dates");
  line.integer("n_layer", s.n_layer, 1, 48, "blocks of the encoder, and of the decoder");
  line.integer("n_head", s.n_head, 1, 64, "heads of each block; must divide n_embd");
  line.integer("n_embd", s.n_embd, 1, 4096, "channels (d_model)");
  line.integer("test_count", s.test_count, 1, 100'000, "unseen pairs to test on");
  line.integer("beams", s.beams, 1, 100, "beginnings that are kept for --ask");
  line.text("ask", s.ask, "TEXT", "what to translate at the end");
  add_training_options(line, s.training, "uses saved weights; trains on only with --max_iters");
  add_accumulation_option(line, s.training);
}

int run(CommandLine& line, int argc, const char* const* argv) {
  Settings s;
  TrainingOptions& options = s.training;
  add_options(line, s);
  if (!line.parse(argc, argv)) return 0;
  take_resumed_options(line, options);
  if (options.quick && !line.was_given("max_iters")) options.max_iters = 30;
  if (options.quick && !line.was_given("test_count")) s.test_count = 100;
  if (!options.load.empty() && !line.was_given("max_iters")) options.max_iters = 0;

  Rng rng(static_cast<std::uint64_t>(options.seed));
  const Pairs pairs = load_pairs(s.pairs, rng);
  if (!s.pairs.empty() && !line.was_given("ask")) s.ask = pairs.test.front().first;
  check_question(pairs, s.ask);
  const nn::BlockOptions block{.channels = s.n_embd, .head_count = s.n_head};
  nn::EncoderDecoder model({.source = {.vocab_size = pairs.sources.vocab_size(),
                                       .block_size = pairs.longest_source,
                                       .layer_count = s.n_layer,
                                       .block = block,
                                       .padding = pairs.sources.encode(kPadding).front()},
                            .target_vocab_size = pairs.targets.vocab_size(),
                            .target_block_size = pairs.longest_target + 1,
                            .decoder_layer_count = s.n_layer},
                           rng);
  load_trained(options.load, model, saved_texts(s));
  prepare_training(options, {{"pairs", s.pairs}});
  std::cout << pairs.train.size() << " pairs to train on, " << pairs.test.size() << " to test; "
            << model.parameter_count() << " parameters, " << options.max_iters << " steps of "
            << options.grad_accum * options.batch_size
            << " pairs.\nThe defaults take about a quarter of a minute on two cores.\n"
            << std::flush;
  if (options.max_iters > 0 || !options.resume.empty()) {
    if (const int code = train(model, pairs, s, line, rng); code != 0) return code;
  } else {
    save_trained(options.save, model, saved_texts(s));
  }
  evaluate(model, pairs, s);
  answer(model, pairs, s);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "an encoder–decoder learns to translate, dates at first.");
    return run(command_line, argc, argv);
  });
}
