// Decoding: what an EncoderDecoder writes about what it read.
#pragma once

#include <vector>

#include "nn/models/encoder_decoder.h"

namespace vitro::nn {

struct DecodeOptions {
  Index start_token = 0;  ///< what each target begins with
  Index stop_token = 0;   ///< what ends it
  Index longest = 0;      ///< tokens to write at most, the stop token included
};

/// The likeliest token after the likeliest token, for each of sources [batch, source time]. Start
/// and stop tokens are left out. Throws std::invalid_argument where a token of the options is none
/// or `longest` is not from 1 to target_block_size.
std::vector<std::vector<Index>> decode_greedily(EncoderDecoder& model, const Indices& sources,
                                                const DecodeOptions& options);

/// One way to go on from a source, and how likely it is.
struct Hypothesis {
  std::vector<Index> tokens;   ///< without start and stop
  double log_probability = 0;  ///< the sum over its tokens, the stop token included
  bool has_stopped = false;    ///< false where `longest` cut it off
};

/// Beam search for one source [source time]: after each token the `beam_count` likeliest beginnings
/// are kept, so that a token that looks second best at first may still win. Returns what they
/// became, likeliest first; of equal ones the one whose tokens are smaller. One beam decodes
/// greedily. Throws as decode_greedily, and where beam_count is below 1.
std::vector<Hypothesis> decode_with_beams(EncoderDecoder& model, const Indices& source,
                                          const DecodeOptions& options, Index beam_count);

}  // namespace vitro::nn
