// Executes the superoptimiser's programs on the device: instruction by instruction in an interpreter, or as printed.

#include "machine_code/superopt/kernels.hpp"

#include "printed_every_opcode.cuh"
#include "printed_sum16_tree.cuh"
#include "reductions/buffer.hpp"

namespace {

constexpr unsigned all = 0xffffffffu;

__device__ unsigned min_max(unsigned a, unsigned b, unsigned kind) {
  const int x = static_cast<int>(a), y = static_cast<int>(b);
  if (kind < 2) return static_cast<unsigned>(kind == 0 ? min(x, y) : max(x, y));
  return kind == 2 ? min(a, b) : max(a, b);
}

__device__ unsigned reduce(unsigned a, unsigned kind) {
  switch (kind) {
    case 0:
      return __reduce_add_sync(all, a);
    case 1:
      return static_cast<unsigned>(__reduce_min_sync(all, static_cast<int>(a)));
    case 2:
      return static_cast<unsigned>(__reduce_max_sync(all, static_cast<int>(a)));
    case 3:
      return __reduce_min_sync(all, a);
    case 4:
      return __reduce_max_sync(all, a);
    case 5:
      return __reduce_and_sync(all, a);
    case 6:
      return __reduce_or_sync(all, a);
    default:
      return __reduce_xor_sync(all, a);
  }
}

__device__ unsigned execute(const device_instruction& i, unsigned a, unsigned b, unsigned c) {
  switch (i.op) {
    case 0:
      return __shfl_down_sync(all, a, i.immediate);
    case 1:
      return __shfl_xor_sync(all, a, static_cast<int>(i.immediate));
    case 2:
      return __shfl_sync(all, a, static_cast<int>(i.immediate));
    case 3:
      return a + b;
    case 4:
      return a + b + c;
    case 5: {
      unsigned result = 0;
      for (unsigned bit = 0; bit < 32; ++bit) {
        const unsigned k = (a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1);
        result |= (i.immediate >> k & 1) << bit;
      }
      return result;
    }
    case 6:
      return min_max(a, b, i.immediate);
    case 7:
      return (i.immediate >> threadIdx.x & 1) != 0 ? a : b;
    case 8:
      return a;
    default:
      return reduce(a, i.immediate);
  }
}

/// Registers are stored in memory: register r of lane l is at registers[32 * r + l].
__global__ void interpret(const device_instruction* code, unsigned count, unsigned* registers) {
  for (unsigned k = 0; k < count; ++k) {
    const device_instruction i = code[k];
    const auto source = [&](unsigned s) { return registers[32 * i.sources[s] + threadIdx.x]; };
    const unsigned value = execute(i, source(0), source(1), source(2));
    registers[32 * i.destination + threadIdx.x] = value;
  }
}

__global__ void printed_tree(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = printed_sum16_tree(in[threadIdx.x]);
}
__global__ void printed_all(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = printed_every_opcode(in[threadIdx.x], in[threadIdx.x + 32]);
}

/// Copies `in` to the device, calls `launch(device pointer)`, and returns the values after that.
template <typename T, typename Launch>
std::vector<T> through_device(const std::vector<T>& in, Launch launch) {
  using namespace workbook;
  const std::size_t bytes = in.size() * sizeof(T);
  device_bytes there(bytes);
  check(cudaMemcpy(there.data(), in.data(), bytes, cudaMemcpyHostToDevice));
  launch(reinterpret_cast<T*>(there.data()));
  check(cudaGetLastError());
  std::vector<T> out(in.size());
  check(cudaMemcpy(out.data(), there.data(), bytes, cudaMemcpyDeviceToHost));
  return out;
}

}  // namespace

std::vector<warp_lanes> interpret_on_device(const std::vector<device_instruction>& code,
                                            const std::vector<warp_lanes>& registers) {
  std::vector<warp_lanes> result;
  (void)through_device(code, [&](const device_instruction* there) {
    result = through_device(registers, [&](warp_lanes* lanes) {
      interpret<<<1, 32>>>(there, static_cast<unsigned>(code.size()), reinterpret_cast<unsigned*>(lanes));
    });
  });
  return result;
}

warp_lanes run_printed_tree(const warp_lanes& in3) {
  return through_device(std::vector<warp_lanes>{in3, {}}, [](warp_lanes* lanes) {
    printed_tree<<<1, 32>>>(reinterpret_cast<unsigned*>(lanes), reinterpret_cast<unsigned*>(lanes + 1));
  })[1];
}

warp_lanes run_printed_every_opcode(const warp_lanes& in3, const warp_lanes& in6) {
  return through_device(std::vector<warp_lanes>{in3, in6, {}}, [](warp_lanes* lanes) {
    printed_all<<<1, 32>>>(reinterpret_cast<unsigned*>(lanes), reinterpret_cast<unsigned*>(lanes + 2));
  })[2];
}
