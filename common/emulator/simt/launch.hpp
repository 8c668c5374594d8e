#pragma once
/// \file
/// Modules, kernels and launches: what the runtime layer needs to know of the interpreter.

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

/// A module variable and where it stands in device memory.
struct placed_variable {
  std::string name;
  std::uintptr_t address = 0;
  std::uint64_t size_bytes = 0;
  bool constant = false;
};

/// Text that the emulator cannot run: malformed PTX or an instruction that it does not implement. The message names the
/// kernel, the source line and the instruction.
class unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class module;
struct program;

/// A kernel ready to be launched; decoded on first use.
class kernel {
 public:
  kernel(module& owner, ptx::function& function);
  ~kernel();
  /// Parameters, launch bounds; valid without decoding.
  [[nodiscard]] const ptx::function& declaration() const { return function_; }
  /// Decodes if need be. \throws unsupported, ptx::parse_error
  [[nodiscard]] const observers::kernel_facts& facts();
  /// Says what the machine code beside the PTX needs for each thread.
  void set_machine_needs(std::uint32_t registers, std::uint32_t local_bytes);
  /// The program, decoded on first use. \throws unsupported, ptx::parse_error
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
  /// Indexes PTX, links that of several files, and places its variables in device memory, initialised.
  /// \throws ptx::parse_error, unsupported
  /// \param space  must live as long as the module
  [[nodiscard]] static std::unique_ptr<module> load(std::vector<std::string> ptx_texts, memory::address_space& space);
  [[nodiscard]] static std::unique_ptr<module> load(std::string ptx_text, memory::address_space& space);
  module(ptx::module text, memory::address_space& space) :text_(std::move(text)), space_(space) { place_variables(); }
  ~module();
  module(const module&) = delete;
  module& operator=(const module&) = delete;
  /// Returns the kernel of that mangled name, or null.
  [[nodiscard]] kernel* find_kernel(const std::string& mangled);
  /// Returns the kernel that an address in device code stands for, or null.
  [[nodiscard]] kernel* kernel_at(std::uint64_t address);
  /// Returns the variable of that name in global or constant memory, or null.
  [[nodiscard]] const placed_variable* find_variable(const std::string& name) const;

  [[nodiscard]] memory::address_space& space() const { return space_; }

  // For the decoder.
  [[nodiscard]] const ptx::module& text() const { return text_; }
  /// The address that a pointer to a device function holds; nothing for other names.
  [[nodiscard]] std::optional<std::uint64_t> function_address(const std::string& name) const;
  /// The function of that name with its body parsed, or null.
  [[nodiscard]] ptx::function* find_function(const std::string& name);
  /// The functions whose address the module takes anywhere, each with its number, bodies parsed.
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
  std::uint32_t cluster[3] = {1, 1, 1};      ///< Blocks of a cluster; each divides the grid's.
  bool explicit_cluster = false;             ///< Somebody has said so: the kernel or the launch.
  memory::touched_bytes* touched = nullptr;  ///< Receives what the kernel touches in global memory; may be null.
  std::uint64_t blocks_at_once = 0;          ///< That the device has room for; 0: not known, as many as there are.
  std::uint64_t room = 0;                    ///< The same, where `blocks_at_once` is less because somebody wants it so.
  device_launches* children = nullptr;       ///< Takes what the kernel launches; null: it can launch nothing.
  std::uint64_t stack_bytes = 8192;  ///< A thread's local memory for calls that are not inlined; a multiple of 16.
};

/// Takes the launches that a kernel asks for. Its members are called by several host threads. Errors are numbers of
/// `cudaError_t`; a thread is numbered through the grid.
class device_launches {
 public:
  virtual ~device_launches() = default;
  /// Returns where the kernel shall put the parameters; 0, with an error for the thread, where it cannot be launched
  /// so.
  [[nodiscard]] virtual std::uint64_t prepare(kernel& what, const launch_shape& shape, std::uint64_t thread) = 0;
  /// Launches what was prepared. \param block  that asks, counted through the grid
  [[nodiscard]] virtual std::uint32_t launch(std::uint64_t parameters, std::uint64_t stream, std::uint64_t block) = 0;
  /// Returns the thread's last error. \param takes  and forgets it
  [[nodiscard]] virtual std::uint32_t last_error(std::uint64_t thread, bool takes) = 0;
  [[nodiscard]] virtual std::uint64_t create_stream() = 0;
  [[nodiscard]] virtual std::uint32_t destroy_stream(std::uint64_t stream) = 0;
};

/// How a launch ended.
struct launch_outcome {
  observers::fault_kind fault = observers::fault_kind::none;  ///< none: it ran to its end.
  std::string message;                                        ///< Words for the fault.
};

/// Whose doing a launch may pause for, where none of its blocks can go on.
enum class pausing {
  never,
  for_host,    ///< Somebody looks at memory that the host can write to.
  for_anybody  ///< Somebody looks at global memory.
};

/// A kernel that runs on the host's threads, one launch at a time, with pauses where it waits for what others do.
class launch_under_way {
 public:
  virtual ~launch_under_way() = default;
  /// Goes on until the kernel has ended, or pauses: because no block can go on before others have changed memory, or
  /// because it has run for long and may be waiting for them.
  /// Returns whether it has ended.
  /// \param may_pause  as long as others may come
  virtual bool go_on(bool may_pause) = 0;
  /// Says whether, since it paused, nothing has changed in the words at which the first lane of each waiting warp
  /// looked. It may be able to go on all the same: other lanes look at other words.
  [[nodiscard]] virtual bool sees_the_same() const = 0;
  /// Says whether it has paused only because it has run for long, and has looked at what others may change.
  [[nodiscard]] virtual bool still_runs() const = 0;
  /// Says how it ended, and fills the report. To be called once.
  [[nodiscard]] virtual launch_outcome end() = 0;
};

/// Begins a launch as below, which may pause; nothing runs yet. Kernel and report must outlive it, the arguments need
/// not.
[[nodiscard]] std::unique_ptr<launch_under_way> begin_launch(kernel& kernel, const launch_shape& shape,
                                                             void* const* arguments, const options& watched,
                                                             launch_report* report, pausing where);

/// Counts changes that may end the wait of a launch that pauses, as long as one does.
[[nodiscard]] std::uint64_t changes_noted();
/// Somebody who is no kernel may have changed memory, or another kernel has: who waits looks again.
void note_change_from_outside();

/// Runs a kernel to its end on the host's threads. The shape has been validated by the caller.
/// \param arguments  one pointer per parameter, as cudaLaunchKernel takes them
/// \param report     receives counters and findings where `watched` asks for any; may be null
launch_outcome launch(kernel& kernel, const launch_shape& shape, void* const* arguments, const options& watched,
                      launch_report* report);

/// Warp instructions executed by all launches so far.
[[nodiscard]] std::uint64_t warp_instructions_executed();

}  // namespace emulator::simt
