#pragma once
/// \file
/// Several GPUs that work together: a stream and an event for each, access to each other's memory, and the traffic
/// through their ports.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "16_many_gpus/gpu_watch.hpp"
#include "emulator/links.hpp"
#include "workbook/measure.hpp"

namespace chapter16 {

/// Returns the number of vectors of `p`: by default 4, or one on each of several GPUs of this machine, up to 8. \param
/// devices  the number of devices, emulated or not
[[nodiscard]] unsigned members_of(const workbook::problem& p, bool gpu, int devices);

/// Access to other GPUs' memory. Copies between GPUs don't need it, but use the direct path if they have it.
enum class reach { where_possible, needed };

/// Members of a common computation. If several groups exist at a time, the first one enables peer access, until it is
/// destroyed. On GPUs, the process is terminated if some work is unfinished and no work has begun for a minute. Member
/// m is on GPU m; if there are fewer GPUs, the next member is on GPU 0 again.
class gpu_group {
 public:
  /// \throws workbook::device_error
  /// \throws std::runtime_error  if a GPU must access another GPU's memory but cannot; the message names both
  gpu_group(unsigned members, reach each_other);
  ~gpu_group();
  gpu_group(const gpu_group&) = delete;
  gpu_group& operator=(const gpu_group&) = delete;

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(streams_.size()); }
  [[nodiscard]] int device_of(unsigned member) const { return static_cast<int>(member) % devices_; }
  [[nodiscard]] cudaStream_t stream(unsigned member) const { return streams_[member]; }
  /// Makes the member's GPU the current one. \throws workbook::device_error
  void select(unsigned member) const;
  /// Records the current position of `member` in its stream, so that other members can wait for it.
  void record(unsigned member);
  /// Makes later work of `member` wait for the position that was last recorded for `other`.
  void wait(unsigned member, unsigned other);
  void wait_for_all(unsigned member);

  /// All work of the group is between these calls. It follows GPU 0's default stream, which waits for its end.
  void begin();
  void end();
  /// Ends a step. On the emulator, adds the traffic through the ports since the previous step to `ports()`.
  void end_step();
  /// Returns the traffic through the ports since `begin`, or nothing on a GPU.
  [[nodiscard]] std::optional<workbook::port_use> ports() const { return used_; }

 private:
  /// Allocates nothing. If the rest of the constructor fails, the destructor frees what that has allocated.
  gpu_group() = default;
  void let_reach(reach each_other);
  [[nodiscard]] std::optional<std::string> unfinished() const;

  int devices_ = 1;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> done_;
  cudaEvent_t begun_ = nullptr;
  std::vector<std::pair<int, int>> reach_;
  std::vector<emulator::link_traffic> before_;
  std::optional<workbook::port_use> used_;
  std::unique_ptr<gpu_watch> watch_;  ///< On GPUs only; on the emulator, work that never ends is a finding.
};

}  // namespace chapter16
