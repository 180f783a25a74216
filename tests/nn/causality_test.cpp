// BL-03: under the causal mask a later token never changes what came before, bit for bit, whatever
// else is asked for.
#include "tensor/join.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/spelled_out.h"

#include "nn/layers/block.h"
#include "nn/layers/self_attention.h"
#include "nn/models/encoder_decoder.h"
#include "nn/models/gpt.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

constexpr Index kTime = 8;
constexpr Index kChanged = 5;

AttentionMask causal() {
  AttentionMask mask;
  mask.causal = true;
  return mask;
}

// x [.., time, width] with other numbers at the changed step.
Tensor with_another_token(const Tensor& x) {
  Tensor changed = x;
  Shape one = x.shape().with_size(-2, 1);
  changed.assign(-2, kChanged, full(one, Scalar(3.5)));
  return changed;
}

// `run(x)` is called for x and for x with one token changed; each call makes its module anew.
template <typename Run>
void expect_causal(const Shape& shape, const Run& run) {
  Rng rng(17);
  const Tensor x = random_tensor(shape, rng);
  const Tensor before = run(x);
  const Tensor after = run(with_another_token(x));
  expect_same_bits(narrow(before, -2, 0, kChanged), narrow(after, -2, 0, kChanged));
  // The changed token itself, and what follows, do see it.
  for (Index time = kChanged; time < kTime; ++time) {
    EXPECT_NE(narrow(before, -2, time, 1).to_vector(), narrow(after, -2, time, 1).to_vector())
        << "step " << time;
  }
}

const std::vector<Shape>& input_shapes() {
  static const std::vector<Shape> shapes{{kTime, 6}, {3, kTime, 6}, {2, 3, kTime, 6}};
  return shapes;
}

TEST(Causality, BL03_SelfAttention) {
  for (const Shape& shape : input_shapes()) {
    for (const bool keep : {false, true}) {
      expect_causal(shape, [&](const Tensor& x) {
        Rng rng(1);
        nn::SelfAttention layer(6, 5, 7, rng);
        randomize(layer, rng);
        if (keep) layer.keep_weights();
        return layer(Variable(x), causal()).value();
      });
    }
  }
}

nn::MultiHeadAttentionOptions heads_of(Index head_count, nn::HeadPositions positions) {
  nn::MultiHeadAttentionOptions options;
  options.channels = 6;
  options.head_count = head_count;
  options.positions = positions;
  return options;
}

TEST(Causality, BL03_MultiHeadAttention) {
  using nn::HeadPositions;
  for (const Shape& shape : input_shapes()) {
    for (const Index heads : {1, 3}) {
      for (const double dropout : {0.0, 0.3}) {
        for (const auto positions :
             {HeadPositions::kNone, HeadPositions::kRotary, HeadPositions::kAlibi}) {
          for (const bool keep : {false, true}) {
            expect_causal(shape, [&](const Tensor& x) {
              Rng rng(2);
              nn::MultiHeadAttentionOptions options = heads_of(heads, positions);
              options.dropout = static_cast<Scalar>(dropout);
              options.bias = keep ? nn::Bias::kNo : nn::Bias::kYes;
              nn::MultiHeadAttention layer(options, rng);
              randomize(layer, rng);
              if (keep) layer.keep_weights();
              return layer(Variable(x), causal()).value();
            });
          }
        }
      }
    }
  }
}

TEST(Causality, BL03_SpelledOutAndWithSharedKeys) {
  for (const Index key_value_heads : {1, 3}) {
    for (const bool is_spelled_out : {false, true}) {
      expect_causal({3, kTime, 6}, [&](const Tensor& x) {
        Rng rng(2);
        nn::MultiHeadAttentionOptions options = heads_of(3, nn::HeadPositions::kNone);
        options.key_value_head_count = key_value_heads;
        nn::MultiHeadAttention layer(options, rng);
        randomize(layer, rng);
        if (!is_spelled_out) return layer(Variable(x), causal()).value();
        const SpelledOut scope;
        return layer(Variable(x), causal()).value();
      });
    }
  }
}

TEST(Causality, BL03_TogetherWithAPaddingMaskAndABias) {
  expect_causal({3, kTime, 6}, [](const Tensor& x) {
    Rng rng(3);
    nn::MultiHeadAttention layer(heads_of(3, nn::HeadPositions::kNone), rng);
    randomize(layer, rng);
    AttentionMask mask = causal();
    mask.mask = ones({3, 1, kTime});
    mask.mask.set({1, 0, 0}, 0);
    mask.bias = full({kTime, kTime}, Scalar(0.25));
    return layer(Variable(x), mask).value();
  });
}

TEST(Causality, BL03_QueriesThatAreTheLastOfTheKeys) {
  expect_causal({3, kTime, 6}, [](const Tensor& x) {
    Rng rng(4);
    nn::MultiHeadAttention layer(heads_of(3, nn::HeadPositions::kNone), rng);
    randomize(layer, rng);
    const Variable last(narrow(x, -2, 2, kTime - 2));
    const Tensor y = layer(last, Variable(x), causal()).value();  // steps 2 … 7
    return cat({zeros({3, 2, 6}), y}, 1);
  });
}

TEST(Causality, BL03_Block) {
  for (const nn::NormPlace place : {nn::NormPlace::kPre, nn::NormPlace::kPost}) {
    for (const double dropout : {0.0, 0.3}) {
      expect_causal({3, kTime, 6}, [&](const Tensor& x) {
        Rng rng(5);
        nn::BlockOptions options;
        options.channels = 6;
        options.head_count = 3;
        options.norm_place = place;
        options.dropout = static_cast<Scalar>(dropout);
        nn::Block block(options, rng);
        randomize(block, rng);
        return block(Variable(x), causal()).value();
      });
    }
  }
}

