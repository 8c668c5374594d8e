#include "emulator/runtime/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/launch_rules.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/timeline.hpp"

namespace emulator::runtime {
namespace {

cudaError_t refuse(const std::string& kernel, cudaError_t error, const std::string& words) {
  announce_once(fmt::format("kernel {} was not launched: {}", kernel, words));
  return error;
}

/// Says why a kernel did not end well, unless a report that does so will follow.
void announce_fault(const std::string& words) {
  if (!environment::instance().print_report) announce_once(words);
}

/// Refuses a kernel that the emulator cannot run. That is no fault of the program, but what it prints then is worth
/// nothing, so it is among the findings.
cudaError_t refuse_unsupported(const std::string& kernel, const simt::launch_shape& shape, const std::string& words) {
  launch_report report;
  report.kernel = kernel;
  std::copy_n(shape.grid, 3, report.grid);
  std::copy_n(shape.block, 3, report.block);
  report.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  report.completed = false;
  finding found;
  found.check = "emulator";
  found.kind = "unsupported";
  found.kernel = kernel;
  found.message = words;
  report.findings.push_back(std::move(found));
  device::instance().add_report(std::move(report));
  announce_fault(words);
  return cudaErrorNotSupported;
}

bool wants_report(const options& watched) {
  return watched.counters || watched.memcheck || watched.initcheck || watched.racecheck || watched.synccheck;
}

simt::launch_shape shape_of(const launch_request& request) {
  simt::launch_shape shape;
  const dim3 sizes[] = {request.grid, request.block};
  std::uint32_t* const into[] = {shape.grid, shape.block};
  for (int i = 0; i < 2; ++i) {
    into[i][0] = sizes[i].x;
    into[i][1] = sizes[i].y;
    into[i][2] = sizes[i].z;
  }
  shape.dynamic_shared_bytes = request.dynamic_shared_bytes;
  shape.cooperative = request.cooperative;
  shape.stack_bytes = device::instance().stack_bytes();
  return shape;
}

/// What is known before the launch; the interpreter adds what it counts.
launch_report empty_report(const observers::kernel_facts& facts, const simt::launch_shape& shape) {
  launch_report report;
  report.kernel = facts.demangled;
  report.mangled = facts.mangled;
  report.file = facts.file;
  for (int axis = 0; axis < 3; ++axis) {
    report.grid[axis] = shape.grid[axis];
    report.block[axis] = shape.block[axis];
  }
  report.static_shared_bytes = facts.static_shared_bytes;
  report.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  report.registers_per_thread = facts.registers_per_thread;
  return report;
}

/// Runs the kernel and keeps what was seen.
cudaError_t run(simt::kernel& kernel, const observers::kernel_facts& facts, const kernel_needs& needs,
                const simt::launch_shape& shape, void** arguments) {
  device& here = device::instance();
  const options watched = here.current_options();
  if (watched.trace_launches) {
    fmt::print(stderr, "emulator: launch {} grid {}x{}x{} block {}x{}x{} dynamic shared {}\n", facts.demangled,
               shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
               shape.dynamic_shared_bytes);
  }
  const bool reported = wants_report(watched);
  launch_report report;
  if (reported) {
    report = empty_report(facts, shape);
    report.occupancy = report_occupancy(here.facts(), needs, shape.block[0] * shape.block[1] * shape.block[2],
                                        shape.dynamic_shared_bytes);
  }
  const simt::launch_outcome outcome = simt::launch(kernel, shape, arguments, watched, reported ? &report : nullptr);
  const cudaError_t error = error_of(outcome.fault);
  if (error == cudaErrorNotSupported) return refuse_unsupported(facts.demangled, shape, outcome.message);
  if (reported) {
    report.completed = error == cudaSuccess;
    here.add_report(std::move(report));
  }
  if (error == cudaSuccess) return cudaSuccess;
  announce_fault(outcome.message.empty() ? fmt::format("kernel {} faulted", facts.demangled) : outcome.message);
  here.set_sticky_error(error);
  return cudaSuccess;
}

}  // namespace

cudaError_t launch_on_emulator(const launch_request& request) {
  if (timeline::instance().find(request.stream) == nullptr) {
    announce_once("a kernel was launched into a stream that does not exist");
    return cudaErrorInvalidResourceHandle;
  }
  function_record* function = registry::instance().find_function(request.function);
  if (function == nullptr) {
    announce_once("a kernel was launched that no object file of the program has registered");
    return cudaErrorInvalidDeviceFunction;
  }
  cudaError_t error = cudaSuccess;
  std::string why_not;
  simt::kernel* kernel = load_kernel(*function, error, why_not);
  const simt::launch_shape shape = shape_of(request);
  if (kernel == nullptr) {
    if (error == cudaErrorNotSupported) return refuse_unsupported(function->device_name, shape, why_not);
    return refuse(function->device_name, error, why_not);
  }
  try {
    const observers::kernel_facts& facts = kernel->facts();
    const kernel_needs needs = needs_of(*function, *kernel);
    const verdict allowed = check_launch(device::instance().facts(), needs, shape);
    if (allowed.error != cudaSuccess) return refuse(facts.demangled, allowed.error, allowed.words);
    return run(*kernel, facts, needs, shape, request.arguments);
  } catch (const simt::unsupported& failed) {
    return refuse_unsupported(function->device_name, shape, failed.what());
  } catch (const ptx::parse_error& failed) {
    return refuse(function->device_name, cudaErrorInvalidPtx, failed.what());
  } catch (const std::bad_alloc&) {
    return refuse(function->device_name, cudaErrorMemoryAllocation,
                  "this machine has no memory left for the registers, shared and local memory of its blocks");
  }
}

}  // namespace emulator::runtime
