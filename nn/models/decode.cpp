#include "nn/models/decode.h"

#include <algorithm>
#include <utility>

#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"

#include "nn/models/eval_scope.h"

namespace vitro::nn {
namespace {

void check_decoding(const EncoderDecoder& model, const DecodeOptions& options,
                    const char* function) {
  const EncoderDecoderOptions& sizes = model.options();
  check_id(options.start_token, sizes.target_vocab_size, function, "start_token");
  check_id(options.stop_token, sizes.target_vocab_size, function, "stop_token");
  if (options.longest < 1 || options.longest > sizes.target_block_size) {
    throw_invalid({function, ": longest is ", options.longest,
                   "; it must be from 1 to target_block_size (", sizes.target_block_size, ")"});
  }
}

// The start token and what was written of each row: [rows, 1 + time]. All have one length.
Indices targets_of(const std::vector<std::vector<Index>>& written, Index start_token) {
  std::vector<Index> ids;
  for (const std::vector<Index>& row : written) {
    ids.push_back(start_token);
    ids.insert(ids.end(), row.begin(), row.end());
  }
  const auto rows = static_cast<Index>(written.size());
  const Index time = static_cast<Index>(ids.size()) / rows;
  return Indices({rows, time}, std::move(ids));
}

// log p of the token after each row, [rows, vocab].
Tensor next_log_probabilities(EncoderDecoder& model, const Variable& memory,
                              const AttentionMask& mask, const Indices& targets) {
  const Tensor logits = model.decode(memory, mask, targets).value();  // [rows, time, vocab]
  const Tensor last = narrow(logits, 1, logits.size(1) - 1, 1);       // [rows, 1, vocab]
  return log_softmax(reshape(last, {logits.size(0), logits.size(2)}), -1);
}

bool is_better(const Hypothesis& a, const Hypothesis& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.tokens < b.tokens;
}

// The `count` best, best first.
void keep_best(std::vector<Hypothesis>& hypotheses, Index count) {
  std::sort(hypotheses.begin(), hypotheses.end(), is_better);
  if (static_cast<Index>(hypotheses.size()) > count) {
    hypotheses.resize(static_cast<std::size_t>(count));
  }
}

// Every way to go on by one token; those that have stopped stay as they are.
std::vector<Hypothesis> continued(const std::vector<Hypothesis>& beams, const Tensor& log_p,
                                  Index stop_token) {
  std::vector<Hypothesis> next;
  Index row = 0;
  for (const Hypothesis& beam : beams) {
    if (beam.has_stopped) {
      next.push_back(beam);
      continue;
    }
    for (Index token = 0; token < log_p.size(1); ++token) {
      Hypothesis longer = beam;
      longer.log_probability += static_cast<double>(log_p.at({row, token}));
      longer.has_stopped = token == stop_token;
      if (!longer.has_stopped) longer.tokens.push_back(token);
      next.push_back(std::move(longer));
    }
    ++row;
  }
  return next;
}

// The beams that go on, as rows of tokens.
std::vector<std::vector<Index>> open_rows(const std::vector<Hypothesis>& beams) {
  std::vector<std::vector<Index>> rows;
  for (const Hypothesis& beam : beams) {
    if (!beam.has_stopped) rows.push_back(beam.tokens);
  }
  return rows;
}

}  // namespace

std::vector<std::vector<Index>> decode_greedily(EncoderDecoder& model, const Indices& sources,
                                                const DecodeOptions& options) {
  check_decoding(model, options, "decode_greedily");
  if (sources.rank() != 2) {
    throw ShapeError(
        {"decode_greedily: sources are ", sources.shape(), "; they must be [batch, source time]"});
  }
  const NoGrad no_grad;
  const EvalScope evaluation(model);
  const Variable memory = model.encode(sources);  // [batch, source time, channels]
  const AttentionMask mask = model.encoder().mask_of(sources);
  // A row that has stopped goes on with the others; what it writes then is cut off at the end.
  std::vector<std::vector<Index>> written(static_cast<std::size_t>(sources.size(0)));
  std::vector<bool> has_stopped(written.size(), false);
  for (Index i = 0; i < options.longest; ++i) {
    if (std::find(has_stopped.begin(), has_stopped.end(), false) == has_stopped.end()) break;
    const Indices targets = targets_of(written, options.start_token);
    const Indices best = argmax(next_log_probabilities(model, memory, mask, targets), -1);
    for (std::size_t row = 0; row < written.size(); ++row) {
      written[row].push_back(best[static_cast<Index>(row)]);
      has_stopped[row] = has_stopped[row] || written[row].back() == options.stop_token;
    }
  }
  for (std::vector<Index>& row : written) {
    row.erase(std::find(row.begin(), row.end(), options.stop_token), row.end());
  }
  return written;
}

std::vector<Hypothesis> decode_with_beams(EncoderDecoder& model, const Indices& source,
                                          const DecodeOptions& options, Index beam_count) {
  check_decoding(model, options, "decode_with_beams");
  check_size(beam_count, "decode_with_beams", "beam_count");
  if (source.rank() != 1) {
    throw ShapeError({"decode_with_beams: the source is ", source.shape(),
                      "; it must be [source time], one sequence"});
  }
  const NoGrad no_grad;
  const EvalScope evaluation(model);
  const Indices row = reshape(source, {1, -1});
  const Variable memory = model.encode(row);  // [1, source time, channels]
  const AttentionMask mask = model.encoder().mask_of(row);
  std::vector<Hypothesis> beams(1);
  for (Index i = 0; i < options.longest; ++i) {
    const std::vector<std::vector<Index>> rows = open_rows(beams);
    if (rows.empty()) break;
    const Variable memories(broadcast_to(  // every beam read the same source
        memory.value(), memory.shape().with_size(0, static_cast<Index>(rows.size()))));
    const Indices targets = targets_of(rows, options.start_token);
    beams = continued(beams, next_log_probabilities(model, memories, mask, targets),
                      options.stop_token);
    keep_best(beams, beam_count);
  }
  return beams;
}

}  // namespace vitro::nn
