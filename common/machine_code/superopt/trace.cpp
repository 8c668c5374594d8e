#include "machine_code/superopt/trace.hpp"

#include <fmt/format.h>

namespace superopt {

class tracer {
 public:
  traced input() { return {this, 0}; }
  /// Records an instruction whose sources are the numbers of values, not of registers. Returns its result.
  traced note(const instruction& operation) {
    if (done_.full()) throw bad_input(fmt::format("more than {} operations", max_instructions));
    done_.push_back(operation);
    return {this, static_cast<std::uint8_t>(done_.size())};
  }
  program finish(const traced& result);

 private:
  [[nodiscard]] std::vector<unsigned> uses(unsigned result) const;
  void join_additions(unsigned result);
  program done_;
};

/// Returns how often each value is used. The result counts as used once, and uses by instructions that do not
/// contribute to it don't count.
std::vector<unsigned> tracer::uses(unsigned result) const {
  std::vector<unsigned> count(done_.size() + 1, 0);
  count[result] = 1;
  for (unsigned k = done_.size(); k-- > 0;) {
    if (count[k + 1] == 0) continue;
    for (unsigned s = 0; s < done_[k].source_count(); ++s) ++count[done_[k].sources[s]];
  }
  return count;
}

void tracer::join_additions(unsigned result) {
  for (unsigned k = 0; k < done_.size(); ++k) {
    instruction& o = done_[k];
    if (o.op != opcode::iadd) continue;
    const std::vector<unsigned> count = uses(result);
    for (unsigned s = 0; s < 2; ++s) {
      if (o.sources[s] == 0 || count[o.sources[s]] != 1) continue;
      const instruction& inner = done_[o.sources[s] - 1u];
      if (inner.op != opcode::iadd) continue;
      // The inner addition is now unused.
      o = {opcode::iadd3, 0, {o.sources[1 - s], inner.sources[0], inner.sources[1]}};
      break;
    }
  }
}

program tracer::finish(const traced& result) {
  join_additions(result.number_);
  const std::vector<unsigned> count = uses(result.number_);
  std::vector<unsigned> last_use(done_.size() + 1, 0);
  for (unsigned k = 0; k < done_.size(); ++k) {
    if (count[k + 1] == 0) continue;
    for (unsigned s = 0; s < done_[k].source_count(); ++s) last_use[done_[k].sources[s]] = k;
  }
  std::vector<std::uint8_t> holder(done_.size() + 1, 3);  // the input is in r3
  std::vector<std::uint8_t> free;
  for (std::uint8_t r = register_count; r-- > 0;) {
    if (r != 3 && r != 4) free.push_back(r);
  }
  program p;
  for (unsigned k = 0; k < done_.size(); ++k) {
    if (count[k + 1] == 0) continue;
    const instruction& o = done_[k];
    instruction i = o;
    for (unsigned s = 0; s < o.source_count(); ++s) i.sources[s] = holder[o.sources[s]];
    if (free.empty()) throw bad_input("more values alive at once than there are registers here (15)");
    holder[k + 1] = free.back();
    free.pop_back();
    i.destination = k + 1 == result.number_ ? std::uint8_t{4} : holder[k + 1];
    p.push_back(i);
    // A freed register is used again as late as possible, so that no instruction has to wait for it.
    for (unsigned s = 0; s < o.source_count(); ++s) {
      const unsigned source = o.sources[s];
      const bool twice = (s > 0 && o.sources[0] == source) || (s > 1 && o.sources[1] == source);
      if (source != 0 && !twice && last_use[source] == k) free.insert(free.begin(), holder[source]);
    }
  }
  if (result.number_ == 0) p.push_back(parse_instruction("MOV r4, r3"));
  return p;
}

traced operator+(const traced& a, const traced& b) {
  return a.by_->note({opcode::iadd, 0, {a.number_, b.number_, zero_register}});
}

traced down(const traced& a, unsigned distance) {
  if (distance >= warp_size) throw bad_input(fmt::format("a shuffle over {} lanes leaves the warp", distance));
  return a.by_->note({opcode::shfl_down, 0, {a.number_, zero_register, zero_register}, distance});
}

program trace(const std::function<traced(traced)>& f) {
  tracer t;
  return t.finish(f(t.input()));
}

}  // namespace superopt
