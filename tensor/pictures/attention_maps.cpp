#include "tensor/pictures/attention_maps.h"

#include <algorithm>

#include "tensor/pictures/heat_layout.h"
#include "tensor/pictures/svg.h"
#include "tensor/views.h"

namespace vitro {
namespace {

constexpr Index kMostInARow = 4;
constexpr Index kMaxLabelWidth = 12;

/// One matrix a head.
std::vector<Tensor> heads_of(const Tensor& weights, const char* function) {
  if (weights.rank() < 2) {
    throw ShapeError({function, ": weights are ", weights.shape(),
                      "; they must be [.., queries, keys], such as [heads, time, time]"});
  }
  const Index queries = weights.size(-2);
  const Index keys = weights.size(-1);
  Index count = 1;
  for (Index axis = 0; axis < weights.rank() - 2; ++axis) count *= weights.size(axis);
  const Tensor all = reshape(weights, {count, queries, keys});
  std::vector<Tensor> heads;
  for (Index head = 0; head < count; ++head) {
    heads.push_back(reshape(narrow(all, 0, head, 1), {queries, keys}));
  }
  return heads;
}

HeatmapOptions head_options(const AttentionMapOptions& options, Index head, Index count) {
  const std::string number = count == 1 ? "" : join_text({", head ", head + 1, " of ", count});
  return {.title = options.title + number,
          .row_axis = "query",
          .column_axis = "key",
          .row_labels = options.query_tokens,
          .column_labels = options.key_tokens,
          .scale = HeatScale::kWeights,
          .decimals = options.decimals};
}

}  // namespace

std::string attention_text(const Tensor& weights, const AttentionMapOptions& options,
                           TerminalColor color) {
  const std::vector<Tensor> heads = heads_of(weights, "attention_text");
  const auto count = static_cast<Index>(heads.size());
  std::string text;
  for (Index head = 0; head < count; ++head) {
    if (head > 0) text += "\n";
    text += heatmap_text(heads[static_cast<std::size_t>(head)], head_options(options, head, count),
                         color);
  }
  return text;
}

std::string attention_svg(const Tensor& weights, const AttentionMapOptions& options) {
  const std::vector<Tensor> heads = heads_of(weights, "attention_svg");
  const auto count = static_cast<Index>(heads.size());
  double width = 0;  // of the widest, which all of them get
  double height = 0;
  std::vector<std::string> pictures;
  for (Index head = 0; head < count; ++head) {
    const Tensor& matrix = heads[static_cast<std::size_t>(head)];
    const HeatmapOptions each = head_options(options, head, count);
    pictures.push_back(heatmap_svg(matrix, each));
    const HeatLayout layout = heat_layout(
        heat_cells(matrix, each, HeatLayout::kMaxSize, kMaxLabelWidth, "attention_svg"), each);
    width = std::max(width, layout.width);
    height = std::max(height, layout.height);
  }
  const Index in_a_row = std::clamp<Index>(count, 1, kMostInARow);
  std::string body;
  for (Index head = 0; head < count; ++head) {
    // A picture inside the picture is the same element with a place.
    const std::string place =
        join_text({"<svg x=\"", svg_number(width * static_cast<double>(head % in_a_row)), "\" y=\"",
                   svg_number(height * static_cast<double>(head / in_a_row)), "\" "});
    body += place + pictures[static_cast<std::size_t>(head)].substr(std::string("<svg ").size());
  }
  const Index rows = (count + in_a_row - 1) / in_a_row;
  return svg_document(width * static_cast<double>(in_a_row), height * static_cast<double>(rows),
                      options.title, "", body);
}

}  // namespace vitro
