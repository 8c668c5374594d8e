// The interpreter runs programs of many kinds, compiled by nvcc, and then they run as machine code. Results, counts and
// findings must be the same.

#include <cctype>
#include <string>

#include "emulator/bench_emulator/kinds.hpp"
#include "emulator/emulator.hpp"
#include "support/catch.hpp"

namespace {

/// Returns all that the reports contain, as text, without the numbers of allocations and addresses.
std::string seen_in(const std::vector<emulator::launch_report>& reports) {
  std::string text;
  const auto add = [&text](const emulator::counter_map& of) {
    for (const auto& [name, value] : of) text += "  " + std::string(name) + " " + std::to_string(value) + "\n";
  };
  for (const emulator::launch_report& r : reports) {
    text += r.kernel + "\n";
    add(r.counters);
    for (const emulator::line_report& line : r.lines) {
      text += "line " + std::to_string(line.line) + " conflict " + std::to_string(line.worst_conflict.degree) +
              " request " + std::to_string(line.worst_request.sectors) + "\n";
      add(line.counters);
    }
    const emulator::path_report& p = r.path;
    text += "path " + std::to_string(p.cycles) + " " + std::to_string(p.waits) + " " + std::to_string(p.last_cycles) +
            " " + std::to_string(p.executed) + " " + std::to_string(p.issued) + " " + std::to_string(p.lines) + " " +
            std::to_string(p.sectors_near) + " " + std::to_string(p.sectors_again) + "\n";
    for (const emulator::finding& f : r.findings)
      text += std::string(name_of(f.check())).append(" ").append(name_of(f.kind)) + " " + std::to_string(f.line) +
              " x" + std::to_string(f.count) + "\n";
  }
  return text;
}

struct outcome {
  std::uint64_t hash = 0;
  std::string seen;
};

enum class watching { nobody, checks, path };

outcome run(const bench_kinds::kind& one, watching who, bool native, unsigned bytes = 64) {
  emulator::select_device(emulator::device_kind::emulator);
  emulator::options o;
  o.counters = o.memcheck = o.initcheck = o.racecheck = o.synccheck = who != watching::nobody;
  o.critical_path = who == watching::path;
  o.host_threads = 1;
  o.native_after = native ? 0 : emulator::options::never_native;
  o.native_bytes = bytes;
  emulator::set_options(o);
  (void)emulator::take_reports();
  outcome done;
  done.hash = one.run();
  done.seen = seen_in(emulator::take_reports());
  return done;
}

}  // namespace

TEST_CASE("programs of many kinds do the same as machine code") {
  for (const bench_kinds::kind& one : bench_kinds::all()) {
    INFO(one.name);
    for (const watching who : {watching::nobody, watching::checks, watching::path}) {
      const outcome interpreted = run(one, who, false);
      REQUIRE(interpreted.hash != 0);
      for (const unsigned bytes : {64u, 32u}) {
        INFO(bytes << " bytes of a register at a time");
        const outcome native = run(one, who, true, bytes);
        CHECK(native.hash == interpreted.hash);
        CHECK(native.seen == interpreted.seen);
      }
    }
  }
  emulator::set_options({});
}
