#include "workbook/timer.hpp"

#include <algorithm>
#include <vector>

#include "device/buffer.hpp"

namespace workbook {

timing time_on_gpu(const std::function<void()>& run, int repetitions, bool cold) {
  const auto l2_bytes = static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize));
  const device_bytes flush(cold ? std::max(std::size_t{1} << 20, 3 * l2_bytes) : 0);
  event begin, end;
  std::vector<double> times;
  double spent_ms = 0;
  for (int k = -3; k < repetitions; ++k) {
    // A slow kernel is timed a few times only.
    if (k >= 3 && spent_ms > 1000) break;
    if (cold) check(cudaMemsetAsync(flush.data(), k & 0xff, flush.size_bytes(), nullptr));
    begin.record();
    run();
    end.record();
    const double ms = end.milliseconds_since(begin);
    spent_ms += ms;
    if (k >= 0) times.push_back(ms);
  }
  check(cudaGetLastError());
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back(), static_cast<int>(times.size())};
}

}  // namespace workbook
