// Tests of racecheck in global memory: each method of passing data between blocks, and the same with a
// step missing.

#include <algorithm>

#include "emulator/runtime/block_kernels.hpp"
#include "emulator/runtime/device_under_test.hpp"

using namespace runtime_test;

namespace {

/// Runs `launch` on words that are 0, with `host_threads`. Returns the findings of racecheck.
template <typename Launch>
std::vector<emulator::finding> races(Launch launch, unsigned host_threads = 0) {
  const fresh_device device;
  // A GPU finds no races, so this runs on the emulator even if the other tests run on a GPU.
  emulator::select_device(emulator::device_kind::emulator);
  const emulator::options before = emulator::current_options();
  emulator::options wanted = before;
  wanted.host_threads = host_threads;
  emulator::set_options(wanted);
  int* words = on_device(std::vector<int>(4096, 0));
  static_cast<void>(emulator::take_reports());
  launch(words);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<emulator::finding> found;
  for (const emulator::launch_report& report : emulator::take_reports()) {
    for (const emulator::finding& f : report.findings) {
      CHECK(name_of(f.check()) == "racecheck");
      found.push_back(f);
    }
  }
  emulator::set_options(before);
  return found;
}

bool tells(const std::vector<emulator::finding>& found, const std::string& kind, const std::string& words) {
  return std::any_of(found.begin(), found.end(), [&](const emulator::finding& f) {
    return name_of(f.kind) == kind && (f.message + f.cure).find(words) != std::string::npos && f.line != 0 &&
           f.other_line != 0;
  });
}

}  // namespace

TEST_CASE("the last block may read what was written before a fence and a ticket, after its own fence") {
  CHECK(races([](int* words) { launch_last_block(words, 40, fencing::device, fencing::device); }).empty());
}

TEST_CASE("the last block's sum is a race without either of the fences, or with one for the block only") {
  for (const auto& [before, after] : {std::pair{fencing::none, fencing::none},
                                      {fencing::none, fencing::device},
                                      {fencing::device, fencing::none},
                                      {fencing::block, fencing::device}}) {
    const auto found = races([&](int* words) { launch_last_block(words, 40, before, after); });
    INFO(static_cast<int>(before) << ", " << static_cast<int>(after));
    CHECK(tells(found, "read and write race", "__threadfence()"));
    CHECK(found.size() == 1);  // there is no race on the ticket, which the last block resets to 0
  }
}

TEST_CASE("volatile accesses of the last block are not a data race, with or without fences") {
  CHECK(races([](int* words) { launch_last_block_volatile(words, 40, true); }).empty());
  CHECK(races([](int* words) { launch_last_block_volatile(words, 40, false); }).empty());
}

TEST_CASE("a flag passes data on if there are fences of the device's scope on both sides") {
  CHECK(races([](int* words) { launch_flag(words, fencing::device, fencing::device); }).empty());
  for (const auto& [before, after] : {std::pair{fencing::none, fencing::device},
                                      {fencing::device, fencing::none},
                                      {fencing::block, fencing::device}}) {
    INFO(static_cast<int>(before) << ", " << static_cast<int>(after));
    const auto found = races([&](int* words) { launch_flag(words, before, after); });
    CHECK(found.size() == 1);
    CHECK(tells(found, "read and write race", "[1] in"));
  }
}

TEST_CASE("cuda::atomic_ref orders by release and acquire, not by relaxed accesses and not beyond its scope") {
  CHECK(races([](int* words) { launch_atomic_flag(words, atomic_flag::release_acquire); }).empty());
  for (const atomic_flag how : {atomic_flag::relaxed_store, atomic_flag::relaxed_load}) {
    const auto found = races([&](int* words) { launch_atomic_flag(words, how); });
    CHECK(found.size() == 1);
    CHECK(tells(found, "read and write race", "[1] in"));
  }
  const auto found = races([](int* words) { launch_atomic_flag(words, atomic_flag::block_scope); });
  CHECK(tells(found, "read and write race", "[1] in"));
  CHECK(tells(found, "read and write race", "thread_scope_device"));  // the flag itself
}

TEST_CASE("a value that carries its own flag needs no order: look-back by relaxed accesses") {
  CHECK(races([](int* words) { launch_look_back(reinterpret_cast<unsigned long long*>(words), 50); }).empty());
}

TEST_CASE("a block may write over what others had read before they published their counts") {
  CHECK(
      races([](int* words) { launch_compact_in_place(words, reinterpret_cast<unsigned*>(words + 3000), 20); }).empty());
}

TEST_CASE("a lock orders the accesses in its critical section, if there are fences") {
  CHECK(races([](int* words) { launch_lock(words, 30, true); }).empty());
  const auto found = races([](int* words) { launch_lock(words, 30, false); });
  CHECK(tells(found, "read and write race", "[1] in"));
}

TEST_CASE("atomics count without a race, but not beyond their scope, nor against a plain read") {
  CHECK(races([](int* words) { launch_count(words, 30, false); }).empty());
  CHECK(tells(races([](int* words) { launch_count(words, 30, true); }), "write and write race", "thread_scope_device"));
  CHECK(tells(races([](int* words) { launch_count_and_look(words, 3); }), "read and write race",
              "an atomic does not order plain accesses"));
}

TEST_CASE("the grid's barrier orders all blocks") {
  CHECK(races([](int* words) { CHECK(launch_neighbours(words, 8, true) == cudaSuccess); }).empty());
  const auto found = races([](int* words) { CHECK(launch_neighbours(words, 8, false) == cudaSuccess); });
  CHECK(tells(found, "read and write race", "which block"));
}

TEST_CASE("warps of a block also race in global memory if no barrier is between them") {
  CHECK(races([](int* words) { launch_warps(words, 4, true); }).empty());
  const auto found = races([](int* words) { launch_warps(words, 4, false); });
  CHECK(tells(found, "read and write race", "__syncthreads()"));
  CHECK(tells(found, "read and write race", "of the same block"));
}

TEST_CASE("blocks may read the same words and write neighbouring ones") {
  CHECK(races([](int* words) { launch_own_words(words, 100); }).empty());
  CHECK(races([](int* words) { launch_overlapping(words, 100, 32); }).empty());
  CHECK(tells(races([](int* words) { launch_overlapping(words, 100, 1); }), "write and write race",
              "a place of its own"));
}

TEST_CASE("a kernel's end orders everything") {
  CHECK(races([](int* words) {
          launch_overlapping(words, 10, 32);
          launch_overlapping(words + 1, 10, 32);
        }).empty());
}

TEST_CASE("races between blocks are the same for any number of host threads") {
  const auto all = [](unsigned host_threads) {
    std::string text;
    const auto add = [&](const std::vector<emulator::finding>& found) {
      for (const emulator::finding& f : found) {
        // Allocations are numbered throughout the program, so the number has to be removed.
        std::string message = f.message;
        const auto number = message.find("allocation ");
        if (number != std::string::npos) message.erase(number, message.find('(', number) - number);
        text += std::string(name_of(f.kind)) + " " + std::to_string(f.line) + " " + std::to_string(f.count) + message +
                "\n";
      }
    };
    add(races([](int* words) { launch_overlapping(words, 500, 1); }, host_threads));
    add(races([](int* words) { launch_warps(words, 60, false); }, host_threads));
    add(races([](int* words) { launch_last_block(words, 400, fencing::device, fencing::none); }, host_threads));
    add(races([](int* words) { launch_lock(words, 400, false); }, host_threads));
    return text;
  };
  const std::string one = all(1);
  CHECK(one.size() > 500);
  CHECK(all(2) == one);
  CHECK(all(5) == one);
}
