// Decides equivalence with Z3. Every lane of every register is a 32-bit term, and the inputs are unknowns.
//
// Z3 itself normalises the order of operands in sums and bitwise functions. It doesn't do so for minima and maxima, and
// it cannot compare two trees of 16 of them, so their operands are sorted here. This relies on three laws: the order,
// grouping and repetition of operands do not matter. A test proves these laws with Z3.

#include <algorithm>
#include <chrono>
#include <map>

#include <z3++.h>

#include "machine_code/superopt/prove.hpp"

namespace superopt {
namespace {

using terms = std::vector<z3::expr>;  ///< One term for each of the 32 lanes.

class symbolic_machine {
 public:
  symbolic_machine(z3::context& context, const std::string& name) : context_(context) {
    for (unsigned r = 0; r <= register_count; ++r) {
      terms lanes;
      for (unsigned l = 0; l < warp_size; ++l) {
        lanes.push_back(
            r == zero_register
                ? context.bv_val(0u, 32)
                : context.bv_const((name + "_r" + std::to_string(r) + "_" + std::to_string(l)).c_str(), 32));
      }
      registers_.push_back(std::move(lanes));
    }
  }
  terms& operator[](std::uint8_t reg) { return registers_[reg]; }

  void execute(const instruction& i, std::uint32_t needed) {
    const terms a = registers_[i.sources[0]], b = registers_[i.sources[1]], c = registers_[i.sources[2]];
    const unsigned k = i.immediate & (warp_size - 1);
    for_lanes(needed, [&](unsigned l) {
      z3::expr& d = registers_[i.destination][l];
      switch (i.op) {
        case opcode::shfl_down:
          d = a[l + k < warp_size ? l + k : l];
          break;
        case opcode::shfl_bfly:
          d = a[l ^ k];
          break;
        case opcode::shfl_idx:
          d = a[k];
          break;
        case opcode::iadd:
          d = a[l] + b[l];
          break;
        case opcode::iadd3:
          d = a[l] + b[l] + c[l];
          break;
        case opcode::lop3:
          d = look_up(a[l], b[l], c[l], i.immediate);
          break;
        case opcode::imnmx:
          d = min_max(a[l], b[l], i.immediate);
          break;
        case opcode::sel:
          d = (i.immediate >> l & 1) != 0 ? a[l] : b[l];
          break;
        case opcode::mov:
          d = a[l];
          break;
        case opcode::redux:
          d = reduce(a, i.immediate);
          break;
      }
    });
  }

