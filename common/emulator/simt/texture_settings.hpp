#pragma once
/// \file
/// What the decoder tells of an instruction on textures or surfaces, in `op::imm`.

#include <bit>
#include <cstdint>

namespace emulator::simt {

enum class texture_operation : std::uint8_t { fetch, surface_load, surface_store, query };
/// What a surface access beyond the edge does.
enum class surface_edge : std::uint8_t { trap, clamp, zero };
enum class texture_question : std::uint8_t { width, height, depth };

struct texture_settings {
  texture_operation operation : 2 = texture_operation::fetch;
  surface_edge edge : 2 = surface_edge::trap;
  texture_question question : 2 = texture_question::width;
  bool layered : 1 = false;
  bool integer_coordinates : 1 = false;
  bool real_result : 1 = false;
  bool asks_surface : 1 = false;
  unsigned dimensions : 2 = 1;  ///< Layers not counted.
  unsigned elements : 3 = 1;    ///< Of a surface access.
  unsigned unused : 17 = 0;

  [[nodiscard]] std::int32_t packed() const { return std::bit_cast<std::int32_t>(*this); }
  [[nodiscard]] static texture_settings unpacked(std::int32_t word) { return std::bit_cast<texture_settings>(word); }
};

}  // namespace emulator::simt
