// The recipe "a new layer" of docs/extending.md, followed literally.
#include <gtest/gtest.h>
#include <string>

#include "autograd/gradcheck.h"

#include "nn/layers/linear.h"

#include "tests/docs/recipes/gate.h"

namespace vitro {
namespace {

class GatedNet : public nn::Module {
 public:
  explicit GatedNet(Rng& rng)
      : gate_(add_module<Gate>("gate", 4)), head_(add_module<nn::Linear>("head", 4, 2, rng)) {}

  Variable operator()(const Variable& x) { return head_(gate_(x)); }  // [.., 4] → [.., 2]

 private:
  Gate& gate_;
  nn::Linear& head_;
};

TEST(Recipe, ANewLayer) {
  Rng rng(1);
  GatedNet net(rng);
  EXPECT_EQ(net.named_parameters()[0].name, "gate.gain");
  EXPECT_EQ(net.parameter_count(), 4 + 4 * 2 + 2);
  EXPECT_NE(nn::parameter_table(net).find("gate.gain"), std::string::npos);
  const Variable x = parameter(uniform({3, 4}, -1, 1, rng), "x");
  std::vector<Variable> inputs = net.parameters();
  inputs.push_back(x);
  const GradcheckResult result = gradcheck([&](const auto& in) { return net(in.back()); }, inputs);
  EXPECT_TRUE(result.passed) << result;
}

}  // namespace
}  // namespace vitro
