// A recording as one self-contained HTML file.
#pragma once

#include <string>

#include "autograd/explorer/recording.h"

namespace vitro::explorer {

/// The largest page that is written.
inline constexpr Index kMaxPageBytes = 64 * 1024 * 1024;

/// The page of autograd/explorer/ with its style, its scripts and three inert blocks of data:
/// `head`, JSON that says what there is; `pool`, base64 of all numbers as little-endian float32,
/// which offsets in the head count; `snapshots`, base64 of attention weights during the training, a
/// byte each. Throws std::length_error above kMaxPageBytes.
std::string page(const Recording& recording);

}  // namespace vitro::explorer
