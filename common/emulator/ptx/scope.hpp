#pragma once
/// \file
/// Names in a function's body. Blocks `{}` are nested, and an inner one may redeclare a name.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emulator::ptx {

/// A map whose entries are removed at the end of the block that made them. Keys are views into the text.
template <class Value>
class scoped_map {
 public:
  struct entry {
    Value value{};
    std::size_t depth = 0;
  };

  void open() { marks_.push_back(undo_.size()); }

  void close() {
    for (; undo_.size() > marks_.back(); undo_.pop_back()) {
      auto& [key, previous] = undo_.back();
      if (previous) {
        entries_[key] = std::move(*previous);
      } else {
        entries_.erase(key);
      }
    }
    marks_.pop_back();
  }

  /// Adds `key` to the innermost block. Returns false if that block has it already.
  bool add(std::string_view key, Value value) {
    const auto [at, fresh] = entries_.try_emplace(key);
    if (!fresh && at->second.depth == marks_.size()) return false;
    undo_.emplace_back(key, fresh ? std::nullopt : std::optional<entry>(std::move(at->second)));
    at->second = {std::move(value), marks_.size()};
    return true;
  }

  /// Returns the innermost entry with that name, or null.
  [[nodiscard]] const entry* find(std::string_view key) const {
    const auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second;
  }

 private:
  std::unordered_map<std::string_view, entry> entries_;
  std::vector<std::pair<std::string_view, std::optional<entry>>> undo_;
  std::vector<std::size_t> marks_;
};

/// The place of a declared register: the first of `width` numbers in function::registers.
struct register_place {
  std::uint32_t index = 0;
  unsigned width = 1;
};

/// The visible registers: single names, and ranges such as `%r<22>`.
class register_scopes {
 public:
  void open();
  void close();

  /// Both functions return false if the innermost block has the name already.
  bool add(std::string_view name, register_place place) { return singles_.add(name, place); }
  bool add_range(std::string_view prefix, std::uint32_t count, register_place first);

  [[nodiscard]] std::optional<register_place> find(std::string_view name) const;

 private:
  struct range {
    std::uint32_t count = 0;
    register_place first;
    std::size_t depth = 0;
    std::int32_t outer =
        -1;  ///< The outer range that this one hides unless it is larger: `x<2>` doesn't hide an outer `x3`.
  };
  scoped_map<register_place> singles_;
  scoped_map<std::int32_t> range_by_prefix_;  ///< Index into `ranges_`.
  std::vector<range> ranges_;
  std::size_t depth_ = 0;
};

/// Names that may be used before they are declared: labels and branch tables. A use sees the names of its own block and
/// of the enclosing ones.
class forward_names {
 public:
  /// Returns false if the block `scope` has the name already.
  bool add(std::string_view name, std::uint32_t scope, std::uint32_t index) {
    return names_.emplace(std::pair(name, scope), index).second;
  }
  /// \param parents  for each block, the enclosing block; for block 0, which is the body, 0
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name, std::uint32_t scope,
                                                  const std::vector<std::uint32_t>& parents) const;

 private:
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> names_;  ///< Indexed by name and block.
};

/// Makes names unique in a function: the first one stays as it is, the next is called `name@2`. PTX names never contain
/// '@'.
class unique_names {
 public:
  [[nodiscard]] std::string operator()(std::string_view name) {
    const std::uint32_t count = ++counts_[name];
    std::string result(name);
    if (count > 1) result += '@' + std::to_string(count);
    return result;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> counts_;
};

}  // namespace emulator::ptx
