#include "workbook/study.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "emulator/explain/source_names.hpp"
#include "workbook/guarded.hpp"
#include "workbook/mistakes.hpp"
#include "workbook/reference.hpp"
#include "workbook/timer.hpp"

namespace workbook {
namespace {

/// Returns what prevents one more block on an SM: "threads" or "blocks" if all of these are in use, "registers" if
/// there are too few, else "shared memory".
std::string limiter_of(const compiled_facts& f, unsigned block_size) {
  const unsigned blocks = static_cast<unsigned>(f.blocks_per_multiprocessor);
  const unsigned warps = (block_size + 31) / 32;
  if ((blocks + 1) * warps > static_cast<unsigned>(device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor)) / 32)
    return "threads";
  if (blocks + 1 > static_cast<unsigned>(device_attribute(cudaDevAttrMaxBlocksPerMultiprocessor))) return "blocks";
  // A warp's registers are allocated in units of 256. Each of the four schedulers has a quarter of the registers, and
  // warps are distributed over the schedulers in turn.
  const unsigned per_warp = (static_cast<unsigned>(f.registers) * 32 + 255) / 256 * 256;
  const unsigned registers = static_cast<unsigned>(device_attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
  const unsigned warps_by_registers = registers / 4 / per_warp * 4;
  return (blocks + 1) * warps > warps_by_registers ? "registers" : "shared memory";
}

/// Runs the kernel with fresh outputs and compares the results. Records the observations in `o` and returns true if
/// everything is right.
bool judge(experiment& e, outcome& o) {
  e.poison_outputs();
  const std::uint64_t allocated = emulator::allocations_made(), waited = emulator::waiting_calls_made();
  const std::uint64_t copied = emulator::bytes_copied_on_device();
  e.launch();
  if (!on_gpu()) {
    o.allocations = static_cast<double>(emulator::allocations_made() - allocated);
    o.copied_bytes = static_cast<double>(emulator::bytes_copied_on_device() - copied);
    o.host_waits = emulator::waiting_calls_made() != waited;
  }
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  o.passes = e.passes();
  o.ports = e.ports();
  o.returned = e.returned();
  o.failure = e.complaint();
  if (!o.failure.empty()) return false;
  o.error = e.error();
  o.bound = e.bound();
  o.result_text = e.result_text();
  o.failure = e.damage();
  return o.failure.empty() && error_is_within(o.error, o.bound);
}

/// Prepares and runs the kernel; on a GPU, several times. \throws std::runtime_error  if the device fails
void run_experiment(std::unique_ptr<experiment>& e, const specimen& kernel, const problem& p, const effort& how,
                    outcome& o) {
  e = kernel.prepare(p);
  if (e->plan().kernel != nullptr) o.compiled = facts_of(e->plan());
  if (o.compiled && static_cast<int>(p.block_size) > o.compiled->max_threads_per_block) {
    o.rejected =
        fmt::format("with {} registers per thread, and its launch bounds, a block has at most {} threads, not {}",
                    o.compiled->registers, o.compiled->max_threads_per_block, p.block_size);
    return;
  }
  o.verified = judge(*e, o);
  o.bytes = e->bytes();
  if (!on_gpu() || how.repetitions <= 0 || !o.verified) return;
  o.cold = time_on_gpu([&] { e->launch(); }, how.repetitions, start::cold);
  o.warm = time_on_gpu([&] { e->launch(); }, how.repetitions, start::warm);
  o.idle = time_on_gpu([&] { e->launch(); }, how.repetitions, start::idle);
  o.verified = judge(*e, o);  // checked again, because the timed runs must be right, too
}

/// Returns true if the checks haven't found the reason for a wrong result: there are no findings, or a later pass reads
/// what the previous one did not write.
bool result_is_the_reason(const outcome& o) {
  for (std::size_t k = 0; k < o.launches.size(); ++k)
    for (const emulator::finding& f : o.launches[k].findings)
      if (k == 0 || f.check() != emulator::check_kind::initcheck) return false;
  return o.in_calls.empty();
}

/// Runs the kernel again with different initial register values. Returns true if the result changes.
bool comes_out_otherwise(const specimen& kernel, const problem& p, const outcome& first) {
  specimen plain = kernel;
  plain.explain = nullptr;
  const outcome other = examine(plain, p, {.unset_byte = 0, .observe = false, .explains = false});
  const bool as_far_off = other.error == first.error || (std::isnan(other.error) && std::isnan(first.error));
  return other.verified || !as_far_off || other.result_text != first.result_text;
}

/// Returns true if the same run passes after a reset, without data of earlier launches.
bool passes_on_fresh_device(const specimen& kernel, const problem& p) {
  if (kernel.release) kernel.release();
  recover_device(kernel.name);
  return examine(kernel, p, {.explains = false}).passed();
}

/// Runs the kernel again to find out why something is wrong.
void look_for_reasons(const specimen& kernel, const problem& p, outcome& o) {
  const captured_output silence(0);  // the kernel's output has already been printed
  o.left_over = passes_on_fresh_device(kernel, p);
  if (kernel.retell && !o.in_calls.empty()) kernel.retell(p, o);
  if (o.left_over || o.verified || !o.failure.empty()) return;
  if (suspect_variable(o)) o.hangs_on_unset = comes_out_otherwise(kernel, p, o);
  if (kernel.explain && o.attempted && !o.hangs_on_unset && result_is_the_reason(o)) o.why_wrong = kernel.explain(p);
}

}  // namespace

compiled_facts facts_of(const launch_plan& plan) {
  compiled_facts f;
  cudaFuncAttributes a{};
  check(cudaFuncGetAttributes(&a, plan.kernel));
  f.registers = a.numRegs;
  f.max_threads_per_block = a.maxThreadsPerBlock;
  f.local_bytes = a.localSizeBytes;
  f.static_shared_bytes = a.sharedSizeBytes;
  f.dynamic_shared_bytes = plan.dynamic_shared_bytes;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&f.blocks_per_multiprocessor, plan.kernel,
                                                      static_cast<int>(plan.block_size), plan.dynamic_shared_bytes));
  f.occupancy = static_cast<double>(f.blocks_per_multiprocessor) * plan.block_size /
                device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  f.limiter = limiter_of(f, plan.block_size);
  return f;
}

