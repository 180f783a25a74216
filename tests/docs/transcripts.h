// Transcripts: what example programs print, kept in examples/expected/ and made again by the tests.
#pragma once

#include <optional>
#include <string>

namespace vitro::docs {

/// A file of examples/expected/: the first line is "$ PROGRAM ARGUMENTS", the rest its output.
struct Transcript {
  std::string program;
  std::string arguments;
  std::string output;
};

/// Whether the tests make it again. Not those of examples/expected/broken/, which were recorded
/// after an edit that the book proposes.
bool is_rerun(const std::string& path);

/// Nothing where the first line is no command.
std::optional<Transcript> parse_transcript(const std::string& text);

std::string transcript_text(const Transcript& transcript);

/// Runs the program again, in an empty folder. Paths into the source tree are written from its
/// root. `output` of the result is what it printed now; throws std::runtime_error where it fails.
Transcript rerun(const Transcript& transcript);

/// Where `now` differs from `before`, as a sentence; nothing where it does not. Text and whole
/// numbers must be equal; numbers with a point may differ by `tolerance` · max(1, |number|).
std::optional<std::string> difference(const std::string& before, const std::string& now,
                                      double tolerance);

/// What transcripts are compared with. The numbers are the same bits with every compiler and number
/// of threads; only processors without fused multiply-add differ, in late digits.
inline constexpr double kTranscriptTolerance = 2e-3;

}  // namespace vitro::docs
