// Trace: a recording of one thread's computation, and the page to look at it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace vitro {

namespace explorer {
struct Recording;
}

/// What a page says beside the recording. Nothing of it changes what is recorded.
struct TraceOptions {
  std::string title = "Vitro";
  std::vector<std::pair<std::string, std::string>> configuration = {};  ///< option and value
  std::vector<std::string> tokens = {};   ///< what stands at each position, any bytes
  std::vector<std::string> classes = {};  ///< what each entry of the last axis of logits means
  /// Where the files are that called operations, as the compiler names them; the library's own are
  /// known already.
  std::vector<std::string> source_folders = {"."};
};

/// Three lines in one's own program:
///
///     Trace trace;                 // from here on, everything on this thread is recorded
///     …                            // forward, backward(), optimizer.step()
///     trace.write("run.html");     // stops, and writes one file to be opened in a browser
///
/// Modules use no fused operation meanwhile (see SpelledOut). Every value is kept, so record few
/// steps of a small model on short sequences. Values may be float or double; a page holds floats.
class Trace {
 public:
  explicit Trace(TraceOptions options = {});
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  /// The training so far, for the curve: any number of points, steps ascending.
  void add_loss(Index step, double loss);

  /// Attention weights at a training step, for the slider: one [.., queries, keys] for each
  /// attention of the recording, first to last; each snapshot has the same shapes. Throws
  /// ShapeError where they are not so.
  void add_snapshot(Index step, const std::vector<Tensor>& weights);

  /// Ends the recording; what follows is not in it.
  void stop();

  /// The page as text: one self-contained file without any link to the network. The same
  /// recording gives the same bytes. Stops the recording. Throws std::length_error where it would
  /// have more than 64 MB.
  std::string page();

  /// Writes page() to a file, whole or not at all, and returns its size in bytes. Above 16 MB it
  /// says on stderr that browsers will be slow.
  Index write(const std::string& path);

 private:
  class Recorder;
  std::unique_ptr<explorer::Recording> recording_;
  std::unique_ptr<Recorder> recorder_;  // null once stopped
};

}  // namespace vitro
