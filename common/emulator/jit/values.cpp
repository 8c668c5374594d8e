// Values in the processor's registers: which program registers are cached where, which of them have to be written back,
// and the code that is out of line, where cached values may be lost.

#include <algorithm>
#include <utility>

#include "emulator/jit/emitter.hpp"
#include "emulator/simt/decoder.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt::native {

using asmjit::Label;

namespace {

const x86::Gp of_predicate[] = {x86::r8d, x86::r9d, x86::r10d, x86::r11d};

}  // namespace

emitter::values emitter::values_now() const {
  return {cached_, predicates_};
}

void emitter::take(const values& v) {
  cached_ = v.registers;
  predicates_ = v.predicates;
  masks_ready_ = false;
}

void emitter::slow_way(const op& o, Label slow, const values& at_slow, Label back) {
  add_detour(slow, back, o, at_slow, values_now(), {});
}

void emitter::add_detour(Label begin, Label back, const op& o, const values& before, const values& behind,
                         std::function<void()> write) {
  const std::uint32_t to_tell =
      o.simple ? count_to_tell_behind(static_cast<std::uint32_t>(&o - program_.code.data())) : 0;
  detours_.push_back(
      {begin, back, &o, before, behind, pending_, masks_ready_, full_, narrowed_from_, to_tell, std::move(write)});
}

/// Loads into the registers the values that have to be cached there.
void emitter::reload() {
  for (unsigned k = 0; k < kept; ++k)
    if (cached_[k].base != no_slot) copy(value_register(k), part_in_file(cached_[k].base, cached_[k].part));
  for (unsigned k = 0; k < kept_predicates; ++k)
    if (predicates_[k].base != no_slot) a.mov(of_predicate[k], in_file(predicates_[k].base, 0, 4));
}

/// Writes code that is out of line: its own, or an operation that is executed by a call.
void emitter::write_detour(const detour& d) {
  full_ = d.full;
  take(d.before);
  a.bind(d.begin);
  if (d.write) {
    d.write();
  } else {
    save_all();
    if (d.of->plain_run != 0) {
      call_handler(*d.of);
    } else {
      const auto pc = static_cast<std::uint32_t>(d.of - program_.code.data());
      a.lea(x86::rax, x86::ptr(count(), static_cast<std::int32_t>(d.pending)));
      a.mov(in_state(offsetof(native_state, executed)), x86::rax);
      a.mov(x86::esi, pc);
      if (d.narrowed_from != no_pc) {
        a.mov(x86::edx, d.narrowed_from);
        call_with_state(offsetof(native_state, carry_out_apart));
        a.mov(count(), in_state(offsetof(native_state, executed)));
        a.jmp(resume_);
        return;
      }
      call_with_state(offsetof(native_state, carry_out));
      a.mov(count(), in_state(offsetof(native_state, executed)));
      a.cmp(x86::rax, 1);
      a.jne(resume_);
      if (!entry_[pc + 1].isValid()) {
        entry_[pc + 1] = a.newLabel();
        a.bind(entry_[pc + 1]);
      }
      tell_from(pc + 1, d.to_tell);
      a.sub(count(), d.pending + 1);
    }
    take(d.behind);
    reload();
  }
  masks_ready_ = false;
  if (!full_ && d.masks_ready) static_cast<void>(lanes_of(2, 0));
  a.jmp(d.back);
}

void emitter::forget() {
  cached_.fill({});
  predicates_.fill({});
  masks_ready_ = false;
}

/// Writes back the values and predicates that have changed, if `wanted` returns true for them.
template <typename F>
void emitter::save_where(F wanted) {
  const auto has_changed = [&](auto& c) {
    return c.base != no_slot && wanted(c.base) && std::exchange(c.changed, false);
  };
  for (unsigned k = 0; k < kept; ++k)
    if (has_changed(cached_[k])) save_part(k);
  for (unsigned k = 0; k < kept_predicates; ++k)
    if (has_changed(predicates_[k])) save_predicate(k);
}

void emitter::save(const register_set& live) {
  save_where([&live](slot s) { return is_live(live, s); });
}

void emitter::save_all() {
  save_where([](slot) { return true; });
}

void emitter::save_register(slot base) {
  save_where([base](slot s) { return s == base; });
}

