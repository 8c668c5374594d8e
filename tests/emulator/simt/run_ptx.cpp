#include "emulator/simt/run_ptx.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

#include "emulator/jit/native_code.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/simt/launch.hpp"
#include "emulator/simt/program.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr std::uint64_t untouched_wide = std::uint64_t{untouched} << 32 | untouched;

const char* const prologue = R"(
.visible .entry k(.param .u64 k_in, .param .u64 k_out)
{
.reg .b32 %a, %b, %c, %d, %t, %lane, %harness0, %harness1;
.reg .b64 %la, %lb, %lc, %ld, %in, %out, %harness2;
.reg .b16 %ha, %hb, %hc, %hd, %h<8>;
.reg .b32 %r<32>;
.reg .b64 %w<16>;
.reg .pred %p, %q, %harness3, %p<10>;
ld.param.u64 %in, [k_in];
ld.param.u64 %out, [k_out];
mov.u32 %t, %tid.x;
mov.u32 %lane, %laneid;
mov.u32 %harness0, %ctaid.x;
mov.u32 %harness1, %ntid.x;
mad.lo.u32 %harness0, %harness0, %harness1, %t;
mul.wide.u32 %harness2, %harness0, 24;
add.u64 %in, %in, %harness2;
mul.wide.u32 %harness2, %harness0, 32;
add.u64 %out, %out, %harness2;
ld.global.b64 %la, [%in];
ld.global.b64 %lb, [%in+8];
ld.global.b64 %lc, [%in+16];
ld.global.b32 %a, [%in];
ld.global.b32 %b, [%in+8];
ld.global.b32 %c, [%in+16];
ld.global.b16 %ha, [%in];
ld.global.b16 %hb, [%in+8];
ld.global.b16 %hc, [%in+16];
mov.b32 %d, 0xa5a5a5a5;
mov.b64 %ld, 0xa5a5a5a5a5a5a5a5;
mov.b16 %hd, 0xa5a5;
setp.eq.u32 %p, %t, %t;
setp.eq.u32 %q, %t, %t;
)";

/// Device memory that is freed at the end of a launch.
class device_words {
 public:
  device_words(memory::global_memory& memory, std::uint64_t size_bytes)
      : memory_(memory), address_(memory.allocate(size_bytes, memory::origin::device)) {
    if (address_ == 0) throw std::bad_alloc();
    memory.mark_initialized(address_, size_bytes);
  }
  ~device_words() { memory_.free(address_); }
  device_words(const device_words&) = delete;
  device_words& operator=(const device_words&) = delete;
  [[nodiscard]] std::uintptr_t address() const { return address_; }
  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  memory::global_memory& memory_;
  std::uintptr_t address_;
};

/// Returns the report as text, so that two reports can be compared.
std::string describe(const launch_report& report) {
  std::string text;
  const auto counters = [&text](const counter_map& of) {
    for (const auto& [name, value] : of) {
      if (value != 0) text += "  " + std::string(name) + " " + std::to_string(value) + "\n";
    }
  };
  counters(report.counters);
  for (const line_report& line : report.lines) {
    const conflict_example& c = line.worst_conflict;
    const request_example& r = line.worst_request;
    text += "line " + std::to_string(line.line) + " partial " + std::to_string(line.partial_executed) + " " +
            std::to_string(line.partial_lanes) + " conflict " + std::to_string(c.degree) + " " +
            std::to_string(c.block) + " request " + std::to_string(r.sectors) + " " + std::to_string(r.block) + "\n";
    counters(line.counters);
  }
  const path_report& p = report.path;
  for (const double value : {p.cycles, p.waits, p.longest_cycles, p.longest_waits, p.last_cycles, p.last_waits})
    text += "path " + std::to_string(value) + "\n";
  for (const std::uint64_t value : {p.blocks, p.executed, p.issued, p.lines, p.sectors_near, p.sectors_again})
    text += "path " + std::to_string(value) + "\n";
  for (const finding& f : report.findings)
    text += std::string(name_of(f.check())) + ": " + f.message + " x" + std::to_string(f.count) + "\n";
  return text;
}

/// Options for running a kernel.
struct way {
  bool watch = false;
  bool shortcuts = true;
  bool native = false;
  bool path = true;
  unsigned bytes = 64;    ///< `options::native_bytes`.
  bool compares = false;  ///< `options::native_compares`, which ends the program if there is a difference.
};

