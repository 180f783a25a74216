// Heat maps: a matrix as colours, in a terminal and as an SVG picture.
//
// Blue is negative, orange positive, near-white zero; the sign is printed as well, so that colour
// is never alone. NaN is crossed out, -inf (a masked score) hatched. The same tensor and options
// give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace vitro {

/// What full colour means.
enum class HeatScale {
  kAuto,     ///< kWeights where every number lies in [0, 1], else kSigned
  kSigned,   ///< blue … white … orange, from -m to m, m being the largest magnitude
  kWeights,  ///< white … orange, from 0 to 1; a negative number, which no weight is, shows blue
};

/// Which colours the terminal understands.
enum class TerminalColor {
  kNone,       ///< plain text: shades are characters, and signs are printed
  k256,        ///< the 256 colours of xterm
  kTruecolor,  ///< any colour
};

struct HeatmapOptions {
  std::string title = {};
  std::string row_axis = {};                    ///< what rows are, such as "query"
  std::string column_axis = {};                 ///< what columns are, such as "key"
  std::vector<std::string> row_labels = {};     ///< none, or one a row, such as the tokens
  std::vector<std::string> column_labels = {};  ///< none, or one a column
  HeatScale scale = HeatScale::kAuto;
  double limit = 0;    ///< the magnitude of full colour; 0: as the scale says
  Index decimals = 2;  ///< digits after the point, where numbers fit into the cells
};

/// x [rows, columns] as lines of text, each ending in a newline. Matrices of at most 12 columns
/// show their numbers. A matrix of more than 64 rows or columns is shown in blocks, each by its
/// entry of the largest magnitude, and says so. Throws ShapeError for another rank or number of
/// labels, std::invalid_argument for a limit that is negative, infinite or NaN.
std::string heatmap_text(const Tensor& x, const HeatmapOptions& options = {},
                         TerminalColor color = TerminalColor::kNone);

/// x [rows, columns] as a self-contained SVG file, for light and dark pages. Matrices of at most
/// 16 columns show their numbers; above 128 rows or columns, blocks as above.
/// Throws as heatmap_text does.
std::string heatmap_svg(const Tensor& x, const HeatmapOptions& options = {});

}  // namespace vitro
