#include "workbook/measure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "device/buffer.hpp"
#include "workbook/fill.hpp"
#include "workbook/guarded.hpp"
#include "workbook/timer.hpp"

namespace workbook {

/// Everything that one rung writes to.
struct laboratory_scratch {
  guarded first, second, out;
};

namespace {

/// The kernel after whose fault the GPU could not be used again by this process; empty while it can.
std::string gone_with;

/// Counts the elements of the input that the rung has changed: a reduction only reads it.
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

using scratch = laboratory_scratch;

template <typename T>
scratch scratch_for(const problem& p) {
  const std::size_t room = std::max<std::size_t>(1, (p.count + p.block_size - 1) / p.block_size) * sizeof(T);
  scratch s;
  s.first = guarded(room);
  s.second = guarded(room);
  s.out = guarded(sizeof(T));
  return s;
}

/// Runs the passes of `rung` until one value is left, or the whole of a library's. Returns where the sum stands, the
/// number of passes, and the additions on the longest way.
struct course {
  const void* result = nullptr;
  std::size_t passes = 0;
  std::size_t depth = 0;
  std::string complaint;
};

template <typename T>
course run_once(const reduction& rung, const T* in, const problem& p, const scratch& s) {
  course c;
  if (const auto& call = std::get<whole<T>>(rung.wholes)) {
    call(in, static_cast<T*>(s.out.data()), p.count);
    c.result = s.out.data();
    c.passes = 1;
  } else {
    const auto& step = std::get<pass<T>>(rung.passes);
    const T* from = in;
    std::size_t n = p.count;
    const guarded* to = &s.first;
    const guarded* next = &s.second;
    do {
      const std::size_t left = step(from, static_cast<T*>(to->data()), n, p.block_size);
      ++c.passes;
      const std::size_t most = std::max<std::size_t>(1, (n + p.block_size - 1) / p.block_size);
      if (left == 0 || left > most) {
        c.complaint = fmt::format(
            "reduce() says that it left {} partial sums of {} values: with blocks of {} threads a pass leaves at least "
            "one, and at most one a block, which is {}",
            left, n, p.block_size, most);
        return c;
      }
      const std::size_t threads = left * p.block_size;
      c.depth += (n + threads - 1) / threads + static_cast<std::size_t>(std::bit_width(p.block_size)) + 1;
      c.result = to->data();
      from = static_cast<const T*>(to->data());
      n = left;
      std::swap(to, next);
    } while (n > 1);
  }
  if (rung.depth) c.depth = rung.depth(p.count, p.block_size);
  return c;
}

}  // namespace

struct laboratory::device_input {
  guarded buffer;
};

std::vector<emulator::finding> outcome::findings() const {
  std::vector<emulator::finding> all = in_calls;
  for (const emulator::launch_report& l : launches) all.insert(all.end(), l.findings.begin(), l.findings.end());
  return all;
}

watched_run::watched_run(bool observe, std::size_t count) : before_(emulator::current_options()) {
  if (on_gpu()) return;
  emulator::options wanted = before_;
  // No sensible kernel needs more; one that never ends is stopped within seconds.
  if (wanted.max_instructions == 0) wanted.max_instructions = 4'000'000 + 100 * std::uint64_t{count};
  wanted.counters = wanted.memcheck = wanted.initcheck = wanted.racecheck = wanted.synccheck = observe;
  wanted.announce_errors = false;
  emulator::set_options(wanted);
  (void)emulator::take_reports();
  (void)emulator::take_call_findings();
}
watched_run::~watched_run() {
  emulator::set_options(before_);
}

void recover_device(const std::string& kernel) {
  cudaDeviceReset();
  (void)cudaGetLastError();
  if (on_gpu() && (cudaFree(nullptr) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)) gone_with = kernel;
  (void)cudaGetLastError();
}

std::optional<std::string> why_device_is_gone() {
  if (!on_gpu() || gone_with.empty()) return {};
  return fmt::format("not run: {} faulted, and after that this process gets no work done on the GPU", gone_with);
}

laboratory::laboratory(const problem& p) : problem_(p), reference_(sum_on_host(p.type, p.count, p.seed)) {}
laboratory::~laboratory() = default;

template <typename T>
const T* laboratory::input() {
  const std::size_t n = problem_.count;
  if (!input_) {
    auto fresh = std::make_unique<device_input>();
    fresh->buffer = guarded((problem_.offset + n) * sizeof(T));
    T* first = static_cast<T*>(fresh->buffer.data()) + problem_.offset;
    if (on_gpu() && problem_.offset != 0) check(cudaMemset(fresh->buffer.data(), poison, problem_.offset * sizeof(T)));
    if (on_gpu() && n != 0) {
      fill_on_device(problem_.type, first, n, problem_.seed);
      check(cudaGetLastError());
      check(cudaDeviceSynchronize());
    } else if (n != 0) {
      std::vector<T> host(n);
      for (std::size_t i = 0; i < n; ++i) host[i] = input_value<T>(i, problem_.seed);
      check(cudaMemcpy(first, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    input_ = std::move(fresh);
  }
  return static_cast<const T*>(input_->buffer.data()) + problem_.offset;
}

template <typename T>
bool laboratory::run_and_compare(const reduction& rung, const laboratory_scratch& s, outcome& o) {
  const course c = run_once<T>(rung, input<T>(), problem_, s);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  o.passes = c.passes;
  if (!c.complaint.empty()) {
    o.failure = c.complaint;
    return false;
  }
  if (!emulator::was_written(c.result, sizeof(T))) {
    o.failure = "no thread wrote the result: partials[0] is as it was allocated";
    return false;
  }
  T result{};
  check(cudaMemcpy(&result, c.result, sizeof(T), cudaMemcpyDeviceToHost));
  o.result_text = fmt::format("{}", result);
  o.bound = error_bound(problem_.type, c.depth, reference_.absolute);
  if constexpr (std::is_floating_point_v<T>) {
    o.error = static_cast<double>(std::fabs(static_cast<long double>(result) - reference_.value));
  } else {
    const T expected = static_cast<T>(reference_.bits);
    o.error = result == expected ? 0.0 : std::fabs(static_cast<double>(result) - static_cast<double>(expected));
    if (result != expected && o.error == 0.0) o.error = 1.0;
  }
  return error_is_within(o.error, o.bound);
}

template <typename T>
bool laboratory::judge(const reduction& rung, const laboratory_scratch& s, bool poisoned, outcome& o) {
  if (poisoned) {
    for (const guarded* g : {&s.first, &s.second, &s.out}) g->spoil();
  }
  const bool right = run_and_compare<T>(rung, s, o);
  if (!o.failure.empty()) return false;
  const guarded& in = input_->buffer;
  for (const guarded* g : {&s.first, &s.second, &s.out, &in}) {
    if (!g->intact()) {
      o.failure = "the kernel wrote outside its arrays: guard words beside a buffer have changed";
      return false;
    }
  }
  if (const std::size_t changed = count_changed(problem_, input<T>()); changed != 0) {
    o.failure = fmt::format(
        "the kernel changed its input: {} of {} elements are not what they were. A reduction reads its input and "
        "writes elsewhere; the next kernel gets a fresh copy",
        changed, problem_.count);
    return false;
  }
  return right;
}

template <typename T>
void laboratory::run_typed(const reduction& rung, const effort& how, outcome& o) {
  const scratch s = scratch_for<T>(problem_);
  // While checks are on, untouched memory is what finds a result that nobody wrote; otherwise poison does.
  const bool poisoned = on_gpu() || !how.observe;
  o.verified = judge<T>(rung, s, poisoned, o);
  if (!on_gpu() || how.repetitions <= 0 || !o.verified) return;
  const auto run = [&] { run_once<T>(rung, input<T>(), problem_, s); };
  o.cold = time_on_gpu(run, how.repetitions, true);
  o.warm = time_on_gpu(run, how.repetitions, false);
  o.verified = judge<T>(rung, s, poisoned, o);  // once more: what was timed must still be right
}

bool laboratory::launch(const reduction& rung) {
  return with_type(problem_.type, [&](auto* tag) {
    using element = std::remove_pointer_t<decltype(tag)>;
    outcome o;
    return run_and_compare<element>(rung, scratch_for<element>(problem_), o);
  });
}

outcome laboratory::run(const reduction& rung, const effort& how) {
  outcome o;
  o.name = rung.name;
  o.as = rung.as;
  o.attempted = rung.attempted;
  if (rung.rejects) o.rejected = rung.rejects(problem_.block_size);
  if (o.rejected) return o;
  if (const auto gone = why_device_is_gone()) {
    o.failure = *gone;
    return o;
  }
  const watched_run watched(how.observe, problem_.count);
  try {
    with_type(problem_.type, [&](auto* tag) { run_typed<std::remove_pointer_t<decltype(tag)>>(rung, how, o); });
  } catch (const std::runtime_error& e) {  // the device's, and those of a rung that runs elsewhere
    o.failure = e.what();
    o.verified = false;
  }
  if (!on_gpu()) {
    o.launches = emulator::take_reports();
    o.in_calls = emulator::take_call_findings();
  }
  if (!o.failure.empty()) {
    // A fault spoils everything on the device: begin anew for the next rung.
    if (rung.reset) rung.reset();
    if (input_) input_->buffer.forget();
    input_.reset();
    recover_device(rung.name);
  }
  return o;
}

}  // namespace workbook
