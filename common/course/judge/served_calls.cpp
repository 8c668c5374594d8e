#include "course/judge/served_calls.hpp"

#include <climits>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace judge {
namespace {

/// Maximum number of bytes that an exercise may allocate in total.
constexpr std::size_t max_allocated = std::size_t{256} << 20;
constexpr std::size_t longest_name = 8 * 1024;

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

int number(std::uint64_t value) {
  return value > INT_MAX ? INT_MAX : static_cast<int>(value);
}

/// Returns true if an address is in device memory. Other addresses could belong to this process.
bool on_device(std::uint64_t address) {
  cudaPointerAttributes a{};
  const bool known = cudaPointerGetAttributes(&a, pointer(address)) == cudaSuccess;
  return known && a.type == cudaMemoryTypeDevice;
}

void put(packet& to, const void* bytes, std::size_t size) {
  std::memcpy(to.text, bytes, size);
  to.text_bytes = static_cast<std::uint32_t>(size);
}

}  // namespace

const void* served_calls::kernel_named(const packet& p, std::size_t length) {
  if (length == 0 || length > longest_name || length > p.text_bytes) return nullptr;
  return code_.kernel(std::string(p.text, length));
}

void served_calls::launch(const packet& p, packet& to) {
  const std::uint64_t* v = p.values;
  const std::size_t name_length = v[8];
  const void* kernel = kernel_named(p, name_length);
  to.values[0] = cudaErrorInvalidDeviceFunction;
  if (kernel == nullptr) return;
  to.values[0] = cudaErrorInvalidValue;
  for (int k = 0; k < 6; ++k) {
    if (v[k] > UINT_MAX) return;
  }
  // Each argument is copied to its own buffer, because a launch takes a pointer to each argument.
  std::vector<std::vector<char>> places;
  std::vector<void*> arguments;
  std::size_t at = name_length;
  for (const std::uint32_t size : code_.parameter_sizes(kernel)) {
    if (size > p.text_bytes - at) return;
    // The allocator aligns the buffer for every type. It is never empty.
    places.emplace_back(std::max<std::size_t>(size, 16));
    std::memcpy(places.back().data(), p.text + at, size);
    at += size;
  }
  for (std::vector<char>& place : places) arguments.push_back(place.data());
  const dim3 grid(static_cast<unsigned>(v[0]), static_cast<unsigned>(v[1]), static_cast<unsigned>(v[2]));
  const dim3 block(static_cast<unsigned>(v[3]), static_cast<unsigned>(v[4]), static_cast<unsigned>(v[5]));
  const auto call = v[7] != 0 ? cudaLaunchCooperativeKernel : cudaLaunchKernel;
  to.values[0] = static_cast<std::uint64_t>(call(kernel, grid, block, arguments.data(), v[6], nullptr));
}

bool served_calls::carry_out(const packet& p, packet& to) {
  const std::uint64_t* v = p.values;
  cudaError_t error = cudaErrorInvalidValue;
  switch (p.what) {
    case verb::parameters: {
      const void* kernel = kernel_named(p, p.text_bytes);
      error = kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
      if (kernel == nullptr) break;
      const std::vector<std::uint32_t> sizes = code_.parameter_sizes(kernel);
      if (sizes.size() * sizeof sizes[0] > max_text) break;
      to.values[1] = sizes.size() * sizeof sizes[0];
      put(to, sizes.data(), to.values[1]);
      break;
    }
    case verb::launch:
      launch(p, to);
      return true;
    case verb::fill:
      if (v[2] == 0 || on_device(v[0])) error = cudaMemset(pointer(v[0]), number(v[1] & 0xff), v[2]);
      break;
    case verb::copy:
      if (v[2] == 0 || (on_device(v[0]) && on_device(v[1])))
        error = cudaMemcpy(pointer(v[0]), pointer(v[1]), v[2], cudaMemcpyDeviceToDevice);
      break;
    case verb::store:
      if (p.text_bytes == 0 || on_device(v[0]))
        error = cudaMemcpy(pointer(v[0]), p.text, p.text_bytes, cudaMemcpyHostToDevice);
      break;
    case verb::symbol: {
      error = cudaErrorInvalidSymbol;
      if (p.text_bytes == 0 || p.text_bytes > longest_name) break;
      const auto found = code_.variable(std::string(p.text, p.text_bytes));
      if (!found) break;
      error = cudaSuccess;
      to.values[1] = reinterpret_cast<std::uint64_t>(found->address);
      to.values[2] = found->size_bytes;
      break;
    }
    case verb::allocate: {
      void* got = nullptr;
      error = cudaErrorMemoryAllocation;
      if (v[0] > max_allocated - allocated_) break;
      error = cudaMalloc(&got, v[0]);
      if (error == cudaSuccess) allocated_ += v[0];
      to.values[1] = reinterpret_cast<std::uint64_t>(got);
      break;
    }
    case verb::release:
      error = v[0] == 0 || on_device(v[0]) ? cudaFree(pointer(v[0])) : cudaErrorInvalidValue;
      break;
    case verb::attribute: {
      int value = 0;
      error = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(number(v[0])), 0);
      to.values[1] = static_cast<std::uint64_t>(value);
      break;
    }
    case verb::properties: {
      const auto all = std::make_unique<cudaDeviceProp>();
      error = cudaGetDeviceProperties(all.get(), 0);
      put(to, all.get(), sizeof *all);
      break;
    }
    case verb::occupancy: {
      int blocks = 0;
      error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_named(p, p.text_bytes), number(v[0]), v[1]);
      to.values[1] = static_cast<std::uint64_t>(blocks);
      break;
    }
    case verb::function_facts: {
      cudaFuncAttributes facts{};
      error = cudaFuncGetAttributes(&facts, kernel_named(p, p.text_bytes));
      put(to, &facts, sizeof facts);
      break;
    }
    case verb::set_function:
      error = cudaFuncSetAttribute(kernel_named(p, p.text_bytes), static_cast<cudaFuncAttribute>(number(v[0])),
                                   number(v[1]));
      break;
    case verb::last_error:
      error = v[0] != 0 ? cudaGetLastError() : cudaPeekAtLastError();
      break;
    case verb::synchronise:
      error = cudaDeviceSynchronize();
      break;
    default:
      return false;
  }
  to.values[0] = static_cast<std::uint64_t>(error);
  return true;
}

bool served_calls::answer(packet& p) {
  const auto to = std::make_unique<packet>();
  if (!carry_out(p, *to)) return false;
  to->what = verb::answer;
  p = *to;
  return true;
}

}  // namespace judge
