#include "superopt/trace.hpp"

#include <fmt/format.h>

namespace superopt {

constexpr unsigned nothing = ~0u;  ///< In the place of a source: zero.

/// An operation on numbered values.
struct operation {
  opcode op;
  std::array<unsigned, 3> sources{nothing, nothing, nothing};
  std::uint32_t immediate = 0;
  bool gone = false;  ///< Has become part of a later one.
};

class tracer {
 public:
  traced input() { return value(0); }
  traced note(const operation& o) {
    if (done_.size() == most_instructions) throw bad_input(fmt::format("more than {} operations", most_instructions));
    done_.push_back(o);
    return value(static_cast<unsigned>(done_.size()));
  }
  static traced combine(const traced& a, const traced& b) {
    return a.by_->note({opcode::iadd, {a.number_, b.number_, nothing}});
  }
  static traced shuffle_down(const traced& a, unsigned distance) {
    if (distance >= warp_size) throw bad_input(fmt::format("a shuffle over {} lanes leaves the warp", distance));
    return a.by_->note({opcode::shfl_down, {a.number_, nothing, nothing}, distance});
  }
  program finish(const traced& result);

 private:
  traced value(unsigned number) {
    traced v;
    v.by_ = this;
    v.number_ = number;
    return v;
  }
  [[nodiscard]] std::vector<unsigned> uses(unsigned result) const;
  void join_additions(unsigned result);
  std::vector<operation> done_;
};

std::vector<unsigned> tracer::uses(unsigned result) const {
  std::vector<unsigned> count(done_.size() + 1, 0);
  count[result] = 1;
  for (std::size_t k = done_.size(); k-- > 0;) {
    if (count[k + 1] == 0 || done_[k].gone) continue;
    for (const unsigned s : done_[k].sources) {
      if (s != nothing) ++count[s];
    }
  }
  return count;
}

void tracer::join_additions(unsigned result) {
  for (std::size_t k = 0; k < done_.size(); ++k) {
    operation& o = done_[k];
    if (o.op != opcode::iadd) continue;
    const std::vector<unsigned> count = uses(result);
    for (unsigned s = 0; s < 2; ++s) {
      if (o.sources[s] == 0 || count[o.sources[s]] != 1) continue;
      operation& inner = done_[o.sources[s] - 1];
      if (inner.op != opcode::iadd) continue;
      o = {opcode::iadd3, {o.sources[1 - s], inner.sources[0], inner.sources[1]}};
      inner.gone = true;
      break;
    }
  }
}

program tracer::finish(const traced& result) {
  join_additions(result.number_);
  const std::vector<unsigned> count = uses(result.number_);
  std::vector<std::size_t> last_use(done_.size() + 1, 0);
  for (std::size_t k = 0; k < done_.size(); ++k) {
    for (const unsigned s : done_[k].sources) {
      if (s != nothing && !done_[k].gone) last_use[s] = k;
    }
  }
  std::vector<std::uint8_t> holder(done_.size() + 1, 3);  // the input stands in r3
  std::vector<std::uint8_t> free;
  for (std::uint8_t r = register_count; r-- > 0;) {
    if (r != 3 && r != 4) free.push_back(r);
  }
  program p;
  for (std::size_t k = 0; k < done_.size(); ++k) {
    const operation& o = done_[k];
    if (o.gone || count[k + 1] == 0) continue;
    instruction i;
    i.op = o.op;
    i.immediate = o.immediate;
    for (unsigned s = 0; s < i.source_count(); ++s)
      i.sources[s] = o.sources[s] == nothing ? zero_register : holder[o.sources[s]];
    if (free.empty()) throw bad_input("more values alive at once than there are registers here (15)");
    holder[k + 1] = free.back();
    free.pop_back();
    i.destination = holder[k + 1];
    if (k + 1 == result.number_) i.destination = 4;
    p.push_back(i);
    // Registers are used again as late as can be, so that nothing waits for them.
    for (unsigned s = 0; s < i.source_count(); ++s) {
      const unsigned source = o.sources[s];
      const bool twice = (s > 0 && o.sources[0] == source) || (s > 1 && o.sources[1] == source);
      if (source != nothing && source != 0 && !twice && last_use[source] == k)
        free.insert(free.begin(), holder[source]);
    }
  }
  if (result.number_ == 0) p.push_back(parse_instruction("MOV r4, r3"));
  return p;
}

traced operator+(const traced& a, const traced& b) {
  return tracer::combine(a, b);
}
traced down(const traced& a, unsigned distance) {
  return tracer::shuffle_down(a, distance);
}

program trace(const std::function<traced(traced)>& f) {
  tracer t;
  return t.finish(f(t.input()));
}

}  // namespace superopt
