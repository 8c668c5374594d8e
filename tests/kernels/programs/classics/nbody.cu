// covers: classics | n-body with tiles in shared memory
//
// 256 bodies in 4 blocks of 64 threads. Each of the 8 warps reads its own bodies and one of each of the 4 tiles, 32
// float4 of 16 bytes: 16 sectors. 8 * (1 + 4) = 40 requests.
// count: accelerate | global load requests | 40
// count: accelerate | global load sectors | 640
// Each warp stores 4 tiles. A quarter of a warp writes 8 float4, each to four different banks.
// count: accelerate | shared stores | 32
// All lanes read the same body: 256 bodies for each of 8 warps.
// count: accelerate | shared loads | 2048
// count: accelerate | shared bank conflicts | 0
// Two barriers per tile.
// count: accelerate | barriers | 32

#include <cmath>
#include <cstdio>
#include <vector>

const int BLOCK = 64;
const float SOFTENING = 0.01f;

__global__ void accelerate(const float4* bodies, float4* accelerations, int n) {
  __shared__ float4 tile[BLOCK];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = bodies[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int t = 0; t < n; t += BLOCK) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < BLOCK; ++k) {
      float4 other = tile[k];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
      float strength = other.w * inverse * inverse * inverse;
      ax += dx * strength;
      ay += dy * strength;
      az += dz * strength;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(ax, ay, az, 0.0f);
}

int main() {
  const int n = 256;
  std::vector<float4> bodies(n), accelerations(n);
  for (int i = 0; i < n; ++i) {
    bodies[i] =
        make_float4(std::sin(1.0f * i), std::cos(2.0f * i), std::sin(3.0f * i), 1.0f + 0.5f * std::cos(5.0f * i));
  }
  float4 *d_bodies, *d_accelerations;
  cudaMalloc(&d_bodies, n * sizeof(float4));
  cudaMalloc(&d_accelerations, n * sizeof(float4));
  cudaMemcpy(d_bodies, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  accelerate<<<n / BLOCK, BLOCK>>>(d_bodies, d_accelerations, n);
  cudaMemcpy(accelerations.data(), d_accelerations, n * sizeof(float4), cudaMemcpyDeviceToHost);
  cudaFree(d_bodies);
  cudaFree(d_accelerations);
  for (int i = 0; i < n; ++i) {
    double ax = 0.0, ay = 0.0, az = 0.0, scale = 0.0;
    for (int k = 0; k < n; ++k) {
      double dx = bodies[k].x - bodies[i].x, dy = bodies[k].y - bodies[i].y, dz = bodies[k].z - bodies[i].z;
      double strength = bodies[k].w / std::pow(dx * dx + dy * dy + dz * dz + SOFTENING, 1.5);
      ax += dx * strength;
      ay += dy * strength;
      az += dz * strength;
      scale += strength;
    }
    double off =
        std::fabs(accelerations[i].x - ax) + std::fabs(accelerations[i].y - ay) + std::fabs(accelerations[i].z - az);
    if (!(off < 1e-5 * scale)) {
      std::printf("body %d is off by %g\n", i, off);
      return 1;
    }
  }
  return 0;
}
