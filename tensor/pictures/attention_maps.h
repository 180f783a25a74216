// Attention maps: who looks at whom, one heat map for each head.
#pragma once

#include <string>
#include <vector>

#include "tensor/pictures/heatmap.h"

namespace vitro {

struct AttentionMapOptions {
  std::string title = "Attention";
  std::vector<std::string> query_tokens = {};  ///< none, or one a query
  std::vector<std::string> key_tokens = {};    ///< none, or one a key
  Index decimals = 2;
};

/// weights [.., queries, keys], such as [heads, time, time]: the heads' maps one below the other,
/// with numbers where they fit. Leading axes other than heads count as more heads. Throws
/// ShapeError for a rank below 2 or a wrong number of tokens.
std::string attention_text(const Tensor& weights, const AttentionMapOptions& options = {},
                           TerminalColor color = TerminalColor::kNone);

/// The same as one self-contained SVG file, the heads beside each other, at most four in a row.
std::string attention_svg(const Tensor& weights, const AttentionMapOptions& options = {});

}  // namespace vitro
