#include "emulator/observers/counters.hpp"

namespace emulator::observers {
namespace {

constexpr std::string_view request_formula = "one per warp instruction with an active lane";
constexpr std::string_view sector_formula = "distinct 32-byte sectors over the active lanes' bytes, per request";
constexpr std::string_view atomic_formula =
    "per request and distinct 32-byte sector, the number of lanes that access the sector's most contended word: one "
    "per pass";
constexpr std::string_view ideal_formula =
    "active lanes' bytes / 32, rounded up, per request; at most the request's sectors";
constexpr std::string_view bank_formula =
    "32 banks of 4 bytes; per access (8 bytes per lane: per half-warp, 16: per quarter-warp) the distinct 4-byte words "
    "in the busiest bank, minus one";
constexpr std::string_view local_formula =
    "distinct 32-byte sectors if word w of lane l is at byte (w * 32 + l) * 4, per request";
constexpr std::string_view active_formula = "warp instructions with an active lane";

constexpr std::array<counter_facts, counter_count> table = {{
    {counter::blocks, "workbook__blocks.sum", "blocks", "block", "Blocks that ran.", "one per block"},
    {counter::warps, "workbook__warps.sum", "warps", "warp", "Warps that ran.",
     "threads of a block / 32, rounded up, per block"},
    {counter::warp_instructions, "workbook__inst_executed.sum", "warp instructions", "instruction",
     "PTX instructions that warps executed.",
     "one per instruction and warp, even if a predicate is false for all lanes"},
    {counter::thread_instructions, "workbook__thread_inst_executed.sum", "thread instructions", "instruction",
     "PTX instructions that threads executed.", "active lanes, summed over the warp instructions"},
    {counter::global_load_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global load requests",
     "request", "Warp instructions that loaded from global memory.", request_formula},
    {counter::global_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global load sectors", "sector",
     "Sectors that loads from global memory requested.", sector_formula},
    {counter::global_load_ideal_sectors, "workbook__global_load_ideal_sectors.sum", "ideal global load sectors",
     "sector", "Sectors that the same loads would request if neighbouring lanes read neighbouring bytes.",
     ideal_formula},
    {counter::global_store_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global store requests",
     "request", "Warp instructions that stored to global memory.", request_formula},
    {counter::global_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global store sectors", "sector",
     "Sectors that stores to global memory touched.", sector_formula},
    {counter::global_store_ideal_sectors, "workbook__global_store_ideal_sectors.sum", "ideal global store sectors",
     "sector", "Sectors that the same stores would touch if neighbouring lanes wrote neighbouring bytes.",
     ideal_formula},
    {counter::global_atomic_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "global atomic requests",
     "request", "Warp instructions with an atomic on global memory whose result is used.", request_formula},
    {counter::global_atomic_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "global atomic sectors",
     "sector", "Sectors that such atomics sent to L2, once per pass.", atomic_formula},
    {counter::global_reduction_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
     "global reduction requests", "request",
     "Warp instructions with an atomic on global memory whose result is unused.", request_formula},
    {counter::global_reduction_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "global reduction sectors",
     "sector", "Sectors that such atomics sent to L2, once per pass.", atomic_formula},
    {counter::global_atomic_operations, "workbook__global_atomic_operations.sum", "global atomic operations",
     "operation", "Atomics on global memory that threads executed, whether the result is used or not.",
     "active lanes, summed over the warp instructions; generic atomics are left out if their lanes "
     "accessed several address spaces"},
    {counter::global_atomic_distinct_sectors, "workbook__global_atomic_distinct_sectors.sum",
     "distinct global atomic sectors", "sector",
     "Sectors that atomics on global memory touched, whether the result is used or not.", sector_formula},
    {counter::shared_loads, "smsp__sass_inst_executed_op_shared_ld.sum", "shared loads", "instruction",
     "Warp instructions that loaded from shared memory.", active_formula},
    {counter::shared_stores, "smsp__sass_inst_executed_op_shared_st.sum", "shared stores", "instruction",
     "Warp instructions that stored to shared memory.", active_formula},
    {counter::shared_bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "shared bank conflicts",
     "pass",
     "Additional passes of loads and stores because lanes accessed the same bank (atomics are counted separately).",
     bank_formula},
    {counter::shared_load_bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "shared load bank conflicts", "pass", "The loads' part of the bank conflicts.", bank_formula},
    {counter::shared_store_bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     "shared store bank conflicts", "pass", "The stores' part of the bank conflicts.", bank_formula},
    {counter::shared_atomics, "workbook__shared_atomics.sum", "shared atomics", "instruction",
     "Warp instructions with an atomic on shared memory.", active_formula},
    {counter::shared_atomic_bank_conflicts, "workbook__shared_atomic_bank_conflicts.sum",
     "shared atomic bank conflicts", "pass",
     "Bank conflicts of atomics on shared memory; lanes that access the same word are not a bank conflict, but still "
     "take turns.",
     bank_formula},
    {counter::local_loads, "smsp__sass_inst_executed_op_local_ld.sum", "local loads", "instruction",
     "Warp instructions that loaded from local memory.", active_formula},
    {counter::local_stores, "smsp__sass_inst_executed_op_local_st.sum", "local stores", "instruction",
     "Warp instructions that stored to local memory.", active_formula},
    {counter::local_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local load sectors", "sector",
     "Sectors that loads from local memory requested.", local_formula},
    {counter::local_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local store sectors", "sector",
     "Sectors that stores to local memory touched.", local_formula},
    {counter::local_atomics, "workbook__local_atomics.sum", "local atomics", "instruction",
     "Warp instructions with an atomic on local memory.", active_formula},
    {counter::constant_loads, "workbook__constant_loads.sum", "constant loads", "instruction",
     "Warp instructions that loaded from constant memory (kernel parameters are not counted).", active_formula},
    {counter::barriers, "workbook__barrier_instructions.sum", "barrier instructions", "instruction",
     "Warp instructions that arrived at a block barrier.", active_formula},
    {counter::block_barriers, "workbook__barriers.sum", "barriers", "barrier", "Block barriers that opened.",
     "one each time that the threads waiting at a barrier resume"},
    {counter::warp_barriers, "workbook__warp_barriers.sum", "warp barriers", "instruction",
     "Warp instructions __syncwarp().", active_formula},
    {counter::fences, "workbook__fences.sum", "fences", "instruction", "Warp instructions with a memory fence.",
     active_formula},
    {counter::shuffles, "workbook__shuffles.sum", "shuffles", "instruction", "Warp shuffles.", active_formula},
    {counter::warp_reductions, "workbook__warp_reductions.sum", "warp reductions", "instruction",
     "Reductions over the lanes of a warp in one instruction (redux).", active_formula},
    {counter::votes, "workbook__votes.sum", "votes", "instruction", "Votes, matches and activemask.", active_formula},
    {counter::branches, "workbook__branches.sum", "branches", "instruction", "Branch instructions.", active_formula},
    {counter::divergent_branches, "workbook__divergent_branches.sum", "divergent branches", "instruction",
     "Branches where some active lanes jumped and others did not.", "0 < lanes that jump < active lanes"},
    {counter::loop_branches, "workbook__loop_branches.sum", "loop branches", "instruction",
     "Branches and calls that go back: one for each round of a loop or a recursion.", active_formula},
    {counter::combines, "workbook__combines.sum", "warp-level adds", "instruction",
     "Arithmetic on a value that came from shared memory or another lane: one step of a reduction.", active_formula},
    {counter::integer_divides, "workbook__integer_divides.sum", "integer divisions", "instruction",
     "Integer divisions and remainders (tens of machine instructions each).", active_formula},
}};

constexpr bool in_order() {
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (static_cast<std::size_t>(table[k].which) != k) return false;
  }
  return true;
}
static_assert(in_order(), "the table has a row for each counter, in the order of the enumeration");

}  // namespace

std::span<const counter_facts> counter_table() {
  return table;
}

const counter_facts& facts_of(counter which) {
  return table[static_cast<std::size_t>(which)];
}

}  // namespace emulator::observers
