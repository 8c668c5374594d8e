// run_opencl KERNEL.cl COUNT ROUNDS
//
// Sums COUNT ints with the kernel on the first OpenCL device, in blocks of 128 and as many passes as it takes. Prints
// the CPU time of each round in milliseconds, one per line. An additional first round is not timed.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t block_size = 128;

void require(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: OpenCL error %d\n", what, status);
  std::exit(1);
}

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// Does one reduction of `in`. Returns the buffer that contains the sum, `a` or `b`.
cl_mem reduce(cl_command_queue queue, cl_kernel kernel, cl_mem in, cl_mem a, cl_mem b, cl_ulong n) {
  cl_mem from = in, to = a;
  do {
    const std::size_t blocks = (n + block_size - 1) / block_size, threads = blocks * block_size;
    require(clSetKernelArg(kernel, 0, sizeof from, &from), "argument 0");
    require(clSetKernelArg(kernel, 1, sizeof to, &to), "argument 1");
    require(clSetKernelArg(kernel, 2, sizeof n, &n), "argument 2");
    require(clSetKernelArg(kernel, 3, block_size * sizeof(cl_int), nullptr), "argument 3");
    require(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &threads, &block_size, 0, nullptr, nullptr), "launch");
    n = blocks;
    from = to;
    to = to == a ? b : a;
  } while (n > 1);
  require(clFinish(queue), "clFinish");
  return from;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream file(argv[1]);
  const std::string source((std::istreambuf_iterator<char>(file)), {});
  const std::size_t count = std::strtoul(argv[2], nullptr, 10);
  const long rounds = std::strtol(argv[3], nullptr, 10);

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int status = 0;
  require(clGetPlatformIDs(1, &platform, nullptr), "platform");
  require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  require(status, "context");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  require(status, "queue");
  const char* text = source.c_str();
  cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
  require(status, "program");
  require(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "build");
  cl_kernel kernel = clCreateKernel(program, "reduce_interleaved", &status);
  require(status, "kernel");

  std::vector<cl_int> values(count);
  cl_int expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<cl_int>(i * 2654435761u % 2001u) - 1000;
    expected += values[i];
  }
  const std::size_t partials = (count + block_size - 1) / block_size * sizeof(cl_int);
  cl_mem in =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count * sizeof(cl_int), values.data(), &status);
  require(status, "input");
  cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, partials, nullptr, &status);
  require(status, "partials");
  cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, partials, nullptr, &status);
  require(status, "partials");

  for (long round = -1; round < rounds; ++round) {
    const double begin = cpu_ms();
    cl_mem sum = reduce(queue, kernel, in, a, b, count);
    if (round >= 0) std::printf("%.4f\n", cpu_ms() - begin);
    cl_int result = 0;
    require(clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof result, &result, 0, nullptr, nullptr), "read");
    if (result != expected) {
      std::fprintf(stderr, "the sum is %d, not %d\n", result, expected);
      return 1;
    }
  }
  return 0;
}
