// The few words of SVG that pictures here are made of: text that cannot break out, and numbers that
// are written the same on every system.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace vitro {

/// `text` made safe for XML: visible (see visible_text) and with & < > " ' spelled out.
std::string xml_text(std::string_view text);

/// A coordinate: at most two digits after the point, no trailing zeros.
std::string svg_number(double value);

/// `name="value"` pairs. Values are escaped.
using SvgAttributes = std::initializer_list<std::pair<const char*, std::string>>;

/// <name a="…" b="…"/>, or with `inner` (already safe) between an opening and a closing tag; ends
/// in a newline.
std::string svg_element(const char* name, SvgAttributes attributes, const std::string& inner = "");

/// A line of text. `css_class` picks size and colour, `anchor` (start, middle, end) what x is.
std::string svg_text(double x, double y, const char* css_class, const char* anchor,
                     std::string_view text);

/// "#2166ac" for 33, 102, 172.
std::string svg_color(int red, int green, int blue);

/// A whole picture: `style` holds its CSS rules, `body` its elements. The page's colours are there
/// for everybody: class "paper" is the ground, "ink" text, "quiet" lesser text, "line" thin lines;
/// they follow the reader's light or dark setting. Sizes of text: "title", "label", "small".
std::string svg_document(double width, double height, std::string_view title,
                         const std::string& style, const std::string& body);

}  // namespace vitro
