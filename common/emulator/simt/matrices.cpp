// Matrices in the registers of a warp: their products, and loads and stores of their elements.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/simt/access_request.hpp"
#include "emulator/simt/matrix_form.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {

using observers::access_kind;
using observers::fault_kind;
using ptx::state_space;

/// The location of a matrix in memory.
struct matrix_at {
  state_space space = state_space::global;
  std::uint64_t begin = 0;   ///< In the state space.
  std::uint64_t stride = 0;  ///< Distance between rows, or between columns, in elements.
  bool by_columns = false;
  /// Returns the address of an element of `f` in the state space.
  [[nodiscard]] std::uint64_t place_of(const fragment& f, matrix_place at) const {
    return begin + (by_columns ? at.column * stride + at.row : at.row * stride + at.column) * f.element_bytes;
  }
};

namespace {

const matrix_form& form_of(const warp& w, const op& o) {
  return w.owner->launch->code->matrix_forms[o.reconvergence];
}

std::byte* element_of(warp& w, const slot* registers, const fragment& f, unsigned lane, unsigned element) {
  const unsigned in_register = element % f.per_register();
  return w.file + registers[element / f.per_register()] + std::size_t{lane} * f.register_bytes +
         in_register * f.element_bytes;
}

/// Returns the index of an element in `matrix_bits`.
unsigned index_of(const fragment& f, matrix_place at, bool by_columns) {
  return by_columns ? at.column * f.rows + at.row : at.row * f.columns + at.column;
}

void gather(warp& w, const slot* registers, const fragment& f, bool by_columns, matrix_bits& to) {
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    for (unsigned e = 0; e < f.distinct; ++e) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, element_of(w, registers, f, lane, e), f.element_bytes);
      to.of[index_of(f, f.place(lane, e), by_columns)] = bits;
    }
  }
}

void scatter(warp& w, const slot* registers, const fragment& f, const matrix_bits& from) {
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    for (unsigned e = 0; e < f.elements(); ++e) {
      if (registers[e / f.per_register()] == no_slot) continue;
      const std::uint64_t bits = from.of[index_of(f, f.place(lane, e), false)];
      std::memcpy(element_of(w, registers, f, lane, e), &bits, f.element_bytes);
    }
  }
}

/// The size of a row of an `ldmatrix` matrix, whose address one lane gives, and the number of rows and columns of such
/// a matrix.
constexpr unsigned row_bytes = 16, rows_of_matrix = 8, columns_of_matrix = 8;

/// The lane and the half of its register that hold element (row, column) of an `ldmatrix` matrix.
struct half_place {
  unsigned lane, half;
};
half_place place_in_registers(unsigned row, unsigned column, bool is_transposed) {
  if (is_transposed) std::swap(row, column);
  return {row * 4 + column / 2, column % 2};
}

/// Elements of a lane that are consecutive in memory, in one register or in neighbouring ones.
struct piece {
  unsigned first = 0, count = 1;
};

/// Returns the elements of each lane in pieces of up to 16 bytes. The distances between them are the same in all lanes.
std::vector<piece> pieces_of(const fragment& f, const matrix_at& at) {
  std::vector<piece> pieces;
  for (unsigned e = 0; e < f.distinct;) {
    unsigned count = 1;
    while (e + 2 * count <= f.distinct && 2 * count * f.element_bytes <= row_bytes) {
      bool follows = true;
      for (unsigned k = e + 1; k < e + 2 * count; ++k)
        follows &= at.place_of(f, f.place(0, k)) == at.place_of(f, f.place(0, e)) + (k - e) * f.element_bytes;
      if (!follows) break;
      count *= 2;
    }
    pieces.push_back({e, count});
    e += count;
  }
  return pieces;
}

/// Returns the elements of each lane in pairs.
std::vector<piece> pairs_of(const fragment& f) {
  std::vector<piece> pairs;
  for (unsigned e = 0; e < f.distinct; e += 2) pairs.push_back({e, 2});
  return pairs;
}

/// Returns true if elements that are neighbours in a register are also neighbours in memory.
bool lies_side_by_side(const matrix_form& form) {
  return (form.d.place(0, 0).row == form.d.place(0, 1).row) != form.by_columns;
}

/// Returns true if pairs of 16-bit elements that are neighbours in memory belong to different lanes. A load then reads
/// 8 x 8 elements as if they were transposed and exchanges them between lanes afterwards. A store exchanges them first.
bool changes_lanes(const matrix_form& form) {
  return form.d.element_bytes == 2 && !lies_side_by_side(form);
}

