#include "emulator/runtime/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/child_launches.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/launch_rules.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

namespace emulator::runtime {
namespace {

/// Describes the configuration of a launch.
std::string in_words(const simt::launch_shape& shape) {
  std::string words = fmt::format("a grid of {} x {} x {} blocks of {} x {} x {} threads", shape.grid[0], shape.grid[1],
                                  shape.grid[2], shape.block[0], shape.block[1], shape.block[2]);
  if (shape.explicit_cluster)
    words += fmt::format(" in clusters of {} x {} x {}", shape.cluster[0], shape.cluster[1], shape.cluster[2]);
  if (shape.dynamic_shared_bytes != 0)
    words += fmt::format(" with {} bytes of dynamic shared memory", shape.dynamic_shared_bytes);
  return words;
}

cudaError_t refuse(const std::string& kernel, const simt::launch_shape& shape, cudaError_t error,
                   const std::string& words, bool empty_grid = false) {
  announce_once(fmt::format("kernel {} was not launched: {}", kernel, words));
  device::instance().set_refusal({words, empty_grid});
  if (call_in_progress* call = call_in_progress::innermost()) {
    call->kernel = kernel;
    call->launch = in_words(shape);
    call->reason = words;
  }
  return error;
}

/// Prints why a kernel failed, unless a report will do so later.
void announce_fault(const std::string& words) {
  if (!environment::instance().print_report) announce_once(words);
}

/// Refuses a kernel that the emulator cannot run. This isn't a fault of the program, but its further output is
/// worthless, so there is a finding about it.
cudaError_t refuse_unsupported(const std::string& kernel, const simt::launch_shape& shape, const std::string& words) {
  launch_report report;
  report.kernel = kernel;
  std::copy_n(shape.grid, 3, report.grid);
  std::copy_n(shape.block, 3, report.block);
  report.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  report.cooperative = shape.cooperative;
  report.completed = false;
  report.findings.push_back({.kind = finding_kind::unsupported, .kernel = kernel, .message = words});
  device::instance().add_report(std::move(report));
  if (call_in_progress* call = call_in_progress::innermost()) call->reported = true;
  announce_fault(words);
  return cudaErrorNotSupported;
}

bool wants_report(const options& watched) {
  return watched.counters || watched.memcheck || watched.initcheck || watched.racecheck || watched.synccheck ||
         watched.orders != 0;
}

simt::launch_shape shape_of(const launch_request& request) {
  return {.grid = {request.grid.x, request.grid.y, request.grid.z},
          .block = {request.block.x, request.block.y, request.block.z},
          .dynamic_shared_bytes = request.dynamic_shared_bytes,
          .cooperative = request.cooperative,
          .stack_bytes = device::instance().stack_bytes()};
}

/// Returns when a kernel that polls memory pauses. If the program has one device and has never made a stream, only the
/// host can change what a kernel polls, so a kernel only pauses if it polls memory that the host can write to.
simt::pausing pause_policy() {
  const bool others = stream_order::instance().any_stream() || process_memory().devices.count() > 1;
  return others ? simt::pausing::for_others : simt::pausing::for_host;
}

/// Runs the kernel and stores its report.
cudaError_t run(const function_record& function, simt::kernel& kernel, const kernel_needs& needs,
                simt::launch_shape shape, const launch_request& request) {
  const observers::kernel_facts& facts = kernel.facts();
  device& here = device::instance();
  const options watched = here.current_options();
  report_lost_memory();
  if (watched.trace_launches) {
    fmt::print(stderr, "emulator: launch {} grid {}x{}x{} block {}x{}x{} dynamic shared {}\n", facts.demangled,
               shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
               shape.dynamic_shared_bytes);
  }
  std::unique_ptr<launch_report> report;
  if (wants_report(watched)) {
    report = std::make_unique<launch_report>();
    report->occupancy = report_occupancy(here.facts(), needs, shape.block[0] * shape.block[1] * shape.block[2],
                                         shape.dynamic_shared_bytes);
  }
  const int on_one = blocks_per_multiprocessor(here.facts(), needs, shape.block[0] * shape.block[1] * shape.block[2],
                                               shape.dynamic_shared_bytes);
  shape.blocks_at_once =
      static_cast<std::uint64_t>(std::max(1, on_one)) * static_cast<std::uint64_t>(here.facts().multiprocessors);
  shape.room = shape.blocks_at_once;
  if (watched.blocks_at_once != 0) shape.blocks_at_once = std::min(shape.blocks_at_once, watched.blocks_at_once);
  // A kernel's own launches are part of its work.
  if (!request.by_kernel) stream_order::instance().name("kernel " + facts.demangled);
  shape.touched = stream_order::instance().touched();
  process_memory().devices.run_on(memory::current_device());
  auto children = std::make_unique<child_launches>(*function.module);
  shape.children = children.get();
  paused_launch begun{std::move(report), nullptr, facts.demangled, shape, nullptr};
  begun.children = std::move(children);
  const simt::pausing where = request.may_pause ? pause_policy() : simt::pausing::never;
  begun.launch = simt::begin_launch(kernel, shape, request.arguments, watched, begun.report.get(), where);
  if (begun.launch->resume(true)) return end_launch(begun);
  begun.order = stream_order::instance().pause();
  waiting_work::instance().keep(*timeline::instance().find(request.stream), std::move(begun));
  return cudaSuccess;
}

/// Finds the kernel, checks the launch and calls `body` with the results. Explains an error.
template <typename Body>
cudaError_t with_checked_launch(const launch_request& request, Body&& body) {
  function_record* function = kernel_to_run(request.function);
  if (function == nullptr) {
    if (registry::instance().find_function(request.function) != nullptr) return cudaErrorInvalidPtx;
    explain("a kernel was launched that no object file of the program has registered");
    return cudaErrorInvalidDeviceFunction;
  }
  const auto [kernel, error, why_not] = load_kernel(*function);
  simt::launch_shape shape = shape_of(request);
  if (kernel == nullptr) {
    if (error == cudaErrorNotSupported) return refuse_unsupported(function->device_name, shape, why_not);
    return refuse(function->device_name, shape, error, why_not);
  }
  if (timeline::instance().find(request.stream) == nullptr) {
    return refuse(kernel->facts().demangled, shape, cudaErrorInvalidResourceHandle,
                  "its stream does not exist: it was never created, or has been destroyed");
  }
  if (const int owner = timeline::instance().find(request.stream)->device; owner != memory::current_device()) {
    return refuse(kernel->facts().demangled, shape, cudaErrorInvalidResourceHandle,
                  fmt::format("its stream belongs to device {}, and device {} is the current one: call cudaSetDevice "
                              "before the launch",
                              owner, memory::current_device()));
  }
  try {
    const kernel_needs needs = needs_of(*function, *kernel);
    const verdict allowed = check_launch(device::instance().facts(), needs, request.cluster, shape);
    if (allowed.error != cudaSuccess)
      return refuse(kernel->facts().demangled, shape, allowed.error, allowed.words, allowed.empty_grid);
    return body(*function, *kernel, needs, shape);
  } catch (const simt::unsupported& failed) {
    return refuse_unsupported(function->device_name, shape, failed.what());
  } catch (const ptx::parse_error& failed) {
    return refuse(function->device_name, shape, cudaErrorInvalidPtx, failed.what());
  } catch (const std::bad_alloc&) {
    return refuse(function->device_name, shape, cudaErrorMemoryAllocation,
                  "this machine has no memory left for the registers, shared and local memory of its blocks");
  }
}

}  // namespace

cudaError_t end_launch(paused_launch& ended) {
  device& here = device::instance();
  const simt::launch_outcome outcome = ended.launch->end();
  const cudaError_t error = error_of(outcome.fault);
  // The kernel's own launches are part of its work.
  const auto end_of_work = [&] { stream_order::instance().end(ended.order); };
  if (error == cudaErrorNotSupported) {
    end_of_work();
    return refuse_unsupported(ended.kernel, ended.shape, outcome.message);
  }
  if (ended.report) {
    for (finding& f : ended.report->findings) {
      if (f.kind != finding_kind::grid_deadlock) continue;
      f.message += ended.others_wait;
      if (!ended.others_wait.empty()) f.parts.reason += "." + ended.others_wait;
    }
    ended.report->completed = error == cudaSuccess;
    here.add_report(std::move(*ended.report));
  }
  if (error == cudaSuccess && ended.children != nullptr)
    stream_order::instance().resume(ended.order, [&] { ended.children->run(); });
  end_of_work();
  if (error == cudaSuccess) return cudaSuccess;
  announce_fault(outcome.message.empty() ? fmt::format("kernel {} faulted", ended.kernel) : outcome.message);
  here.set_sticky_error(error);
  return cudaSuccess;
}

cudaError_t launch_on_emulator(const launch_request& request) {
  return with_checked_launch(
      request, [&](const function_record& function, simt::kernel& kernel, const kernel_needs& needs,
                   const simt::launch_shape& shape) { return run(function, kernel, needs, shape, request); });
}

kept_launch::kept_launch(const launch_request& request, const std::vector<std::uint64_t>& sizes_bytes, std::string what)
    : request_(request), what_(std::move(what)) {
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    const auto* const bytes = static_cast<const std::byte*>(request.arguments[i]);
    values_.emplace_back(bytes, bytes + sizes_bytes[i]);
  }
  for (std::vector<std::byte>& value : values_) pointers_.push_back(value.data());
  request_.arguments = pointers_.data();
  request_.stream = nullptr;
}

