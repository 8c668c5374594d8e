#include "16_many_gpus/all_reduce.hpp"

#include <cmath>

#include <fmt/format.h>

#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/rows_of_some_machines.hpp"
#include "workbook/goal.hpp"
#include "workbook/words.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

std::optional<std::string> rejection(const problem& p) {
  if (p.count > 0x80000000u) return "elements are counted in 32 bits here: give a --count up to 2^31";
  if (p.offset != 0)
    return "--offset is not available here, because the vectors begin where their memory does: leave it out";
  if (p.gpus > max_members) return fmt::format("there can be 1 to {} GPUs, not {}", max_members, p.gpus);
  return {};
}

specimen row_of_host(std::string name, role as, decltype(specimen::prepare) prepare) {
  return {.name = std::move(name), .as = as, .rejects = rejection, .prepare = std::move(prepare)};
}

/// Makes the row also reject problems for which `why_not` returns a reason.
specimen rejecting(specimen row, std::optional<std::string> (*why_not)(const problem&)) {
  row.rejects = [why_not](const problem& p) {
    const std::optional<std::string> why = rejection(p);
    return why ? why : why_not(p);
  };
  return row;
}

specimen row_of_nccl(std::string name, sums_on where) {
  return rejecting(row_of_host(std::move(name), role::library, prepared_as<by_nccl>(where)), why_no_nccl);
}

std::string plural(unsigned n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// Returns ", 4 GPUs", or ", 4 members on one GPU" if several vectors are on one GPU.
std::string gpus_in_words(const problem& p, const device_facts& on) {
  const unsigned members = members_of(p, on.kind == "gpu", on.devices), gpus = static_cast<unsigned>(on.devices);
  if (members <= gpus) return ", " + plural(members, "GPU");
  return fmt::format(", {} on {}", plural(members, "member"), gpus == 1 ? "one GPU" : plural(gpus, "GPU"));
}

double of_ports(const outcome& o, unsigned port_use::*number) {
  return o.ports ? static_cast<double>((*o.ports).*number) : NAN;
}

}  // namespace

double vectors_through_busiest_port(const outcome& o) {
  return o.ports && o.bytes > 0 ? o.ports->busiest_bytes / o.bytes : NAN;
}

std::string why_ports_are_busy(const outcome& o) {
  if (!o.ports || o.ports->steps == 0) return {};
  const port_use& ports = *o.ports;
  const std::string least = format_short(2.0 * (ports.gpus - 1) / ports.gpus);
  if (ports.idle_steps > 0)
    return fmt::format(
        "Of {} step{} that send{}, {} leave{} some GPU without anything while another's port is busy: let every GPU "
        "take as much in each step, and {} vectors are enough.",
        ports.steps, ports.steps == 1 ? "" : "s", ports.steps == 1 ? "s" : "", ports.idle_steps,
        ports.idle_steps == 1 ? "s" : "", least);
  return fmt::format(
      "Every GPU gets something in every step, but more than it needs: no GPU has to take an element that another one "
      "can sum up, and {} vectors are enough.",
      least);
}

specimen make_row(std::string name, role as, all_reduce_kernel kernel) {
  const auto make_trial = prepared_as<steps_of_kernel, all_reduce_trial>(kernel);
  return {.name = std::move(name),
          .as = as,
          .attempted = kernel.attempted,
          .rejects = rejection,
          .prepare = prepared_as<steps_of_kernel>(kernel),
          .explain = [make_trial](const problem& failed) { return explain_all_reduce(failed, make_trial); },
          .retell = [make_trial](const problem& failed, outcome& o) { retell_race_of_steps(failed, o, make_trial); }};
}

study table_of_all_reduce() {
  study s;
  s.max_gpus = max_members;
  s.gpus_in_words = gpus_in_words;
  s.predicts = false;  // a time is predicted for one launch after another, but these run at the same time
  s.default_count_gpu = std::size_t{1} << 24;
  s.default_count_emulator = std::size_t{1} << 14;
  s.values_per_count = 40;  // a vector and an inbox on each of eight GPUs, the host's copies, and the checks' notes
  s.shows_compiled = false;
  s.baseline = "meet at GPU 0";
  all_reduce_kernel reference = solution_kernel();
  reference.of_neighbours = true;
  s.kernels = {row_of_host("meet at GPU 0", role::previous, prepared_as<meeting>()),
               row_of_host("ring of copies", role::compared, prepared_as<ring_of_copies>()),
               row_of_host("tree of peers", role::compared, prepared_as<tree_of_peers>(sums_on::all)),
               rejecting(row_of_host("exchange", role::compared, prepared_as<exchange>()), why_no_exchange),
               row_of_nccl("NCCL", sums_on::all),
               row_of_host("tree, to GPU 0 alone", role::compared, prepared_as<tree_of_peers>(sums_on::first)),
               row_of_nccl("NCCL, to GPU 0 alone", sums_on::first),
               make_row("all_reduce_step", role::reference, reference),
               make_row("all_reduce_step", role::yours, exercise_kernel())};
  s.counts = {{"vectors by", "busiest port", vectors_through_busiest_port},
              {"steps that", "send", [](const outcome& o) { return of_ports(o, &port_use::steps); }},
              {"with a GPU", "left out", [](const outcome& o) { return of_ports(o, &port_use::idle_steps); }},
              {"instr.", "in all", [](const outcome& o) { return over_all(o, "workbook__inst_executed.sum"); }}};
  return s;
}

}  // namespace chapter16