/// Returns the first element of the pair that `lane` accesses if elements are exchanged between lanes
/// (`changes_lanes`). The pair is in the 8 x 8 elements that contain element `e` of each lane.
matrix_place turned_place(const matrix_form& form, unsigned e, unsigned lane) {
  matrix_place at = form.d.place(0, e);
  at.row = static_cast<std::uint8_t>(at.row + (form.by_columns ? lane % 4 * 2 : lane / 4));
  at.column = static_cast<std::uint8_t>(at.column + (form.by_columns ? lane / 4 : lane % 4 * 2));
  return at;
}

/// Blocks may race, on purpose or by mistake. The host's result is as valid as a GPU's (memory_access.cpp).
[[gnu::no_sanitize("thread")]] void copy_element(std::byte* to, const std::byte* from, unsigned bytes) {
  for (unsigned k = 0; k < bytes; ++k) to[k] = from[k];
}

std::uintptr_t base_of(const block& b, state_space space) {
  return space == state_space::shared ? reinterpret_cast<std::uintptr_t>(b.shared.get()) : 0;
}

std::string bytes_in_words(std::uint64_t n) {
  return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

/// Returns the first lane whose value differs from lane 0's, or 32 if all lanes have the same value, as they must.
template <typename T>
unsigned first_other(const T* values) {
  return static_cast<unsigned>(std::find_if(values, values + warp_size, [=](T x) { return x != values[0]; }) - values);
}

}  // namespace

void run_multiply(warp& w, const op& o) {
  const matrix_form& form = form_of(w, o);
  const slot* registers = w.vector_registers + o.target;
  matrix_bits a, b, c, d;
  gather(w, registers, form.a, false, a);
  gather(w, registers + form.a.registers, form.b, true, b);
  gather(w, registers + form.a.registers + form.b.registers, form.c, false, c);
  multiply_matrices(form, a, b, c, d);
  scatter(w, registers + o.element_count, form.d, d);
}

void run_transpose(warp& w, const op& o) {
  std::uint16_t halves[warp_size][2], turned[warp_size][2];
  std::memcpy(halves, w.lanes<std::uint32_t>(o.a), sizeof halves);
  for (unsigned row = 0; row < rows_of_matrix; ++row) {
    for (unsigned column = 0; column < columns_of_matrix; ++column) {
      const half_place from = place_in_registers(row, column, false), to = place_in_registers(row, column, true);
      turned[to.lane][to.half] = halves[from.lane][from.half];
    }
  }
  if (o.dst != no_slot) std::memcpy(w.lanes<std::uint32_t>(o.dst), turned, sizeof turned);
}

/// Checks an access to a part of a matrix, and reports it to the observer.
bool memory_unit::announce(block& b, warp& w, const op& o, request& r, const std::uint64_t* values) {
  if (!check(b, w, r)) return false;
  if (observer_ != nullptr) {
    observers::memory_event event = event_of(r);
    event.values = values;
    observer_->access(w.index, event);
  }
  if (noted_) note_before(b, w, o, r);
  return true;
}

void memory_unit::conclude(block& b, warp& w, const op& o, const request& r) {
  if (noted_) note_after(b, w, r);
  if (observer_ != nullptr && observer_->wants_results()) tell_values(b, w, o, r);
}

