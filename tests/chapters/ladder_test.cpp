// Every reference kernel, and the library, is right for every size, type and block size, and passes all checks.

#include <cstdlib>
#include <limits>
#include <set>

#include "chapters/ladder.hpp"
#include "reductions/buffer.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/sweeps.hpp"

using namespace workbook;

namespace {

constexpr element_type all_types[] = {element_type::int32, element_type::uint32, element_type::int64,
                                      element_type::float32, element_type::float64};

std::string describe(const outcome& o, const problem& p) {
  std::string text = o.name + ", " + name_of(p.type) + ", n = " + std::to_string(p.count) + ", blocks of " +
                     std::to_string(p.block_size) + ": got " + o.result_text + ", error " + std::to_string(o.error) +
                     ", bound " + std::to_string(o.bound) + " " + o.failure;
  for (const emulator::finding& f : o.findings())
    text += std::string("\n  ").append(name_of(f.check())) + ": " + f.message;
  return text;
}

void demand_all(const problem& p, bool observe) {
  select_tested_device();
  laboratory lab(p);
  for (const reduction& rung : all_references()) {
    const outcome o = lab.run(rung, effort{.observe = observe, .repetitions = 0});
    INFO(describe(o, p));
    CHECK(o.verified);
    CHECK(o.findings().empty());
  }
}

}  // namespace

TEST_CASE("every rung of the ladder is among the kernels tested here") {
  std::set<int> chapters;
  for (const reduction& rung : all_references()) chapters.insert(rung.chapter);
  for (int chapter = 0; chapter <= 9; ++chapter) CHECK(chapters.count(chapter) == 1);
  CHECK(chapters.count(12) == 1);
}

TEST_CASE("every kernel sums every small size right, for every type") {
  for (const element_type type : all_types) {
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 4093})
      demand_all({type, n, 128, 7}, false);
  }
}

TEST_CASE("every kernel is right for every block size it takes") {
  for (const unsigned block_size : {32u, 64u, 128u, 256u, 512u, 1024u}) {
    for (const std::size_t n : {std::size_t{block_size} - 1, std::size_t{block_size}, std::size_t{block_size} + 1,
                                2 * std::size_t{block_size} + 1, std::size_t{70001}}) {
      demand_all({element_type::int32, n, block_size, 3}, false);
      demand_all({element_type::float64, n, block_size, 4}, false);
    }
  }
}

TEST_CASE("chapter 9 is right and clean for every number of whole warps, and refuses other block sizes") {
  select_tested_device();
  for (unsigned block_size = 32; block_size <= 1024; block_size += 32) {
    for (const element_type type : {element_type::int32, element_type::float64}) {
      const problem p{type, 5003 + block_size, block_size, 8};
      laboratory lab(p);
      const outcome o = lab.run(chapter9_solution(), effort{});
      INFO(describe(o, p));
      CHECK(o.passed());
      CHECK_FALSE(o.rejected);
    }
  }
  for (const unsigned block_size : {0u, 1u, 31u, 33u, 100u, 1056u}) {
    const auto why = chapter9_solution().rejects(block_size);
    REQUIRE(why);
    CHECK_THAT(*why, ContainsSubstring("multiple of 32"));
  }
}

TEST_CASE("every kernel is right for more elements than one grid of its blocks holds at once") {
  demand_all({element_type::int32, (std::size_t{1} << 20) + 1, 128, 5}, false);
  demand_all({element_type::float32, (std::size_t{1} << 18) + 13, 256, 6}, false);
}

TEST_CASE("an input that begins anywhere is summed right, and nothing next to it is read") {
  // The elements before the input are never written, and the allocation ends where the input ends, so a read on either
  // side is a finding.
  for (const element_type type : all_types) {
    for (const std::size_t offset : {1, 2, 3}) {
      for (const std::size_t n : {0, 1, 2, 3, 5, 6, 7, 1021, 1024, 4099}) {
        problem p{type, n, 128, 12};
        p.offset = offset;
        demand_all(p, true);
      }
    }
  }
}

TEST_CASE("no check has a finding on any reference kernel") {
  // These are enough elements for several blocks, which have to agree which of them is the last one.
  demand_all({element_type::float32, 40009, 128, 13}, true);
  for (const element_type type : all_types) demand_all({type, 5003, 128, 9}, true);
  for (const unsigned block_size : {32u, 64u, 256u, 1024u}) {
    demand_all({element_type::int32, 3001, block_size, 10}, true);
    demand_all({element_type::float64, 2049, block_size, 11}, true);
  }
  demand_all({element_type::int32, 0, 128, 1}, true);
}

TEST_CASE("an input differs from its neighbours and has both signs") {
  int negative = 0, equal = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    negative += input_value<int>(i, 1) < 0;
    equal += input_value<int>(i, 1) == input_value<int>(i + 1, 1);
  }
  CHECK(negative > 300);
  CHECK(negative < 700);
  CHECK(equal == 0);
}

TEST_CASE("the bound rejects a NaN and grows with the depth") {
  CHECK_FALSE(error_is_within(std::numeric_limits<double>::quiet_NaN(), 1.0));
  CHECK(error_bound(element_type::float32, 20, 1000.0L) > error_bound(element_type::float32, 10, 1000.0L));
  CHECK(error_bound(element_type::int32, 20, 1000.0L) == 0.0);
}

TEST_CASE("the kernels for the ceilings read and copy everything, with sixteen bytes per lane") {
  emulator::select_device(emulator::device_kind::emulator);
  emulator::options watched = emulator::current_options();
  watched.counters = watched.memcheck = watched.initcheck = watched.racecheck = true;
  emulator::set_options(watched);
  for (const std::size_t n : {std::size_t{1}, std::size_t{700}, std::size_t{300001}}) {
    const device_bytes in(16 * n), out(16 * n);
    std::vector<unsigned char> host(16 * n), copied(16 * n);
    for (std::size_t k = 0; k < host.size(); ++k) host[k] = static_cast<unsigned char>(mixed(k));
    check(cudaMemcpy(in.data(), host.data(), host.size(), cudaMemcpyHostToDevice));
    (void)emulator::take_reports();
    copy_everything(in.data(), out.data(), n);
    read_everything(in.data(), n, reinterpret_cast<std::uint32_t*>(out.data()));
    check(cudaMemcpy(copied.data(), out.data(), copied.size(), cudaMemcpyDeviceToHost));
    CHECK(copied == host);
    for (const emulator::launch_report& report : emulator::take_reports()) {
      INFO(report.kernel << ", " << n << " vectors");
      CHECK(report.findings.empty());
      // Each vector is loaded once. It is half a sector, and the lanes of a warp load neighbouring vectors.
      CHECK(report.counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == (n + 1) / 2);
      CHECK(report.counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == (n + 31) / 32);
    }
  }
}
