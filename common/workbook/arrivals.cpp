#include "workbook/arrivals.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "reductions/buffer.hpp"
#include "workbook/element.hpp"
#include "workbook/wrong_outputs.hpp"

namespace workbook {
namespace {

/// The byte that fills partial sums before a pass. In every type, it results in a number that is far from all sums of a
/// trial.
constexpr unsigned char unwritten_byte = 0x5a;
/// The trials for one question end after this time, and the results until then are reported.
constexpr std::chrono::milliseconds patience(700);

template <typename T>
bool is_unwritten(const T& value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  return std::all_of(bytes, bytes + sizeof(T), [](unsigned char byte) { return byte == unwritten_byte; });
}

/// Returns a sum as a signed number, because unsigned sums of positive and negative values wrap around.
template <typename T>
double as_number(T value) {
  if constexpr (std::is_unsigned_v<T>)
    return static_cast<double>(static_cast<std::make_signed_t<T>>(value));
  else if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value) ? HUGE_VAL : static_cast<double>(value);
  else
    return static_cast<double>(value);
}

template <typename T>
class trial_of_type final : public pass_trial {
 public:
  trial_of_type(const reduction& rung, const problem& p) : pass_trial(p.block_size), rung_(rung), offset_(p.offset) {}
  ~trial_of_type() override {
    if (rung_.reset) rung_.reset();
  }
  trial_of_type(const trial_of_type&) = delete;
  trial_of_type& operator=(const trial_of_type&) = delete;

  std::optional<pass_result> run(const std::vector<double>& values) override {
    const watched_run plainly(/*observe=*/false, values.size());
    try {
      return run_pass(values);
    } catch (const std::runtime_error&) {
      input_.forget();
      partials_.forget();
      if (rung_.reset) rung_.reset();
      recover_device(rung_.name);
      return {};
    }
  }

