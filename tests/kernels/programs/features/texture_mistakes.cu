// covers: device library | mistakes with textures and surfaces: beyond the edge, destroyed, freed, wrong type
// status: 86
// finding: Out of bounds of a surface: thread 6 reads at (24 bytes, 1), of a surface of 24 bytes x 5 in texture_
// finding: Out of bounds of a surface: thread 0 writes at (-4 bytes, 2), of a surface of 24 bytes x 5
// finding: x is counted in bytes, and 1 isn't a multiple of the element's 4
// finding: uses a texture or surface in texture_mistakes.cu:34 that does not fit: the object has been destroyed
// finding: the memory of the object has been freed
// finding: the handle is not a texture object
// finding: the object is a surface, not a texture
// finding: the object is 2D, the access 1D
// finding: the object returns floating-point numbers, but the fetch expects integers
// finding: an element has 4 bytes, the access 8
// finding: tex.cube.v4.f32.f32: cube textures are not emulated
// finding: the array was made without cudaArraySurfaceLoadStore
// finding: 28 bytes x 1 from byte 0 of row 0 do not fit an array of 24 bytes x 5
// finding: a linear filter needs a texture that returns floating-point numbers
// finding: cudaMallocMipmappedArray is not implemented by the emulator
// finding: (120 bytes), which kernel fetch(unsigned long long, float*) in line 142 reads: nothing orders the two

#include <cstdio>

constexpr int width = 6, height = 5;

// Seven threads read a row of six.
__global__ void read_row(cudaSurfaceObject_t surface, int* out) {
  out[threadIdx.x] = surf2Dread<int>(surface, static_cast<int>(threadIdx.x) * 4, 1);
}

__global__ void write_at(cudaSurfaceObject_t surface, int x) {
  surf2Dwrite(5, surface, x, 2);
}

__global__ void fetch(cudaTextureObject_t texture, float* out) {
  *out = tex2D<float>(texture, 1.5f, 1.5f);
}

__global__ void fetch_line(cudaTextureObject_t texture, float* out) {
  *out = tex1D<float>(texture, 1.5f);
}

__global__ void fetch_integer(cudaTextureObject_t texture, int* out) {
  *out = tex2D<int>(texture, 1.5f, 1.5f);
}

__global__ void read_two(cudaSurfaceObject_t surface, int* out) {
  *out = surf2Dread<int2>(surface, 0, 0).x;
}

__global__ void fetch_cube(cudaTextureObject_t texture, float* out) {
  *out = texCubemap<float>(texture, 1, 2, 3);
}

struct objects {
  cudaArray_t array = nullptr, plain = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
  float* out = nullptr;
};

cudaError_t make_texture(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureObject_t& texture) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaTextureDesc how = {};
  how.filterMode = filter;
  return cudaCreateTextureObject(&texture, &what, &how, nullptr);
}

// Resets the device, because a kernel that faults leaves an error that only a reset clears.
objects begin_again() {
  cudaDeviceReset();
  objects made;
  const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
  cudaMallocArray(&made.array, &real, width, height, cudaArraySurfaceLoadStore);
  cudaMallocArray(&made.plain, &real, width, height);
  make_texture(made.array, cudaFilterModePoint, made.texture);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = made.array;
  cudaCreateSurfaceObject(&made.surface, &what);
  cudaMalloc(&made.out, 8 * sizeof(float));
  return made;
}

int main() {
  objects o = begin_again();
  read_row<<<1, 7>>>(o.surface, reinterpret_cast<int*>(o.out));
  cudaDeviceSynchronize();
  o = begin_again();
  write_at<<<1, 1>>>(o.surface, -4);
  cudaDeviceSynchronize();
  o = begin_again();
  write_at<<<1, 1>>>(o.surface, 1);
  cudaDeviceSynchronize();
  o = begin_again();
  cudaDestroyTextureObject(o.texture);
  fetch<<<1, 1>>>(o.texture, o.out);
  cudaDeviceSynchronize();
  o = begin_again();
  cudaFreeArray(o.array);
  fetch<<<1, 1>>>(o.texture, o.out);
  cudaDeviceSynchronize();
  o = begin_again();
  fetch<<<1, 1>>>(7, o.out);
  cudaDeviceSynchronize();
  o = begin_again();
  fetch<<<1, 1>>>(o.surface, o.out);
  cudaDeviceSynchronize();
  o = begin_again();
  fetch_line<<<1, 1>>>(o.texture, o.out);
  cudaDeviceSynchronize();
  o = begin_again();
  fetch_integer<<<1, 1>>>(o.texture, reinterpret_cast<int*>(o.out));
  cudaDeviceSynchronize();
  o = begin_again();
  read_two<<<1, 1>>>(o.surface, reinterpret_cast<int*>(o.out));
  cudaDeviceSynchronize();
  o = begin_again();
  fetch_cube<<<1, 1>>>(o.texture, o.out);
  cudaDeviceSynchronize();
  // These calls fail, and the program doesn't check their results.
  o = begin_again();
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = o.plain;
  cudaSurfaceObject_t none;
  cudaCreateSurfaceObject(&none, &what);
  float row[7] = {};
  cudaMemcpy2DToArray(o.plain, 0, 0, row, sizeof(row), sizeof(row), 1, cudaMemcpyHostToDevice);
  const cudaChannelFormatDesc integer = cudaCreateChannelDesc<int>();
  cudaArray_t integers;
  cudaMallocArray(&integers, &integer, width, height);
  cudaTextureObject_t wrong;
  make_texture(integers, cudaFilterModeLinear, wrong);
  cudaMipmappedArray_t levels;
  if (cudaMallocMipmappedArray(&levels, &integer, make_cudaExtent(8, 8, 0), 2) != cudaErrorNotSupported) return 1;
  // One stream fetches elements that another one writes. The second time, the two are in order.
  o = begin_again();
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  fetch<<<1, 1, 0, one>>>(o.texture, o.out);
  write_at<<<1, 1, 0, other>>>(o.surface, 0);
  cudaStreamSynchronize(one);
  fetch<<<1, 1, 0, other>>>(o.texture, o.out);
  cudaDeviceSynchronize();
  cudaDeviceReset();
  return 0;
}