ptx_result run_once(const ptx_launch& wanted, const std::string& text, const way& how) {
  const bool watch = how.watch;
  const std::size_t threads = std::size_t{wanted.threads} * wanted.blocks;
  std::vector<inputs> values = wanted.values;
  values.resize(threads);
  ptx_result result;
  result.words.assign(threads * words_per_thread, untouched);
  try {
    // Each run has its own device memory, so addresses are the same in all runs.
    memory::address_space space;
    const device_words in(space.memory, threads * sizeof(inputs));
    const device_words out(space.memory, result.words.size() * sizeof(std::uint32_t));
    std::memcpy(in.data(), values.data(), threads * sizeof(inputs));
    std::memcpy(out.data(), result.words.data(), result.words.size() * sizeof(std::uint32_t));
    const std::unique_ptr<module> m = module::load(text, space);
    kernel* const k = m->find_kernel("k");
    launch_shape shape;
    shape.grid[0] = wanted.blocks;
    shape.block[0] = wanted.threads;
    shape.dynamic_shared_bytes = wanted.dynamic_shared_bytes;
    options watched;
    watched.counters = watched.memcheck = watched.initcheck = watched.racecheck = watched.synccheck = watch;
    watched.host_threads = 1;
    watched.max_instructions = wanted.max_instructions;
    watched.shortcuts = how.shortcuts;
    watched.native_after = how.native ? 0 : options::never_native;
    watched.native_bytes = how.bytes;
    watched.native_compares = how.compares;
    watched.critical_path = how.path;
    std::uintptr_t in_address = in.address(), out_address = out.address();
    void* const arguments[] = {&in_address, &out_address};
    launch_report report;
    const launch_outcome outcome = launch(*k, shape, arguments, watched, watch ? &report : nullptr);
    if (outcome.fault != observers::fault_kind::none) result.error = outcome.message;
    if (const native_kernel* const code = k->code().native.get();
        how.native && code != nullptr && outcome.fault == observers::fault_kind::none) {
      const vector_width width = how.bytes < 64 ? vector_width::bytes_32 : *native_kernel::widest();
      const watching who = !watch ? watching::nobody : how.path ? watching::path : watching::observer;
      if (code->ready({width, who, false, how.compares}) == nullptr ||
          code->ready({width, who, true, how.compares}) == nullptr)
        result.error += "(no machine code was made)";
    }
    for (const finding& f : report.findings) result.findings.emplace_back(name_of(f.kind));
    result.seen = describe(report);
    std::memcpy(result.words.data(), out.data(), result.words.size() * sizeof(std::uint32_t));
  } catch (const std::exception& failed) {
    result.error = failed.what();
  }
  return result;
}

bool names(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end == text.size() || (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_'))
      return true;
  }
  return false;
}

/// The register in which a text leaves its result, and how the harness stores it.
struct destination {
  unsigned word = 0;
  bool wide = false;
  std::uint64_t untouched_value = 0;
  std::string store;
};

destination destination_of(const std::string& text) {
  if (names(text, "%ld")) return {0, true, untouched_wide, "st.global.b64 [%out], %ld;\n"};
  if (names(text, "%hd")) return {2, false, untouched & 0xffffu, "cvt.u32.u16 %d, %hd;\nst.global.b32 [%out+8], %d;\n"};
  if (names(text, "%d")) return {2, false, untouched, "st.global.b32 [%out+8], %d;\n"};
  std::string store = "selp.b32 %d, 1, 0, %p;\n";
  const bool second = names(text, "%q");
  if (second) store += "selp.b32 %harness1, 2, 0, %q;\nadd.u32 %d, %d, %harness1;\n";
  return {2, false, second ? 3u : 1u, store + "st.global.b32 [%out+8], %d;\n"};
}

ptx_result run_spread(const std::string& body, const std::vector<inputs>& values, unsigned lanes_each) {
  ptx_launch wanted;
  wanted.body = body;
  wanted.threads = 128;
  wanted.blocks = static_cast<unsigned>((values.size() * lanes_each + wanted.threads - 1) / wanted.threads);
  for (std::size_t k = 0; k < std::size_t{wanted.threads} * wanted.blocks; ++k)
    wanted.values.push_back(values[k / lanes_each % values.size()]);
  return run(wanted);
}

std::string hexadecimal(std::uint64_t x) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[x & 15u]);
    x >>= 4;
  } while (x != 0);
  return "0x" + text;
}

}  // namespace

std::vector<std::uint32_t> ptx_result::column(unsigned count, unsigned k) const {
  std::vector<std::uint32_t> result;
  for (unsigned thread = 0; thread < count; ++thread) result.push_back(word(thread, k));
  return result;
}

