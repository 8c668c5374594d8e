// One kernel of the zoo on a GPU, with nothing around it: plain allocations and no guards, so that another tool
// (compute-sanitizer) sees what it does. Says whether the sum is right; its exit status does not tell.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "device/buffer.hpp"
#include "emulator/emulator.hpp"
#include "workbook/element.hpp"
#include "wrong_kernels/rungs.hpp"

namespace {

using namespace workbook;

template <typename T>
void run(const reduction& rung, std::size_t n, unsigned block_size) {
  const std::size_t room = std::max<std::size_t>(1, (n + block_size - 1) / block_size);
  const device_bytes in(n * sizeof(T)), first(room * sizeof(T)), second(room * sizeof(T));
  std::vector<T> host(n);
  T expected{};
  for (std::size_t i = 0; i < n; ++i) {
    host[i] = input_value<T>(i, 1);
    expected = static_cast<T>(expected + host[i]);
  }
  if (n != 0) check(cudaMemcpy(in.data(), host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  const T* from = reinterpret_cast<const T*>(in.data());
  T* to = reinterpret_cast<T*>(first.data());
  T* next = reinterpret_cast<T*>(second.data());
  for (std::size_t left = n; left != 1;) {
    const std::size_t partials = std::get<pass<T>>(rung.passes)(from, to, left, block_size);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    if (partials == 0 || (partials >= left && left > 1)) break;
    left = partials;
    from = to;
    std::swap(to, next);
  }
  T result{};
  check(cudaMemcpy(&result, from, sizeof(T), cudaMemcpyDeviceToHost));
  std::printf("%s\n", result == expected ? "the sum is the exact one" : "the sum is another");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: wrong_kernel NAME N BLOCK_SIZE int|unsigned|longlong|float|double\n");
    return 2;
  }
  emulator::select_device(emulator::device_kind::gpu);
  const std::string name = argv[1], type = argv[4];
  const std::size_t n = std::stoull(argv[2]);
  const auto block_size = static_cast<unsigned>(std::stoul(argv[3]));
  for (const reduction& rung : wrong::zoo()) {
    if (rung.name != name) continue;
    try {
      if (type == "int") run<int>(rung, n, block_size);
      if (type == "unsigned") run<unsigned>(rung, n, block_size);
      if (type == "longlong") run<long long>(rung, n, block_size);
      if (type == "float") run<float>(rung, n, block_size);
      if (type == "double") run<double>(rung, n, block_size);
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
    }
    return 0;
  }
  std::fprintf(stderr, "no kernel of the zoo is named %s\n", name.c_str());
  return 2;
}
