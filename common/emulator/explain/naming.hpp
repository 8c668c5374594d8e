#pragma once
/// \file
/// How findings name the places of accesses: "in[17]", "tile[1][2]".

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
  std::size_t parameter = 0;  ///< By position.
  std::uint64_t value = 0;
  bool is_member = false;  ///< Of a larger parameter, such as a struct.
};

/// A launch as its findings name things: the kernel's facts, what its parameters were, and how its source calls them.
class naming {
 public:
  /// \param facts       must live as long as this
  /// \param parameters  in their order
  /// \param memory      must live as long as this
  naming(const observers::kernel_facts& facts, std::vector<parameter_word> parameters, memory::global_memory& memory)
      : facts_(facts), parameters_(std::move(parameters)), memory_(memory) {}
  [[nodiscard]] const observers::kernel_facts& facts() const { return facts_; }
  [[nodiscard]] memory::global_memory& memory() const { return memory_; }

  /// An element of an array.
  struct element {
    std::string array;  ///< "in", "tile", "allocation 2"; empty where none is near.
    std::string text;   ///< "in[17]", "tile[1][2]"; "address 0x700" where no array is near.
    std::int64_t index = 0;
    std::uint64_t size = 0;    ///< Elements of the array; 0 where that is not known.
    bool is_nameless = false;  ///< An array that a member of a parameter points to: "element 17 of an array of input".
  };
  /// Names the place of an access of `bytes` by the instruction at `pc`, inside or outside of the arrays.
  /// \param strays  the access is out of bounds: of which array, is then a guess, the last one before it
  [[nodiscard]] element in_shared(std::uint32_t pc, std::uint64_t offset, std::uint32_t bytes,
                                  const observers::block_identity& block, bool strays = false) const;
  [[nodiscard]] element in_global(std::uint32_t pc, std::uint64_t address, std::uint32_t bytes) const;

 private:
  const observers::kernel_facts& facts_;
  std::vector<parameter_word> parameters_;
  memory::global_memory& memory_;
  mutable std::optional<std::vector<std::string>> names_;  ///< Read from the source when first asked for.
};

}  // namespace emulator::explain
