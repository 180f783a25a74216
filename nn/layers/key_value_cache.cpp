#include "nn/layers/key_value_cache.h"

#include "tensor/views.h"

namespace vitro::nn {

KeyValueCache::KeyValueCache(Index capacity) : capacity_(capacity) {
  check_size(capacity, "KeyValueCache", "capacity");
}

void KeyValueCache::append(const Tensor& keys, const Tensor& values) {
  if (keys.rank() != 4 || values.shape() != keys.shape()) {
    throw ShapeError({"KeyValueCache: keys are ", keys.shape(), ", values are ", values.shape(),
                      "; both must be [batch, heads, time, head_size]"});
  }
  const Index time = keys.size(2);
  if (time > capacity_ - length_) {
    throw ShapeError({"KeyValueCache: ", time, " tokens more after ", length_,
                      "; there is room for ", capacity_, ": clear() it and start again"});
  }
  const Shape room = keys.shape().with_size(2, capacity_);
  if (length_ == 0 && values_.shape() != room) {
    // Not filled: what lies behind length_ is never read, and memory that nobody touches is free.
    const Shape across = room.with_size(2, room[3]).with_size(3, room[2]);
    keys_ = Tensor::filled(across, [](Scalar*) {});
    values_ = Tensor::filled(room, [](Scalar*) {});
  }
  if (values_.shape() != room) {
    throw ShapeError({"KeyValueCache: new keys are ", keys.shape(), ", the cache is ",
                      values_.shape(), "; batch, heads and head_size must stay the same"});
  }
  keys_.assign(3, length_, transpose(keys, 2, 3));
  values_.assign(2, length_, values);
  length_ += time;
}

Tensor KeyValueCache::keys() const { return transpose(narrow(keys_, 3, 0, length_), 2, 3); }

Tensor KeyValueCache::values() const { return narrow(values_, 2, 0, length_); }

}  // namespace vitro::nn
