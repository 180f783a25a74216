#include "tests/faults/failing_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace vitro::test {
namespace {

constexpr Index kNever = 0;

std::atomic<Index> first_refused{kNever};
std::atomic<bool> refuses_onward{false};
std::atomic<Index> request_count{0};
std::atomic<bool> refused{false};

bool is_refused() {
  const Index first = first_refused.load(std::memory_order_relaxed);
  if (first == kNever) return false;
  const Index request = request_count.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool refuse = refuses_onward ? request >= first : request == first;
  if (refuse) refused = true;
  return refuse;
}

void* memory(std::size_t size, std::size_t alignment) {
  if (is_refused()) return nullptr;
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
}

}  // namespace

FailingNew::FailingNew(Index first, Refusal refusal) {
  refused = false;
  request_count = 0;
  refuses_onward = refusal == Refusal::kOnward;
  first_refused = first;
}

FailingNew::~FailingNew() { first_refused = kNever; }

bool FailingNew::has_refused() { return refused; }

}  // namespace vitro::test

// The standard lets a program replace these. The forms for arrays call them; so do those that do
// not throw, but sanitizers bring their own of these.
void* operator new(std::size_t size) {
  if (void* const found = vitro::test::memory(size, alignof(std::max_align_t))) return found;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const found = vitro::test::memory(size, static_cast<std::size_t>(alignment));
  if (found != nullptr) return found;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return vitro::test::memory(size, alignof(std::max_align_t));
}

void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return vitro::test::memory(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
