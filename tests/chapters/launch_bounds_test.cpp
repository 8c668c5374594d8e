// Chapter 11: every version is right and clean, loads what the lesson derives, and spills no registers.

#include "11_launch_bounds/sums.hpp"
#include "support/catch.hpp"
#include "workbook/chapter.hpp"

using namespace workbook;

namespace {

constexpr const char* requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr element_type all_types[] = {element_type::int32, element_type::uint32, element_type::int64,
                                      element_type::float32, element_type::float64};

outcome row(const std::string& name, const problem& p) {
  for (const specimen& kernel : chapter11::table_of_versions().kernels) {
    if (kernel.name == name) return examine(kernel, p, effort{});
  }
  FAIL("no row " << name);
  return {};
}

void demand_clean(const outcome& o, const problem& p, const std::string& more = "") {
  INFO(o.name << ", " << name_of(p.type) << ", " << p.count << " points, blocks of " << p.block_size << more
              << ": error " << o.error << " " << o.failure);
  for (const emulator::finding& f : o.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
  CHECK(o.verified);
}

}  // namespace

TEST_CASE("every version is right and clean for every type and for odd numbers of points") {
  for (const element_type type : all_types) {
    for (const std::size_t points : {0, 1, 2, 3, 4, 5, 31, 33, 515}) {
      const problem p{type, points, 128, 2};
      for (const specimen& kernel : chapter11::table_of_versions().kernels)
        demand_clean(examine(kernel, p, effort{}), p);
    }
  }
}

TEST_CASE("odd numbers of terms, and rows that no wide load may touch, are handled") {
  const chapter11::sums_kernel kernels[] = {chapter11::solution_kernel(), chapter11::wide_small_versions().unbounded,
                                            chapter11::wide_both_versions().unbounded,
                                            chapter11::wide_both_versions().two_of_512};
  for (const element_type type : {element_type::int32, element_type::float32, element_type::float64}) {
    for (const unsigned terms : {1u, 2u, 3u, 4u, 5u, 15u, 16u, 17u}) {
      for (const std::size_t points : {1, 7, 64, 257}) {
        for (const auto layout : {chapter11::rows::whole_vectors, chapter11::rows::packed}) {
          const problem p{type, points, 64, 5};
          for (const chapter11::sums_kernel& kernel : kernels) {
            const auto one = chapter11::make_row("one", role::compared, kernel, true, terms, layout);
            demand_clean(examine(one, p, effort{}), p, ", " + std::to_string(terms) + " terms");
          }
        }
      }
    }
  }
}

TEST_CASE("wide loads ask for the same sectors of the large array in fewer requests") {
  // 4096 doubles per row and 33 terms: 128 warps read a row with 8 sectors per request.
  const problem p{element_type::float64, 4096, 512, 1};
  const outcome base = row("base", p), small = row("wide small", p), both = row("wide both", p);
  constexpr double warps = 128, terms = 33, row_sectors = 4096 * 8 / 32;
  CHECK(total(base, requests) == warps * (terms + terms));
  // 16 loads of two terms each and one of the last term.
  CHECK(total(small, requests) == warps * (terms + 17));
  // Each thread has two points, so there are half as many warps, and each request is twice as wide.
  CHECK(total(both, requests) == warps / 2 * (terms + 17));
  // All lanes read the same term, so each request is one sector.
  CHECK(total(base, sectors) == terms * row_sectors + warps * terms);
  CHECK(total(small, sectors) == terms * row_sectors + warps * 17);
  CHECK(total(both, sectors) == terms * row_sectors + warps / 2 * 17);
  CHECK(total(row("largest_sums", p), requests) == total(both, requests));
}

TEST_CASE("launch bounds keep their promise: registers for the requested number of blocks, and no spill") {
  for (const element_type type : all_types) {
    const problem p{type, 600, 512, 1};
    for (const std::string name : {"base", "wide small", "wide both"}) {
      INFO(name << " of " << name_of(type));
      const outcome two = row(name + " (512, 2)", p);
      REQUIRE(two.compiled);
      CHECK(two.compiled->registers <= 65536 / (2 * 512));
      CHECK(two.compiled->blocks_per_multiprocessor >= 2);
      CHECK(two.compiled->max_threads_per_block == 512);
      const outcome one = row(name + " (1024, 1)", {type, 600, 1024, 1});
      REQUIRE(one.compiled);
      CHECK(one.compiled->registers <= 64);
      CHECK(one.compiled->blocks_per_multiprocessor >= 1);
      for (const outcome& o : {row(name, p), one, two}) CHECK(o.compiled->local_bytes == 0);
    }
  }
}

TEST_CASE("the limiter is the resource that prevents one more block") {
  const outcome o = row("wide both (512, 2)", {element_type::float64, 600, 512, 1});
  REQUIRE(o.compiled);
  // An SM has only 32 registers for each of 2048 threads.
  CHECK(o.compiled->registers > 32);
  CHECK(o.compiled->limiter == "registers");
  CHECK(o.compiled->occupancy == o.compiled->blocks_per_multiprocessor * 512 / 2048.0);
}

TEST_CASE("a block larger than the launch bounds is refused in words") {
  const outcome o = row("base (512, 2)", {element_type::float64, 100, 1024, 1});
  REQUIRE(o.rejected);
  CHECK_THAT(*o.rejected, ContainsSubstring("at most 512 threads"));
}
