// Runs one kernel of the zoo alone on a GPU, with plain allocations and no guards, so that another tool
// (compute-sanitizer) sees its errors. Prints whether the sum is right, but the exit status does not depend on it.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "host/command_line.hpp"
#include "host/program.hpp"
#include "kernels/wrong_kernels/rungs.hpp"
#include "reductions/buffer.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/element.hpp"

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
  std::printf("%s\n", result == expected ? "the sum is the exact one" : "the sum differs");
}

}  // namespace

int main(int argc, char** argv) {
  std::string name;
  std::size_t n = 0;
  element_type type{};
  unsigned block_size = 0;
  host::parser app("Runs a wrong kernel of the zoo on a GPU, with nothing around it", "wrong_kernel");
  app.add_option("name", name, "The kernel").required();
  app.add_option("count", n, "Elements").required().transform(a_count());
  app.add_option("block_size", block_size, "Threads per block").required().check(host::number_from(1, 1024));
  app.add_option("type", type, "Type of the elements").required().transform(a_type());
  return host::run_program(app, argc, argv, 2, [&] {
    const std::vector<reduction> all = wrong::zoo();
    const auto found = std::find_if(all.begin(), all.end(), [&](const reduction& r) { return r.name == name; });
    if (found == all.end()) throw host::usage_error("no kernel of the zoo is named " + name);
    emulator::select_device(emulator::device_kind::gpu);
    try {
      with_type(type, [&]<typename T>(T*) { run<T>(*found, n, block_size); });
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
    }
    return 0;
  });
}
