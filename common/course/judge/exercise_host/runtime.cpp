// The part of the CUDA runtime that an exercise's host code may use. If it calls other functions, the library cannot be
// opened; the dynamic linker reports a function's name, and the result sheet shows it.

#include "course/judge/exercise_host/parts.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include <cuda_runtime_api.h>

#include "course/judge/protocol.hpp"

namespace judge {
namespace {

struct configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
};

struct kernel_record {
  std::string name;
  std::optional<std::vector<std::uint32_t>> parameters;  ///< Their sizes in bytes, if the judge has sent them.
};

/// The kernels, by the address of their host stub. The library is opened after this object has been constructed, so the
/// library's constructors can register kernels here.
std::map<const void*, kernel_record> kernels;

/// The mangled names of the device's variables, by the address of their host variable.
std::map<const void*, std::string> variables;

std::vector<configuration> configurations;

cudaError_t last_error = cudaSuccess;

cudaError_t remembered(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

/// Sends a request and returns the answer, which is in the same packet.
packet& exchange(verb what, std::initializer_list<std::uint64_t> values, const std::string& text = {}) {
  static packet p;
  p.what = what;
  std::size_t k = 0;
  for (std::uint64_t& value : p.values) value = k < values.size() ? values.begin()[k++] : 0;
  p.text_bytes = static_cast<std::uint32_t>(text.copy(p.text, max_text));
  constexpr int one_hour = 3600;
  if (text.size() > max_text || !send_packet(channel, p) || !receive_packet(channel, p, one_hour)) _exit(1);
  return p;
}

cudaError_t error_of(const packet& p) {
  return remembered(static_cast<cudaError_t>(p.values[0]));
}

std::uint64_t number(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

kernel_record* find(const void* function) {
  const auto found = kernels.find(function);
  return found == kernels.end() ? nullptr : &found->second;
}

/// The address and size of a device variable.
struct placed {
  cudaError_t error = cudaErrorInvalidSymbol;
  std::uint64_t address = 0, size_bytes = 0;
};
placed place_of(const void* symbol) {
  const auto found = variables.find(symbol);
  if (found == variables.end()) return {remembered(cudaErrorInvalidSymbol)};
  const packet& p = exchange(verb::symbol, {}, found->second);
  return {error_of(p), p.values[1], p.values[2]};
}

/// Copies from host to device memory, in as many packets as necessary.
cudaError_t store(std::uint64_t to, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const char*>(from);
  for (std::size_t done = 0; done < size;) {
    const std::size_t part = std::min(size - done, max_text);
    const cudaError_t error = error_of(exchange(verb::store, {to + done}, std::string(bytes + done, part)));
    if (error != cudaSuccess) return error;
    done += part;
  }
  return cudaSuccess;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   bool cooperative) {
  kernel_record* kernel = find(function);
  if (kernel == nullptr) return remembered(cudaErrorInvalidDeviceFunction);
  if (!kernel->parameters) {
    const packet& p = exchange(verb::parameters, {}, kernel->name);
    if (const cudaError_t error = error_of(p); error != cudaSuccess) return error;
    kernel->parameters.emplace(p.text_bytes / sizeof(std::uint32_t));
    std::memcpy(kernel->parameters->data(), p.text, kernel->parameters->size() * sizeof(std::uint32_t));
  }
  std::string text = kernel->name;
  for (const std::uint32_t size : *kernel->parameters) text.append(static_cast<const char*>(*arguments++), size);
  if (text.size() > max_text) return remembered(cudaErrorInvalidValue);
  return error_of(exchange(
      verb::launch,
      {grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, cooperative ? 1u : 0u, kernel->name.size()}, text));
}

}  // namespace

std::string name_of_kernel(const void* host_function) {
  const kernel_record* found = find(host_function);
  return found == nullptr ? std::string() : found->name;
}

}  // namespace judge

using namespace judge;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host_function, char*, const char* device_name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  kernels[host_function].name = device_name;
}
void __cudaRegisterVar(void**, char* host_variable, char*, const char* device_name, int, size_t, int, int) {
  variables[host_variable] = device_name;
}
char __cudaInitModule(void**) {
  return '\1';
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const configuration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<void**>(stream) = top.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host_function) {
  *handle = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return find(host_function) != nullptr ? cudaSuccess : remembered(cudaErrorInvalidDeviceFunction);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t handle, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t) {
  return launch(handle, grid, block, arguments, shared, false);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t) {
  return launch(function, grid, block, arguments, shared, false);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t) {
  return launch(function, grid, block, arguments, shared, true);
}

