// Tests the messages about faults that stop a kernel.

#include "support/catch.hpp"
#include "world.hpp"

using namespace world;

namespace {

fault at(fault_kind kind, std::uint32_t pc) {
  fault f;
  f.kind = kind;
  f.pc = pc;
  f.block.index[0] = 3;
  f.block.dimensions[0] = 16;
  f.block.dimensions[1] = 8;
  f.block.thread_count = 128;
  f.block.shared_bytes = 576;
  f.warp = 1;
  f.mask = 0x8;  // thread 35 of the block
  return f;
}

const kernel_facts facts = make_facts();

}  // namespace

TEST_CASE("an access out of bounds is reported with thread, place, distance and cure") {
  fault f = at(fault_kind::out_of_bounds, load_global);
  f.address = 0x7000001000;
  f.bytes = 4;
  f.message = "0 bytes past the end of allocation 3 (4096 bytes)";
  const finding found = describe(naming(facts, {}, memory_of_tests()), f);
  CHECK(name_of(found.check()) == "memcheck");
  CHECK(name_of(found.kind) == "out-of-bounds read");
  CHECK(found.line == line_of(load_global));
  CHECK(found.file == "/src/reduce.cuh");
  CHECK_THAT(
      found.message,
      ContainsSubstring("Out of bounds: thread (3,2,0) reads address 0x7000001000 in reduce.cuh:60, 0 bytes past "
                        "the end of allocation 3 (4096 bytes) (block 3 of reduce)."));
  CHECK_THAT(found.cure, ContainsSubstring("compare the index with the number of elements"));
}

TEST_CASE("an access out of shared memory names the array before it") {
  fault f = at(fault_kind::out_of_bounds, store_shared);
  f.space = state_space::shared;
  f.access = access_kind::store;
  f.address = 580;
  f.bytes = 4;
  const finding found = describe(naming(facts, {}, memory_of_tests()), f);
  CHECK(name_of(found.kind) == "out-of-bounds write");
  CHECK_THAT(found.message, ContainsSubstring("writes flags[17] in reduce.cuh:20, but flags has 16 elements, 0 to 15"));
}

TEST_CASE("an access before shared memory is reported with the first array and the distance to it") {
  const struct {
    std::uint64_t address;
    const char* words;
  } cases[] = {{0xfffffffcu, "writes tile[-1] in reduce.cuh:20, but tile has 128 elements, 0 to 127"},
               {0xffffff00u, "writes tile[-64] in reduce.cuh:20, but tile has 128 elements, 0 to 127"}};
  for (const auto& one : cases) {
    fault f = at(fault_kind::out_of_bounds, store_shared);
    f.space = state_space::shared;
    f.access = access_kind::store;
    f.address = one.address;
    f.bytes = 4;
    const finding found = describe(naming(facts, {}, memory_of_tests()), f);
    CHECK_THAT(found.message, ContainsSubstring(one.words));
    CHECK(found.cure == "Check what is subtracted from the index.");
  }
}

TEST_CASE("every kind of fault has its check, its kind and its words") {
  const struct {
    fault_kind kind;
    const char* check;
    const char* name;
  } rows[] = {
      {fault_kind::misaligned, "memcheck", "misaligned read"},
      {fault_kind::use_after_free, "memcheck", "use after free"},
      {fault_kind::host_pointer, "memcheck", "host pointer"},
      {fault_kind::null_pointer, "memcheck", "null pointer"},
      {fault_kind::read_only, "memcheck", "write to read-only memory"},
      {fault_kind::trap, "memcheck", "trap"},
      {fault_kind::assertion, "memcheck", "failed assertion"},
      {fault_kind::deadlock, "synccheck", "deadlock"},
      {fault_kind::divergent_barrier, "synccheck", "divergent barrier"},
      {fault_kind::bad_member_mask, "synccheck", "bad member mask"},
      {fault_kind::instruction_limit, "limit", "instruction limit"},
      {fault_kind::unsupported, "emulator", "unsupported"},
  };
  for (const auto& row : rows) {
    fault f = at(row.kind, load_global);
    f.message = "words of the interpreter";
    f.bytes = 4;
    f.waiting = {{.warp = 2, .mask = 1u << 3, .pc = load_global, .barrier = 5},
                 {.where = observers::waiting_lanes::place::exited, .warp = 4}};
    const finding found = describe(naming(facts, {}, memory_of_tests()), f);
    INFO(row.name);
    CHECK(name_of(found.check()) == row.check);
    CHECK(name_of(found.kind) == row.name);
    CHECK_THAT(found.message, ContainsSubstring("(block 3 of reduce)"));
    CHECK(found.message.back() == '.');
    // If the address or the waiting lanes explain the fault, the interpreter's text isn't needed.
    const bool by_address = row.kind == fault_kind::misaligned || row.kind == fault_kind::host_pointer ||
                            row.kind == fault_kind::null_pointer || row.kind == fault_kind::read_only;
    if (row.kind == fault_kind::deadlock) {
      CHECK_THAT(found.message, ContainsSubstring("all remaining threads wait at block barrier 5"));
      CHECK_THAT(found.detail, ContainsSubstring("warp 2, lane 3 waits at block barrier 5") &&
                                   ContainsSubstring("warp 4 has exited"));
    } else if (!by_address) {
      CHECK_THAT(found.message, ContainsSubstring("words of the interpreter"));
    }
  }
}

TEST_CASE("an instruction without a source line is named by its line of PTX") {
  const finding found = describe(naming(facts, {}, memory_of_tests()), at(fault_kind::trap, nowhere));
  CHECK(found.line == 0);
  CHECK(found.file.empty());
  CHECK_THAT(found.message, ContainsSubstring("line " + std::to_string(nowhere + 1) + " of the PTX"));
}