cudaError_t keep_launch(const launch_request& request, std::shared_ptr<const kept_launch>& kept) {
  return with_checked_launch(
      request, [&](const function_record&, simt::kernel& kernel, const kernel_needs&, const auto&) {
        std::vector<std::uint64_t> sizes_bytes;
        for (const ptx::variable& parameter : kernel.declaration().parameters)
          sizes_bytes.push_back(parameter.size_bytes());
        if (!sizes_bytes.empty() && request.arguments == nullptr) return cudaErrorInvalidValue;
        kept = std::make_shared<kept_launch>(request, sizes_bytes, "kernel " + kernel.facts().demangled);
        return cudaSuccess;
      });
}

const observers::kernel_facts* facts_of(const kept_launch& kept) {
  function_record* const function = kernel_to_run(kept.request().function);
  if (function == nullptr) return nullptr;
  simt::kernel* const kernel = load_kernel(*function).what;
  return kernel == nullptr ? nullptr : &kernel->facts();
}

cudaError_t launch_in_stream(const launch_request& request) {
  // The check of the launch reports a stream that does not exist, together with all other errors.
  if (timeline::instance().find(request.stream) == nullptr) return launch_on_emulator(request);
  waiting_work& waiting = waiting_work::instance();
  if (waiting.any()) waiting.resume();
  const bool captured = is_captured(request.stream);
  launch_request asked = request;
  asked.may_pause = !captured;
  if (!captured && !waiting.is_queued_after(*timeline::instance().find(request.stream)))
    return in_stream(request.stream, cudaGraphNodeTypeKernel, [&] { return launch_on_emulator(asked); });
  std::shared_ptr<const kept_launch> kept;
  const cudaError_t error = keep_launch(asked, kept);
  if (error != cudaSuccess) return error;
  return in_stream(request.stream, kernel_work(kept));
}

}  // namespace emulator::runtime