void emitter::save_part(unsigned k) {
  const cached& c = cached_[k];
  const x86::Mem to = part_in_file(c.base, c.part);
  if (full_) return copy(to, value_register(k));
  // Blended and stored as a whole, because a load after a masked store would have to wait for it.
  const x86::Vec whole = scratch(3);
  copy(whole, to);
  if (!has_masks()) {
    lanes_by_bits(scratch(4), lanes(), c.lane_bytes, c.part);
    a.vpblendvb(whole, whole, value_register(k), scratch(4));
  } else {
    const x86::KReg mask = lanes_of(c.lane_bytes, c.part);
    if (c.lane_bytes == 2)
      a.k(mask).vmovdqu16(whole, value_register(k));
    else if (c.lane_bytes == 4)
      a.k(mask).vmovdqa32(whole, value_register(k));
    else
      a.k(mask).vmovdqa64(whole, value_register(k));
  }
  copy(to, whole);
}

void emitter::save_predicate(unsigned k) {
  const x86::Mem to = in_file(predicates_[k].base, 0, 4);
  if (full_) {
    a.mov(to, of_predicate[k]);
    return;
  }
  a.mov(x86::ecx, to);
  a.mov(x86::edx, x86::ecx);
  a.xor_(x86::ecx, of_predicate[k]);
  a.and_(x86::ecx, lanes());
  a.xor_(x86::ecx, x86::edx);
  a.mov(to, x86::ecx);
}

/// Returns the mask register with the active lanes of a part.
x86::KReg emitter::lanes_of(unsigned lane_bytes, unsigned part) {
  if (!masks_ready_) {
    masks_ready_ = true;
    a.kmovd(x86::k5, lanes());
    a.kmovd(x86::k1, lanes());
    a.kshiftrd(x86::k3, x86::k5, 8);
    a.kshiftrd(x86::k2, x86::k5, 16);
    a.kshiftrd(x86::k4, x86::k5, 24);
  }
  if (lane_bytes == 2) return x86::k5;
  if (lane_bytes == 4) return part == 0 ? x86::k1 : x86::k2;
  static const x86::KReg of_eight[] = {x86::k1, x86::k3, x86::k2, x86::k4};
  return of_eight[part];
}

/// Returns the entry, of `count`, to use for a new value: a free one, else the least recently used one that the current
/// operation doesn't use; `count` if there is none.
template <typename Entries>
unsigned emitter::oldest_of(const Entries& entries, unsigned count) const {
  unsigned oldest = count;
  for (unsigned k = 0; k < count; ++k) {
    if (entries[k].base == no_slot) return k;
    if (entries[k].used != number_ && (oldest == count || entries[k].used < entries[oldest].used)) oldest = k;
  }
  return oldest;
}

/// Frees an entry for one more value.
unsigned emitter::place_for() {
  const unsigned places = kept_here();
  const unsigned k = oldest_of(cached_, places);
  if (k == places) {  // an operation needs more registers than there are, so no code is generated
    static_cast<void>(a.reportError(asmjit::kErrorNoMorePhysRegs));
    return 0;
  }
  if (cached_[k].changed) save_part(k);
  cached_[k] = {};
  return k;
}

/// Returns the entry that holds the part of a register; `kept` if there is none.
unsigned emitter::place_of(slot s, unsigned part) const {
  const auto* found = std::ranges::find_if(cached_, [=](const cached& c) { return c.base == s && c.part == part; });
  return static_cast<unsigned>(found - cached_.begin());
}

x86::Vec emitter::read(slot s, unsigned lane_bytes, unsigned part) {
  if (is_constant(s)) part = 0;  // the same in all parts
  unsigned k = place_of(s, part);
  if (k != kept) {
    cached_[k].used = number_;
    return value_register(k);
  }
  k = place_for();
  cached_[k] = {s, static_cast<std::uint8_t>(part), static_cast<std::uint8_t>(lane_bytes), false, number_};
  if (is_constant(s) && lane_bytes >= 4)
    broadcast(value_register(k), s, lane_bytes);
  else
    copy(value_register(k), part_in_file(s, part));
  return value_register(k);
}

asmjit::Operand emitter::read_or_constant(slot s, unsigned lane_bytes, unsigned part) {
  if (!is_constant(s) || lane_bytes < 4) return read(s, lane_bytes, part);
  const std::uint64_t value = *constant(s, lane_bytes);
  if (!has_masks()) return lane_bytes == 4 ? four_bytes(static_cast<std::uint32_t>(value)) : eight_bytes(value);
  const x86::Mem at = one_number(value, lane_bytes);
  return lane_bytes == 4 ? at._1to16() : at._1to8();
}

asmjit::Operand emitter::wherever_it_is(slot s, unsigned lane_bytes, unsigned part) {
  if (is_constant(s)) return read_or_constant(s, lane_bytes, part);
  if (const unsigned k = place_of(s, part); k != kept) return value_register(k);
  return part_in_file(s, part);
}

