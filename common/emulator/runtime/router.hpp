#pragma once
/// \file
/// Every function of the CUDA runtime API is defined here once. While a GPU is selected, it calls NVIDIA's runtime,
/// otherwise the emulated device.

#include <cuda_runtime_api.h>

#include <mutex>
#include <type_traits>
#include <utility>

#include "emulator/runtime/argument_words.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/host_watch.hpp"
#include "emulator/runtime/real_runtime.hpp"

namespace emulator::runtime {

/// Returns true if calls go to a GPU.
[[nodiscard]] bool on_gpu();

/// Prints, once per name, that the real runtime has no function of that name. Returns cudaErrorNotSupported.
cudaError_t missing_in_real_runtime(const char* name);

/// Prints, once per name, that the emulator has no such function, and stores the error. Returns cudaErrorNotSupported.
cudaError_t not_implemented(const char* name);

/// Whether a call is refused after a kernel has faulted.
enum class after_fault { refused, allowed };

/// Executes a call on the emulated device. Calls run one at a time, and errors are stored for cudaGetLastError. An
/// error becomes a finding about the call in progress, unless it is that of an earlier kernel, which has its own
/// findings.
template <after_fault Rule, typename Body>
cudaError_t on_emulator(Body&& body) {
  device& here = device::instance();
  const std::lock_guard lock(here.mutex());
  const pages_open pages;
  if (Rule == after_fault::refused && here.sticky_error() != cudaSuccess) return here.remember(here.sticky_error());
  const cudaError_t error = here.remember(std::forward<Body>(body)());
  if (error != cudaSuccess && error != here.sticky_error()) report_failed_call(error);
  return error;
}

/// The same for a function that is not defined by the macros below.
template <after_fault Rule, typename Body>
cudaError_t on_emulator(const char* name, const void* return_address, Body&& body) {
  const call_in_progress call(name, return_address);
  return on_emulator<Rule>(std::forward<Body>(body));
}

/// Returns a value through a pointer of the program.
template <typename T>
cudaError_t answer(T* into, std::type_identity_t<T> value) {
  if (into == nullptr) return cudaErrorInvalidValue;
  *into = value;
  return cudaSuccess;
}

/// The same with a member of the record that a handle refers to. \param otherwise  the error if `of` is null
template <typename T, typename Record>
cudaError_t answer(T* into, const Record* of, T Record::*member, cudaError_t otherwise) {
  return of != nullptr ? answer(into, of->*member) : otherwise;
}

/// Calls a function of the real runtime.
template <typename Function, typename... Arguments>
cudaError_t forward(const char* name, Function real, Arguments... arguments) {
  return real != nullptr ? real(arguments...) : missing_in_real_runtime(name);
}

/// The same by name. The arguments must have the types of the function's parameters.
template <typename... Arguments>
cudaError_t forward_by_name(const char* name, Arguments... arguments) {
  return forward(name, real_function<cudaError_t (*)(Arguments...)>(name), arguments...);
}

}  // namespace emulator::runtime

// The language requires macros here, because a C symbol, its name as text and its prototype have to come from one
// place. If a header renames a function (`#define cudaGetDeviceProperties cudaGetDeviceProperties_v2`), the name passes
// through a second macro, so that the symbol gets the new name.
#define EMULATOR_API_ROUTE(symbol, implementation, rule, parameters, ...)                              \
  extern "C" cudaError_t CUDARTAPI symbol parameters {                                                 \
    if (::emulator::runtime::on_gpu()) {                                                               \
      static const auto real = ::emulator::runtime::real_function<cudaError_t(*) parameters>(#symbol); \
      return ::emulator::runtime::forward(#symbol, real __VA_OPT__(, ) __VA_ARGS__);                   \
    }                                                                                                  \
    const auto words = [&] {                                                                           \
      return ::emulator::runtime::arguments_in_words(#__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);         \
    };                                                                                                 \
    const ::emulator::runtime::call_in_progress call(#symbol, __builtin_return_address(0), words);     \
    return ::emulator::runtime::on_emulator<::emulator::runtime::after_fault::rule>(                   \
        [&] { return emulated_##implementation(__VA_ARGS__); });                                       \
  }
#define EMULATOR_API_DEFINE(symbol, rule, parameters, ...)          \
  static cudaError_t emulated_##symbol parameters;                  \
  EMULATOR_API_ROUTE(symbol, symbol, rule, parameters, __VA_ARGS__) \
  static cudaError_t emulated_##symbol parameters
#define EMULATOR_API_DEFINE_STREAM(symbol, suffix, rule, parameters, ...)   \
  static cudaError_t emulated_##symbol parameters;                          \
  extern "C" cudaError_t CUDARTAPI symbol##suffix parameters;               \
  EMULATOR_API_ROUTE(symbol, symbol, rule, parameters, __VA_ARGS__)         \
  EMULATOR_API_ROUTE(symbol##suffix, symbol, rule, parameters, __VA_ARGS__) \
  static cudaError_t emulated_##symbol parameters

/// Defines an API function: its name, its parameters in parentheses, then the arguments to pass on. The macro is
/// followed by the body of the emulated function.
#define EMULATOR_API(symbol, parameters, ...) EMULATOR_API_DEFINE(symbol, refused, parameters, __VA_ARGS__)
/// The same for a function that still works after a kernel has faulted.
#define EMULATOR_API_ALWAYS(symbol, parameters, ...) EMULATOR_API_DEFINE(symbol, allowed, parameters, __VA_ARGS__)
/// The same for a function with a second name, which programs use if they are built for per-thread default streams.
/// `timeline` uses the name to decide which stream a null handle means.
#define EMULATOR_API_STREAM(symbol, suffix, parameters, ...) \
  EMULATOR_API_DEFINE_STREAM(symbol, suffix, refused, parameters, __VA_ARGS__)
