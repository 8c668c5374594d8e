#pragma once
/// \file
/// Describes the arguments of a runtime call, as text.

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace emulator::runtime {

/// Describes an argument. Returns an empty string if the description would tell a reader nothing.
[[nodiscard]] std::string argument_in_words(std::string_view name, const void* value);
[[nodiscard]] std::string argument_in_words(std::string_view name, cudaMemcpyKind value);
[[nodiscard]] std::string argument_in_words(std::string_view name, const dim3& value);

template <typename Argument>
[[nodiscard]] std::string any_in_words(std::string_view name, const Argument& value) {
  using type = std::remove_cv_t<Argument>;
  if constexpr (std::is_same_v<type, cudaMemcpyKind> || std::is_same_v<type, dim3>) {
    return argument_in_words(name, value);
  } else if constexpr (std::is_same_v<type, void*> || std::is_same_v<type, const void*>) {
    return argument_in_words(name, static_cast<const void*>(value));
  } else if constexpr (std::is_same_v<type, cudaStream_t>) {
    return {};  // The default stream is a null pointer.
  } else if constexpr (std::is_pointer_v<type>) {
    // The call returns a result through this pointer.
    return value == nullptr ? std::string(name) + ": a null pointer" : std::string();
  } else if constexpr (std::is_enum_v<type>) {
    return any_in_words(name, static_cast<long long>(value));
  } else if constexpr (std::is_integral_v<type>) {
    return std::string(name) + ": " + std::to_string(value);
  } else {
    return {};
  }
}

/// Returns the next name from a list of arguments as the preprocessor writes it, and removes it from the list: "size",
/// or "function" for `real_name_of(function)`.
[[nodiscard]] std::string_view take_name(std::string_view& names);

/// Describes all arguments of a call. \param names  their names, separated by commas
template <typename... Arguments>
[[nodiscard]] std::string arguments_in_words([[maybe_unused]] std::string_view names, const Arguments&... values) {
  std::string all;
  [[maybe_unused]] const auto add = [&](const std::string& words) {
    if (!words.empty()) all += (all.empty() ? "" : ", ") + words;
  };
  (add(any_in_words(take_name(names), values)), ...);
  return all;
}

}  // namespace emulator::runtime
