#include "machine_code/superopt/exhaustive.hpp"

#include <chrono>

#include <fmt/format.h>

namespace superopt {
namespace {

/// An input or a result of a partial program: its values in all tests, its defined lanes, and the cycle in which it is
/// ready.
struct value {
  std::vector<rows> in_tests;  ///< For each block of tests.
  std::uint32_t defined = 0;
  unsigned ready = 0;
  unsigned uses = 0;
};

/// Returns the lanes of a result that are defined if its sources are defined in the lanes `defined`.
std::uint32_t lanes_defined(const instruction& i, const std::array<std::uint32_t, 3>& defined) {
  if (i.op == opcode::mov) return defined[0];
  if (i.op == opcode::iadd || i.op == opcode::imnmx) return defined[0] & defined[1];
  if (i.op == opcode::iadd3 || i.op == opcode::lop3) return defined[0] & defined[1] & defined[2];
  std::uint32_t lanes = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    bool all = true;
    for (unsigned s = 0; s < i.source_count(); ++s) all = all && (lanes_read(i, s, 1u << l) & ~defined[s]) == 0;
    if (all) lanes |= 1u << l;
  }
  return lanes;
}

class enumeration {
 public:
  enumeration(const target& t, const vocabulary& v, const cost_table& table, const exhaustive_settings& s)
      : target_(t), vocabulary_(v), settings_(s), linear_(is_linear(v)) {
    result_.complete = true;
    limit_ = s.below_cycles;
    least_latency_ = ~0u;
    for (const opcode op : v.opcodes) {
      least_latency_ = std::min(least_latency_, table.latency_of(op));
      max_sources_ = std::max(max_sources_, facts_of(op).sources);
    }
    choose_registers();
    make_tests();
  }

  exhaustive_result run(const cost_table& table) {
    const auto begin = std::chrono::steady_clock::now();
    // Tries short programs first, so that the shortest of several equally fast programs is found.
    for (allowed_ = 1; allowed_ <= settings_.instructions && result_.complete; ++allowed_) extend(pipeline(table));
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result_;
  }

 private:
  /// Assigns a separate register to every result, so that no instruction waits for a free register.
  void choose_registers() {
    std::uint32_t taken = 1u << zero_register;
    for (const place& in : target_.inputs) taken |= 1u << in.reg;
    results_ = ~taken;
    for (std::uint8_t r = 0; r < register_count; ++r) {
      if ((taken >> r & 1) == 0) registers_.push_back(r);
    }
    if (settings_.instructions > registers_.size())
      throw bad_input(fmt::format(
          "too many instructions: --exhaustive allows at most {} here, because each result has its own register",
          registers_.size()));
    for (const place& in : target_.inputs) readable_.push_back(in.reg);
    readable_.push_back(zero_register);
  }

  void make_tests() {
    std::vector<test_case> tests;
    const test_case zeros(target_.inputs.size());
    for (std::size_t k = 0; k < target_.inputs.size(); ++k) {
      for_lanes(target_.inputs[k].lanes, [&](unsigned l) {
        tests.push_back(zeros);
        tests.back()[k][l] = 1;
      });
    }
    random_source random(1);
    const std::size_t own = tests.size();
    while (tests.size() < own + tests_per_block / 2 || tests.size() % tests_per_block != 0)
      tests.push_back(random_test(target_, random));
    const std::size_t blocks = tests.size() / tests_per_block;
    for (value& v : values_) v.in_tests.assign(blocks, rows{});
    for (std::size_t k = 0; k < target_.inputs.size(); ++k) {
      value& v = values_[target_.inputs[k].reg];
      v.defined |= target_.inputs[k].lanes;
      for (std::size_t j = 0; j < tests.size(); ++j) {
        for (unsigned l = 0; l < warp_size; ++l)
          v.in_tests[j / tests_per_block][l][j % tests_per_block] = tests[j][k][l];
      }
    }
    values_[zero_register].defined = 0xffffffffu;
    expected_.assign(blocks, rows{});
    register_file m;
    for (std::size_t b = 0; b < blocks; ++b) {
      for (const place& in : target_.inputs) m.registers[in.reg] = values_[in.reg].in_tests[b];
      for (const instruction& i : target_.code) execute(m, i, 0xffffffffu);
      expected_[b] = m.registers[target_.outputs[0].reg];
    }
  }

  /// Appends each possible instruction to the current program.
  void extend(const pipeline& pipe) {
    for (const opcode op : vocabulary_.opcodes) {
      instruction i;
      i.op = op;
      i.destination = registers_[code_.size()];
      choose_source(i, 0, 0, pipe);
    }
  }

  void choose_source(instruction& i, unsigned s, std::size_t from, const pipeline& pipe) {
    if (!result_.complete) return;
    if (s == i.sources.size() || s == i.source_count()) {
      choose_immediate(i, pipe);
      return;
    }
    for (std::size_t k = commutes(i.op) ? from : 0; k < readable_.size(); ++k) {
      i.sources[s] = readable_[k];
      choose_source(i, s + 1, k, pipe);
    }
    i.sources[s] = zero_register;
  }

  void choose_immediate(instruction& i, const pipeline& pipe) {
    static const std::vector<std::uint32_t> none = {0};
    const std::vector<std::uint32_t>& all = vocabulary_.immediates_of(i.op);
    for (const std::uint32_t immediate : all.empty() ? none : all) {
      i.immediate = immediate;
      append(i, pipe);
    }
    i.immediate = 0;
  }

