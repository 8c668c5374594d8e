// covers: device library | surfaces: loads and stores of 1 to 16 bytes, edges, layers; a texture of the same array
// says: read back: right
// says: beyond the edge: right
// says: slices and layers: right
// says: arrays copied: right

#include <cstdio>
#include <cstring>

constexpr int width = 6, height = 5;

template <typename T>
__global__ void fill(cudaSurfaceObject_t surface, T first) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  T value = first;
  reinterpret_cast<unsigned char&>(value) = static_cast<unsigned char>(10 * y + x);
  surf2Dwrite(value, surface, x * static_cast<int>(sizeof(T)), y);
}

// A texture may read elements that an earlier kernel has written to the array through a surface.
__global__ void turn_round(cudaTextureObject_t from, cudaSurfaceObject_t to) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const float value = tex2D<float>(from, x + 0.5f, y + 0.5f);
  surf2Dwrite(value, to, (width - 1 - x) * 4, height - 1 - y);
}

__global__ void beyond(cudaSurfaceObject_t surface, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = surf2Dread<int>(surface, (i - 2) * 4, -1, cudaBoundaryModeClamp);
  out[16 + i] = surf2Dread<int>(surface, (i - 2) * 4, 1, cudaBoundaryModeZero);
  surf2Dwrite(1000 + i, surface, (i - 2) * 4, height + 7, cudaBoundaryModeZero);   // writes nothing
  if (i == 9) surf2Dwrite(99, surface, i * 4, height + 7, cudaBoundaryModeClamp);  // the last element of all
}

__global__ void slices_and_layers(cudaSurfaceObject_t box, cudaSurfaceObject_t lines, cudaSurfaceObject_t sheets,
                                  int* out) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), z = static_cast<int>(threadIdx.z);
  const short value = static_cast<short>(100 * z + 10 * y + x);
  surf3Dwrite(value, box, x * 2, y, z);
  surf2DLayeredwrite(static_cast<long long>(value) << 33, sheets, x * 8, y, z);
  if (y == 0) surf1DLayeredwrite(make_int2(value, -value), lines, x * 8, z);
  __syncthreads();
  int* const own = out + 3 * ((z * 3 + y) * 4 + x);
  own[0] = surf3Dread<short>(box, x * 2, y, z);
  own[1] = static_cast<int>(surf2DLayeredread<long long>(sheets, x * 8, y, z) >> 33);
  own[2] = surf1DLayeredread<int2>(lines, x * 8, z).y;
}

template <typename T>
cudaArray_t array_for_surfaces(int w, int h, int d = 0, unsigned flags = 0) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags | cudaArraySurfaceLoadStore);
  return array;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &what);
  return surface;
}

template <typename T>
bool comes_back(T first) {
  cudaArray_t array = array_for_surfaces<T>(width, height);
  const auto surface = surface_of(array);
  fill<<<1, dim3(width, height)>>>(surface, first);
  T got[height][width];
  cudaMemcpy2DFromArray(got, sizeof(got[0]), array, 0, 0, sizeof(got[0]), height, cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0; i < width * height; ++i) {
    T wanted = first;
    reinterpret_cast<unsigned char&>(wanted) = static_cast<unsigned char>(10 * (i / width) + i % width);
    right = right && std::memcmp(&got[i / width][i % width], &wanted, sizeof(T)) == 0;
  }
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
  return right;
}

int failures = 0;

void say(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "wrong");
  failures += !right;
}

void check_edges(int* out) {
  int values[height][width];
  for (int i = 0; i < width * height; ++i) values[i / width][i % width] = i + 1;
  cudaArray_t array = array_for_surfaces<int>(width, height);
  cudaMemcpy2DToArray(array, 0, 0, values, sizeof(values[0]), sizeof(values[0]), height, cudaMemcpyHostToDevice);
  const auto surface = surface_of(array);
  beyond<<<1, 10>>>(surface, out);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 10; ++i) {
    const int x = i - 2;
    right = right && out[i] == (x < 0 ? 1 : x >= width ? width : x + 1);        // from the first row
    right = right && out[16 + i] == (x < 0 || x >= width ? 0 : width + x + 1);  // from the second
  }
  int last = 0;
  cudaMemcpy2DFromArray(&last, 4, array, (width - 1) * 4, height - 1, 4, 1, cudaMemcpyDeviceToHost);
  int before_last = 0;
  cudaMemcpy2DFromArray(&before_last, 4, array, (width - 2) * 4, height - 1, 4, 1, cudaMemcpyDeviceToHost);
  say("beyond the edge", right && last == 99 && before_last == width * height - 1);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

void check_layers(int* out) {
  cudaArray_t arrays[] = {array_for_surfaces<short>(4, 3, 2), array_for_surfaces<int2>(4, 0, 2, cudaArrayLayered),
                          array_for_surfaces<int2>(4, 3, 2, cudaArrayLayered)};
  cudaSurfaceObject_t surfaces[3];
  for (int k = 0; k < 3; ++k) surfaces[k] = surface_of(arrays[k]);
  slices_and_layers<<<1, dim3(4, 3, 2)>>>(surfaces[0], surfaces[1], surfaces[2], out);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 24; ++i) {
    const int x = i % 4, y = i / 4 % 3, z = i / 12, value = 100 * z + 10 * y + x;
    right = right && out[3 * i] == value && out[3 * i + 1] == value && out[3 * i + 2] == -(100 * z + x);
  }
  say("slices and layers", right);
  for (int k = 0; k < 3; ++k) {
    cudaDestroySurfaceObject(surfaces[k]);
    cudaFreeArray(arrays[k]);
  }
}

void check_copies() {
  float values[height][width];
  for (int i = 0; i < width * height; ++i) values[i / width][i % width] = i * 1.5f;
  cudaArray_t from = array_for_surfaces<float>(width, height), to = array_for_surfaces<float>(width, height);
  cudaMemcpyToArray(from, 0, 0, values, sizeof(values), cudaMemcpyHostToDevice);
  const auto surface = surface_of(to);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = from;
  cudaTextureDesc how = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &what, &how, nullptr);
  turn_round<<<1, dim3(width, height)>>>(texture, surface);
  // The left half of the turned array replaces the left half of the first array.
  cudaMemcpy3DParms half = {};
  half.srcArray = to;
  half.dstArray = from;
  half.extent = make_cudaExtent(width / 2, height, 1);
  half.kind = cudaMemcpyDeviceToDevice;
  cudaMemcpy3D(&half);
  float got[height][width];
  cudaMemcpyFromArray(got, from, 0, 0, sizeof(got), cudaMemcpyDeviceToHost);
  bool right = true;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      right = right && got[y][x] == (x < width / 2 ? values[height - 1 - y][width - 1 - x] : values[y][x]);
  say("arrays copied", right);
  cudaDestroyTextureObject(texture);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(from);
  cudaFreeArray(to);
}

int main() {
  int* out;
  cudaMallocManaged(&out, 80 * sizeof(int));
  say("read back", comes_back<unsigned char>(0) && comes_back<short>(0x1200) && comes_back(0x12345600) &&
                       comes_back(make_float2(1, 2)) && comes_back(make_int4(1, 2, 3, 4)) &&
                       comes_back(make_uchar4(1, 2, 3, 4)));
  check_edges(out);
  check_layers(out);
  check_copies();
  cudaFree(out);
  return failures;
}
