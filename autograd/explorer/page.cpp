#include "autograd/explorer/page.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tensor/error.h"

#include "autograd/explorer/embedded.h"
#include "autograd/explorer/head.h"

namespace vitro::explorer {
namespace {

constexpr const char* kFolder = "autograd/explorer/";

std::string page_file(const std::string& name) {
  const std::string_view text = embedded_file(kFolder + name);
  if (text.data() == nullptr) {
    throw std::logic_error(join_text({"explorer: ", name, " was not put into the library"}));
  }
  return std::string(text);
}

// Every `before`NAME`after` of the text replaced by what `content` makes of NAME.
template <typename Content>
std::string replaced(const std::string& text, const std::string& before, const std::string& after,
                     const Content& content) {
  std::string result;
  std::size_t place = 0;
  while (true) {
    const std::size_t found = text.find(before, place);
    if (found == std::string::npos) return result + text.substr(place);
    const std::size_t name = found + before.size();
    const std::size_t end = text.find(after, name);
    result += text.substr(place, found - place) + content(text.substr(name, end - name));
    place = end + after.size();
  }
}

// page.html links to its style and scripts, so that one can work on it; a page holds them.
std::string with_files(const std::string& html) {
  const std::string styled =
      replaced(html, "<link rel=\"stylesheet\" href=\"", "\">",
               [](const std::string& name) { return "<style>\n" + page_file(name) + "</style>"; });
  return replaced(styled, "<script src=\"", "\"></script>", [](const std::string& name) {
    return "<script>\n" + page_file(name) + "</script>";
  });
}

std::string snapshot_bytes(const std::vector<Snapshot>& snapshots) {
  std::string bytes;
  for (const Snapshot& snapshot : snapshots) {
    for (const Tensor& weights : snapshot.weights) {
      for (const Scalar weight : weights.to_vector()) {
        const Scalar fraction = weight >= 0 ? std::min(weight, Scalar(1)) : Scalar(0);
        bytes += static_cast<char>(std::lround(fraction * 255));
      }
    }
  }
  return bytes;
}

void check_page_size(std::size_t size) {
  if (size <= static_cast<std::size_t>(kMaxPageBytes)) return;
  throw std::length_error(
      error_text({"Trace: the page would have ", size / (1024 * 1024),
                  " MB, and browsers stop at about ", kMaxPageBytes / (1024 * 1024),
                  "; record fewer steps, one sequence, a shorter one, or a smaller model"}));
}

}  // namespace

std::string page(const Recording& recording) {
  Pool pool;
  const std::string head = head_json(recording, pool);
  check_page_size(head.size() + pool.bytes().size() / 3 * 4);
  const std::string result =
      replaced(with_files(page_file("page.html")), "<!--", "-->", [&](const std::string& name) {
        if (name == "head") return head;
        if (name == "pool") return base64(pool.bytes());
        if (name == "snapshots") return base64(snapshot_bytes(recording.snapshots));
        return std::string();
      });
  check_page_size(result.size());
  return result;
}

}  // namespace vitro::explorer
