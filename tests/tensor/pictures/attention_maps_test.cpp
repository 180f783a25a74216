#include "tensor/pictures/attention_maps.h"

#include <gtest/gtest.h>

#include "tensor/create.h"

namespace vitro {
namespace {

const AttentionMapOptions kOptions{.query_tokens = {"the", "<cat>"}, .key_tokens = {"a", "b", "c"}};

TEST(AttentionMaps, OneMapForEachHead) {
  const Tensor weights = full({1, 2, 2, 3}, Scalar(1) / Scalar(3));
  const std::string text = attention_text(weights, kOptions);
  EXPECT_NE(text.find("Attention, head 1 of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("Attention, head 2 of 2"), std::string::npos);
  EXPECT_NE(text.find("the"), std::string::npos);
  EXPECT_NE(text.find("0.33"), std::string::npos);
  EXPECT_EQ(text.find("\x1b"), std::string::npos) << "colour where there is none";
  EXPECT_NE(attention_text(weights, kOptions, TerminalColor::k256).find("\x1b"), std::string::npos);
}

TEST(AttentionMaps, SvgHoldsAllHeadsSafely) {
  const std::string svg = attention_svg(full({5, 2, 3}, Scalar(0.5)), kOptions);
  EXPECT_NE(svg.find("head 5 of 5"), std::string::npos);
  EXPECT_EQ(svg.find("<cat>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;cat&gt;"), std::string::npos);
  std::size_t opened = 0;
  for (std::size_t i = svg.find("<svg"); i != std::string::npos; i = svg.find("<svg", i + 1)) {
    ++opened;
  }
  EXPECT_EQ(opened, 6u);
}

TEST(AttentionMaps, RefusesWhatIsNoMap) {
  EXPECT_THROW(attention_text(ones({3})), ShapeError);
  EXPECT_THROW(attention_svg(ones({2, 2, 2}), {.query_tokens = {"only one"}}), ShapeError);
}

}  // namespace
}  // namespace vitro