struct Variant {
  nn::PositionKind positions;
  nn::NormPlace place;
  nn::NormKind norm;
  nn::Head head;
  Index heads;
  double dropout;
  bool keeps_weights;
};

Tensor logits_of(const Variant& variant, const Indices& tokens) {
  nn::GptOptions options = small_gpt();
  options.positions = variant.positions;
  options.norm_place = variant.place;
  options.norm = variant.norm;
  options.head = variant.head;
  options.head_count = variant.heads;
  options.dropout = static_cast<Scalar>(variant.dropout);
  Rng rng(6);
  nn::Gpt model(options, rng);
  randomize(model, rng);
  if (variant.keeps_weights) {
    for (nn::MultiHeadAttention* attention : model.attentions()) attention->keep_weights();
  }
  return model(tokens).value();
}

TEST(Causality, BL03_Gpt) {
  using nn::Head;
  using nn::NormKind;
  using nn::NormPlace;
  using nn::PositionKind;
  const std::vector<Variant> variants{
      {PositionKind::kLearned, NormPlace::kPre, NormKind::kLayer, Head::kTied, 3, 0, false},
      {PositionKind::kLearned, NormPlace::kPre, NormKind::kLayer, Head::kUntied, 1, 0.2, false},
      {PositionKind::kLearned, NormPlace::kPost, NormKind::kRms, Head::kTied, 3, 0, true},
      {PositionKind::kSinusoidal, NormPlace::kPre, NormKind::kRms, Head::kUntied, 3, 0.2, true},
      {PositionKind::kRotary, NormPlace::kPre, NormKind::kLayer, Head::kTied, 3, 0, false},
      {PositionKind::kRotary, NormPlace::kPost, NormKind::kLayer, Head::kTied, 1, 0.2, true},
      {PositionKind::kAlibi, NormPlace::kPre, NormKind::kRms, Head::kUntied, 3, 0, true},
      {PositionKind::kAlibi, NormPlace::kPre, NormKind::kLayer, Head::kTied, 1, 0.2, false}};
  for (const Shape& shape : {Shape{kTime}, Shape{2, kTime}, Shape{2, 3, kTime}}) {
    Rng rng(7);
    const Indices tokens = random_tokens(shape, 11, rng);
    std::vector<Index> ids = tokens.values();
    for (std::size_t i = kChanged; i < ids.size(); i += kTime) ids[i] = (ids[i] + 4) % 11;
    for (const Variant& variant : variants) {
      const Tensor before = logits_of(variant, tokens);
      const Tensor after = logits_of(variant, Indices(shape, ids));
      expect_same_bits(narrow(before, -2, 0, kChanged), narrow(after, -2, 0, kChanged));
      EXPECT_NE(narrow(before, -2, kChanged, 1).to_vector(),
                narrow(after, -2, kChanged, 1).to_vector());
    }
  }
}

// The logits of tokens [batch, time] that reach the model in parts of these lengths.
Tensor cached_logits(nn::PositionKind positions, const Indices& tokens,
                     const std::vector<Index>& lengths) {
  nn::GptOptions options = small_gpt();
  options.positions = positions;
  Rng rng(6);
  nn::Gpt model(options, rng);
  randomize(model, rng);
  const NoGrad no_grad;
  nn::GptCache cache = model.make_cache();
  std::vector<Tensor> parts;
  Index start = 0;
  for (const Index length : lengths) {
    parts.push_back(model(narrow(tokens, 1, start, length), cache).value());
    start += length;
  }
  return cat(parts, 1);
}

TEST(Causality, BL03_KeyValueCache) {
  Rng rng(8);
  const Indices tokens = random_tokens({3, kTime}, 11, rng);
  std::vector<Index> ids = tokens.values();
  for (std::size_t i = kChanged; i < ids.size(); i += kTime) ids[i] = (ids[i] + 4) % 11;
  const Indices other({3, kTime}, ids);
  for (const auto positions : {nn::PositionKind::kLearned, nn::PositionKind::kSinusoidal,
                               nn::PositionKind::kRotary, nn::PositionKind::kAlibi}) {
    const Tensor expected = cached_logits(positions, tokens, {8});
    for (const std::vector<Index>& lengths :
         {std::vector<Index>{8}, {1, 1, 1, 1, 1, 1, 1, 1}, {3, 5}, {7, 1}}) {
      const Tensor before = cached_logits(positions, tokens, lengths);
      expect_same_bits(before, expected);
      const Tensor after = cached_logits(positions, other, lengths);
      expect_same_bits(narrow(before, 1, 0, kChanged), narrow(after, 1, 0, kChanged));
      EXPECT_NE(narrow(before, 1, kChanged, 1).to_vector(),
                narrow(after, 1, kChanged, 1).to_vector());
    }
  }
}

TEST(Causality, BL03_DecoderBlock) {
  for (const double dropout : {0.0, 0.3}) {
    expect_causal({3, kTime, 6}, [&](const Tensor& x) {
      Rng rng(9);
      nn::BlockOptions options;
      options.channels = 6;
      options.head_count = 3;
      options.dropout = static_cast<Scalar>(dropout);
      nn::DecoderBlock block(options, rng);
      randomize(block, rng);
      const Variable memory(random_tensor({3, 5, 6}, rng));
      return block(Variable(x), memory, AttentionMask{}).value();
    });
  }
}

}  // namespace
}  // namespace vitro::test
