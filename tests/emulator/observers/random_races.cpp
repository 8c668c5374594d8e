// Compares racecheck with a slow and simple check that stores full histories and full vector clocks, byte by byte.

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "world.hpp"

using namespace world;

namespace {

constexpr unsigned warps = 3;
constexpr unsigned threads = warps * 32;

/// Stores all accesses, and for each thread the time up to which it is ordered after each other thread.
class simple_check {
 public:
  simple_check() : knows_(threads, std::vector<std::uint64_t>(threads, 0)), clock_(threads, 1) {}

  /// Returns true if the access races with an earlier one.
  [[nodiscard]] bool races(unsigned thread, std::uint64_t address, unsigned bytes, bool writes, bool atomic) const {
    for (std::uint64_t b = address; b < address + bytes; ++b) {
      const auto found = history_.find(b);
      if (found == history_.end()) continue;
      for (const past& p : found->second) {
        if (p.thread == thread || (!p.writes && !writes) || (p.atomic && atomic)) continue;
        if (knows_[thread][p.thread] < p.clock) return true;
      }
    }
    return false;
  }

  void remember(unsigned thread, std::uint64_t address, unsigned bytes, bool writes, bool atomic) {
    for (std::uint64_t b = address; b < address + bytes; ++b) {
      history_[b].push_back({thread, clock_[thread], writes, atomic});
    }
  }

  void synchronise(const std::vector<unsigned>& party) {
    std::vector<std::uint64_t> joint(threads, 0);
    for (const unsigned t : party) {
      knows_[t][t] = clock_[t];
      for (unsigned k = 0; k < threads; ++k) joint[k] = std::max(joint[k], knows_[t][k]);
    }
    for (const unsigned t : party) {
      knows_[t] = joint;
      ++clock_[t];
    }
  }

 private:
  struct past {
    unsigned thread;
    std::uint64_t clock;
    bool writes;
    bool atomic;
  };
  std::map<std::uint64_t, std::vector<past>> history_;
  std::vector<std::vector<std::uint64_t>> knows_;
  std::vector<std::uint64_t> clock_;
};

struct habits {
  unsigned words;         ///< Number of words of shared memory in use.
  bool partial_barriers;  ///< Some barriers are between some warps only, or some lanes only.
  bool narrow;            ///< Some accesses have 1 or 2 bytes.
  bool atomics;
  unsigned reads_of_ten;
  unsigned barriers_of_ten;
};

std::vector<unsigned> lanes_of(unsigned warp, std::uint32_t mask) {
  std::vector<unsigned> party;
  for (unsigned l = 0; l < 32; ++l) {
    if ((mask >> l & 1u) != 0) party.push_back(warp * 32 + l);
  }
  return party;
}

std::string hexadecimal(std::uint32_t mask) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", mask);
  return text;
}

/// Runs one program: random events until a check finds something. Fails the test if the two checks differ.
void run(std::mt19937& random, const habits& h) {
  launch l(races_only(), threads);
  simple_check simple;
  std::string story;
  for (unsigned event = 0; event < 60; ++event) {
    const unsigned warp = random() % warps;
    std::uint32_t mask = random() % 2 == 0 ? all : random() % 3 == 0 ? 1u << random() % 32 : random() | 1u;
    if (random() % 10 < h.barriers_of_ten) {
      const unsigned what = random() % (h.partial_barriers ? 4 : 2);
      if (what == 2) mask = all;
      if (what == 0 || what == 3) {
        std::vector<std::uint32_t> masks(warps, all);
        if (what == 3) masks[random() % warps] = random() % 2 == 0 ? 0 : 0xffffu;
        std::vector<unsigned> party;
        for (unsigned w = 0; w < warps; ++w) {
          for (const unsigned t : lanes_of(w, masks[w])) party.push_back(t);
        }
        l.sync(masks, what == 3 ? 1 : 0);
        story += "barrier of";
        for (const std::uint32_t lanes : masks) story += " " + hexadecimal(lanes);
        story += "\n";
        simple.synchronise(party);
      } else {
        if (!h.partial_barriers) mask = all;
        l.syncwarp(warp, mask);
        story += "__syncwarp of warp " + std::to_string(warp) + ", lanes " + hexadecimal(mask) + "\n";
        simple.synchronise(lanes_of(warp, mask));
      }
      continue;
    }
    const bool reads = random() % 10 < h.reads_of_ten;
    const bool atomic = h.atomics && random() % 3 == 0;
    const unsigned bytes = atomic ? 4 : h.narrow ? 1u << random() % 4 : 4u << random() % 3;
    const std::uint32_t at = atomic ? add_shared : reads ? load_shared : store_shared;
    // Most accesses are to the thread's own element or to a neighbour's, so that order matters.
    const unsigned style = random() % 6;
    const unsigned shift = random() % 3;
    const std::uint64_t count = h.words * 4 / bytes;
    std::uint64_t address[32];
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint64_t own = warp * 32 + lane;
      const std::uint64_t index = style < 3 ? own : style == 3 ? own + shift : style == 4 ? own * 2 + shift : shift;
      address[lane] = index % count * bytes;
    }
    story += std::string(reads && !atomic ? "load"
                         : atomic         ? "atomic"
                                          : "store") +
             " of " + std::to_string(bytes) + " bytes by warp " + std::to_string(warp) + ", lanes " +
             hexadecimal(mask) + ", lane 0 at " + std::to_string(address[0]) + ", lane 1 at " +
             std::to_string(address[1]) + "\n";
    // Lanes that write to the same place write the same value, so there is no race inside an instruction. Both checks
    // compare with the accesses before the instruction.
    l.access(
        at, warp, mask, [&](unsigned lane) { return address[lane]; }, bytes, [](unsigned) { return 1; });
    std::uint64_t expected = 0;
    for (const unsigned t : lanes_of(warp, mask)) {
      expected += simple.races(t, address[t % 32], bytes, atomic || !reads, atomic) ? 1 : 0;
    }
    for (const unsigned t : lanes_of(warp, mask)) {
      simple.remember(t, address[t % 32], bytes, atomic || !reads, atomic);
    }
    // Compares the two checks after each event. This flushes what was found so far.
    l.observer->flush();
    launch_report r;
    fill(r, l.observation, naming(l.facts, {}, memory_of_tests()));
    std::uint64_t found = 0;
    for (const finding& f : r.findings) found += f.count;
    INFO("event " << event << "\n" << story);
    REQUIRE(found == expected);
    if (expected != 0) return;  // after a race, the two checks may store different histories
  }
}

}  // namespace

TEST_CASE("racecheck finds the first race, and all threads in it, where barriers are for all or inside a warp") {
  std::mt19937 random(11);
  for (unsigned program = 0; program < 400; ++program) {
    INFO("program " << program);
    run(random, {program % 3 == 0 ? 32u : 800u, false, false, program % 2 == 1, 7, program % 4 + 3});
  }
}

TEST_CASE("racecheck agrees where barriers are partial") {
  std::mt19937 random(12);
  for (unsigned program = 0; program < 400; ++program) {
    INFO("program " << program);
    run(random, {program % 3 == 0 ? 64u : 800u, true, false, program % 2 == 1, 6, program % 4 + 3});
  }
}

TEST_CASE("racecheck agrees where words are accessed by parts") {
  std::mt19937 random(13);
  for (unsigned program = 0; program < 400; ++program) {
    INFO("program " << program);
    run(random, {program % 3 == 0 ? 32u : 800u, program % 5 == 0, true, program % 2 == 1, 6, program % 4 + 3});
  }
}
