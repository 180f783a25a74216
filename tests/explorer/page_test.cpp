// The page that a trace writes: its data, its size, its safety.
#include <gtest/gtest.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/create.h"
#include "tensor/files/json.h"
#include "tensor/random.h"
#include "tensor/views.h"

#include "autograd/explorer/json_text.h"
#include "autograd/explorer/pool.h"
#include "autograd/ops.h"
#include "autograd/trace.h"

#include "nn/optim/sgd.h"

#include "tests/explorer/recordings.h"
#include "tests/support/files.h"

namespace vitro::test {
namespace {

using testing_support::TemporaryFolder;

std::string block(const std::string& page, const std::string& id) {
  const std::string start = "id=\"" + id + "\">";
  const std::size_t begin = page.find(start) + start.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

JsonValue head_of(const std::string& page) { return JsonValue::parse(block(page, "head")); }

Index element_count(const JsonValue& shape) {
  Index count = 1;
  for (const JsonValue& size : shape.items()) count *= size.integer();
  return count;
}

// Every offset of the head lies in the pool, with all that its shape asks for.
void check_places(const JsonValue& value, Index floats) {
  if (value.kind() == JsonKind::kObject && value.contains("offset")) {
    const Index end = value["offset"].integer() + element_count(value["shape"]);
    EXPECT_GE(value["offset"].integer(), 0);
    EXPECT_LE(end, floats);
    if (value.contains("grad")) {
      EXPECT_LE(value["grad"].integer() + element_count(value["shape"]), floats);
    }
  }
  if (value.kind() != JsonKind::kObject && value.kind() != JsonKind::kArray) return;
  for (const JsonValue& item : value.items()) check_places(item, floats);
}

TEST(ExplorerPage, HeadParsesAndOffsetsAreInThePool) {
  for (const std::string& page : {every_operation_page(), gpt_page(), hostile_page()}) {
    const JsonValue head = head_of(page);
    const Index floats = head["floats"].integer();
    EXPECT_EQ(block(page, "pool").size(), static_cast<std::size_t>((floats * 4 + 2) / 3 * 4));
    check_places(head, floats);
  }
}

TEST(ExplorerPage, NumbersInTheHeadPointAtWhatIsThere) {
  const JsonValue head = head_of(gpt_page());
  const auto tensors = static_cast<Index>(head["tensors"].items().size());
  const auto operations = static_cast<Index>(head["operations"].items().size());
  for (const JsonValue& operation : head["operations"].items()) {
    EXPECT_LT(operation["out"].integer(), tensors);
    for (const JsonValue& input : operation["in"].items()) EXPECT_LT(input.integer(), tensors);
  }
  for (const JsonValue& step : head["backward"].items()) {
    EXPECT_LT(step["operation"].integer(), operations);
    EXPECT_FALSE(step["contributions"].items().empty());
  }
  for (const JsonValue& step : head["optimizer"].items()) {
    EXPECT_LT(step["tensor"].integer(), tensors);
  }
}

TEST(ExplorerPage, TheSameRunGivesTheSameBytes) {
  EXPECT_EQ(gpt_page(), gpt_page());
  EXPECT_EQ(hostile_page(), hostile_page());
}

// The size that the documentation names: 16 tokens, 48 channels, 4 heads, 2 layers.
TEST(ExplorerPage, ASmallGptIsBelowTwoMegabytes) {
  const std::size_t bytes = gpt_page().size();
  std::cout << "a page of T=16, C=48, 4 heads, 2 layers has " << bytes / 1000 << " kB\n";
  EXPECT_LT(bytes, 2'000'000u);
}

TEST(ExplorerPage, NothingEndsABlockBeforeItsTime) {
  const std::string page = hostile_page();
  const auto count = [&page](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t i = page.find(text); i != std::string::npos; i = page.find(text, i + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("<script"), count("</script>"));
  EXPECT_EQ(count("<script>document"), 0u);
  EXPECT_EQ(count("<img"), 0u);
  EXPECT_EQ(count("<!--"), 0u);
  EXPECT_EQ(page.find('\0'), std::string::npos);
  for (const char letter : block(page, "head")) EXPECT_GE(static_cast<unsigned char>(letter), 0x20);
}

TEST(ExplorerPage, HoldsNoLinkToTheNetworkAndAStrictPolicy) {
  const std::string page = gpt_page();
  EXPECT_NE(page.find("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                      "img-src data:"),
            std::string::npos);
  for (const char* link : {"src=\"", "href=\"http", "@import", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
}

TEST(ExplorerPage, FanInShowsEachContribution) {
  Trace trace;
  const Variable x = parameter(Tensor({2}, {3, -1}), "x");
  const Variable y = x * x + x;  // three uses
  sum(y).backward();
  const JsonValue head = head_of(trace.page());
  Index to_x = 0;
  for (const JsonValue& step : head["backward"].items()) {
    const JsonValue& operation =
        head["operations"].items()[static_cast<std::size_t>(step["operation"].integer())];
    for (const JsonValue& contribution : step["contributions"].items()) {
      const JsonValue& input =
          operation["in"].items()[static_cast<std::size_t>(contribution["input"].integer())];
      if (head["tensors"].items()[static_cast<std::size_t>(input.integer())]["name"].string() ==
          "x") {
        ++to_x;
      }
    }
  }
  EXPECT_EQ(to_x, 3);
}

TEST(ExplorerPage, KnowsModulesLinesAndSources) {
  const JsonValue head = head_of(gpt_page());
  bool found = false;
  for (const JsonValue& operation : head["operations"].items()) {
    if (operation["kind"].string() != "layer_norm") continue;
    found = true;
    EXPECT_EQ(operation["scope"].string().substr(0, 5),
              operation["scope"].string() == "norm" ? "norm" : "block");
    EXPECT_EQ(operation["file"].string(), "nn/layers/normalize.cpp");
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(head["sources"].contains("nn/layers/normalize.cpp"));
}

TEST(ExplorerPage, WhatFollowsStopIsNotInIt) {
  Trace trace;
  const Variable x = parameter(Tensor({2}, {1, 2}), "x");
  const Variable y = x + x;
  trace.stop();
  const Variable z = y * y;
  EXPECT_EQ(head_of(trace.page())["operations"].items().size(), 1u);
}

TEST(ExplorerPage, AParameterThatMovedIsRecordedAnew) {
  const Variable x = parameter(Tensor({1}, {1}), "x");
  nn::Sgd optimizer({{"x", x}}, {.learning_rate = Scalar(0.5)});
  Trace trace;
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    sum(x * x).backward();
    optimizer.step();
  }
  const JsonValue head = head_of(trace.page());
  Index parameters = 0;
  for (const JsonValue& tensor : head["tensors"].items()) {
    if (tensor["role"].string() == "parameter") ++parameters;
  }
  EXPECT_EQ(parameters, 2);
  EXPECT_EQ(head["optimizer"].items().size(), 2u);
}

TEST(ExplorerPage, RefusesWhatNoBrowserOpens) {
  Trace trace;
  const Variable x = unsqueeze(Variable(broadcast_to(ones({1}), {20'000'000})), 0);
  EXPECT_THROW(
      {
        try {
          trace.page();
        } catch (const std::length_error& error) {
          EXPECT_NE(std::string(error.what()).find("record fewer steps"), std::string::npos);
          throw;
        }
      },
      std::length_error);
}

TEST(ExplorerPage, SnapshotsKeepTheirShape) {
  Trace trace;
  trace.add_snapshot(1, {ones({1, 2, 2})});
  EXPECT_THROW(trace.add_snapshot(2, {ones({1, 3, 3})}), ShapeError);
  EXPECT_THROW(trace.add_snapshot(2, {ones({2})}), ShapeError);
  EXPECT_THROW(trace.add_snapshot(2, {}), std::invalid_argument);
}

TEST(ExplorerPage, IsWrittenWhole) {
  const TemporaryFolder folder;
  Trace trace;
  const Variable x = parameter(Tensor({2}, {1, 2}), "x");
  const Variable y = x + x;
  const Index bytes = trace.write(folder.file("run.html"));
  EXPECT_EQ(static_cast<Index>(std::filesystem::file_size(folder.file("run.html"))), bytes);
  EXPECT_THROW(trace.write(folder.file("missing/run.html")), FileError);
}

TEST(ExplorerText, JsonEscapesWhatCouldBreakOut) {
  EXPECT_EQ(explorer::json_text("a\"\\</script>&\n"),
            "\"a\\\"\\\\\\u003c/script\\u003e\\u0026\\u000a\"");
  EXPECT_EQ(explorer::json_text("\xe2\x80\xa8\xff"), "\"\\u2028\\\\xff\"");
  EXPECT_EQ(explorer::json_number(-1.5), "-1.5");
}

TEST(ExplorerText, Base64OfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(explorer::base64(""), "");
  EXPECT_EQ(explorer::base64("f"), "Zg==");
  EXPECT_EQ(explorer::base64("fo"), "Zm8=");
  EXPECT_EQ(explorer::base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace vitro::test