outcome examine(const specimen& kernel, const problem& p, const effort& how) {
  outcome o{.name = kernel.name,
            .as = kernel.as,
            .attempted = kernel.attempted,
            .rejected = kernel.why_not(p),
            .count = p.count,
            .group = kernel.group};
  if (o.rejected) return o;
  if (const auto gone = why_device_is_gone()) {
    o.failure = *gone;
    return o;
  }
  captured_output output(how.lines_kept);
  const watched_run watched(how.observe, p.count * kernel.work_per_count, how);
  std::unique_ptr<experiment> e;
  try {
    run_experiment(e, kernel, p, how, o);
  } catch (const std::runtime_error& failed) {  // an error of the device, or of host code in another process
    o.failure = failed.what();
    o.verified = false;
  }
  if (!on_gpu()) {
    o.launches = emulator::take_reports();
    o.in_calls = emulator::take_call_findings();
    o.refusal = emulator::take_refusal();
    if (kernel.named_by_its_kernel && !o.launches.empty())
      o.name = emulator::explain::kernel_name(o.main_launch().kernel);
  }
  e.reset();
  o.said = output.take();
  o.said.kernel = o.name;
  if (!on_gpu() && how.observe && how.explains && !o.passed()) look_for_reasons(kernel, p, o);
  if (!o.failure.empty()) {
    // A fault makes everything on the device invalid, so it is reset for the next kernel.
    if (kernel.release) kernel.release();
    recover_device(o.name);
  }
  (void)cudaGetLastError();
  return o;
}

}  // namespace workbook
