// Progress: how far a training run is, on stderr.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "tensor/scalar.h"

namespace vitro::examples {

struct ProgressOptions {
  Index step_count = 1;
  Index first_step = 1;                  ///< more than 1 where a run was resumed
  Index tokens_per_step = 0;             ///< 0: no tokens/s
  Index interval = 10;                   ///< without a terminal: a line every so many steps
  bool is_terminal = false;              ///< one line, redrawn
  bool has_color = false;                ///< of the bar
  std::function<double()> seconds = {};  ///< the time; tests give their own. Default: the clock
};

/// On a terminal one line with a bar, redrawn at most 20 times a second:
///     step  37/100 ━━━━━━━━━━━───────────────────  loss 1.2345  812k tokens/s  2 s left
/// else a plain line an interval, and for the first and the last step. Steps count from 1.
class Progress {
 public:
  /// Writes to stderr, which is a terminal or not.
  explicit Progress(const ProgressOptions& options);
  Progress(const ProgressOptions& options, std::ostream& out);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  ~Progress() { finish(); }

  /// After step number `step`, which had this loss.
  void update(Index step, double loss);

  /// Since the start.
  double seconds() const;

  /// Takes the bar away, so that something else can be printed; update() draws it again.
  void clear();

  /// Ends the bar's line, so that something else can be printed. The last step does so itself.
  void finish();

 private:
  std::string line(Index step, double loss) const;

  ProgressOptions options_;
  std::ostream& out_;
  double start_;
  double last_drawing_ = -1;
  bool is_drawn_ = false;
};

/// "59 s", "2 min 5 s", "3 h 20 min".
std::string duration_text(double seconds);

/// "0.1234", or "1.2e-05" where that would be all zeros.
std::string loss_text(double loss);

/// "812", "45.1k", "3.2M".
std::string rate_text(double rate);

}  // namespace vitro::examples
