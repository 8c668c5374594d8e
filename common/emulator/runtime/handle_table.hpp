#pragma once
/// \file
/// The live objects of a type whose addresses are the program's handles: streams, events, graphs.

#include <map>
#include <memory>
#include <utility>

namespace emulator::runtime {

template <typename Record, typename Handle>
class handle_table {
 public:
  Handle add(std::unique_ptr<Record> made) {
    const auto handle = reinterpret_cast<Handle>(made.get());
    records_.emplace(made.get(), std::move(made));
    return handle;
  }
  /// Returns the object, or null if the handle is invalid.
  [[nodiscard]] Record* find(Handle handle) const {
    const auto found = records_.find(handle);
    return found == records_.end() ? nullptr : found->second.get();
  }
  [[nodiscard]] bool destroy(Handle handle) { return records_.erase(handle) != 0; }
  void clear() { records_.clear(); }
  /// Destroys the objects for which `goes` is true.
  template <typename Condition>
  void erase_if(const Condition& goes) {
    std::erase_if(records_, [&](const auto& entry) { return goes(*entry.second); });
  }

  [[nodiscard]] auto begin() const { return records_.begin(); }
  [[nodiscard]] auto end() const { return records_.end(); }

 private:
  std::map<const void*, std::unique_ptr<Record>> records_;
};

}  // namespace emulator::runtime
