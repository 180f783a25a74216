#include "autograd/profile.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "tensor/print.h"
#include "tensor/storage.h"

#include "autograd/observer.h"

namespace vitro {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool is_product(std::string_view operation) {
  return operation == "matmul" || operation == "linear";
}

// x [.., in] times w [.., in, out]: one multiply-add for each number of the result and each `in`.
double multiply_adds(const Node& node, const std::vector<Operand>& inputs) {
  if (!is_product(node.operation)) return 0;
  const Shape& left = inputs.front().variable().shape();
  return static_cast<double>(node.value.element_count()) * static_cast<double>(left[-1]);
}

// Whether the result shows an input's numbers, instead of having its own.
bool is_view(const Tensor& value, const std::vector<Operand>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [&value](const Operand& input) {
    return value.shares_memory_with(input.variable().value());
  });
}

std::string module_of(const Node& node) {
  return node.module_path == nullptr || node.module_path->empty() ? "(outside modules)"
                                                                  : *node.module_path;
}

std::vector<ProfileEntry> sorted(const std::map<std::string, ProfileEntry>& entries) {
  std::vector<ProfileEntry> list;
  for (const auto& [name, entry] : entries) list.push_back(entry);
  std::stable_sort(list.begin(), list.end(), [](const ProfileEntry& a, const ProfileEntry& b) {
    return a.seconds() > b.seconds();
  });
  return list;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string left(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

// "12.3", or nothing for what took no arithmetic.
std::string gigaflops_text(const ProfileEntry& entry) {
  if (entry.multiply_adds == 0 || entry.seconds() <= 0) return "";
  return number_text(2e-9 * entry.multiply_adds / entry.seconds(), 1);
}

std::string table(const std::string& title, const std::vector<ProfileEntry>& entries,
                  const ProfileTotals& totals) {
  const double steps = static_cast<double>(std::max<Index>(1, totals.step_count));
  std::size_t width = title.size();
  for (const ProfileEntry& entry : entries) width = std::max(width, entry.name.size());
  std::string text =
      left(title, width) + "   calls  forward ms  backward ms  share  GFLOP/s  MB made\n";
  for (const ProfileEntry& entry : entries) {
    text += left(entry.name, width) +
            right(number_text(static_cast<double>(entry.call_count) / steps, 1), 8) +
            right(number_text(1e3 * entry.forward_seconds / steps, 3), 12) +
            right(number_text(1e3 * entry.backward_seconds / steps, 3), 13) +
            right(number_text(100 * entry.seconds() / totals.seconds, 1) + " %", 7) +
            right(gigaflops_text(entry), 9) +
            right(number_text(entry.bytes_made / steps / 1e6, 2), 9) + "\n";
  }
  return text;
}

}  // namespace

class Profile::Watch : public Observer {
 public:
  Watch() { scope_.emplace(*this); }

  void stop() {
    if (!scope_) return;
    scope_.reset();
    totals_.seconds = seconds_since(begin_);
  }

  void operation_begins() override { operation_begin_ = Clock::now(); }

  void operation_ends(const std::shared_ptr<Node>& node,
                      const std::vector<Operand>& inputs) override {
    if (!context().grad_enabled) return;
    const double seconds = seconds_since(operation_begin_);
    const double work = multiply_adds(*node, inputs);
    const Tensor& value = node->value;
    const double bytes = is_view(value, inputs) ? 0
                                                : static_cast<double>(value.element_count()) *
                                                      static_cast<double>(sizeof(Scalar));
    for (ProfileEntry* entry : entries_of(*node)) {
      entry->call_count += 1;
      entry->forward_seconds += seconds;
      entry->multiply_adds += work;
      entry->bytes_made += bytes;
    }
    totals_.forward_seconds += seconds;
    work_.erase(node.get());  // of a history that was dropped, whose address is this node's now
    if (node->requires_grad && work > 0) work_[node.get()] = work;
    note_memory();
  }

  void backward_begins(const std::shared_ptr<Node>& /*root*/) override { totals_.step_count += 1; }

  void backward_step_begins(const Node& /*node*/, const Tensor& /*grad*/) override {
    backward_begin_ = Clock::now();
  }

  // Each gradient of a factor is a product of the forward's size.
  void contribution(const Contribution& contribution) override {
    const auto found = work_.find(&contribution.node);
    if (found == work_.end() || contribution.input_number > 1) return;
    for (ProfileEntry* entry : entries_of(contribution.node)) {
      entry->multiply_adds += found->second;
    }
  }

  void backward_step_ends(const Node& node) override {
    const double seconds = seconds_since(backward_begin_);
    for (ProfileEntry* entry : entries_of(node)) entry->backward_seconds += seconds;
    totals_.backward_seconds += seconds;
    note_memory();
  }

  void backward_ends() override { work_.clear(); }

  void parameter_step_begins() override { parameter_begin_ = Clock::now(); }

  void parameter_step_ends(const ParameterStep& /*step*/) override {
    totals_.optimizer_seconds += seconds_since(parameter_begin_);
  }

  const ProfileTotals& totals() const { return totals_; }

  std::vector<ProfileEntry> by_operation() const { return sorted(operations_); }

  std::vector<ProfileEntry> by_module() const { return sorted(modules_); }

 private:
  std::array<ProfileEntry*, 2> entries_of(const Node& node) {
    // While backward runs, the engine has the node's module in the Context.
    const bool in_context = node.module_path == nullptr && context().module_path != nullptr;
    const std::string module =
        in_context && !context().module_path->empty() ? *context().module_path : module_of(node);
    ProfileEntry& operation = operations_[node.operation];
    ProfileEntry& place = modules_[module];
    operation.name = node.operation;
    place.name = module;
    return {&operation, &place};
  }

  void note_memory() {
    totals_.most_bytes_in_use = std::max(totals_.most_bytes_in_use, memory_counts().bytes_in_use);
  }

  Clock::time_point begin_ = Clock::now();
  Clock::time_point operation_begin_ = begin_;
  Clock::time_point backward_begin_ = begin_;
  Clock::time_point parameter_begin_ = begin_;
  ProfileTotals totals_;
  std::map<std::string, ProfileEntry> operations_;
  std::map<std::string, ProfileEntry> modules_;
  std::unordered_map<const Node*, double> work_;  // multiply-adds of products whose backward is due
  std::optional<ObserverScope> scope_;
};

Profile::Profile() : watch_(std::make_unique<Watch>()) {}

Profile::~Profile() = default;

void Profile::stop() { watch_->stop(); }

const ProfileTotals& Profile::totals() const { return watch_->totals(); }

std::vector<ProfileEntry> Profile::by_operation() const { return watch_->by_operation(); }

std::vector<ProfileEntry> Profile::by_module() const { return watch_->by_module(); }

std::string Profile::report() {
  stop();
  const ProfileTotals& all = totals();
  const auto share = [&all](double seconds) {
    return number_text(100 * seconds / all.seconds, 1) + " %";
  };
  const double between =
      all.seconds - all.forward_seconds - all.backward_seconds - all.optimizer_seconds;
  const double steps = static_cast<double>(std::max<Index>(1, all.step_count));
  ProfileEntry products;
  for (const ProfileEntry& entry : by_operation()) {
    if (!is_product(entry.name)) continue;
    products.forward_seconds += entry.forward_seconds;
    products.backward_seconds += entry.backward_seconds;
    products.multiply_adds += entry.multiply_adds;
  }
  return join_text({"profile of ", all.step_count, " steps, ",
                    number_text(1e3 * all.seconds / steps, 3), " ms each: forward ",
                    share(all.forward_seconds), ", backward ", share(all.backward_seconds),
                    ", optimizer ", share(all.optimizer_seconds), ", between them ", share(between),
                    " (data, reports, validation)\n"}) +
         join_text({"matrix products take ", share(products.seconds()), " of the time, at ",
                    gigaflops_text(products), " GFLOP/s; at most ",
                    number_text(static_cast<double>(all.most_bytes_in_use) / 1e6, 1),
                    " MB of tensors in use\n\n"}) +
         table("operation", by_operation(), all) + "\n" + table("module", by_module(), all);
}

}  // namespace vitro
