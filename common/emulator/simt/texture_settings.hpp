#pragma once
/// \file
/// What the decoder tells of an instruction on textures or surfaces, in `op::imm`.

#include <cstdint>

namespace emulator::simt {

enum class texture_operation : std::uint8_t { fetch, surface_load, surface_store, query };
/// What a surface access beyond the edge does.
enum class surface_edge : std::uint8_t { trap, clamp, zero };
enum class texture_question : std::uint8_t { width, height, depth };

struct texture_settings {
  texture_operation operation = texture_operation::fetch;
  unsigned dimensions = 1;  ///< Layers not counted.
  bool layered = false;
  bool integer_coordinates = false;
  bool real_result = false;
  surface_edge edge = surface_edge::trap;
  texture_question question = texture_question::width;
  unsigned elements = 1;  ///< Of a surface access.
  bool asks_surface = false;

  [[nodiscard]] std::int32_t packed() const {
    return static_cast<std::int32_t>(static_cast<unsigned>(operation) | dimensions << 2 | unsigned{layered} << 4 |
                                     unsigned{integer_coordinates} << 5 | unsigned{real_result} << 6 |
                                     static_cast<unsigned>(edge) << 7 | static_cast<unsigned>(question) << 9 |
                                     elements << 11 | unsigned{asks_surface} << 14);
  }
  [[nodiscard]] static texture_settings unpacked(std::int32_t word) {
    const auto x = static_cast<unsigned>(word);
    texture_settings s;
    s.operation = static_cast<texture_operation>(x & 3u);
    s.dimensions = x >> 2 & 3u;
    s.layered = (x >> 4 & 1u) != 0;
    s.integer_coordinates = (x >> 5 & 1u) != 0;
    s.real_result = (x >> 6 & 1u) != 0;
    s.edge = static_cast<surface_edge>(x >> 7 & 3u);
    s.question = static_cast<texture_question>(x >> 9 & 3u);
    s.elements = x >> 11 & 7u;
    s.asks_surface = (x >> 14 & 1u) != 0;
    return s;
  }
};

}  // namespace emulator::simt
