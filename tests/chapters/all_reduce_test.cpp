// Chapter 16: every algorithm that sums vectors on several GPUs is right and clean and sends the bytes that the lesson
// derives. The intended algorithms reach the goal, and dodges don't. Wrong kernels are found, and their cause is
// reported.

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "16_many_gpus/all_reduce.hpp"
#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/gpu_watch.hpp"
#include "chapters/wrong_all_reduce_kernels.hpp"
#include "emulator/links.hpp"
#include "support/catch.hpp"
#include "workbook/conditions.hpp"
#include "workbook/goal.hpp"

using namespace workbook;
using namespace chapter16;
using wrong_studies::all_reduce_dodge;
using wrong_studies::all_reduce_mistake;

namespace {

outcome run(const specimen& kernel, const problem& p) {
  emulator::set_devices(8);
  return examine(kernel, p, effort{});
}

problem ints(std::size_t count, unsigned gpus, unsigned block_size = 64) {
  return {.type = element_type::int32, .count = count, .block_size = block_size, .seed = count + 1, .gpus = gpus};
}

/// Resets the device, because the emulator remembers the work of every stream until its only device is reset.
void forget_streams() {
  emulator::set_devices(1);
  REQUIRE(cudaDeviceReset() == cudaSuccess);
}

outcome row(role as, const problem& p) {
  for (const specimen& kernel : table_of_all_reduce().kernels)
    if (kernel.as == as) return run(kernel, p);
  FAIL("no such row");
  return {};
}

outcome row(const std::string& name, const problem& p) {
  for (const specimen& kernel : table_of_all_reduce().kernels)
    if (kernel.name == name) return run(kernel, p);
  FAIL("no such row");
  return {};
}

/// Returns the rows that the emulator can run, which are all except the library's.
std::vector<specimen> rows_here() {
  std::vector<specimen> rows = table_of_all_reduce().kernels;
  std::erase_if(rows, [](const specimen& kernel) { return kernel.as == role::library; });
  return rows;
}

void demand_clean(const outcome& o, const problem& p) {
  INFO(o.name << ", " << name_of(p.type) << ", " << p.count << " on " << p.gpus << " GPUs, blocks of " << p.block_size
              << ": error " << o.error << " " << o.failure);
  for (const emulator::finding& f : o.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
  CHECK(o.verified);
}

specimen yours(const all_reduce_kernel& kernel) {
  return make_row("yours", role::yours, kernel);
}

/// Evaluates the goal of the chapter's program for a kernel in the student's place.
goal_state judged(const all_reduce_kernel& kernel, unsigned gpus) {
  goal aim{"", {{"", vectors_through_busiest_port, 0.05}}};
  aim.conditions = work_conditions();
  const problem p = ints(1 << 14, gpus, 128);
  const outcome own = run(yours(kernel), p);
  const goal_state state = evaluate(aim, {row(role::previous, p), row(role::reference, p), own});
  const goal_state::counted& count = state.counts.at(0);
  INFO("on " << gpus << " GPUs: wanted " << count.target << ", yours " << count.yours << " " << own.failure);
  for (const emulator::finding& f : own.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
  CHECK(state.right);
  return state;
}

struct seen {
  bool killed;
  std::string cause;
};
seen told(all_reduce_mistake which, const problem& p) {
  const outcome o = run(yours(wrong_studies::wrong_all_reduce(which)), p);
  return {!o.passed(), o.why_wrong ? o.why_wrong->cause : std::string()};
}

}  // namespace

TEST_CASE("the bytes through the busiest port are as many as the lesson derives") {
  // The size is a multiple of 2, 3, 4, 7 and 8, so all chunks are equal.
  constexpr unsigned n = 2 * 3 * 4 * 7 * 8;
  for (const unsigned g : {2u, 3u, 4u, 7u, 8u}) {
    INFO(g << " GPUs");
    // GPU 0 receives all vectors but its own, one after another through its one port, and then sends the sum to the
    // others.
    const outcome meet = row(role::previous, ints(n, g));
    CHECK(vectors_through_busiest_port(meet) == 2.0 * (g - 1));
    CHECK(meet.ports->steps == 2);
    CHECK(meet.ports->idle_steps == 2);
    // In each of 2 (G - 1) steps, every link of the ring transfers a chunk, which is 1/G of the vector.
    for (const role as : {role::compared, role::reference}) {
      const outcome ring = row(as, ints(n, g));
      CHECK(vectors_through_busiest_port(ring) * g == 2.0 * (g - 1));
      CHECK(ring.ports->gpus == g);
      CHECK(ring.ports->steps == 2 * (g - 1));
      CHECK(ring.ports->idle_steps == 0);
    }
    // Each round halves the number of GPUs that are left: every second one receives a whole vector, and the sender
    // receives nothing. The way back down takes the same number of rounds.
    const unsigned rounds = g == 2 ? 1 : g <= 4 ? 2 : 3;
    const outcome tree = row("tree of peers", ints(n, g)), to_one = row("tree, to GPU 0 alone", ints(n, g));
    CHECK(vectors_through_busiest_port(tree) == 2.0 * rounds);
    CHECK(tree.ports->steps == 2 * rounds);
    CHECK(tree.ports->idle_steps == 2 * rounds);
    CHECK(vectors_through_busiest_port(to_one) == rounds);
    CHECK(to_one.ports->steps == rounds);
    CHECK(to_one.ports->idle_steps == rounds);
    // Step 0 brings in a share of each of the other vectors, and step 1 the sums of the other shares.
    const outcome direct = run(yours(wrong_studies::direct_exchange()), ints(n, g));
    CHECK(vectors_through_busiest_port(direct) * g == 2.0 * (g - 1));
    CHECK(direct.ports->steps == 2);
    CHECK(direct.ports->idle_steps == 0);
    CHECK(vectors_through_busiest_port(row(role::yours, ints(n, g))) == 2.0 * (g - 1));
  }
  // The chunks have 1, 1, 1 and 2 elements, so in each step one of the links transfers 2 of the 5 elements.
  CHECK(vectors_through_busiest_port(row(role::reference, ints(5, 4))) * 5 == 6 * 2);
  // A single GPU sends nothing.
  CHECK(vectors_through_busiest_port(row(role::reference, ints(5, 1))) == 0);
}

TEST_CASE("the book's exchange sends letters where vectors are short, and shares where they are long") {
  const auto exchanged = [](const problem& p) { return row("exchange", p); };
  for (const unsigned g : {2u, 3u, 4u, 7u, 8u}) {
    INFO(g << " GPUs");
    // An int is sent to each of the other GPUs as a letter of 8 bytes, and a long long as two.
    const outcome letters = exchanged(ints(1000, g));
    CHECK(vectors_through_busiest_port(letters) == 2.0 * (g - 1));
    CHECK(letters.ports->steps == 1);
    // The others' shares arrive, then their sums, and with them two flags of 4 bytes from each block of each other GPU.
    const problem p = ints(std::size_t{2 * 3 * 4 * 7 * 8} << 4, g, 128);
    const outcome shares = exchanged(p);
    CHECK(vectors_through_busiest_port(shares) == Approx(2.0 * (g - 1) / g).epsilon(0.02));
    CHECK(vectors_through_busiest_port(shares) > 2.0 * (g - 1) / g);
    CHECK(shares.ports->steps == 1);
    CHECK(shares.ports->idle_steps == 0);
  }
}

TEST_CASE("in a tree, each GPU but the first sends its vector once, and one way is enough for one GPU") {
  for (const unsigned g : {2u, 3u, 4u, 7u, 8u}) {
    INFO(g << " GPUs");
    const auto launches = [&](const char* name) { return row(name, ints(1000, g)).launches.size(); };
    CHECK(launches("tree of peers") == g - 1);
    CHECK(launches("tree, to GPU 0 alone") == g - 1);
  }
}

TEST_CASE("consecutive calls do not change what the previous call still reads") {
  emulator::set_devices(8);
  (void)emulator::take_call_findings();
  for (const specimen& kernel : rows_here()) {
    for (const unsigned g : {4u, 7u}) {
      INFO(kernel.name << " on " << g << " GPUs");
      const std::unique_ptr<experiment> way = kernel.prepare(ints(50, g));
      way->poison_outputs();
      dynamic_cast<all_reduce_experiment<int>&>(*way).launch_calls(3);
      REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
      for (const emulator::finding& f : emulator::take_call_findings())
        FAIL_CHECK(name_of(f.check()) << ": " << f.message);
    }
  }
  (void)emulator::take_reports();
}

TEST_CASE("the ring and the direct exchange reach the goal, and no dodge does") {
  using enum all_reduce_dodge;
  for (const unsigned gpus : {2u, 3u, 4u, 8u}) {
    CHECK(judged(wrong_studies::wrong_all_reduce(all_reduce_mistake::none), gpus).reached);
    CHECK(judged(wrong_studies::direct_exchange(), gpus).reached);
    CHECK_FALSE(judged(wrong_studies::dodging_all_reduce(by_gpu_1), gpus).reached);
    CHECK_FALSE(judged(wrong_studies::dodging_all_reduce(chain), gpus).reached);
    // With two GPUs, these two dodges send only one vector each way, in two steps.
    if (gpus > 2) {
      CHECK_FALSE(judged(wrong_studies::dodging_all_reduce(shares_to_gpu_0), gpus).reached);
      CHECK_FALSE(judged(wrong_studies::dodging_all_reduce(in_one_step), gpus).reached);
    }
    all_reduce_kernel start = exercise_kernel();
    start.attempted = true;
    CHECK_FALSE(judged(start, gpus).reached);
  }
}

TEST_CASE("a wrong kernel is found, and its cause is reported") {
  using enum all_reduce_mistake;
  const problem p = ints(1000, 4);
  CHECK_THAT(told(last_chunk_lost, p).cause, ContainsSubstring("is missing, in elements 750 to 999 of 1000 (chunk 3)"));
  CHECK_THAT(told(chunk_twice, p).cause, ContainsSubstring("counts ") && ContainsSubstring(" instead of once"));
  CHECK_THAT(told(uneven_share, ints(1003, 4)).cause,
             ContainsSubstring("is missing") && ContainsSubstring("1000 to 1002"));
  CHECK_FALSE(told(uneven_share, p).killed);
  CHECK_THAT(told(one_step_too_few, p).cause, ContainsSubstring("is missing"));
  for (const unsigned gpus : {3u, 4u, 7u, 8u}) {
    INFO(gpus << " GPUs");
    const problem few = ints(1003, gpus);
    for (const all_reduce_mistake one : {last_chunk_lost, chunk_twice, stale_chunk, same_chunk, uneven_share,
                                         next_instead, too_far_left, one_step_too_few, in_one_step_in_place}) {
      INFO("mistake " << static_cast<int>(one));
      CHECK(told(one, few).killed);
    }
    // 2^32 is a multiple of 4 and 8, but not of the other numbers of GPUs here.
    CHECK(told(wraps_below_zero, few).killed == (gpus % 4 != 0));
  }
  for (const specimen& kernel : rows_here())
    if (kernel.explain) CHECK_FALSE(kernel.explain(p));
}

TEST_CASE("a conflict with a neighbour in the same step is one finding with GPUs, step, chunk and line") {
  using enum all_reduce_mistake;
  const auto told_of = [](all_reduce_mistake which, unsigned gpus) {
    const outcome o = run(yours(wrong_studies::wrong_all_reduce(which)), ints(1000, gpus));
    REQUIRE(o.findings().size() == 1);
    const emulator::finding f = o.findings().front();
    CHECK(name_of(f.check()) == "racecheck");
    CHECK_THAT(f.file, Catch::Matchers::EndsWith("wrong_all_reduce_kernels.cu"));
    CHECK(f.line > 0);
    return f;
  };
  for (const unsigned gpus : {3u, 4u, 8u}) {
    const emulator::finding f = told_of(same_chunk, gpus);
    CHECK_THAT(f.message,
               ContainsSubstring(fmt::format("In step 0, all GPUs take the same chunk: GPU 0 reads chunk 0 of GPU {}'s "
                                             "vector in wrong_all_reduce_kernels.cu:{}, while GPU {} writes it in "
                                             "wrong_all_reduce_kernels.cu:{}. ",
                                             gpus - 1, f.line, gpus - 1, f.other_line)));
    CHECK_THAT(f.cure, ContainsSubstring("Let the chunk depend on `me`, too"));
  }
  // GPU 3 adds to chunk 2 in step 0.
  CHECK_THAT(told_of(stale_chunk, 4).message, ContainsSubstring("In step 0, GPU 0 reads chunk 2 of GPU 3's vector"));
  CHECK_THAT(told_of(in_one_step_in_place, 4).message, ContainsSubstring("GPU 0 reads all elements of GPU 1's vector"));
}

TEST_CASE("without access to each other's memory, copies go on, and kernels name the two GPUs") {
  emulator::set_devices(8, /*peers=*/false);
  const problem p = ints(100, 3);
  for (const specimen& kernel : rows_here()) {
    const outcome o = examine(kernel, p, effort{.explains = false});
    const bool by_copies = kernel.name == "meet at GPU 0" || kernel.name == "ring of copies";
    CHECK(o.verified == by_copies);
    if (!by_copies) CHECK_THAT(o.failure, ContainsSubstring("GPU 0 cannot reach the memory of GPU 1"));
  }
  emulator::set_devices(8);
  demand_clean(row(role::reference, p), p);
}

TEST_CASE("a GPU that fails or never ends fails its row in words, and the next row has all GPUs again") {
  using enum all_reduce_mistake;
  const problem p = ints(1000, 4);
  emulator::set_devices(8);
  const effort plainly{.explains = false};
  const outcome beside = examine(yours(wrong_studies::wrong_all_reduce(beside_on_one_gpu)), p, plainly);
  CHECK_THAT(beside.failure, ContainsSubstring("cudaErrorIllegalAddress"));
  REQUIRE_FALSE(beside.findings().empty());
  CHECK_THAT(beside.findings().front().message, ContainsSubstring("Out of bounds"));
  demand_clean(row("tree of peers", p), p);
  const outcome waits = examine(yours(wrong_studies::wrong_all_reduce(waits_on_one_gpu)), p, plainly);
  CHECK_THAT(waits.failure, ContainsSubstring("cudaErrorLaunchTimeout"));
  REQUIRE_FALSE(waits.findings().empty());
  CHECK(name_of(waits.findings().front().kind) == "grid deadlock");
  demand_clean(row("exchange", p), p);
}

TEST_CASE("the clock of several GPUs starts again with new work, and does not run without work") {
  using std::chrono::milliseconds;
  const stillness::time_point begin{};
  stillness still(milliseconds(1000), begin);
  CHECK_FALSE(still.too_long(0, begin + milliseconds(5000)));
  unsigned works = 0;
  for (int k = 1; k <= 3; ++k) CHECK_FALSE(still.too_long(++works, begin + milliseconds(5000 + 1500 * k)));
  CHECK_FALSE(still.too_long(works, begin + milliseconds(10499)));
  CHECK(still.too_long(works, begin + milliseconds(10500)));
  CHECK_FALSE(still.too_long(works, begin + milliseconds(11499)));
  CHECK(still.too_long(works, begin + milliseconds(11500)));
}

TEST_CASE("GPUs that do not come to an end are given up, and others are not") {
  using std::chrono::milliseconds;
  // The result must not depend on the speed of the machine.
  std::atomic<unsigned> asked = 0;
  std::promise<std::string> words;
  {
    gpu_watch watch(
        {milliseconds(0), milliseconds(1)},
        [&]() -> std::optional<std::string> {
          return ++asked < 3 ? std::nullopt : std::optional<std::string>("What GPU 1 does");
        },
        [&](const std::string& why) {
          if (asked == 3) words.set_value(why);
        });
    watch.begun();
    CHECK_THAT(words.get_future().get(), Catch::Matchers::StartsWith("What GPU 1 does has not ended for "));
  }
}

TEST_CASE("with fewer GPUs than members, several share one") {
  emulator::set_devices(1);
  for (const specimen& kernel : rows_here()) demand_clean(examine(kernel, ints(1003, 4), effort{}), ints(1003, 4));
  emulator::set_devices(2);
  for (const specimen& kernel : rows_here()) demand_clean(examine(kernel, ints(1003, 5), effort{}), ints(1003, 5));
  emulator::set_devices(8);
}

// This test is the last one, because a reset deletes the kernels' variables that other GPUs have loaded.
TEST_CASE("every way is right and clean for every type, size and number of GPUs") {
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    // The type changes the elements that are added, but not which GPU sends to which.
    const std::vector<unsigned> all{1, 2, 3, 4, 7, 8}, some{2, 7};
    for (const unsigned gpus : type == element_type::int32 ? all : some) {
      for (const std::size_t n : {0, 1, 2, 5, 1000, 4099}) {
        forget_streams();
        const problem p{.type = type, .count = n, .block_size = n == 1000 ? 96u : 64u, .seed = n, .gpus = gpus};
        for (const specimen& kernel : rows_here()) demand_clean(run(kernel, p), p);
        demand_clean(run(yours(wrong_studies::direct_exchange()), p), p);
        demand_clean(run(yours(wrong_studies::wrong_all_reduce(all_reduce_mistake::none)), p), p);
      }
    }
  }
}
