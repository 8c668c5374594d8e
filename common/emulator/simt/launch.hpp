#pragma once
/// \file
/// Modules, kernels and launches: the part of the interpreter that the runtime uses.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/touched_bytes.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/ptx/module.hpp"

namespace emulator::simt {

/// A module variable and its place in device memory.
struct placed_variable {
  std::string name;
  std::uintptr_t address = 0;
  std::uint64_t size_bytes = 0;
  bool constant = false;
};

/// Thrown for PTX that the emulator can't run: malformed text or an instruction that isn't implemented. The message
/// names the kernel, the source line and the instruction.
class unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class module;
struct program;

/// A kernel that can be launched; it is decoded on first use.
class kernel {
 public:
  kernel(module& owner, ptx::function& function);
  ~kernel();
  /// Returns the declaration, which has the parameters and the launch bounds. Valid even if the kernel isn't decoded
  /// yet.
  [[nodiscard]] const ptx::function& declaration() const { return function_; }
  /// Decodes the kernel if that hasn't been done. \throws unsupported, ptx::parse_error
  [[nodiscard]] const observers::kernel_facts& facts();
  /// Sets the resources per thread that the machine code stored with the PTX needs.
  void set_machine_needs(std::uint32_t registers, std::uint32_t local_bytes);
  /// Returns the program, which is decoded on first use. \throws unsupported, ptx::parse_error
  [[nodiscard]] const program& code();

 private:
  module& owner_;
  ptx::function& function_;
  std::unique_ptr<program> program_;
  std::uint32_t registers_ = 0;
  std::optional<std::uint32_t> machine_local_bytes_;
};

/// A PTX module on the device.
class module {
 public:
  /// Indexes PTX, links it if there are several files, and allocates and initialises its variables in device memory.
  /// \throws ptx::parse_error, unsupported
  /// \param space  must live as long as the module
  [[nodiscard]] static std::unique_ptr<module> load(std::vector<std::string> ptx_texts, memory::address_space& space);
  [[nodiscard]] static std::unique_ptr<module> load(std::string ptx_text, memory::address_space& space);
  module(ptx::module text, memory::address_space& space) :text_(std::move(text)), space_(space) { place_variables(); }
  ~module();
  module(const module&) = delete;
  module& operator=(const module&) = delete;
  /// Returns the kernel with that mangled name, or null.
  [[nodiscard]] kernel* find_kernel(const std::string& mangled);
  /// Returns the kernel that has this address in device code, or null.
  [[nodiscard]] kernel* kernel_at(std::uint64_t address);
  /// Returns the variable with that name in global or constant memory, or null.
  [[nodiscard]] const placed_variable* find_variable(const std::string& name) const;

  [[nodiscard]] memory::address_space& space() const { return space_; }

  // For the decoder.
  [[nodiscard]] const ptx::module& text() const { return text_; }
  /// Returns the address that a pointer to a device function holds, or nullopt if there is no such function.
  [[nodiscard]] std::optional<std::uint64_t> function_address(const std::string& name) const;
  /// Returns the function with that name, after parsing its body, or null.
  [[nodiscard]] ptx::function* find_function(const std::string& name);
  /// Returns all functions whose address the module takes, with their numbers, after parsing their bodies.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, ptx::function*>> functions_with_address();

 private:
  friend class kernel;
  void place_variables();

