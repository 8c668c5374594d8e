#pragma once
/// \file
/// Launches by kernels (dynamic parallelism). They are stored until the launching kernel has ended and then executed,
/// each followed by its own child launches. Tail launches come last.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "emulator/runtime/registry.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::runtime {

class child_launches final : public simt::device_launches {
 public:
  /// \param of  the module of the launching kernel; it can only launch kernels of that module
  explicit child_launches(module_record& of) : module_(of) {}
  ~child_launches() override;

  [[nodiscard]] std::uint64_t prepare(simt::kernel& what, const simt::launch_shape& shape,
                                      std::uint64_t thread) override;
  [[nodiscard]] std::uint32_t launch(std::uint64_t parameters, std::uint64_t stream, std::uint64_t block) override;
  [[nodiscard]] std::uint32_t last_error(std::uint64_t thread, bool takes) override;
  [[nodiscard]] std::uint64_t create_stream() override;
  [[nodiscard]] std::uint32_t destroy_stream(std::uint64_t stream) override;

  /// Executes the stored launches. Has to be called once, after the kernel has ended.
  void run();

 private:
  struct wanted {
    function_record* function = nullptr;
    simt::launch_shape shape;
    std::uint64_t block = 0;
    bool is_tail = false;
  };
  void run_one(std::uint64_t parameters, const wanted& one);

  module_record& module_;
  std::mutex mutex_;
  std::map<std::uint64_t, wanted> prepared_;  ///< Indexed by the address of the parameters.
  std::vector<std::pair<std::uint64_t, wanted>> asked_for_;
  std::map<std::uint64_t, cudaError_t> errors_;  ///< Indexed by thread.
  std::set<std::uint64_t> streams_;
  std::uint64_t last_stream_ = 0x100;
};

}  // namespace emulator::runtime
