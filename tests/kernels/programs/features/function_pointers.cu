// covers: functions | calls through function pointers, virtual functions

#include <cstdio>

typedef float (*operation)(float, float);

__device__ float add(float a, float b) {
  return a + b;
}
__device__ float subtract(float a, float b) {
  return a - b;
}
__device__ __noinline__ float weigh(float a, float b) {
  float weights[8];
  for (int k = 0; k < 8; ++k) weights[k] = a * k;
  return weights[static_cast<int>(b) & 7] + b;
}
__device__ operation table[] = {add, subtract, weigh};
__constant__ operation favourite = subtract;

struct shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~shape() {}
};
struct square : shape {
  float side;
  __device__ explicit square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct rectangle : shape {
  float width, height;
  __device__ rectangle(float w, float h) : width(w), height(h) {}
  __device__ float area() const override { return width * height; }
};

__global__ void through_table(float* out, operation given) {
  int t = threadIdx.x;
  out[t] = table[t % 3](t, 5.0f) + favourite(2.0f, 1.0f);
  if (t % 2 == 0) out[t] += given(100.0f, 1.0f);  // half of the lanes call
}

__global__ void through_objects(float* out) {
  int t = threadIdx.x;
  shape* s;
  if (t % 2 == 0)
    s = new square(t);
  else
    s = new rectangle(t, 2.0f);
  out[t] = s->area();
  delete s;
}

int main() {
  float* out;
  cudaMallocManaged(&out, 64 * sizeof(float));
  operation given;
  cudaMemcpyFromSymbol(&given, table, sizeof given, 0);  // add, passed as a kernel argument
  through_table<<<1, 32>>>(out, given);
  through_objects<<<1, 32>>>(out + 32);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int t = 0; t < 32; ++t) {
    float first = t % 3 == 0 ? t + 5.0f : t % 3 == 1 ? t - 5.0f : t * 5.0f + 5.0f;
    float expected = first + 1.0f + (t % 2 == 0 ? 101.0f : 0.0f);
    float area = t % 2 == 0 ? static_cast<float>(t * t) : t * 2.0f;
    if (out[t] != expected || out[32 + t] != area) {
      std::printf("%d: %g and %g, not %g and %g\n", t, out[t], out[32 + t], expected, area);
      return 1;
    }
  }
  return 0;
}
