#pragma once
/// \file
/// Source lines: the `.loc` directives of a function.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace emulator::ptx {

/// Collects locations without duplicates, and links each inlined one to its call site.
class location_table {
 public:
  /// Parses the text after `.loc`: `1 8 3` or `2 397 9, function_name name, inlined_at 1 8 3`.
  /// \return index of the location
  std::int32_t parse(cursor& text);

  [[nodiscard]] std::vector<source_location> take() { return std::move(locations_); }

 private:
  struct place {
    std::uint32_t file, line, column;
    std::int32_t inlined_at;
    bool operator==(const place&) const = default;
  };
  struct place_hash {
    std::size_t operator()(const place& p) const;
  };

  static place parse_place(cursor& text);
  std::int32_t add(const place& p);
  std::int32_t call_site(const place& p);

  std::vector<source_location> locations_;
  std::vector<std::uint32_t> depths_;  ///< Length of each location's chain.
  std::unordered_map<place, std::int32_t, place_hash> known_;
  /// For each file, line and column: the location that the text named most recently, which `inlined_at` refers to.
  std::unordered_map<place, std::int32_t, place_hash> latest_;
};

}  // namespace emulator::ptx
