#include "examples/common/chart_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/error.h"

namespace vitro::examples {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void stretch(double value, double& low, double& high) {
  low = std::min(low, value);
  high = std::max(high, value);
}

// An empty stretch gets a length.
void open(double& low, double& high) {
  if (low > high) low = 0, high = 1;
  if (low == high) high = low + std::max(1.0, std::fabs(low) * 0.1);
}

}  // namespace

bool is_drawable(double value) { return std::fabs(value) < 1e300; }

ChartRange chart_range(const Chart& chart) {
  ChartRange range{kInfinity, -kInfinity, kInfinity, -kInfinity};
  for (const Curve& curve : chart.curves) {
    if (curve.x.size() != curve.y.size()) {
      throw_invalid({"chart: curve '", curve.name, "' has ", curve.x.size(), " x and ",
                     curve.y.size(), " y; there must be as many"});
    }
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!is_drawable(curve.x[i]) || !is_drawable(curve.y[i])) continue;
      stretch(curve.x[i], range.low_x, range.high_x);
      stretch(curve.y[i], range.low_y, range.high_y);
    }
  }
  for (const Level& level : chart.levels) {
    if (is_drawable(level.y)) stretch(level.y, range.low_y, range.high_y);
  }
  if (range.low_y > 0 && range.low_y < 0.5 * range.high_y) range.low_y = 0;
  open(range.low_x, range.high_x);
  open(range.low_y, range.high_y);
  range.high_y += 0.03 * (range.high_y - range.low_y);  // room above the highest line
  return range;
}

std::vector<double> round_ticks(double low, double high, Index count) {
  if (!(high > low) || !std::isfinite(high - low) || count < 1) return {};
  const double rough = (high - low) / static_cast<double>(count);
  // The power of ten below, by steps: the standard's log and pow differ between machines.
  double power = 1;
  while (power > rough && power > 1e-300) power /= 10;
  while (power * 10 <= rough) power *= 10;
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= rough) {
      step = power * factor;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9);
  for (Index i = 0; i < 4 * count; ++i) {
    const double tick = (first + static_cast<double>(i)) * step;
    if (tick > high + step * 1e-9) break;
    ticks.push_back(tick);
  }
  return ticks;
}

}  // namespace vitro::examples
