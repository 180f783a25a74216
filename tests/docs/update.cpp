#include "tests/docs/update.h"

#include <cstddef>
#include <fstream>

#include "tests/docs/checks.h"
#include "tests/docs/pictures.h"
#include "tests/docs/transcripts.h"

namespace vitro::docs {

namespace {

class Files {
 public:
  explicit Files(std::string root) : root_(std::move(root)) {}

  void write(const std::string& path, const std::string& text) {
    if (read_text(root_ + "/" + path) == text) return;
    std::ofstream(root_ + "/" + path, std::ios::binary) << text;
    written_.push_back(path);
  }

  const std::vector<std::string>& written() const { return written_; }

 private:
  std::string root_;
  std::vector<std::string> written_;
};

// A transcript within the tolerance stays as it is, so that machines do not rewrite each other's.
void update_transcripts(const Tree& tree, Files& files) {
  for (const auto& [path, text] : tree.outputs) {
    const std::optional<Transcript> before = parse_transcript(text);
    if (!is_rerun(path) || !before) continue;
    const Transcript now = rerun(*before);
    if (difference(before->output, now.output, kTranscriptTolerance)) {
      files.write(path, transcript_text(now));
    }
  }
}

}  // namespace

std::string updated_page(const Page& page, const Tree& tree) {
  std::vector<std::string> lines;
  std::size_t next = 0;  // of page.lines, not yet copied
  for (const Fence& fence : page.fences) {
    const auto first = static_cast<std::size_t>(fence.line);  // of the text, counted from 0
    lines.insert(lines.end(), page.lines.begin() + static_cast<std::ptrdiff_t>(next),
                 page.lines.begin() + static_cast<std::ptrdiff_t>(first));
    const bool quotes = !fence.option("from").empty() && fence.language != "diff";
    const Quote quote = quotes ? quoted_text(fence, tree) : Quote{fence.text, ""};
    for (const std::string& line : split_lines(quote.error.empty() ? quote.text : fence.text)) {
      lines.push_back(line);
    }
    next = first + static_cast<std::size_t>(fence.line_count);
  }
  lines.insert(lines.end(), page.lines.begin() + static_cast<std::ptrdiff_t>(next),
               page.lines.end());
  return joined_lines(lines);
}

std::vector<std::string> update_tree(const std::string& root) {
  Files files(root);
  update_transcripts(read_tree(root), files);
  for (const Picture& picture : make_pictures()) files.write(picture.path, picture.text);
  const Tree tree = read_tree(root);  // with the new transcripts
  for (const std::string& path : page_paths(tree)) {
    const Page page = parse_page(path, read_text(root + "/" + path));
    files.write(path, updated_page(page, tree));
  }
  return files.written();
}

}  // namespace vitro::docs