bool memory_unit::matrix_rows(block& b, warp& w, const op& o, std::uint32_t pc) {
  const matrix_form& form = form_of(w, o);
  const bool load = form.operation == matrix_operation::load_rows;
  const slot* registers = w.vector_registers + o.target;
  const std::uint32_t lanes = form.matrices == 4 ? all_lanes : (1u << form.matrices * rows_of_matrix) - 1;
  request r(load ? access_kind::load : access_kind::store, state_space::shared, pc, lanes, row_bytes);
  compute_addresses(w, o, r.mask, r.address);
  if (o.space == state_space::generic) {
    for (const unsigned l : lanes_in(r.mask)) {
      if ((r.address.of[l] & window_mask) != shared_window)
        return stop_lanes(b, w, pc, fault_kind::bad_matrix, 1u << l, "the address is not one of shared memory", r.kind);
    }
    for (std::uint64_t* x : {&r.address.low, &r.address.high, &r.address.together}) *x -= shared_window;
    for (std::uint64_t& x : r.address.of) x -= shared_window;
  }
  // The contents of the registers as rows in memory.
  std::uint16_t rows[warp_size][columns_of_matrix] = {};
  const auto for_each_half = [&](auto f) {
    for (unsigned row = 0; row < form.matrices * rows_of_matrix; ++row) {
      for (unsigned column = 0; column < columns_of_matrix; ++column) {
        const half_place at = place_in_registers(row % rows_of_matrix, column, form.is_transposed);
        const slot in = registers[row / rows_of_matrix];
        if (in != no_slot) f(rows[row][column], w.file + in + at.lane * 4 + at.half * 2);
      }
    }
  };
  std::uint64_t values[warp_size] = {};
  if (!load) {
    for_each_half([](std::uint16_t& in_row, const std::byte* at) { std::memcpy(&in_row, at, 2); });
    for (unsigned l = 0; l < warp_size; ++l) std::memcpy(&values[l], rows[l], sizeof values[l]);
  }
  if (!announce(b, w, o, r, load ? nullptr : values)) return false;
  for (const unsigned l : lanes_in(r.mask)) {
    std::byte* const there = b.shared.get() + r.address.of[l];
    load ? std::memcpy(rows[l], there, row_bytes) : std::memcpy(there, rows[l], row_bytes);
  }
  if (load) for_each_half([](const std::uint16_t& in_row, std::byte* at) { std::memcpy(at, &in_row, 2); });
  conclude(b, w, o, r);
  return true;
}

/// Finds the address of the matrix that a `wmma` instruction accesses, and the distance between its rows. It is a fault
/// if lanes disagree or if the matrix isn't aligned.
bool memory_unit::place_matrix(block& b, warp& w, const op& o, std::uint32_t pc, matrix_at& at) {
  const matrix_form& form = form_of(w, o);
  const access_kind kind = form.operation == matrix_operation::load ? access_kind::load : access_kind::store;
  address_set address;
  compute_addresses(w, o, all_lanes, address);
  at.stride = w.lanes<std::uint32_t>(o.b)[0];
  if (const unsigned l = first_other(address.of); l < warp_size)
    return stop_lanes(b, w, pc, fault_kind::bad_matrix, 1u << l,
                      "its address is not that of lane 0: one matrix is meant, and the lanes share it out themselves",
                      kind);
  if (const unsigned l = first_other(w.lanes<std::uint32_t>(o.b)); l < warp_size)
    return stop_lanes(b, w, pc, fault_kind::bad_matrix, 1u << l,
                      "its distance between rows differs from that of lane 0", kind);
  at.begin = address.of[0];
  at.space = o.space;
  at.by_columns = form.by_columns;
  if (o.space == state_space::generic) {
    const std::uint64_t window = at.begin & window_mask;
    at.space = window == shared_window ? state_space::shared : state_space::global;
    if (window == shared_window) at.begin -= window;
    if (window == local_window || window == param_window)
      return stop_lanes(b, w, pc, fault_kind::bad_matrix, 1u, "the matrix is not in global or shared memory", kind);
  }
  // The manual requires that each row is aligned to the size of the fragment, the programming guide requires 32 bytes
  // for the first row and 16 for the others. It is an error only if both are violated.
  const std::uint64_t own = form.d.bytes(), begin = std::min<std::uint64_t>(own, 32),
                      step = std::min<std::uint64_t>(own, 16), bytes = at.stride * form.d.element_bytes;
  if (at.begin % begin != 0)
    return stop_lanes(b, w, pc, fault_kind::bad_matrix, 1u,
                      "the matrix does not begin at a multiple of " + bytes_in_words(begin), kind);
  if (bytes % step != 0)
    return stop_lanes(b, w, pc, fault_kind::bad_matrix, 1u,
                      std::string("its ") + (form.by_columns ? "columns" : "rows") + " are " + bytes_in_words(bytes) +
                          " apart, which isn't a multiple of " + bytes_in_words(step),
                      kind);
  return true;
}

