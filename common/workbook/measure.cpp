#include "workbook/measure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "device/buffer.hpp"
#include "workbook/fill.hpp"

namespace workbook {
namespace {

constexpr std::size_t guard_bytes = 512;
constexpr unsigned char guard_pattern = 0xa7;
/// A NaN in both floating-point types, and no sum that the inputs can have by chance.
constexpr unsigned char poison = 0xff;

bool on_gpu() {
  return emulator::selected_device() == emulator::device_kind::gpu;
}

/// A buffer of elements. On a GPU guard words stand on both sides; the emulator watches its borders by itself.
class guarded {
 public:
  guarded() = default;
  explicit guarded(std::size_t size_bytes)
      : guard_(on_gpu() ? guard_bytes : 0), payload_(size_bytes), bytes_(size_bytes + 2 * guard_) {
    if (guard_ == 0) return;
    check(cudaMemset(bytes_.data(), guard_pattern, guard_));
    check(cudaMemset(bytes_.data() + guard_ + payload_, guard_pattern, guard_));
  }
  [[nodiscard]] void* data() const { return bytes_.data() == nullptr ? nullptr : bytes_.data() + guard_; }
  [[nodiscard]] std::size_t size_bytes() const { return payload_; }
  void forget() { bytes_.forget(); }
  [[nodiscard]] bool intact() const {
    if (guard_ == 0) return true;
    std::vector<unsigned char> host(2 * guard_);
    check(cudaMemcpy(host.data(), bytes_.data(), guard_, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(host.data() + guard_, bytes_.data() + guard_ + payload_, guard_, cudaMemcpyDeviceToHost));
    return std::all_of(host.begin(), host.end(), [](unsigned char c) { return c == guard_pattern; });
  }

 private:
  std::size_t guard_ = 0;
  std::size_t payload_ = 0;
  device_bytes bytes_;
};

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

/// Everything that one rung writes to.
struct scratch {
  guarded first, second, out;
};

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

timing summarise(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back(), static_cast<int>(times.size())};
}

}  // namespace

namespace {

/// Puts the emulator's options back as they were.
class options_for_a_run {
 public:
  options_for_a_run() : before_(emulator::current_options()) {}
  ~options_for_a_run() { emulator::set_options(before_); }
  options_for_a_run(const options_for_a_run&) = delete;
  options_for_a_run& operator=(const options_for_a_run&) = delete;

 private:
  emulator::options before_;
};

}  // namespace

struct laboratory::device_input {
  guarded buffer;
};

std::vector<emulator::finding> outcome::findings() const {
  std::vector<emulator::finding> all;
  for (const emulator::launch_report& l : launches) all.insert(all.end(), l.findings.begin(), l.findings.end());
  return all;
}

laboratory::laboratory(const problem& p) : problem_(p), reference_(sum_on_host(p.type, p.count, p.seed)) {}
laboratory::~laboratory() = default;

template <typename T>
void laboratory::run_typed(const reduction& rung, const effort& how, outcome& o) {
  const std::size_t n = problem_.count;
  const bool gpu = on_gpu();
  if (!input_) {
    auto fresh = std::make_unique<device_input>();
    fresh->buffer = guarded((problem_.offset + n) * sizeof(T));
    T* first = static_cast<T*>(fresh->buffer.data()) + problem_.offset;
    if (gpu && problem_.offset != 0) check(cudaMemset(fresh->buffer.data(), poison, problem_.offset * sizeof(T)));
    if (gpu && n != 0) {
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
  const T* in = static_cast<const T*>(input_->buffer.data()) + problem_.offset;
  scratch s;
  const std::size_t room = std::max<std::size_t>(1, (n + problem_.block_size - 1) / problem_.block_size) * sizeof(T);
  s.first = guarded(room);
  s.second = guarded(room);
  s.out = guarded(sizeof(T));
  // While checks are on, untouched memory is what finds a result that nobody wrote; otherwise poison does.
  const bool poisoned = gpu || !how.observe;
  const auto judge = [&] {
    if (poisoned) {
      for (const guarded* g : {&s.first, &s.second, &s.out}) check(cudaMemset(g->data(), poison, g->size_bytes()));
    }
    const course c = run_once<T>(rung, in, problem_, s);
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
    for (const guarded* g : {&s.first, &s.second, &s.out, &input_->buffer}) {
      if (!g->intact()) {
        o.failure = "the kernel wrote outside its arrays: guard words beside a buffer have changed";
        return false;
      }
    }
    if (const std::size_t changed = count_changed(problem_, in); changed != 0) {
      o.failure = fmt::format(
          "the kernel changed its input: {} of {} elements are not what they were. A reduction reads its input and "
          "writes elsewhere; the next kernel gets a fresh copy",
          changed, n);
      return false;
    }
    return error_is_within(o.error, o.bound);
  };
  o.verified = judge();
  if (!gpu || how.repetitions <= 0 || !o.verified) return;

  int l2_bytes = 0, device = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  device_bytes flush(std::max<std::size_t>(std::size_t{1} << 20, 3 * static_cast<std::size_t>(l2_bytes)));
  event begin, end;
  for (const bool cold : {true, false}) {
    std::vector<double> times;
    double spent_ms = 0;
    for (int k = -3; k < how.repetitions; ++k) {
      // A slow kernel is timed a few times only.
      if (k >= 3 && spent_ms > 1000) break;
      if (cold) check(cudaMemsetAsync(flush.data(), k & 0xff, flush.size_bytes(), nullptr));
      begin.record();
      run_once<T>(rung, in, problem_, s);
      end.record();
      const double ms = end.milliseconds_since(begin);
      spent_ms += ms;
      if (k >= 0) times.push_back(ms);
    }
    check(cudaGetLastError());
    (cold ? o.cold : o.warm) = summarise(times);
  }
  o.verified = judge();  // once more: what was timed must still be right
}

bool laboratory::launch(const reduction& rung) {
  outcome o;
  with_type(problem_.type, [&](auto* tag) {
    run_typed<std::remove_pointer_t<decltype(tag)>>(rung, effort{.observe = false, .repetitions = 0}, o);
  });
  return o.verified;
}

outcome laboratory::run(const reduction& rung, const effort& how) {
  outcome o;
  o.name = rung.name;
  o.as = rung.as;
  o.attempted = rung.attempted;
  if (rung.rejects) o.rejected = rung.rejects(problem_.block_size);
  if (o.rejected) return o;
  const bool gpu = on_gpu();
  const options_for_a_run restored;
  emulator::options wanted = emulator::current_options();
  // No sensible kernel needs more; one that never ends is stopped within seconds.
  if (wanted.max_instructions == 0) wanted.max_instructions = 4'000'000 + 100 * std::uint64_t{problem_.count};
  wanted.counters = wanted.memcheck = wanted.initcheck = wanted.racecheck = wanted.synccheck = how.observe;
  wanted.announce_errors = false;
  if (!gpu) {
    emulator::set_options(wanted);
    (void)emulator::take_reports();
  }
  try {
    with_type(problem_.type, [&](auto* tag) { run_typed<std::remove_pointer_t<decltype(tag)>>(rung, how, o); });
  } catch (const device_error& e) {
    o.failure = e.what();
    o.verified = false;
  }
  if (!gpu) o.launches = emulator::take_reports();
  if (!o.failure.empty()) {
    // A fault spoils everything on the device: begin anew for the next rung.
    if (rung.reset) rung.reset();
    if (input_) input_->buffer.forget();
    input_.reset();
    cudaDeviceReset();
    (void)cudaGetLastError();
  }
  return o;
}

}  // namespace workbook
