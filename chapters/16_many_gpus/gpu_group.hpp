#pragma once
/// \file
/// Several GPUs that work together: a stream and an event each, access to each other's memory, and what went through
/// their ports.

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

/// Returns how many vectors `p` asks for: by default 4, or one on each of several GPUs of this machine, up to 8.
/// \param devices  how many there are, emulated or not
[[nodiscard]] unsigned members_of(const workbook::problem& p, bool gpu, int devices);

/// Access to the memory of other GPUs. Copies between GPUs need none; where there is one, they go the direct way.
enum class reach { where_possible, needed };

/// Members of a common computation. Of several groups at a time the first one has the GPUs reach each other, for as
/// long as it lives. On GPUs, work that does not end ends the process after a minute. Member m is on GPU m, and again
/// from 0 on where there are fewer GPUs.
class gpu_group {
 public:
  /// \throws workbook::device_error
  /// \throws std::runtime_error  where a GPU cannot reach another one's memory, and has to: it names the two
  gpu_group(unsigned members, reach each_other);
  ~gpu_group();
  gpu_group(const gpu_group&) = delete;
  gpu_group& operator=(const gpu_group&) = delete;

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(streams_.size()); }
  [[nodiscard]] int device_of(unsigned member) const { return static_cast<int>(member) % devices_; }
  [[nodiscard]] cudaStream_t stream(unsigned member) const { return streams_[member]; }
  /// Makes the member's GPU the current one. \throws workbook::device_error
  void select(unsigned member) const;
  /// Notes where `member` has come to, for those that wait for it.
  void record(unsigned member);
  /// What `member` is given from now on waits until `other` has come to where it was noted last.
  void wait(unsigned member, unsigned other);
  void wait_for_all(unsigned member);

  /// Between these two stands all that the group does once: behind GPU 0's default stream, which waits for its end.
  void begin();
  void end();
  /// The end of a step: on the emulator, adds up what went through the ports since the last one.
  void end_step();
  /// What that was since `begin`; nothing on a GPU.
  [[nodiscard]] std::optional<workbook::port_use> ports() const { return used_; }

 private:
  /// With nothing yet: where the rest fails, what is there is let go.
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
  std::unique_ptr<gpu_watch> watch_;  ///< On GPUs; what goes on for ever on the emulator is a finding.
};

}  // namespace chapter16