 private:
  pass_result run_pass(const std::vector<double>& values) {
    const std::size_t n = values.size();
    const std::size_t room = room_for(n);
    make_room(input_, (offset_ + n) * sizeof(T));
    make_room(partials_, room * sizeof(T));
    std::vector<T> host(n);
    std::transform(values.begin(), values.end(), host.begin(),
                   [](double v) { return static_cast<T>(static_cast<signed_type>(v)); });
    T* const in = reinterpret_cast<T*>(input_.data()) + offset_;
    T* const out = reinterpret_cast<T*>(partials_.data());
    if (n != 0) check(cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    check(cudaMemset(out, unwritten_byte, room * sizeof(T)));
    pass_result result;
    result.returned = launch(in, out, n);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::vector<T> left(room);
    check(cudaMemcpy(left.data(), out, room * sizeof(T), cudaMemcpyDeviceToHost));
    for (const T& value : left) result.partials.push_back(is_unwritten(value) ? NAN : as_number(value));
    return result;
  }
  std::size_t launch(const T* in, T* out, std::size_t n) {
    if (const auto& call = std::get<whole<T>>(rung_.wholes)) {
      call(in, out, n);
      return 1;
    }
    return std::get<pass<T>>(rung_.passes)(in, out, n, block_size());
  }
  static void make_room(device_bytes& buffer, std::size_t size_bytes) {
    if (buffer.size_bytes() < size_bytes || buffer.data() == nullptr)
      buffer = device_bytes(std::max<std::size_t>(size_bytes, 1));
  }

  /// A negative value is converted to this type before it is converted to an unsigned type.
  using signed_type = std::conditional_t<std::is_unsigned_v<T>, long long, T>;
  const reduction& rung_;
  std::size_t offset_;
  device_bytes input_, partials_;
};

/// Tests ranges of elements, and bisects those that don't arrive correctly.
class search {
 public:
  search(pass_trial& trial, arrivals& found) : trial_(trial), found_(found) {}
  /// \return  false if the device failed
  bool look_at(std::size_t begin, std::size_t end) {
    if (begin == end) return true;
    if (processor_clock::now() > until_) {
      found_.complete = false;
      return true;
    }
    if (end - begin == 1) return look_at_one(begin);
    // Weights of both signs, so that a lost element and a doubled one don't cancel each other.
    std::vector<double> values(found_.n, 0);
    const std::vector<double> weights = telling_values(end - begin);
    std::copy(weights.begin(), weights.end(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    const std::optional<pass_result> result = trial_.run(values);
    if (!result) return false;
    if (total(*result) - found_.from_nothing == std::accumulate(weights.begin(), weights.end(), 0.0)) {
      std::fill(found_.times.begin() + static_cast<std::ptrdiff_t>(begin),
                found_.times.begin() + static_cast<std::ptrdiff_t>(end), 1.0);
      return true;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    return look_at(begin, middle) && look_at(middle, end);
  }
  /// Returns the sum of the partial sums that the pass reported. Unwritten ones count as 0.
  [[nodiscard]] static double total(const pass_result& result) {
    double sum = 0;
    for (std::size_t b = 0; b < std::min(result.returned, result.partials.size()); ++b)
      sum += std::isnan(result.partials[b]) ? 0 : result.partials[b];
    return sum;
  }

 private:
  bool look_at_one(std::size_t element) {
    std::vector<double> values(found_.n, 0);
    values[element] = 1;
    const std::optional<pass_result> result = trial_.run(values);
    if (!result) return false;
    found_.times[element] = total(*result) - found_.from_nothing;
    for (std::size_t b = 0; b < result->partials.size() && found_.where[element] < 0; ++b)
      if (result->partials[b] == 1) found_.where[element] = static_cast<std::int64_t>(b);
    return true;
  }

  pass_trial& trial_;
  arrivals& found_;
  processor_clock::time_point until_ = processor_clock::now() + patience;
};

}  // namespace

std::size_t pass_trial::room_for(std::size_t n) const {
  return std::max<std::size_t>(1, (n + block_size_ - 1) / block_size_);
}

std::optional<double> pass_trial::sum(const std::vector<double>& values) {
  std::vector<double> left = values;
  do {
    std::optional<pass_result> result = run(left);
    if (!result || result->returned == 0 || result->returned > room_for(left.size())) return {};
    result->partials.resize(result->returned);
    left = std::move(result->partials);
  } while (left.size() > 1);
  return left.front();
}

std::unique_ptr<pass_trial> trial_of(const reduction& rung, const problem& p) {
  return with_type(p.type, [&](auto* tag) -> std::unique_ptr<pass_trial> {
    return std::make_unique<trial_of_type<std::remove_pointer_t<decltype(tag)>>>(rung, p);
  });
}

std::vector<double> telling_values(std::size_t n) {
  // If there are many values, they are small, so that a float holds every sum exactly.
  const std::uint64_t most = n <= 16'384 ? 500 : 7;
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t h = mixed(i + 0x51ed);
    values[i] = static_cast<double>(1 + (h >> 1) % most) * ((h & 1) != 0 ? 1 : -1);
  }
  return values;
}

std::optional<arrivals> arrivals_of(pass_trial& trial, std::size_t n) {
  arrivals found;
  found.n = n;
  found.times.assign(n, NAN);
  found.where.assign(n, -1);
  const std::optional<pass_result> nothing = trial.run(std::vector<double>(n, 0));
  const std::optional<pass_result> ones = trial.run(std::vector<double>(n, 1));
  if (!nothing || !ones) return {};
  found.returned = nothing->returned;
  found.from_nothing = search::total(*nothing);
  const std::vector<double> telling = telling_values(n);
  const std::optional<pass_result> marked = trial.run(telling);
  if (!marked) return {};
  found.first_is_all = marked->partials.front() == std::accumulate(telling.begin(), telling.end(), 0.0);
  for (std::size_t b = 0; b < ones->partials.size(); ++b) {
    if (!std::isnan(ones->partials[b])) ++found.blocks;
    if (b < found.returned && std::isnan(ones->partials[b])) found.unwritten.push_back(b);
    if (b >= found.returned && !std::isnan(ones->partials[b])) found.unread.push_back(b);
  }
  search by_halves(trial, found);
  if (!by_halves.look_at(0, n)) return {};
  return found;
}

std::optional<explanation> explain_cut_values(pass_trial& trial, const problem& given) {
  struct probe {
    double value;
    const char* words;
  };
  // In the order of `element_type`.
  static const std::vector<probe> probes[] = {
      {{16777217.0, "an int is rounded: an intermediate variable is a float"},
       {100003.0, "an int is truncated to 16 bits: an intermediate variable is a short"}},
      {{2000000005.0, "a large unsigned value is changed: an intermediate variable is narrower, or a float"}},
      {{1099511627781.0, "a long long is truncated to 32 bits: an intermediate variable is an int or unsigned"},
       {-3.0, "a negative value is changed: an intermediate variable is unsigned and narrower"}},
      {{0.5, "a fraction is cut off: an intermediate variable is an integer"},
       {1.00000095367431640625, "a float is rounded: an intermediate variable is narrower"}},
      {{0.5, "a fraction is cut off: an intermediate variable is an integer"},
       {1.0000000009313226, "a double is rounded: an intermediate variable is a float"},
       {1e300, "a large double is changed: an intermediate variable is a float"}}};
  static_assert(std::size(probes) == std::size(all_element_types));
  for (const probe& one : probes[static_cast<std::size_t>(given.type)]) {
    const std::size_t n = std::min<std::size_t>(std::max<std::size_t>(given.count, 1), 1000);
    std::vector<double> input(n, 0);
    input.back() = one.value;
    const std::optional<double> got = trial.sum(input);
    if (!got || *got == one.value) continue;
    return explanation{.cause = fmt::format("Small whole numbers add up, but {}.", one.words),
                       .example = fmt::format("An input of zeros and one {} makes {:.17g}, not {:.17g}.",
                                              name_of(given.type), *got, one.value)};
  }
  return {};
}

}  // namespace workbook