/// Reports the requests of a load as sm_90 machine code makes them (CUDA 13.0). Factors of 16 bits in shared memory,
/// and of 8 bits if a lane's elements are neighbours, are loaded in rows of 16 bytes, one per lane, as by `ldmatrix`.
/// Other elements of 16 bits are loaded in pairs that are neighbours, and exchanged between lanes if necessary. The
/// others are loaded directly.
bool memory_unit::announce_load(block& b, warp& w, const op& o, std::uint32_t pc, const matrix_at& at) {
  const matrix_form& form = form_of(w, o);
  const fragment& f = form.d;
  request r;
  r.space = at.space;
  r.pc = pc;
  const auto tell = [&](auto address) {
    r.allocation = nullptr;
    set_addresses<std::uint64_t>(r.address, r.mask, address);
    if (!announce(b, w, o, r, nullptr)) return false;
    conclude(b, w, o, r);
    return true;
  };
  const bool in_rows = f.element_bytes == 2 || (f.element_bytes == 1 && lies_side_by_side(form));
  if (form.is_factor && at.space == state_space::shared && in_rows) {
    const unsigned most = f.element_bytes == 1 ? warp_size / 2 : warp_size;
    const unsigned lines = form.by_columns ? f.columns : f.rows;
    const unsigned runs = f.rows * f.columns * f.element_bytes / row_bytes;
    for (unsigned first = 0; first < runs; first += most) {
      const unsigned lanes = std::min(most, runs - first);
      r.mask = lanes == warp_size ? all_lanes : (1u << lanes) - 1;
      r.bytes = row_bytes;
      if (!tell([&](unsigned l) {
            const unsigned run = first + l;
            return at.begin + run % lines * at.stride * f.element_bytes + std::uint64_t{run / lines} * row_bytes;
          }))
        return false;
    }
    return true;
  }
  r.mask = all_lanes;
  if (changes_lanes(form)) {
    r.bytes = 4;
    for (const piece& p : pairs_of(f))
      if (!tell([&](unsigned l) { return at.place_of(f, turned_place(form, p.first, l)); })) return false;
    return true;
  }
  for (const piece& p : pieces_of(f, at)) {
    r.bytes = p.count * f.element_bytes;
    if (!tell([&](unsigned l) { return at.place_of(f, f.place(l, p.first)); })) return false;
  }
  return true;
}

bool memory_unit::matrix_load(block& b, warp& w, const op& o, std::uint32_t pc, const matrix_at& at) {
  if (!announce_load(b, w, o, pc, at)) return false;
  const matrix_form& form = form_of(w, o);
  const fragment& f = form.d;
  const slot* registers = w.vector_registers + o.target;
  const std::uintptr_t memory = base_of(b, at.space);
  for (unsigned l = 0; l < warp_size; ++l) {
    for (unsigned e = 0; e < f.elements(); ++e) {
      if (registers[e / f.per_register()] == no_slot) continue;
      copy_element(element_of(w, registers, f, l, e), bytes_at(memory, at.place_of(f, f.place(l, e))), f.element_bytes);
    }
  }
  return true;
}

bool memory_unit::matrix_store(block& b, warp& w, const op& o, std::uint32_t pc, const matrix_at& at) {
  const matrix_form& form = form_of(w, o);
  const fragment& f = form.d;
  const std::uintptr_t memory = base_of(b, at.space);
  matrix_bits bits;
  gather(w, w.vector_registers + o.target, f, form.by_columns, bits);
  const bool turned = changes_lanes(form);
  for (const piece& p : turned ? pairs_of(f) : pieces_of(f, at)) {
    request r(access_kind::store, at.space, pc, all_lanes, p.count * f.element_bytes);
    std::byte own[warp_size][row_bytes];
    std::uint64_t values[warp_size] = {};
    const auto place = [&](unsigned l) { return turned ? turned_place(form, p.first, l) : f.place(l, p.first); };
    for (unsigned l = 0; l < warp_size; ++l) {
      const std::uint64_t* const from = bits.of + index_of(f, place(l), form.by_columns);
      for (unsigned k = 0; k < p.count; ++k) std::memcpy(own[l] + k * f.element_bytes, from + k, f.element_bytes);
      std::memcpy(&values[l], own[l], std::min<std::size_t>(r.bytes, sizeof values[l]));
    }
    set_addresses<std::uint64_t>(r.address, r.mask, [&](unsigned l) { return at.place_of(f, place(l)); });
    if (!announce(b, w, o, r, at.space == state_space::shared ? values : nullptr)) return false;
    for (unsigned l = 0; l < warp_size; ++l) copy_element(bytes_at(memory, r.address.of[l]), own[l], r.bytes);
    conclude(b, w, o, r);
  }
  return true;
}

bool memory_unit::matrix(block& b, warp& w, const op& o, std::uint32_t pc) {
  const matrix_operation operation = form_of(w, o).operation;
  if (operation == matrix_operation::load_rows || operation == matrix_operation::store_rows)
    return matrix_rows(b, w, o, pc);
  matrix_at at;
  if (!place_matrix(b, w, o, pc, at)) return false;
  return operation == matrix_operation::load ? matrix_load(b, w, o, pc, at) : matrix_store(b, w, o, pc, at);
}

}  // namespace emulator::simt
