// Loads and stores the data of an inline access, after its address has been found: r15 is the address of lane 0's word
// in the host's memory.

#include <cstdint>
#include <vector>

#include "emulator/jit/emitter.hpp"

namespace emulator::simt::native {

/// Selects the registers that are loaded or stored.
void emitter::take_data(access& x) {
  const op& o = *x.o;
  x.elements = o.element_count;
  const unsigned count = parts(o.element_bytes);
  for (unsigned e = 0; e < x.elements; ++e) {
    const slot s = x.elements != 1 ? program_.vector_registers[o.target + e] : x.loads ? o.dst : o.b;
    x.wanted[e] = s != no_slot;
    if (!x.wanted[e]) continue;
    if (x.elements != 1 && !has_masks()) {  // there are not enough registers, so they are loaded directly to memory
      for (cached& c : cached_)
        if (c.base == s) c = {};
      continue;
    }
    for (unsigned part = 0; part < count; ++part)
      x.data[e * count + part] = x.loads ? write(s, o.element_bytes, part) : read(s, o.element_bytes, part);
  }
}

/// Separates contiguous vectors into their elements, one element after the other; the data for each part fill as many
/// vector registers as a vector has elements.
void emitter::take_vectors_apart_with_masks(const access& x) {
  const op& o = *x.o;
  const bool wide = o.element_bytes == 8;
  const unsigned count = parts(o.element_bytes), lanes_each = 64 / o.element_bytes;
  for (unsigned part = 0; part < count; ++part) {
    const auto at = [&](unsigned k) {
      return x86::ptr(x86::r15, static_cast<std::int32_t>(64 * (x.elements * part + k)), 64);
    };
    for (unsigned e = 0; e < x.elements; ++e) {
      if (!x.wanted[e]) continue;
      // Indices into the numbers in two vector registers of data, for the lanes whose vectors they contain.
      std::vector<std::uint64_t> from;
      for (unsigned k = 0; k < 8; ++k) {
        const auto number = [&](unsigned lane) { return std::uint64_t{(lane * x.elements + e) % (2 * lanes_each)}; };
        from.push_back(wide ? number(k) : number(2 * k + 1) << 32 | number(2 * k));
      }
      const auto two = [&](const x86::Vec& to, unsigned k) {
        a.vmovdqa64(to, pooled(from));
        a.vmovdqu64(scratch(2), at(k));
        wide ? a.vpermi2q(to, scratch(2), at(k + 1)) : a.vpermi2d(to, scratch(2), at(k + 1));
      };
      const x86::Vec to = x.data[e * count + part];
      two(to, 0);
      if (x.elements == 2) continue;
      two(scratch(1), 2);
      a.vinserti64x4(to, to, scratch(1).ymm(), 1);
    }
  }
}

/// Does the same with AVX2, but stores the elements directly in the register file in memory.
void emitter::take_vectors_apart(const access& x) {
  const op& o = *x.o;
  const unsigned words = o.element_bytes / 4;  // in words of four bytes; a register has eight of them
  for (unsigned e = 0; e < x.elements; ++e) {
    if (!x.wanted[e]) continue;
    const auto place = [&](unsigned word) { return (word / words * x.elements + e) * words + word % words; };
    std::vector<std::uint64_t> from;
    for (unsigned k = 0; k < 8; k += 2) from.push_back(std::uint64_t{place(k + 1) % 8} << 32 | place(k) % 8);
    copy(scratch(1), pooled(from));
    for (unsigned part = 0; part < parts(o.element_bytes); ++part) {
      for (unsigned k = 0; k < x.elements; ++k) {
        unsigned here = 0;
        for (unsigned word = 0; word < 8; ++word) here |= (place(word) / 8 == k ? 1u : 0u) << word;
        const auto at = static_cast<std::int32_t>(32 * (x.elements * part + k));
        a.vpermd(scratch(k == 0 ? 0 : 2), scratch(1), x86::ptr(x86::r15, at, 32));
        if (k != 0) a.vpblendd(scratch(0), scratch(0), scratch(2), here);
      }
      copy(part_in_file(program_.vector_registers[o.target + e], part), scratch(0));
    }
  }
}

void emitter::move_data(access& x, bool one) {
  const op& o = *x.o;
  if (x.elements != 1 && !one) return has_masks() ? take_vectors_apart_with_masks(x) : take_vectors_apart(x);
  const unsigned count = parts(o.element_bytes);
  for (unsigned e = 0; one && e < x.elements; ++e) {
    if (!x.wanted[e]) continue;
    const bool to_file = x.elements != 1 && !has_masks();
    const x86::Vec first = to_file ? scratch(0) : x.data[e * count];
    const auto at = static_cast<std::int32_t>(e * o.element_bytes);
    o.element_bytes == 4 ? a.vpbroadcastd(first, x86::dword_ptr(x86::r15, at))
                         : a.vpbroadcastq(first, x86::qword_ptr(x86::r15, at));
    for (unsigned part = to_file ? 0 : 1; part < count; ++part) {
      if (to_file)
        copy(part_in_file(program_.vector_registers[o.target + e], part), first);
      else
        copy(x.data[e * count + part], first);
    }
  }
  if (one) return;
  const bool wide = x.bytes == 8;
  for (unsigned part = 0; part < parts(x.bytes); ++part) {
    const x86::Vec data = x.data[part];
    const x86::Mem at = x86::ptr(x86::r15, static_cast<std::int32_t>(vector_bytes_ * part), vector_bytes_);
    if (full_ && has_masks()) {
      x.loads ? a.vmovdqu64(data, at) : a.vmovdqu64(at, data);
    } else if (full_) {
      x.loads ? a.vmovdqu(data, at) : a.vmovdqu(at, data);
    } else if (has_masks()) {
      a.k(lanes_of(x.bytes, part));
      if (x.loads) {
        a.z();
        wide ? a.vmovdqu64(data, at) : a.vmovdqu32(data, at);
      } else {
        wide ? a.vmovdqu64(at, data) : a.vmovdqu32(at, data);
      }
    } else {
      const x86::Vec own = scratch(0);
      lanes_by_bits(own, lanes(), x.bytes, part);
      if (x.loads)
        wide ? a.vpmaskmovq(data, own, at) : a.vpmaskmovd(data, own, at);
      else
        wide ? a.vpmaskmovq(at, own, data) : a.vpmaskmovd(at, own, data);
    }
  }
}

}  // namespace emulator::simt::native