cudaError_t cudaMemset(void* to, int value, size_t size) {
  return error_of(exchange(verb::fill, {number(to), static_cast<std::uint64_t>(value), size}));
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t) {
  return cudaMemset(to, value, size);
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice) return store(number(to), from, size);
  // The host code must not read device memory, because the results of a pass are there.
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return remembered(cudaErrorNotSupported);
  return error_of(exchange(verb::copy, {number(to), number(from), size}));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, size, kind);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  const placed found = place_of(symbol);
  if (found.error == cudaSuccess) *address = reinterpret_cast<void*>(found.address);
  return found.error;
}
cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  const placed found = place_of(symbol);
  if (found.error == cudaSuccess) *size = found.size_bytes;
  return found.error;
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t size, size_t offset, cudaMemcpyKind kind) {
  const placed found = place_of(symbol);
  if (found.error != cudaSuccess) return found.error;
  if (size > found.size_bytes || offset > found.size_bytes - size) return remembered(cudaErrorInvalidValue);
  return cudaMemcpy(reinterpret_cast<void*>(found.address + offset), from, size, kind);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t size, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}
cudaError_t cudaMalloc(void** got, size_t size) {
  const packet& p = exchange(verb::allocate, {size});
  *got = reinterpret_cast<void*>(p.values[1]);
  return error_of(p);
}
cudaError_t cudaMallocAsync(void** got, size_t size, cudaStream_t) {
  return cudaMalloc(got, size);
}
cudaError_t cudaFree(void* which) {
  return error_of(exchange(verb::release, {number(which)}));
}
cudaError_t cudaFreeAsync(void* which, cudaStream_t) {
  return cudaFree(which);
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : remembered(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  const packet& p = exchange(verb::attribute, {static_cast<std::uint64_t>(which)});
  *value = static_cast<int>(p.values[1]);
  return error_of(p);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* all, int) {
  const packet& p = exchange(verb::properties, {});
  if (p.text_bytes == sizeof *all) std::memcpy(static_cast<void*>(all), p.text, sizeof *all);
  return error_of(p);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t shared) {
  const packet& p =
      exchange(verb::occupancy, {static_cast<std::uint64_t>(block_size), shared}, name_of_kernel(function));
  *blocks = static_cast<int>(p.values[1]);
  return error_of(p);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size,
                                                                   size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* facts, const void* function) {
  const packet& p = exchange(verb::function_facts, {}, name_of_kernel(function));
  if (p.text_bytes == sizeof *facts) std::memcpy(static_cast<void*>(facts), p.text, sizeof *facts);
  return error_of(p);
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute which, int value) {
  return error_of(exchange(verb::set_function, {static_cast<std::uint64_t>(which), static_cast<std::uint64_t>(value)},
                           name_of_kernel(function)));
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return error_of(exchange(verb::synchronise, {}));
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaDeviceSynchronize();
}
cudaError_t cudaGetLastError() {
  const auto there = static_cast<cudaError_t>(exchange(verb::last_error, {1}).values[0]);
  const cudaError_t error = there != cudaSuccess ? there : last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() {
  const auto there = static_cast<cudaError_t>(exchange(verb::last_error, {0}).values[0]);
  return there != cudaSuccess ? there : last_error;
}
const char* cudaGetErrorName(cudaError_t) {
  return "cudaError";
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error of the CUDA runtime";
}

}  // extern "C"
