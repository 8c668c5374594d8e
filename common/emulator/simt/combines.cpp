// Which arithmetic is a step of a reduction: it works on a value that came from shared memory or from another lane.

#include <algorithm>
#include <unordered_map>

#include "emulator/simt/decoder.hpp"

namespace emulator::simt {

namespace {

using observers::class_combine;

struct definitions {
  std::uint32_t all = 0;
  std::uint32_t foreign = 0;  ///< Of these, the ones that bring a value from elsewhere.
};

/// Knows of the registers whether all their values come from elsewhere.
class origins {
 public:
  void define(slot s, bool foreign) {
    if (s == no_slot) return;
    definitions& d = values_[s];
    ++d.all;
    d.foreign += foreign ? 1 : 0;
  }
  [[nodiscard]] bool foreign(slot s) const {
    const auto found = values_.find(s);
    return found != values_.end() && found->second.foreign == found->second.all;
  }

 private:
  std::unordered_map<slot, definitions> values_;
};

/// Where the registers of an operation's vector begin.
const slot* vector_of(const program& p, const op& o) {
  return p.vector_registers.data() + o.target;
}

}  // namespace

void mark_combines(program& p) {
  origins values;
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    bool brings = (o.kind == op_kind::load && o.space == ptx::state_space::shared) ||
                  (p.facts.instructions[pc].classes & observers::class_shuffle) != 0;
    if (o.kind == op_kind::arithmetic && (o.roles & role_vector_read) != 0)  // packs several registers
      brings =
          std::all_of(vector_of(p, o), vector_of(p, o) + vector_length(o), [&](slot s) { return values.foreign(s); });
    else if ((o.roles & role_copy) != 0)
      brings = values.foreign(o.a);
    values.define(o.dst, brings);
    const bool unpacks = o.kind == op_kind::arithmetic;
    if ((o.roles & role_vector_written) == 0 || (!unpacks && o.kind != op_kind::load)) continue;
    for (unsigned k = 0; k < vector_length(o); ++k)
      values.define(vector_of(p, o)[k], unpacks ? values.foreign(o.a) : brings);
  }
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    std::uint32_t& classes = p.facts.instructions[pc].classes;
    if (!values.foreign(o.a) && !values.foreign(o.b) && !values.foreign(o.c)) classes &= ~std::uint32_t{class_combine};
  }
}

}  // namespace emulator::simt
