// Draws the Julia set of chapter 13 and writes it as a grey image (PGM, one byte per pixel), for plots/julia.py.

#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "13_fused_pipelines/calls.hpp"
#include "13_fused_pipelines/julia_pixel.hpp"
#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "reductions/buffer.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/timer.hpp"

namespace {

using namespace workbook;

/// Returns the milliseconds that one host thread takes.
double time_on_host(unsigned width) {
  const auto begin = std::chrono::steady_clock::now();
  unsigned sum = 0;  // used below, so that the compiler removes no pixel
  for (unsigned i = 0; i < width * width; ++i) sum += chapter13::julia_pixel{width}(i);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return sum == 0 && width > 2 ? 0 : ms;
}

int draw(unsigned width, emulator::device_kind device, const std::string& image, const std::string& json) {
  emulator::select_device(device);
  const bool gpu = device == emulator::device_kind::gpu;
  const std::size_t pixels = std::size_t{width} * width;
  const device_bytes memory(pixels);
  chapter13::call c;
  c.out = memory.data();
  c.n = pixels;
  host::output_file picture(image);
  host::json_file file(json);
  nlohmann::json j = {{"schema", 1}, {"width", width}, {"device", gpu ? "gpu" : "emulator"}};
  std::vector<unsigned char> got(pixels);
  j["kernels"] = nlohmann::json::array();
  for (const chapter13::way& w : chapter13::julia_ways()) {
    w.run[0](c);
    check(cudaGetLastError());
    check(cudaMemcpy(got.data(), memory.data(), pixels, cudaMemcpyDeviceToHost));
    nlohmann::json row = {{"name", w.name}};
    if (gpu) {
      const timing alone = time_on_gpu([&] { w.run[0](c); }, 21, start::warm);
      const timing copied = time_on_gpu(
          [&] {
            w.run[0](c);
            check(cudaMemcpyAsync(got.data(), memory.data(), pixels, cudaMemcpyDeviceToHost, nullptr));
          },
          21, start::warm);
      row["time_ms"] = alone.median_ms;
      row["time_with_copy_ms"] = copied.median_ms;
      fmt::print("{:<20} {:>10.4f} ms, with the copy to the host {:.4f} ms\n", w.name, alone.median_ms,
                 copied.median_ms);
    }
    j["kernels"].push_back(std::move(row));
  }
  if (gpu) {
    j["host_ms"] = time_on_host(width);
    fmt::print("{:<20} {:>10.4f} ms\n", "one host thread", j["host_ms"].get<double>());
  }
  picture.write(fmt::format("P5\n{} {}\n255\n", width, width) + std::string(got.begin(), got.end()));
  file.write(j);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  host::parser app{"Draws the Julia set of chapter 13 as a PGM image; plots/julia.py makes a PNG of it", "julia_set"};
  unsigned width = 1000;
  emulator::device_kind device = emulator::device_kind::emulator;
  std::string image = "julia_set.pgm", json;
  app.add_option("--width", width, "Pixels on each side").check(host::number_from(1, 32768));
  app.add_option("--device", device, "Device that draws it").transform(a_device());
  app.add_option("--image", image, "File for the image");
  app.add_option("--json", json, "File for the times (GPU)");
  return host::run_program(app, argc, argv, 3, [&] { return draw(width, device, image, json); });
}