/// Copies a constant to all lanes.
void emitter::broadcast(const x86::Vec& to, slot s, unsigned lane_bytes) {
  const x86::Mem at = one_number(*constant(s, lane_bytes), lane_bytes);
  lane_bytes == 4 ? a.vpbroadcastd(to, at) : a.vpbroadcastq(to, at);
}

/// Returns the address of a number after the code. All warps share these constants, which take few cache lines.
x86::Mem emitter::one_number(std::uint64_t value, unsigned bytes) {
  Label& l = numbers_[{bytes, value}];
  if (!l.isValid()) l = a.newLabel();
  return x86::ptr(l, 0, bytes);
}

x86::Vec emitter::write(slot s, unsigned lane_bytes, unsigned part) {
  unsigned k = place_of(s, part);
  if (k == kept) k = place_for();
  cached_[k] = {s, static_cast<std::uint8_t>(part), static_cast<std::uint8_t>(lane_bytes), true, number_};
  return value_register(k);
}

x86::Gp emitter::read_predicate(slot s) {
  const auto place = [&] { return std::ranges::find(predicates_, s, &cached_predicate::base); };
  if (auto* const known = place(); known != predicates_.end()) {
    known->used = number_;
    return of_predicate[known - predicates_.begin()];
  }
  const x86::Gp to = write_predicate(s);
  place()->changed = false;
  a.mov(to, in_file(s, 0, 4));
  return to;
}

x86::Gp emitter::write_predicate(slot s) {
  auto* place = std::ranges::find(predicates_, s, &cached_predicate::base);
  if (place == predicates_.end()) {
    const unsigned k = oldest_of(predicates_, kept_predicates);
    if (predicates_[k].changed) save_predicate(k);
    place = &predicates_[k];
  }
  *place = {s, true, number_};
  return of_predicate[place - predicates_.begin()];
}

std::optional<std::uint64_t> emitter::constant(slot s, unsigned lane_bytes) const {
  if (!is_constant(s)) return {};
  for (const pooled_constant& c : program_.constants) {
    if (c.at != s) continue;
    if (c.bytes < lane_bytes) return {};
    return lane_bytes >= 8 ? c.value : c.value & ((std::uint64_t{1} << 8 * lane_bytes) - 1);
  }
  return {};
}

std::optional<std::uint32_t> emitter::known(const op& o, slot s) {
  static const handler moves = find_move(4);
  const auto as_constant = [this](slot of) -> std::optional<std::uint32_t> {
    const auto value = constant(of, 4);
    return value ? std::optional<std::uint32_t>(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  if (is_constant(s)) return as_constant(s);
  const auto pc = static_cast<std::uint32_t>(&o - program_.code.data());
  for (std::uint32_t before = pc; before-- > flow_.begin[flow_.block_of[pc]];) {
    op& last = shape_.code[before];
    bool sets = false;
    for_each_slot(shape_, last, [&](const slot& one, bool is_written) {
      sets |= is_written && place_number(one) == place_number(s);
    });
    if (!sets) continue;
    const bool all_of_it = last.guard == no_slot && last.run == moves && last.dst == s;
    return all_of_it ? as_constant(last.a) : std::nullopt;
  }
  return {};
}

/// Returns the address of a vector after the code.
x86::Mem emitter::pooled(const std::vector<std::uint64_t>& words) {
  Label& l = pool_[words];
  if (!l.isValid()) l = a.newLabel();
  return x86::ptr(l, 0, vector_bytes_);
}

x86::Mem emitter::four_bytes(std::uint32_t value) {
  return eight_bytes(std::uint64_t{value} << 32 | value);
}

x86::Mem emitter::eight_bytes(std::uint64_t value) {
  return pooled(std::vector<std::uint64_t>(vector_bytes_ / 8, value));
}

x86::Mem emitter::lane_offsets(unsigned part, unsigned bytes, bool wide) {
  const unsigned first = part * vector_bytes_ / (wide ? 8 : 4);
  std::vector<std::uint64_t> words;
  for (unsigned k = 0; k < vector_bytes_ / 8; ++k) {
    if (wide)
      words.push_back(std::uint64_t{first + k} * bytes);
    else
      words.push_back(std::uint64_t{first + 2 * k + 1} * bytes << 32 | std::uint64_t{first + 2 * k} * bytes);
  }
  return pooled(words);
}

}  // namespace emulator::simt::native