namespace {

std::string first_difference(const ptx_result& one, const ptx_result& other) {
  for (std::size_t k = 0; k < one.words.size(); ++k) {
    if (one.words[k] == other.words[k]) continue;
    return "word " + std::to_string(k % words_per_thread) + " of thread " + std::to_string(k / words_per_thread) +
           " is " + hexadecimal(one.words[k]) + ", not " + hexadecimal(other.words[k]) + "; ";
  }
  return {};
}

}  // namespace

ptx_result run(const ptx_launch& wanted) {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n" + wanted.declarations + prologue + wanted.body + "\nret;\n}\n";
  const ptx_result interpreted = run_once(wanted, text, {});
  ptx_result plain = interpreted;
  const ptx_result watched = run_once(wanted, text, {.watch = true});
  const ptx_result at_length = run_once(wanted, text, {.watch = true, .shortcuts = false});
  const ptx_result pathless = run_once(wanted, text, {.watch = true, .path = false});
  const auto compare_seen = [&plain](const ptx_result& code, const ptx_result& interpreter) {
    if (code.words == interpreter.words && code.seen == interpreter.seen && code.error == interpreter.error) return;
    plain.error += "(the observers see native code differ: " + code.error + "\n" + code.seen +
                   "from the interpreter: " + interpreter.error + "\n" + interpreter.seen + ")";
  };
  for (const unsigned bytes : {64u, 32u}) {
    compare_seen(run_once(wanted, text, {.watch = true, .native = true, .path = false, .bytes = bytes}), pathless);
    compare_seen(run_once(wanted, text, {.watch = true, .native = true, .bytes = bytes}), watched);
    for (const bool compares : {false, true}) {
      const ptx_result native = run_once(wanted, text, {.native = true, .bytes = bytes, .compares = compares});
      if (native.words != plain.words || native.error != interpreted.error)
        plain.error += "(machine code of " + std::to_string(bytes) +
                       " bytes differs from the interpreter: " + first_difference(native, plain) + native.error + ")";
    }
  }
  if (plain.words != watched.words || plain.error.empty() != watched.error.empty()) {
    plain.error += "(what the kernel did depends on whether it is watched; watched: " + watched.error + ")";
  }
  if (watched.words != at_length.words || watched.error != at_length.error || watched.seen != at_length.seen) {
    plain.error += "(a shortcut and the general path differ: " + watched.error + "\n" + watched.seen +
                   "the general path: " + at_length.error + "\n" + at_length.seen + ")";
  }
  plain.findings = watched.findings;
  plain.seen = watched.seen;
  return plain;
}

ptx_result run(const std::string& body, unsigned threads) {
  ptx_launch wanted;
  wanted.body = body;
  wanted.threads = threads;
  return run(wanted);
}

std::vector<std::uint64_t> evaluate(const std::string& text, const std::vector<inputs>& values) {
  INFO(text);
  const destination d = destination_of(text);
  const ptx_result together = run_spread(text + "\n" + d.store, values, 1);
  INFO(together.error);
  REQUIRE(together.error.empty());
  const ptx_result alternate =
      run_spread("and.b32 %harness0, %t, 1;\nsetp.eq.u32 %harness3, %harness0, 0;\n@%harness3 bra harness_over;\n" +
                     text + "\nharness_over:\n" + d.store,
                 values, 2);
  INFO(alternate.error);
  REQUIRE(alternate.error.empty());
  const auto read = [&](const ptx_result& r, std::size_t thread) {
    const auto t = static_cast<unsigned>(thread);
    return d.wide ? r.wide(t, d.word) : r.word(t, d.word);
  };
  std::vector<std::uint64_t> results;
  for (std::size_t k = 0; k < values.size(); ++k) {
    results.push_back(read(together, k));
    CAPTURE(k, hexadecimal(values[k].a), hexadecimal(values[k].b), hexadecimal(values[k].c));
    REQUIRE(hexadecimal(read(alternate, 2 * k + 1)) == hexadecimal(results.back()));
    REQUIRE(hexadecimal(read(alternate, 2 * k)) == hexadecimal(d.untouched_value));
  }
  return results;
}

void check(const std::string& text, const std::vector<row>& rows) {
  std::vector<inputs> values;
  for (const row& r : rows) values.push_back({r.a, r.b, r.c});
  const std::vector<std::uint64_t> results = evaluate(text, values);
  const std::uint64_t width = names(text, "%ld") ? ~std::uint64_t{0} : names(text, "%hd") ? 0xffffu : 0xffffffffu;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CAPTURE(text, hexadecimal(rows[k].a), hexadecimal(rows[k].b), hexadecimal(rows[k].c));
    CHECK(hexadecimal(results[k]) == hexadecimal(rows[k].expected & width));
  }
}

}  // namespace emulator::simt::test
