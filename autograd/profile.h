// Profile: where the time and the memory of training steps go.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/scalar.h"

namespace vitro {

/// What one kind of operation, or one module, cost in all steps together.
struct ProfileEntry {
  std::string name;
  Index call_count = 0;
  double forward_seconds = 0;
  double backward_seconds = 0;
  double multiply_adds = 0;  ///< of matrix products, forward and backward
  double bytes_made = 0;     ///< of results; views of other tensors take none

  double seconds() const { return forward_seconds + backward_seconds; }
};

struct ProfileTotals {
  Index step_count = 0;  ///< calls of backward()
  double seconds = 0;    ///< from the beginning to stop(); 0 before that
  double forward_seconds = 0;
  double backward_seconds = 0;
  double optimizer_seconds = 0;
  Index most_bytes_in_use = 0;
};

/// Watches the thread that made it, from its construction to stop(). What runs under NoGrad, such
/// as validation, counts as time between the steps' operations.
///     Profile profile;
///     …                                  // training steps
///     std::cout << profile.report();
class Profile {
 public:
  Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  ~Profile();

  void stop();

  const ProfileTotals& totals() const;

  /// The most expensive first.
  std::vector<ProfileEntry> by_operation() const;
  std::vector<ProfileEntry> by_module() const;

  /// Tables of a step's time, by operation and by module, the share of matrix products, the GFLOP/s
  /// that they reached, and the memory. Stops.
  std::string report();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace vitro
