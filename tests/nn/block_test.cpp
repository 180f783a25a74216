#include "nn/layers/block.h"

#include "autograd/ops.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

nn::BlockOptions block_options(nn::NormPlace place, nn::NormKind kind) {
  nn::BlockOptions options;
  options.channels = 6;
  options.head_count = 3;
  options.hidden = 11;
  options.norm = kind;
  options.norm_place = place;
  options.activation = nn::Activation::kSilu;
  return options;
}

Variable normed(const nn::Block& block, const std::string& name, nn::NormKind kind,
                const Variable& x) {
  const Variable gain = named(block, name + ".weight");
  if (kind == nn::NormKind::kRms) return rms_norm(x, gain);
  return layer_norm(x, gain, named(block, name + ".bias"));
}

Variable fed_forward(const nn::Block& block, const Variable& x) {
  const auto part = [&](const std::string& name) { return named(block, "feed_forward." + name); };
  const Variable hidden = silu(linear(x, part("expand.weight"), part("expand.bias")));
  return linear(hidden, part("contract.weight"), part("contract.bias"));
}

TEST(Block, EqualsItsSpelledOutOperationsBitForBit) {
  for (const nn::NormKind kind : {nn::NormKind::kLayer, nn::NormKind::kRms}) {
    Rng rng(6);
    nn::Block pre(block_options(nn::NormPlace::kPre, kind), rng);
    nn::Block post(block_options(nn::NormPlace::kPost, kind), rng);
    randomize(pre, rng);
    randomize(post, rng);
    const Variable x(random_tensor({2, 5, 6}, rng));
    AttentionMask mask;
    mask.causal = true;

    const Variable a = x + pre.attention()(normed(pre, "norm_1", kind, x), mask);
    const Variable b = a + fed_forward(pre, normed(pre, "norm_2", kind, a));
    expect_same_bits(pre(x, mask).value(), b.value());

    const Variable c = normed(post, "norm_1", kind, x + post.attention()(x, mask));
    const Variable d = normed(post, "norm_2", kind, c + fed_forward(post, c));
    expect_same_bits(post(x, mask).value(), d.value());
  }
}

TEST(Block, HiddenDefaultsToFourTimesTheChannels) {
  Rng rng(6);
  nn::BlockOptions options = block_options(nn::NormPlace::kPre, nn::NormKind::kLayer);
  options.hidden = 0;
  const nn::Block block(options, rng);
  EXPECT_EQ(named(block, "feed_forward.expand.weight").shape(), (Shape{6, 24}));
  options.hidden = -2;
  expect_error_contains<std::invalid_argument>([&] { nn::Block(options, rng); }, "hidden is -2");
}

TEST(Block, DropoutActsWhileTrainingAndNotAfterEval) {
  nn::BlockOptions options = block_options(nn::NormPlace::kPre, nn::NormKind::kLayer);
  Rng rng(6);
  nn::Block plain(options, rng);
  options.dropout = Scalar(0.4);
  nn::Block dropping(options, rng);
  for (const nn::NamedParameter& parameter : plain.named_parameters()) {
    set_named(dropping, parameter.name, parameter.variable.value());
  }
  const Variable x(random_tensor({2, 5, 6}, rng));
  EXPECT_NE(dropping(x).value().to_vector(), plain(x).value().to_vector());
  dropping.eval();
  expect_same_bits(dropping(x).value(), plain(x).value());
}

}  // namespace
}  // namespace vitro::test
