// The places of a matrix's elements in a warp's registers. For `mma` they are in the PTX manual (PTX ISA, "Matrix
// Fragments for mma"); for `wmma` they are undocumented, so the ones of an H100 are used
// (tests/kernels/hardware_comparison/matrix_forms.py).
//
// A lane belongs to one of 8 groups of 4. In all fragments, the group selects the row of A, column of B or row of C,
// and the lane's number in its group selects the part along the other dimension. Each bit of an element's number is a
// step in the matrix.

#include "emulator/simt/matrix_form.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

#include "emulator/simt/launch.hpp"
#include "emulator/simt/program.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

/// A step from one place of a matrix to another.
struct matrix_step {
  unsigned rows = 0, columns = 0;
};

/// The steps of a fragment, described as if it were a fragment of A, whose rows are counted by `outer` and whose
/// columns by `k`.
struct description {
  matrix_step of_group, of_lane;
  std::vector<matrix_step> of_bit;
};

unsigned bytes_of(scalar_type type) {
  return ptx::size_bytes(type);
}

matrix_step turned(const matrix_step& s) {
  return {s.columns, s.rows};
}

description turned(description d) {
  d.of_group = turned(d.of_group);
  d.of_lane = turned(d.of_lane);
  for (matrix_step& s : d.of_bit) s = turned(s);
  return d;
}

/// \param k_first  true if a lane's elements continue along k before they continue in other rows
description of_factor(unsigned outer, unsigned k, unsigned packed, bool k_first) {
  description d;
  d.of_group = {1, 0};
  d.of_lane = {0, packed};
  for (unsigned step = 1; step < packed; step *= 2) d.of_bit.push_back({0, step});
  const auto along_k = [&] {
    for (unsigned step = 4 * packed; step < k; step *= 2) d.of_bit.push_back({0, step});
  };
  if (k_first) along_k();
  if (outer >= 16) d.of_bit.push_back({8, 0});
  if (!k_first) along_k();
  if (outer >= 32) d.of_bit.push_back({16, 0});
  return d;
}

description of_accumulator(const matrix_shape& shape) {
  description d;
  d.of_group = {1, 0};
  d.of_lane = {0, 2};
  d.of_bit.push_back({0, 1});
  if (shape.m >= 16) d.of_bit.push_back({8, 0});
  if (shape.n >= 16) d.of_bit.push_back({0, 8});
  if (shape.m >= 32) d.of_bit.push_back({16, 0});
  return d;
}

fragment made(const description& by, scalar_type type, unsigned rows, unsigned columns, unsigned registers) {
  fragment f;
  f.type = type;
  f.rows = rows;
  f.columns = columns;
  f.element_bytes = bytes_of(type);
  f.register_bytes = type == scalar_type::f64 ? 8 : 4;
  f.distinct = 1u << by.of_bit.size();
  f.registers = registers != 0 ? registers : std::max(1u, f.distinct / f.per_register());
  f.places.reserve(std::size_t{warp_size} * f.elements());
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    for (unsigned element = 0; element < f.elements(); ++element) {
      matrix_step at{lane / 4 * by.of_group.rows + lane % 4 * by.of_lane.rows,
                     lane / 4 * by.of_group.columns + lane % 4 * by.of_lane.columns};
      for (unsigned bit = 0; bit < by.of_bit.size(); ++bit) {
        if ((element >> bit & 1u) == 0) continue;
        at.rows += by.of_bit[bit].rows;
        at.columns += by.of_bit[bit].columns;
      }
      f.places.push_back({static_cast<std::uint8_t>(at.rows), static_cast<std::uint8_t>(at.columns)});
    }
  }
  return f;
}

unsigned packed_of(scalar_type type) {
  return type == scalar_type::f64 ? 1 : 4 / bytes_of(type);
}

/// Returns a fragment of a factor. \param registers  0: the number that the elements need
fragment factor(matrix_role role, const matrix_shape& shape, scalar_type type, bool k_first, unsigned registers = 0) {
  const unsigned outer = role == matrix_role::a ? shape.m : shape.n;
  const description d = of_factor(outer, shape.k, packed_of(type), k_first);
  return role == matrix_role::a ? made(d, type, outer, shape.k, registers)
                                : made(turned(d), type, shape.k, outer, registers);
}

/// Types of matrices that can be multiplied, and the shapes that they may have.
struct family {
  std::initializer_list<scalar_type> factors, sums;
  std::initializer_list<matrix_shape> shapes;
};
constexpr family wmma_families[] = {{{scalar_type::f16, scalar_type::bf16, scalar_type::s8, scalar_type::u8},
                                     {scalar_type::f16, scalar_type::f32, scalar_type::s32},
                                     {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}},
                                    {{scalar_type::tf32}, {scalar_type::f32}, {{16, 16, 8}}},
                                    {{scalar_type::f64}, {scalar_type::f64}, {{8, 8, 4}}}};
constexpr family mma_families[] = {
    {{scalar_type::f16, scalar_type::bf16}, {scalar_type::f16, scalar_type::f32}, {{16, 8, 8}, {16, 8, 16}}},
    {{scalar_type::s8, scalar_type::u8}, {scalar_type::s32}, {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}},
    {{scalar_type::tf32}, {scalar_type::f32}, {{16, 8, 4}, {16, 8, 8}}},
    {{scalar_type::f64}, {scalar_type::f64}, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}}};

/// \throws unsupported  if no family has matrices of that type and shape in that role
void check_family(std::span<const family> all, const matrix_shape& shape, matrix_role role, scalar_type type) {
  const auto contains = [](const auto& list, const auto& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  const bool known = std::any_of(all.begin(), all.end(), [&](const family& f) {
    return contains(role == matrix_role::accumulator ? f.sums : f.factors, type) && contains(f.shapes, shape);
  });
  if (!known)
    throw unsupported("matrices of m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" +
                      std::to_string(shape.k) + " with these types");
}

}  // namespace

fragment wmma_fragment(matrix_role role, const matrix_shape& shape, scalar_type type) {
  check_family(wmma_families, shape, role, type);
  // The product with 8 rows and 32 columns is computed as the product of the transposed factors.
  if (role == matrix_role::accumulator)
    return shape.n == 32 ? made(turned(of_accumulator({shape.n, shape.m, shape.k})), type, shape.m, shape.n, 0)
                         : made(of_accumulator(shape), type, shape.m, shape.n, 0);
  return factor(role, shape, type, role == matrix_role::b && shape.n != 32, type == scalar_type::f16 ? 8 : 0);
}

fragment mma_fragment(matrix_role role, const matrix_shape& shape, scalar_type type) {
  check_family(mma_families, shape, role, type);
  if (role == matrix_role::accumulator) return made(of_accumulator(shape), type, shape.m, shape.n, 0);
  return factor(role, shape, type, false);
}

}  // namespace emulator::simt