  void append(const instruction& i, pipeline pipe) {
    value& v = values_[i.destination];
    std::array<std::uint32_t, 3> defined{};
    for (unsigned s = 0; s < i.source_count(); ++s) defined[s] = values_[i.sources[s]].defined;
    v.defined = lanes_defined(i, defined);
    if (v.defined == 0 || !result_.complete) return;
    if (++result_.nodes > settings_.max_nodes) {
      result_.complete = false;
      result_.why_incomplete = fmt::format("gave up after {} instructions appended", settings_.max_nodes);
      return;
    }
    pipe.issue(i);
    v.ready = pipe.ready(i.destination);
    v.uses = 0;
    if (v.ready >= limit_) return;
    // In the end, every result must be used. An instruction reduces the number of unused results by at most the number
    // of its sources minus one.
    const unsigned unused_before = unused_;
    for (unsigned s = 0; s < i.source_count(); ++s) {
      if (is_result(i.sources[s]) && values_[i.sources[s]].uses++ == 0) --unused_;
    }
    ++unused_;
    const unsigned left = allowed_ - code_.size() - 1;
    if (unused_ <= 1 + left * (max_sources_ - 1)) {
      compute(i, v);
      code_.push_back(i);
      if (unused_ == 1) test(v);
      if (left != 0 && v.ready + least_latency_ < limit_ && !known_already(v)) {
        readable_.insert(readable_.end() - 1, i.destination);
        extend(pipe);
        readable_.erase(readable_.end() - 2);
      }
      code_.pop_back();
    }
    for (unsigned s = 0; s < i.source_count(); ++s) {
      if (is_result(i.sources[s])) --values_[i.sources[s]].uses;
    }
    unused_ = unused_before;
  }

  [[nodiscard]] bool is_result(std::uint8_t reg) const { return (results_ >> reg & 1) != 0; }

  void compute(const instruction& i, value& v) {
    for (std::size_t b = 0; b < v.in_tests.size(); ++b) {
      for (unsigned s = 0; s < i.source_count(); ++s) scratch_.registers[s] = values_[i.sources[s]].in_tests[b];
      instruction moved = i;
      moved.destination = 3;
      moved.sources = {0, 1, 2};
      execute(scratch_, moved, v.defined);
      v.in_tests[b] = scratch_.registers[3];
    }
  }

  static bool equal_in(const std::vector<rows>& a, const std::vector<rows>& b, std::uint32_t lanes) {
    for (std::size_t block = 0; block < a.size(); ++block) {
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
        for (unsigned j = 0; j < tests_per_block; ++j) {
          if (a[block][l][j] != b[block][l][j]) return false;
        }
      }
    }
    return true;
  }

  /// Returns true if there is an equal result that is ready no later. The values for one lane at a time determine a
  /// linear function, so results that are equal in the tests are always equal.
  [[nodiscard]] bool known_already(const value& v) const {
    if (!linear_) return false;
    for (const std::uint8_t reg : readable_) {
      const value& other = values_[reg];
      if (other.ready > v.ready || (v.defined & ~other.defined) != 0) continue;
      if (equal_in(v.in_tests, other.in_tests, v.defined)) return true;
    }
    return false;
  }

  /// Tries the last result as the output: first with the tests, then with counterexamples to earlier programs, and then
  /// with the solver.
  void test(const value& v) {
    const place& out = target_.outputs[0];
    ++result_.tested;
    if ((out.lanes & ~v.defined) != 0) return;
    if (!equal_in(v.in_tests, expected_, out.lanes)) return;
    program p = code_;
    p[p.size() - 1].destination = out.reg;
    for (const test_case& input : counterexamples_) {
      const auto got = superopt::run(p, target_, input, out.reg),
                 want = superopt::run(target_.code, target_, input, out.reg);
      for (unsigned l = 0; l < warp_size; ++l) {
        if ((out.lanes >> l & 1) != 0 && got[l] != want[l]) return;
      }
    }
    const proof answer = prove_equivalent(p, target_, settings_.proof);
    if (answer.is == verdict::refuted) {
      counterexamples_.push_back(*answer.counterexample);
      ++result_.counterexamples;
    } else if (answer.is == verdict::unknown) {
      result_.complete = false;
      result_.why_incomplete = "of a program that passes all tests it is " + to_text(answer);
    } else {
      result_.best = {p, v.ready};
      result_.equivalence = answer;
      limit_ = v.ready;
    }
  }

  target target_;
  vocabulary vocabulary_;
  exhaustive_settings settings_;
  bool linear_;
  exhaustive_result result_;
  std::array<value, register_count + 1> values_;
  std::vector<std::uint8_t> registers_, readable_;
  std::vector<rows> expected_;
  std::vector<test_case> counterexamples_;
  register_file scratch_;
  program code_;
  std::uint32_t results_ = 0;  ///< The registers that hold results, not inputs or rz.
  unsigned allowed_ = 0;       ///< The number of instructions in this pass.
  unsigned limit_ = 0, least_latency_ = 0, max_sources_ = 1, unused_ = 0;
};

}  // namespace

bool is_linear(const vocabulary& v) {
  for (const opcode op : v.opcodes) {
    if (op == opcode::lop3 || op == opcode::imnmx) return false;
    if (op != opcode::redux) continue;
    for (const std::uint32_t kind : v.immediates_of(op)) {
      if (static_cast<reduction>(kind) != reduction::add) return false;
    }
  }
  return true;
}

exhaustive_result search_exhaustively(const target& t, const vocabulary& v, const cost_table& table,
                                      const exhaustive_settings& settings) {
  if (t.outputs.size() != 1) throw bad_input("exhaustively for targets of one output only");
  if (settings.instructions == 0) throw bad_input("programs of 0 instructions are none; give 1 or more");
  demand_known(t, v, table);
  exhaustive_settings s = settings;
  if (s.below_cycles == 0) s.below_cycles = cycles_of(without_dead_code(t.code, t), t, table);
  return enumeration(t, v, table, s).run(table);
}

}  // namespace superopt
