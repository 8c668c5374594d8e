#include "workbook/laboratory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "workbook/arrays.hpp"
#include "workbook/fill.hpp"
#include "workbook/guarded.hpp"
#include "workbook/reference.hpp"
#include "workbook/wrong_sum.hpp"

namespace workbook {

/// The input of the last problem: its sum on the host, and a buffer on the device.
class shared_input {
 public:
  const reference_sum& sum(const problem& p) {
    know(p);
    return sum_;
  }
  /// Returns the buffer with the input, which begins `p.offset` elements after the buffer's beginning. \throws
  /// device_error
  template <typename T>
  const guarded& on_device(const problem& p) {
    know(p);
    if (!filled_) {
      buffer_ = guarded((p.offset + p.count) * sizeof(T));
      fill(p, static_cast<T*>(buffer_.data()) + p.offset);
      filled_ = true;
    }
    return buffer_;
  }
  /// Frees the memory on the device.
  void release() {
    buffer_ = guarded();
    filled_ = false;
  }

 private:
  void know(const problem& p) {
    // The input does not depend on the block size.
    if (known_ && known_->type == p.type && known_->count == p.count && known_->seed == p.seed &&
        known_->offset == p.offset)
      return;
    release();
    sum_ = sum_on_host(p.type, p.count, p.seed);
    known_ = p;
  }
  template <typename T>
  void fill(const problem& p, T* first) {
    if (on_gpu() && p.offset != 0) check(cudaMemset(buffer_.data(), poison, p.offset * sizeof(T)));
    if (p.count == 0) return;
    if (on_gpu()) {
      fill_on_device(p.type, first, p.count, p.seed);
      check(cudaGetLastError());
      check(cudaDeviceSynchronize());
      return;
    }
    const std::vector<T> host = input_values<T>(p.count, p.seed);
    check(cudaMemcpy(first, host.data(), p.count * sizeof(T), cudaMemcpyHostToDevice));
  }

  std::optional<problem> known_;
  reference_sum sum_;
  guarded buffer_;
  bool filled_ = false;
};

namespace {

/// Returns the number of input elements that the rung has changed. A reduction must only read its input.
template <typename T>
std::size_t count_changed(const problem& p, const T* in) {
  if (p.count == 0) return 0;
  if (on_gpu()) return count_changed_on_device(p.type, in, p.count, p.seed);
  std::vector<T> host(p.count);
  check(cudaMemcpy(host.data(), in, p.count * sizeof(T), cudaMemcpyDeviceToHost));
  std::size_t changed = 0;
  for (std::size_t i = 0; i < p.count; ++i) changed += host[i] != input_value<T>(i, p.seed) ? 1 : 0;
  return changed;
}

/// One reduction with its output buffers.
template <typename T>
class reduction_experiment final : public experiment {
 public:
  reduction_experiment(const problem& p, reduction rung, std::shared_ptr<shared_input> shared)
      : given_(p),
        rung_(std::move(rung)),
        shared_(std::move(shared)),
        first_(room_for(p.count) * sizeof(T)),
        second_(room_for(p.count) * sizeof(T)),
        out_(sizeof(T)),
        input_(shared_->on_device<T>(p)),
        in_(static_cast<const T*>(input_.data()) + p.offset) {}

  void launch() override {
    result_ = nullptr;
    depth_ = passes_ = 0;
    returned_.clear();
    complaint_.clear();
    if (const auto& call = std::get<whole<T>>(rung_.wholes)) {
      call(in_, static_cast<T*>(out_.data()), given_.count);
      result_ = out_.data();
      passes_ = 1;
    } else {
      launch_passes();
    }
    if (rung_.depth) depth_ = rung_.depth(given_.count, given_.block_size);
  }
  void poison_outputs() override {
    // While checks are on, they find results that were never written, because their memory is uninitialised. Otherwise
    // poison reveals such results.
    if (!on_gpu() && emulator::current_options().initcheck) return;
    for (const guarded* g : {&first_, &second_, &out_}) g->poison_outputs();
  }
  [[nodiscard]] std::string complaint() override {
    if (complaint_.empty() && !emulator::was_written(result_, sizeof(T)))
      return "no thread wrote the result: partials[0] is as it was allocated";
    return complaint_;
  }
  [[nodiscard]] double error() override {
    T result{};
    check(cudaMemcpy(&result, result_, sizeof(T), cudaMemcpyDeviceToHost));
    result_text_ = fmt::format("{}", result);
    const reference_sum& wanted = shared_->sum(given_);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(std::fabs(static_cast<long double>(result) - wanted.value));
    } else {
      const T expected = static_cast<T>(wanted.bits);
      if (result == expected) return 0;
      const double off = std::fabs(static_cast<double>(result) - static_cast<double>(expected));
      return off == 0 ? 1 : off;
    }
  }
  [[nodiscard]] double bound() const override {
    return error_bound(given_.type, depth_, shared_->sum(given_).absolute);
  }
  [[nodiscard]] std::string result_text() const override { return result_text_; }
  [[nodiscard]] std::size_t passes() const override { return passes_; }
  [[nodiscard]] std::vector<std::size_t> returned() const override { return returned_; }
  [[nodiscard]] bool intact() const override {
    return first_.intact() && second_.intact() && out_.intact() && input_.intact();
  }
  [[nodiscard]] std::string damage() override {
    const std::string beside = experiment::damage();
    if (!beside.empty()) return beside;
    const std::size_t changed = count_changed(given_, in_);
    if (changed == 0) return {};
    return fmt::format(
        "the kernel changed its input: {} of {} elements are not what they were. A reduction reads its input and "
        "writes elsewhere; the next kernel gets a fresh copy",
        changed, given_.count);
  }
  [[nodiscard]] double bytes() const override { return static_cast<double>(sizeof(T) * given_.count); }

