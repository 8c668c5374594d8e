#pragma once
/// \file
/// The names that findings use for the places of accesses: "in[17]", "tile[1][2]".

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/observers/event.hpp"

namespace emulator::memory {
class global_memory;
}

namespace emulator::explain {

/// Eight bytes of a kernel's parameters that may be a device pointer.
struct parameter_word {
  std::size_t parameter = 0;  ///< Position of the parameter.
  std::uint64_t value = 0;
  bool is_member = false;  ///< Part of a larger parameter, such as a struct.
};

/// Everything that findings need to name things of a launch: the kernel's facts, the values of its parameters, and
/// their names in the source.
class naming {
 public:
  /// \param facts       must live as long as this object
  /// \param parameters  in their order
  /// \param memory      must live as long as this object
  naming(const observers::kernel_facts& facts, std::vector<parameter_word> parameters, memory::global_memory& memory)
      : facts_(facts), parameters_(std::move(parameters)), memory_(memory) {}
  [[nodiscard]] const observers::kernel_facts& facts() const { return facts_; }
  [[nodiscard]] memory::global_memory& memory() const { return memory_; }

  /// An element of an array.
  struct element {
    std::string array;  ///< "in", "tile", "allocation 2"; empty if none is near.
    std::string text;   ///< "in[17]", "tile[1][2]"; "address 0x700" if no array is near.
    std::int64_t index = 0;
    std::uint64_t size = 0;    ///< Number of elements of the array; 0 if unknown.
    bool is_nameless = false;  ///< An array that a member of a parameter points to: "element 17 of an array of input".
  };
  /// Return the name of the place that the instruction at `pc` accesses, `bytes` wide, inside or outside of the arrays.
  /// \param strays  the access is out of bounds, so the array is a guess: the last one before the address
  [[nodiscard]] element in_shared(std::uint32_t pc, std::uint64_t offset, std::uint32_t bytes,
                                  const observers::block_identity& block, bool strays = false) const;
  [[nodiscard]] element in_global(std::uint32_t pc, std::uint64_t address, std::uint32_t bytes) const;

 private:
  const observers::kernel_facts& facts_;
  std::vector<parameter_word> parameters_;
  memory::global_memory& memory_;
  mutable std::optional<std::vector<std::string>> names_;  ///< Read from the source on first use.
};

}  // namespace emulator::explain