  ptx::module text_;
  memory::address_space& space_;
  std::unordered_map<std::string, placed_variable> variables_;
  std::unordered_map<std::string, kernel> kernels_;
  std::mutex mutex_;
};

class device_launches;

struct launch_shape {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::uint32_t cluster[3] = {1, 1, 1};      ///< Blocks per cluster in each dimension; divides that of the grid.
  bool explicit_cluster = false;             ///< The kernel or the launch has set the cluster size.
  memory::touched_bytes* touched = nullptr;  ///< Receives what the kernel accesses in global memory; may be null.
  std::uint64_t blocks_at_once = 0;          ///< Number of blocks that the device has room for; 0: unknown, all blocks
                                             ///< of the grid are assumed to fit.
  std::uint64_t room = 0;                    ///< Number of blocks that the device really has room for, if an option has
                                             ///< made `blocks_at_once` smaller.
  device_launches* children = nullptr;       ///< Receives what the kernel launches; null: it can't launch anything.
  std::uint64_t stack_bytes = 8192;  ///< Per-thread local memory for calls that are not inlined; a multiple of 16.
};

/// Receives the launches that a kernel requests. Its members are called by several host threads. Errors are values of
/// `cudaError_t`, and threads are numbered within the grid.
class device_launches {
 public:
  virtual ~device_launches() = default;
  /// Returns the address to which the kernel must write the parameters. If the kernel can't be launched with that
  /// shape, returns 0 and sets the thread's error.
  [[nodiscard]] virtual std::uint64_t prepare(kernel& what, const launch_shape& shape, std::uint64_t thread) = 0;
  /// Launches what was prepared. \param block  number of the block that launches, within the grid
  [[nodiscard]] virtual std::uint32_t launch(std::uint64_t parameters, std::uint64_t stream, std::uint64_t block) = 0;
  /// Returns the thread's last error. \param takes  also resets it
  [[nodiscard]] virtual std::uint32_t last_error(std::uint64_t thread, bool takes) = 0;
  [[nodiscard]] virtual std::uint64_t create_stream() = 0;
  [[nodiscard]] virtual std::uint32_t destroy_stream(std::uint64_t stream) = 0;
};

/// The outcome of a launch.
struct launch_outcome {
  observers::fault_kind fault = observers::fault_kind::none;  ///< none: it ran to completion.
  std::string message;                                        ///< Text for the fault.
};

/// The events for which a launch may pause if none of its blocks can make progress.
enum class pausing {
  never,
  for_host,   ///< A warp polls memory that the host can write to.
  for_others  ///< A warp polls global memory.
};

/// A kernel that runs on the host's threads, one launch at a time, and pauses if it waits for the host or other
/// kernels.
class launch_under_way {
 public:
  virtual ~launch_under_way() = default;
  /// Runs the kernel until it ends or pauses. Returns true if it has ended. The kernel pauses if no block can make
  /// progress until memory is changed from outside, or if it has run for a long time and may be waiting for such a
  /// change.
  /// \param may_pause  true as long as the host or other kernels may change memory
  virtual bool resume(bool may_pause) = 0;
  /// Returns true if nothing has changed since the pause in the words that the first lane of each waiting warp polls.
  /// Even then, the launch may be able to continue, because the other lanes may poll different words.
  [[nodiscard]] virtual bool sees_the_same() const = 0;
  /// Returns true if it has paused only because it has run for a long time and polls memory that others may change.
  [[nodiscard]] virtual bool still_runs() const = 0;
  /// Returns the outcome and fills the report. Must be called only once.
  [[nodiscard]] virtual launch_outcome end() = 0;
};

/// Prepares a launch that may pause, with the parameters of `launch`. Nothing runs before the first `resume`. The
/// kernel and the report must outlive the launch, but the arguments need not.
[[nodiscard]] std::unique_ptr<launch_under_way> begin_launch(kernel& kernel, const launch_shape& shape,
                                                             void* const* arguments, const options& watched,
                                                             launch_report* report, pausing where);

/// Returns the number of changes so far that may end the wait of a paused launch. They are counted only while a launch
/// is paused.
[[nodiscard]] std::uint64_t changes_noted();
/// Records that the host or another kernel may have changed memory, so that paused launches look again.
void note_change_from_outside();

/// Runs a kernel to completion on the host's threads. The caller has validated the shape.
/// \param arguments  one pointer per parameter, as for cudaLaunchKernel
/// \param report     receives the counters and findings that `watched` requests; may be null
launch_outcome launch(kernel& kernel, const launch_shape& shape, void* const* arguments, const options& watched,
                      launch_report* report);

/// Returns the number of warp instructions that all launches have executed so far.
[[nodiscard]] std::uint64_t warp_instructions_executed();

}  // namespace emulator::simt