 private:
  /// The operands, sorted, of a minimum or maximum of several values.
  struct extreme {
    std::uint32_t kind;
    terms operands;
  };
  static z3::expr min_max_of_two(const z3::expr& a, const z3::expr& b, std::uint32_t kind) {
    const z3::expr below = (kind & 2) == 0 ? z3::slt(a, b) : z3::ult(a, b);
    return (kind & 1) != 0 ? z3::ite(below, b, a) : z3::ite(below, a, b);
  }
  z3::expr min_max(const z3::expr& a, const z3::expr& b, std::uint32_t kind) {
    terms all;
    for (const z3::expr& one : {a, b}) {
      const auto known = extremes_.find(one.id());
      if (known != extremes_.end() && known->second.kind == kind)
        all.insert(all.end(), known->second.operands.begin(), known->second.operands.end());
      else
        all.push_back(one);
    }
    std::sort(all.begin(), all.end(), [](const z3::expr& x, const z3::expr& y) { return x.id() < y.id(); });
    all.erase(
        std::unique(all.begin(), all.end(), [](const z3::expr& x, const z3::expr& y) { return x.id() == y.id(); }),
        all.end());
    z3::expr result = all[0];
    for (std::size_t k = 1; k < all.size(); ++k) result = min_max_of_two(result, all[k], kind);
    kept_.push_back(result);  // if it were freed, its number could be reused
    if (all.size() > 1) extremes_.insert_or_assign(result.id(), extreme{kind, std::move(all)});
    return result;
  }
  z3::expr look_up(const z3::expr& a, const z3::expr& b, const z3::expr& c, std::uint32_t table) const {
    // The usual functions are written directly, so that the solver need not recognise them.
    switch (table & 0xff) {
      case 0xc0:
        return a & b;
      case 0xfc:
        return a | b;
      case 0x3c:
        return a ^ b;
      case 0x80:
        return a & b & c;
      case 0xfe:
        return a | b | c;
      case 0x96:
        return a ^ b ^ c;
      default:
        break;
    }
    z3::expr result = context_.bv_val(0u, 32);
    for (unsigned k = 0; k < 8; ++k) {
      if ((table >> k & 1) == 0) continue;
      result = result | (((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c));
    }
    return result;
  }
  z3::expr reduce(const terms& a, std::uint32_t kind) {
    z3::expr result = a[0];
    for (unsigned l = 1; l < warp_size; ++l) {
      switch (static_cast<reduction>(kind & 7)) {
        case reduction::add:
          result = result + a[l];
          break;
        case reduction::bit_and:
          result = result & a[l];
          break;
        case reduction::bit_or:
          result = result | a[l];
          break;
        case reduction::bit_xor:
          result = result ^ a[l];
          break;
        default:
          result = min_max(result, a[l], kind - 1);
      }
    }
    return result;
  }
  z3::context& context_;
  std::vector<terms> registers_;
  std::map<unsigned, extreme> extremes_;  ///< Indexed by the term's number.
  terms kept_;
};

void execute_all(symbolic_machine& m, const program& p, const target& t) {
  const needed_lanes needed = find_needed(p, t).needed;
  for (unsigned k = 0; k < p.size(); ++k) {
    if (needed[k] != 0) m.execute(p[k], needed[k]);
  }
}

test_case input_of(const z3::model& model, const target& t, symbolic_machine& fresh) {
  test_case test(t.inputs.size());
  for (std::size_t k = 0; k < t.inputs.size(); ++k) {
    for_lanes(t.inputs[k].lanes, [&](unsigned l) {
      const z3::expr value = model.eval(fresh[t.inputs[k].reg][l], true);
      test[k][l] = static_cast<std::uint32_t>(value.get_numeral_uint64());
    });
  }
  return test;
}

}  // namespace

bool can_prove() {
  return true;
}

proof prove_equivalent(const program& p, const target& t, const proof_limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  proof result;
  try {
    z3::context context;
    // The two programs share only the inputs. Values that a program reads without writing them can be anything.
    symbolic_machine wanted(context, "target"), given(context, "candidate"), inputs(context, "in");
    for (const place& in : t.inputs) {
      for_lanes(in.lanes, [&](unsigned l) { wanted[in.reg][l] = given[in.reg][l] = inputs[in.reg][l]; });
    }
    execute_all(wanted, t.code, t);
    execute_all(given, p, t);
    z3::solver solver = z3::tactic(context, "qfbv").mk_solver();
    z3::params parameters(context);
    parameters.set("timeout", limits.milliseconds);
    if (limits.steps != 0) parameters.set("rlimit", limits.steps);
    solver.set(parameters);
    z3::expr_vector differences(context);
    for (const place& out : t.outputs) {
      for_lanes(out.lanes, [&](unsigned l) { differences.push_back(wanted[out.reg][l] != given[out.reg][l]); });
    }
    solver.add(z3::mk_or(differences));
    const z3::check_result answer = solver.check();
    if (answer == z3::unsat) {
      result.is = verdict::proved;
    } else if (answer == z3::sat) {
      result.is = verdict::refuted;
      result.counterexample = input_of(solver.get_model(), t, inputs);
    } else {
      result.reason = "Z3 gave up (" + solver.reason_unknown() + "); give it more time with --proof-seconds";
    }
  } catch (const z3::exception& error) {
    result.is = verdict::unknown;
    result.reason = std::string("Z3 gave up (") + error.msg() + ")";
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace superopt
