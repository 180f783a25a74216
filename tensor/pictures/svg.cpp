#include "tensor/pictures/svg.h"

#include "tensor/error.h"
#include "tensor/pictures/glyphs.h"
#include "tensor/print.h"

namespace vitro {
namespace {

constexpr const char* kPageStyle =
    "text{font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}"
    ".paper{fill:#ffffff}.ink{fill:#1f2328}.quiet{fill:#656d76}"
    ".title{font-size:15px;font-weight:600}.label{font-size:12px}.small{font-size:11px}"
    ".line{fill:none;stroke:#656d76;stroke-opacity:.35}";
constexpr const char* kDarkStyle =
    "@media (prefers-color-scheme:dark){.paper{fill:#0d1117}.ink{fill:#e6edf3}.quiet{fill:#8d96a0}"
    ".line{stroke:#8d96a0}}";

}  // namespace

std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char letter : visible_text(text)) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

std::string svg_number(double value) { return without_trailing_zeros(number_text(value, 2)); }

std::string svg_element(const char* name, SvgAttributes attributes, const std::string& inner) {
  std::string text = join_text({"<", name});
  for (const auto& [attribute, value] : attributes) {
    text += join_text({" ", attribute, "=\"", xml_text(value), "\""});
  }
  if (inner.empty()) return text + "/>\n";
  return text + join_text({">", inner, "</", name, ">\n"});
}

std::string svg_text(double x, double y, const char* css_class, const char* anchor,
                     std::string_view text) {
  return svg_element(
      "text",
      {{"x", svg_number(x)}, {"y", svg_number(y)}, {"class", css_class}, {"text-anchor", anchor}},
      xml_text(text));
}

std::string svg_color(int red, int green, int blue) {
  std::string text = "#";
  for (const int part : {red, green, blue}) text += hex_text(static_cast<unsigned char>(part));
  return text;
}

std::string svg_document(double width, double height, std::string_view title,
                         const std::string& style, const std::string& body) {
  const std::string w = svg_number(width);
  const std::string h = svg_number(height);
  return join_text({"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h,
                    "\" viewBox=\"0 0 ", w, " ", h, "\" role=\"img\">\n<title>", xml_text(title),
                    "</title>\n<style>", kPageStyle, style, kDarkStyle, "</style>\n"}) +
         svg_element("rect", {{"class", "paper"}, {"width", w}, {"height", h}, {"rx", "8"}}) +
         body + "</svg>\n";
}

}  // namespace vitro
