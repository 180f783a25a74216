#include "examples/common/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

#include "tensor/error.h"
#include "tensor/print.h"

namespace vitro::examples {
namespace {

constexpr Index kBarWidth = 24;
constexpr double kRedrawSeconds = 0.05;
constexpr const char* kEraseLine = "\r\x1b[K";

double clock_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string repeated(const char* text, Index count) {
  std::string result;
  for (Index i = 0; i < count; ++i) result += text;
  return result;
}

std::string bar(Index step, Index step_count, bool has_color) {
  const Index done =
      std::clamp<Index>(step * kBarWidth / std::max<Index>(step_count, 1), 0, kBarWidth);
  const std::string full = repeated("━", done);
  const std::string rest = repeated(has_color ? "━" : "─", kBarWidth - done);
  if (!has_color) return full + rest;
  return "\x1b[38;5;172m" + full + "\x1b[38;5;240m" + rest + "\x1b[0m";
}

}  // namespace

Progress::Progress(const ProgressOptions& options) : Progress(options, std::cerr) {}

Progress::Progress(const ProgressOptions& options, std::ostream& out)
    : options_(options), out_(out) {
  if (!options_.seconds) options_.seconds = clock_seconds;
  start_ = options_.seconds();
}

double Progress::seconds() const { return options_.seconds() - start_; }

void Progress::update(Index step, double loss) {
  const bool is_end = step == options_.first_step || step == options_.step_count;
  if (!options_.is_terminal) {
    if (is_end || step % std::max<Index>(options_.interval, 1) == 0) {
      out_ << line(step, loss) << '\n' << std::flush;
    }
    return;
  }
  const double now = seconds();
  if (!is_end && is_drawn_ && now - last_drawing_ < kRedrawSeconds) return;
  out_ << kEraseLine << line(step, loss) << std::flush;
  last_drawing_ = now;
  is_drawn_ = true;
  if (step == options_.step_count) finish();
}

void Progress::clear() {
  if (is_drawn_) out_ << kEraseLine << std::flush;
  is_drawn_ = false;
}

void Progress::finish() {
  if (is_drawn_) out_ << '\n' << std::flush;
  is_drawn_ = false;
}

std::string Progress::line(Index step, double loss) const {
  const std::string count = TextPiece(options_.step_count).text();
  std::string number = TextPiece(step).text();
  number.insert(0, count.size() - std::min(count.size(), number.size()), ' ');
  std::string text = "step " + number + "/" + count;
  if (options_.is_terminal) text += " " + bar(step, options_.step_count, options_.has_color);
  text += "  loss " + loss_text(loss);
  const double elapsed = seconds();
  const auto done = static_cast<double>(step - options_.first_step + 1);
  if (elapsed > 0 && options_.tokens_per_step > 0) {
    const auto tokens = static_cast<double>(options_.tokens_per_step) * done;
    text += "  " + rate_text(tokens / elapsed) + " tokens/s";
  }
  if (step < options_.step_count && done > 0) {
    const auto left = static_cast<double>(options_.step_count - step);
    return text + "  " + duration_text(elapsed / done * left) + " left";
  }
  return text + "  " + number_text(elapsed, 2) + " s";
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto whole = static_cast<Index>(seconds + 0.5);
  if (whole < 60) return join_text({whole, " s"});
  if (whole < 3600) return join_text({whole / 60, " min ", whole % 60, " s"});
  return join_text({whole / 3600, " h ", whole % 3600 / 60, " min"});
}

std::string loss_text(double loss) {
  return loss > 0 && loss < 0.001 ? number_text(loss, 1, /*scientific=*/true)
                                  : number_text(loss, 4);
}

std::string rate_text(double rate) {
  if (!std::isfinite(rate)) return "?";
  if (rate < 999.5) return number_text(rate, 0);
  if (rate < 999'500) return number_text(rate / 1e3, rate < 1e5 ? 1 : 0) + "k";
  return number_text(rate / 1e6, 1) + "M";
}

}  // namespace vitro::examples
