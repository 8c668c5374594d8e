#include "emulator/explain/naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/explain/finding_text.hpp"
#include "emulator/explain/source_names.hpp"
#include "emulator/memory/global_memory.hpp"

namespace emulator::explain {
namespace {

/// Returns the size of an element according to the instruction's type; if it has none, `accessed`, the bytes of the
/// access. nvcc declares arrays as bytes, so the access is more informative than the declaration.
std::uint32_t element_bytes(const kernel_facts& facts, std::uint32_t pc, std::uint32_t accessed) {
  const bool is_known = pc < facts.instructions.size() && facts.instructions[pc].element_bytes != 0;
  return std::max<std::uint32_t>(1, is_known ? facts.instructions[pc].element_bytes : accessed);
}

/// Returns the index of the element that contains the byte, counted from the array's beginning: -1 is the one before
/// it.
std::int64_t element_at(std::int64_t byte, std::uint32_t element) {
  const std::int64_t size = element;
  return byte >= 0 ? byte / size : -((-byte + size - 1) / size);
}

/// Returns "tile[17]", with the byte within the element if it isn't the first one.
std::string subscript(const std::string& array, std::int64_t bytes, std::uint32_t element, std::uint64_t row) {
  const std::int64_t index = element_at(bytes, element);
  const std::int64_t rest = bytes - index * element;
  std::string text = row == 0 || index < 0 ? fmt::format("{}[{}]", array, index)
                                           : fmt::format("{}[{}][{}]", array, static_cast<std::uint64_t>(index) / row,
                                                         static_cast<std::uint64_t>(index) % row);
  return rest == 0 ? text : fmt::format("{} (byte {} of the element)", text, rest);
}

/// Returns the number of bytes between an allocation and an address outside of it.
std::uint64_t distance(const memory::allocation& a, std::uint64_t address) {
  return address < a.begin ? a.begin - address : address - a.end();
}

/// Returns the allocation nearest to an address that isn't in any, among those that begin at `places`; null if none is
/// nearer than `most` bytes.
const memory::allocation* nearest_of(memory::global_memory& memory, const std::vector<std::uint64_t>& places,
                                     std::uint64_t address, std::uint64_t most) {
  const memory::allocation* found = nullptr;
  for (const std::uint64_t place : places) {
    const memory::allocation* one = memory.find(place);
    if (one == nullptr || distance(*one, address) >= most) continue;
    found = one;
    most = distance(*one, address);
  }
  return found;
}

}  // namespace

naming::element naming::in_shared(std::uint32_t pc, std::uint64_t offset, std::uint32_t bytes,
                                  const block_identity& block, bool strays) const {
  const shared_variable* of = nullptr;
  // Addresses of shared memory have 32 bits. One in the upper half is before all arrays, so the first array was
  // probably meant.
  const bool in_front = strays && offset >> 31 == 1;
  const auto at = static_cast<std::int64_t>(offset) - (in_front ? std::int64_t{1} << 32 : 0);
  for (const shared_variable& v : facts_.shared) {
    const auto begin = static_cast<std::int64_t>(v.offset), size = static_cast<std::int64_t>(v.size_bytes);
    const bool inside = at >= begin && (size == 0 || at < begin + size);
    // After the end of all arrays, the last one before the address was probably meant.
    const bool guessed = strays && (in_front ? of == nullptr || v.offset < of->offset
                                             : at >= begin && (of == nullptr || v.offset >= of->offset));
    if (inside || guessed) of = &v;
    if (inside) break;
  }
  element e;
  if (of == nullptr) {
    e.text = fmt::format("byte {} of shared memory", offset);
    return e;
  }
  const std::uint64_t all = of->size_bytes != 0               ? of->size_bytes
                            : block.shared_bytes > of->offset ? block.shared_bytes - of->offset
                                                              : 0;
  const std::uint32_t size = of->element_bytes > 1 ? of->element_bytes : element_bytes(facts_, pc, bytes);
  e.array = plain_name(of->name);
  e.size = all / size;
  const std::int64_t from = at - static_cast<std::int64_t>(of->offset);
  e.index = element_at(from, size);
  e.text = of->size_bytes == size && e.index == 0 ? e.array
                                                  : subscript(e.array, from, size, row_length(facts_, e.array, e.size));
  return e;
}

naming::element naming::in_global(std::uint32_t pc, std::uint64_t address, std::uint32_t bytes) const {
  memory::global_memory& memory = memory_;
  const std::uint32_t size = element_bytes(facts_, pc, bytes);
  const memory::allocation* in = memory.find(address);
  // Finds the parameter that points into the allocation, or to the nearest place before the address.
  std::size_t nearest = parameters_.size();
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const std::uint64_t value = parameters_[k].value;
    const memory::allocation* of = value == 0 ? nullptr : memory.find(value);
    if (of == nullptr || (in != nullptr && of != in)) continue;
    // If several point into one allocation, choose the last one before the address; if all are after it, the first.
    if (nearest == parameters_.size()) {
      nearest = k;
      continue;
    }
    const std::uint64_t best = parameters_[nearest].value;
    const bool before = value <= address, nearest_before = best <= address;
    if (before != nearest_before ? before : (value > best) == before) nearest = k;
  }
  // If the address isn't in an allocation, the kernel may have missed the end of a variable. Constant memory has no
  // pointers, so its variables qualify at any distance.
  const bool of_constants = pc < facts_.instructions.size() && (facts_.instructions[pc].classes & class_constant) != 0;
  const std::uint64_t neighbourhood = of_constants ? ~std::uint64_t{0} : memory::smallest_guard / 2;
  const memory::allocation* variable =
      in == nullptr ? nearest_of(memory, facts_.variables, address, neighbourhood) : nullptr;
  if (variable != nullptr) {
    in = variable;
    nearest = parameters_.size();
  }
  element e;
  const auto nameless = [](const memory::allocation& a) { return fmt::format("allocation {}", a.serial); };
  std::uint64_t begin = in == nullptr ? 0 : in->begin;
  const bool of_parameter = nearest < parameters_.size();
  if (of_parameter) {
    if (!names_) names_ = parameter_names(facts_);
    const parameter_word& word = parameters_[nearest];
    begin = word.value;
    in = memory.find(begin);
    const bool named = word.parameter < names_->size() && !(*names_)[word.parameter].empty();
    e.array = !named ? nameless(*in) : (word.is_member ? "an array of " : "") + (*names_)[word.parameter];
    e.is_nameless = word.is_member && named;
  } else if (in != nullptr) {
    e.array = in->name.empty() ? nameless(*in) : plain_name(in->name);
  } else {
    e.text = fmt::format("address {:#x}", address);
    return e;
  }
  e.size = (in->end() - begin) / size;
  const auto from = static_cast<std::int64_t>(address - begin);
  e.index = element_at(from, size);
  e.text = e.is_nameless && from >= 0 && from % size == 0         ? fmt::format("element {} of {}", e.index, e.array)
           : !of_parameter && in->size_bytes == size && from == 0 ? e.array
                                                                  : subscript(e.array, from, size, 0);
  return e;
}

}  // namespace emulator::explain