 private:
  /// Returns the largest number of partial sums of a pass over n elements.
  [[nodiscard]] std::size_t room_for(std::size_t n) const {
    return std::max<std::size_t>(1, (n + given_.block_size - 1) / given_.block_size);
  }
  /// Runs passes until one value is left. Stores the number of additions on the longest path in `depth_`.
  void launch_passes() {
    const auto& step = std::get<pass<T>>(rung_.passes);
    const T* from = in_;
    std::size_t n = given_.count;
    const guarded* to = &first_;
    const guarded* next = &second_;
    do {
      const std::size_t left = step(from, static_cast<T*>(to->data()), n, given_.block_size);
      ++passes_;
      returned_.push_back(left);
      if (left == 0 || left > room_for(n)) {
        complaint_ = fmt::format(
            "reduce() returned {} partial sums for {} values, but with blocks of {} threads a pass must leave at least "
            "one, and at most one per block, which is {}",
            left, n, given_.block_size, room_for(n));
        return;
      }
      const std::size_t threads = left * given_.block_size;
      depth_ += (n + threads - 1) / threads + static_cast<std::size_t>(std::bit_width(given_.block_size)) + 1;
      from = static_cast<const T*>(to->data());
      result_ = to->data();
      n = left;
      std::swap(to, next);
    } while (n > 1);
  }

  problem given_;
  reduction rung_;
  std::shared_ptr<shared_input> shared_;
  guarded first_, second_, out_;
  const guarded& input_;
  const T* in_;
  // The state after the last launch.
  const void* result_ = nullptr;
  std::size_t depth_ = 0, passes_ = 0;
  std::vector<std::size_t> returned_;
  std::string complaint_, result_text_;
};

specimen row_of(const reduction& rung, const std::shared_ptr<shared_input>& input) {
  specimen row{
      .name = rung.name, .as = rung.as, .attempted = rung.attempted, .named_by_its_kernel = rung.as == role::yours};
  if (rung.rejects) row.rejects = [rejects = rung.rejects](const problem& p) { return rejects(p.block_size); };
  row.prepare = prepared_as<reduction_experiment>(rung, input);
  row.explain = [rung, input](const problem& p) {
    // A trial that fails resets the device, so the input must not be on it.
    input->release();
    return explain_wrong_sum(rung, p);
  };
  row.release = [reset = rung.reset, input] {
    if (reset) reset();
    input->release();
  };
  return row;
}

}  // namespace

std::vector<specimen> rows_of(const std::vector<reduction>& ladder) {
  const auto input = std::make_shared<shared_input>();
  std::vector<specimen> rows;
  for (const reduction& rung : ladder) {
    rows.push_back(row_of(rung, input));
    if (rung.as == role::yours) rows.back().name = unnamed_exercise;
  }
  return rows;
}

laboratory::laboratory(const problem& p) : problem_(p), input_(std::make_shared<shared_input>()) {}

outcome laboratory::run(const reduction& rung, const effort& how) {
  return examine(row_of(rung, input_), problem_, how);
}

bool laboratory::launch(const reduction& rung) {
  const std::unique_ptr<experiment> e = row_of(rung, input_).prepare(problem_);
  e->launch();
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return e->complaint().empty() && error_is_within(e->error(), e->bound());
}

}  // namespace workbook
