#include "workbook/conditions.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "workbook/predicted.hpp"

namespace workbook {
namespace {

/// With fewer elements, overhead dominates, so the conditions are not evaluated.
constexpr std::size_t fewest_judged = 1 << 14;

using count = std::function<double(const outcome&)>;

/// Returns the number of elements divided by 32, but at least 1.
double warpfuls(const outcome& o) {
  return std::max(1.0, static_cast<double>(o.count) / 32);
}

/// Returns the sum of some counters over all launches, per 32 elements.
count per_warpful(std::vector<std::string> counters) {
  return [counters = std::move(counters)](const outcome& o) {
    double sum = 0;
    for (const std::string& one : counters) sum += over_all(o, one);
    return sum / warpfuls(o);
  };
}

/// Returns a function with the same result, except NaN for cooperative launches: their blocks wait for each other by
/// polling, which distorts the count.
count unless_blocks_wait(count of) {
  return [of = std::move(of)](const outcome& o) {
    return std::ranges::any_of(o.launches, &emulator::launch_report::cooperative)
               ? std::numeric_limits<double>::quiet_NaN()
               : of(o);
  };
}

/// Returns the number of lanes that execute atomic operations on shared memory, computed from the lines with such
/// operations.
double shared_atomic_lanes(const outcome& o) {
  const auto of = [](const emulator::line_report& line, const char* counter) {
    return static_cast<double>(emulator::count_in(line.counters, counter));
  };
  double lanes = 0;
  for (const emulator::launch_report& launch : o.launches) {
    for (const emulator::line_report& line : launch.lines) {
      const double atomics = of(line, "workbook__shared_atomics.sum");
      if (atomics > 0)
        lanes += atomics * of(line, "workbook__thread_inst_executed.sum") / of(line, "workbook__inst_executed.sum");
    }
  }
  return lanes;
}

/// Returns the atomic operations of all lanes per 32 elements. They are counted by lanes because lanes that access the
/// same word are serialised.
double atomics_per_warpful(const outcome& o) {
  return per_warpful({"workbook__global_atomic_operations.sum"})(o) + shared_atomic_lanes(o) / warpfuls(o);
}

/// Returns the instructions of each launch's busiest block, summed over all launches.
double busiest_blocks(const outcome& o) {
  double sum = 0;
  for (const emulator::launch_report& launch : o.launches) sum += static_cast<double>(launch.busiest_block);
  return sum;
}

/// Returns the bytes per 32 elements that the host copied in device memory, although the kernel could have read them.
double copied_per_warpful(const outcome& o) {
  return o.copied_bytes / warpfuls(o);
}

/// Returns the number of blocks in the largest launch, relative to the number that would be enough if every block were
/// as busy as the busiest one.
double launched_blocks_per_busy(const outcome& o) {
  return total(o, "workbook__blocks.sum") / busy_blocks(o);
}

/// Returns the cost of the trees in the blocks, in warp instructions. In a step of shuffles, every warp has an
/// instruction; in a step in shared memory, only half of the warps have one. So a shuffle counts half.
double tree_work(const outcome& o) {
  return over_all(o, "smsp__sass_inst_executed_op_shared_st.sum") + over_all(o, "workbook__shuffles.sum") / 2 +
         over_all(o, "workbook__barriers.sum");
}

/// Returns the number of partial sums of the first pass.
double partial_sums(const outcome& o) {
  return o.returned.empty() ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(o.returned.front());
}

double partial_sums_per_warpful(const outcome& o) {
  return partial_sums(o) / warpfuls(o);
}

condition few_atomics(bool beside_previous) {
  return {"atomic operations per 32 elements",
          "Add up in the block first.",
          atomics_per_warpful,
          1.5,
          beside_previous,
          0.5,
          /*of_loop=*/false};
}

condition few_copies(bool beside_previous) {
  return {"bytes copied by the host per 32 elements",
          "Read the input directly instead of copying it first.",
          copied_per_warpful,
          1.5,
          beside_previous,
          4};
}

count predicted_us(const model::machine& machine) {
  return [machine](const outcome& o) {
    const model::prediction p = prediction_of(machine, o);
    return p.unknown.empty() ? p.us : std::numeric_limits<double>::quiet_NaN();
  };
}

/// Adds the conditions for chapters in which the student chooses how many blocks share the elements: chapter 7 and
/// later ones.
void add_those_of_chosen_blocks(std::vector<condition>& all, int chapter, bool beside) {
  all.push_back({"blocks for each that is busy", "Launch only blocks that have work to do.",
                 unless_blocks_wait(launched_blocks_per_busy), 1.5, beside, 2.5});
  // A tree for every 256 elements takes 1.6, and a tree for four elements of each of 128 threads takes 1.3, whatever
  // their shape is.
  const char* cure = "Let each thread add up its whole share first; then one tree for the block.";
  all.push_back({"shared stores, half of the shuffles and barriers per 32 elements", cure,
                 [](const outcome& o) { return tree_work(o) / warpfuls(o); }, 1.5, /*beside_previous=*/false, 1.5});
  all.push_back({"shared stores, half of the shuffles and barriers per warp", cure,
                 [](const outcome& o) { return tree_work(o) / over_all(o, "workbook__warps.sum"); }, 3,
                 /*beside_previous=*/false, 24});
  const char* leave = "Leave one sum per block to the next pass, and let blocks be few.";
  if (chapter == 7)  // fewer than in the chapter before
    all.push_back({"partial sums per 32 elements", leave, partial_sums_per_warpful, 0.75, beside, 0});
  else
    all.push_back({"partial sums per warp", leave,
                   [](const outcome& o) { return partial_sums(o) / total(o, "workbook__warps.sum"); }, 1,
                   /*beside_previous=*/false, 1.05});
}

}  // namespace

std::vector<condition> work_conditions() {
  return {{"warp instructions of all launches", "Let each thread do its own share, and do it once.",
           [](const outcome& o) { return over_all(o, "workbook__inst_executed.sum"); }, 3},
          {"warp instructions of the block with the most", "Share the work among the blocks.", busiest_blocks, 8},
          few_atomics(/*beside_previous=*/false),
          few_copies(/*beside_previous=*/false)};
}

std::vector<condition> ladder_conditions(int chapter, int parent, const std::optional<model::machine>& on) {
  if (chapter == 0) return {};
  // Compared with one thread that adds up everything, any cost would be allowed.
  const bool beside = parent != 0;
  // In chapter 7 and later ones, the student chooses how many blocks share the elements.
  const bool chooses_blocks = chapter >= 7;
  std::vector<condition> all = {
      {"load requests per 32 elements", "Let neighbouring lanes load neighbouring elements, and each element once.",
       unless_blocks_wait(per_warpful({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"})), 1.5, beside, 1.6},
      few_atomics(beside),
      {"warp-level additions per 32 elements", "Add no more often than a tree must, and with whole warps.",
       per_warpful({"workbook__combines.sum"}), 3, beside, 6},
      {"warp instructions of the block with the most", "Share the work among the blocks.",
       unless_blocks_wait(busiest_blocks), chooses_blocks ? 8.0 : 3.0, beside, 1000},
      {"global stores per 32 elements", "Write only results to global memory.",
       per_warpful({"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}), 1.5, beside, chapter < 9 ? 0.4 : 0.15,
       /*of_loop=*/false},
      // Only loads, because printf stores its arguments in local memory.
      {"loads of local memory per 32 elements", "Keep a thread's own values in registers.",
       per_warpful({"smsp__sass_inst_executed_op_local_ld.sum"}), 1.5, beside, 0.1},
      few_copies(beside)};
  // That half of a block's threads are idle doesn't mean that half of the blocks are.
  if (!chooses_blocks)
    all.push_back({"warps per 32 elements", "Launch only threads that have work to do.",
                   per_warpful({"workbook__warps.sum"}), 1.5, /*beside_previous=*/false});
  if (chooses_blocks) add_those_of_chosen_blocks(all, chapter, beside);
  if (chapter > 3)
    all.push_back({"bank conflicts per 32 elements", "Keep the lanes of a warp in different banks.",
                   per_warpful({"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}), 1.5, true, 1.5});
  if (chapter > 4)
    all.push_back(
        {"shared loads and stores per 32 elements", "Add a thread's own values in registers.",
         per_warpful({"smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum"}), 4,
         true, 4});
  // A tree has five steps for 32 lanes.
  if (chapter > 8)
    all.push_back(
        {"shuffles per warp", "Let every lane add in every step.",
         [](const outcome& o) { return over_all(o, "workbook__shuffles.sum") / over_all(o, "workbook__warps.sum"); }, 3,
         /*beside_previous=*/false, 16});
  if (on)
    all.push_back({"predicted microseconds", "`make profile" + std::to_string(chapter) + "` shows what takes the time.",
                   predicted_us(*on), chooses_blocks ? 4 : 1.3, beside, 0});
  for (condition& one : all) {
    one.value = [of = std::move(one.value)](const outcome& o) {
      return o.count < fewest_judged ? std::numeric_limits<double>::quiet_NaN() : of(o);
    };
  }
  return all;
}

}  // namespace workbook
