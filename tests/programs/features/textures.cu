// refuses: host | textures and CUDA arrays: the calls are named and fail, and the program can go on without
// says: cudaCreateTextureObject
// says: cudaMallocArray
// status: 86
// finding: cudaCreateTextureObject is not implemented by the emulator
// finding: cudaMallocArray is not implemented by the emulator

#include <cstdio>

__global__ void sobel(const float* image, float* edges, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  float across = 0, down = 0;
  for (int k = -1; k <= 1; ++k) {
    float weight = k == 0 ? 2.0f : 1.0f;
    across += weight * (image[(y + k) * width + x + 1] - image[(y + k) * width + x - 1]);
    down += weight * (image[(y + 1) * width + x + k] - image[(y - 1) * width + x + k]);
  }
  edges[y * width + x] = fabsf(across) + fabsf(down);
}

int main() {
  const int width = 40, height = 24;
  float *image, *edges;
  cudaMallocManaged(&image, width * height * sizeof(float));
  cudaMallocManaged(&edges, width * height * sizeof(float));
  for (int i = 0; i < width * height; ++i) {
    image[i] = i % width < 10 ? 0.0f : 3.0f;  // one upright edge
    edges[i] = 0;
  }
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = image;
  what.res.linear.desc = cudaCreateChannelDesc<float>();
  what.res.linear.sizeInBytes = width * height * sizeof(float);
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  if (cudaCreateTextureObject(&texture, &what, &how, nullptr) != cudaErrorNotSupported) return 1;
  cudaArray_t array;
  if (cudaMallocArray(&array, &what.res.linear.desc, width, height) != cudaErrorNotSupported) return 1;
  cudaGetLastError();
  sobel<<<dim3(5, 3), dim3(8, 8)>>>(image, edges, width, height);  // the program can do without
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x)
      if (edges[y * width + x] != (x == 9 || x == 10 ? 12.0f : 0.0f)) return 1;
  cudaFree(image);
  cudaFree(edges);
  return 0;
}
