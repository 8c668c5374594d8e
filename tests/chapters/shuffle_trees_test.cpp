// Chapter 14: every kernel for the end of a reduction is right and clean, and costs what the lesson derives.

#include <cmath>

#include "14_shuffle_trees/trees.hpp"
#include "machine_code/superopt/prove.hpp"
#include "machine_code/superopt/trace.hpp"
#include "support/catch.hpp"
#include "workbook/chapter.hpp"

using namespace workbook;

namespace {

outcome row(const std::string& name, const problem& p) {
  for (const specimen& kernel : chapter14::table_of_sums().kernels) {
    if (kernel.name == name) return examine(kernel, p, effort{});
  }
  FAIL("no row " << name);
  return {};
}

}  // namespace

TEST_CASE("every end of a reduction is right and clean for every type, size and block size that it takes") {
  std::size_t taken = 0;
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    for (const unsigned block_size : {32u, 64u, 128u, 256u, 1024u}) {
      for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{8193}}) {
        const problem p{type, n, block_size, 1};
        for (const specimen& kernel : chapter14::table_of_sums().kernels) {
          if (kernel.rejects(p)) continue;
          ++taken;
          const outcome o = examine(kernel, p, effort{});
          INFO(o.name << ", " << name_of(type) << ", " << n << " values, blocks of " << block_size << " " << o.failure);
          for (const emulator::finding& f : o.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
          CHECK(o.verified);
        }
      }
    }
  }
  // There are seven rows. Five run with all 25 combinations of type and block size, except REDUX, which lacks three of
  // five types. Two run with 3 of 5 block sizes.
  CHECK(taken == 4 * (25 * 4 + 10 + 15 * 2));
}

TEST_CASE("a block has as many barriers and shuffles as the lesson derives") {
  const problem p{element_type::int32, 1 << 14, 1024, 1};
  const auto barriers = [](const outcome& o) { return per_block(o, "workbook__barriers.sum"); };
  const auto shuffles = [](const outcome& o) { return per_block(o, "workbook__shuffles.sum"); };
  // From 1024 to 32 by halves takes 5 steps, and one barrier before them. From 1024 to 16 by quarters takes 3 steps.
  CHECK(barriers(row("2 a step, chain of 32", p)) == 6);
  CHECK(barriers(row("4 a step, chain of 16", p)) == 4);
  CHECK(barriers(row("32, chain of 32", p)) == 1);
  CHECK(shuffles(row("4 a step, chain of 16", p)) == 4);
  CHECK(shuffles(row("4 a step, found tree", p)) == 6);
  CHECK(shuffles(row("32, chain of 32", p)) == 5);
  CHECK(shuffles(row("32, warp_sum", p)) == 10);
  CHECK(shuffles(row("32, REDUX", p)) == 0);
}

TEST_CASE("the trace of warp_sum shows its work: the chain takes 135 cycles by the model, and the reference fewer") {
  const chapter14::sum_kernel reference = chapter14::solution_kernel();
  // The first step has seven shuffles and four additions, and the second has three shuffles and two additions.
  CHECK(chapter14::last_step_of(reference).size() == 16);
  // Shuffles issue at 0 to 6. Additions of two more values each issue at 24, 28 and 32, and the last one at 36, so its
  // result is ready at 40. Then shuffles issue at 40, 41 and 42, and additions at 64 and 68. The sum is ready at 72.
  CHECK(chapter14::modelled_cycles(reference) == 72);
  chapter14::sum_kernel chain;
  chain.last_step = superopt::trace([](superopt::traced v) {
    for (unsigned distance = 16; distance > 0; distance /= 2) v += down(v, distance);
    return v;
  });
  // Five times, a shuffle takes 23 cycles and an addition 4.
  CHECK(chapter14::modelled_cycles(chain) == 135);
}

TEST_CASE("a program that does not compute the sum has no modelled cycles") {
  if (!superopt::can_prove()) return;  // the prover is missing, which another test reports
  chapter14::sum_kernel wrong;
  for (const auto& f : std::initializer_list<std::function<superopt::traced(superopt::traced)>>{
           [](superopt::traced v) { return v; }, [](superopt::traced v) { return v + down(v, 16); },
           [](superopt::traced v) { return v + v; }}) {
    wrong.last_step = superopt::trace(f);
    CHECK(std::isnan(chapter14::modelled_cycles(wrong)));
  }
}

TEST_CASE("a trace combines additions as the compiler does, and refuses programs that the model cannot represent") {
  const auto text = [](const auto& f) { return superopt::to_text(superopt::trace(f)); };
  CHECK(text([](superopt::traced v) { return v + v + v; }) == "IADD3 r4, r3, r3, r3\n");
  // A sum that is used twice is kept.
  CHECK(text([](superopt::traced v) {
          const superopt::traced two = v + v;
          return two + two;
        }) == "IADD r0, r3, r3\nIADD r4, r0, r0\n");
  // A sum that is never used is left out, but nothing else is.
  CHECK(text([](superopt::traced v) {
          const superopt::traced two = v + v;
          (void)(two + v);
          return down(two, 1);
        }) == "IADD r0, r3, r3\nSHFL.DOWN r4, r0, 1\n");
  CHECK(text([](superopt::traced v) { return v; }) == "MOV r4, r3\n");
  CHECK_THROWS_WITH(text([](superopt::traced v) { return down(v, 32); }), ContainsSubstring("leaves the warp"));
  CHECK_THROWS_WITH(text([](superopt::traced v) {
                      for (int k = 0; k < 60; ++k) v += v;
                      return v;
                    }),
                    ContainsSubstring("more than 48"));
}
