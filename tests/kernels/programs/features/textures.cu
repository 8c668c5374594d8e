// covers: device library | textures: plain memory, rows, arrays of 1 to 3 dimensions, layers; filters, edges, formats
// says: plain memory: right
// says: edges: right
// says: linear filter: right
// says: three dimensions: right
// says: layers: right
// says: numbers from -1 to 1: right
// says: rows: right
// says: sizes: 7 x 3
// A fetch isn't a load from global memory. Each of five launches stores the values that one warp has fetched.
// count: nearest_2d | global load requests | 0
// count: nearest_2d | global store requests | 5

#include <cmath>
#include <cstdint>
#include <cstdio>

constexpr int width = 6, height = 4, depth = 3;

__global__ void from_memory(cudaTextureObject_t texture, float2* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex1Dfetch<float2>(texture, i - 2);
}

// Reads at 32 positions from three texels before a row to seven after it. None is on the edge of a texel.
__global__ void nearest_2d(cudaTextureObject_t texture, float scale, float y, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex2D<int>(texture, (static_cast<float>(i) * 0.5f - 2.75f) * scale, y);
}

__global__ void filtered_2d(cudaTextureObject_t texture, const float2* at, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}

__global__ void filtered_3d(cudaTextureObject_t texture, float* out) {
  // This is the centre between two texels in each dimension, so the result is the mean of eight texels.
  const float x = static_cast<float>(threadIdx.x) + 1.0f;
  out[threadIdx.x] = tex3D<float>(texture, x, 2.0f, 1.0f);
}

__global__ void of_layers(cudaTextureObject_t one, cudaTextureObject_t two, float* out) {
  const int layer = static_cast<int>(threadIdx.x) - 1;  // from one before the first to one after the last
  out[threadIdx.x] = tex1DLayered<float>(one, 2.5f, layer);
  out[8 + threadIdx.x] = tex2DLayered<float>(two, 2.5f, 1.5f, layer);
}

__global__ void as_real(cudaTextureObject_t bytes, cudaTextureObject_t shorts, cudaTextureObject_t halves, float* out) {
  const float x = static_cast<float>(threadIdx.x) + 0.5f;
  const float4 four = tex1D<float4>(bytes, x);
  out[threadIdx.x] = four.x;
  out[8 + threadIdx.x] = four.w;
  out[16 + threadIdx.x] = tex1D<float>(shorts, x);
  out[24 + threadIdx.x] = tex1D<float>(halves, x);
}

__global__ void sizes(cudaTextureObject_t texture, int* out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(texture));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(texture));
}

template <typename T>
cudaArray_t array_of(const T* values, int w, int h, int d, unsigned flags = 0,
                     cudaChannelFormatDesc format = cudaCreateChannelDesc<T>()) {
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags);
  cudaMemcpy3DParms copy = {};
  const int rows = h == 0 ? 1 : h;
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(values), w * sizeof(T), w, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(w, rows, d == 0 ? 1 : d);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return array;
}

cudaTextureObject_t texture_of(const cudaResourceDesc& what, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                               cudaTextureReadMode read, bool normalized, int border = 0) {
  cudaTextureDesc how = {};
  for (auto& one : how.addressMode) one = mode;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  reinterpret_cast<int&>(how.borderColor[0]) = border;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &what, &how, nullptr);
  return texture;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  return what;
}

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter = cudaFilterModePoint,
                               cudaTextureReadMode read = cudaReadModeElementType) {
  return texture_of(resource_of(array), cudaAddressModeClamp, filter, read, false);
}

int failures = 0;

void say(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "wrong");
  failures += !right;
}

float* out;

void check_memory() {
  float2* memory;
  cudaMallocManaged(&memory, 10 * sizeof(float2));
  for (int i = 0; i < 10; ++i) memory[i] = make_float2(i + 0.5f, -i);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = memory;
  what.res.linear.desc = cudaCreateChannelDesc<float2>();
  what.res.linear.sizeInBytes = 10 * sizeof(float2);
  const auto texture = texture_of(what, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
  from_memory<<<1, 14>>>(texture, reinterpret_cast<float2*>(out));
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 14; ++i) {  // two before and two after the memory are 0
    const bool inside = i >= 2 && i < 12;
    right = right && out[2 * i] == (inside ? i - 2 + 0.5f : 0) && out[2 * i + 1] == (inside ? 2 - i : 0);
  }
  say("plain memory", right);
  cudaDestroyTextureObject(texture);
  cudaFree(memory);
}

// Texel x of row y is 10 y + x.
int expected(int x, cudaTextureAddressMode mode) {
  if (mode == cudaAddressModeWrap) return 10 + ((x % width) + width) % width;
  if (mode == cudaAddressModeMirror) {
    const int folded = ((x % (2 * width)) + 2 * width) % (2 * width);
    return 10 + (folded < width ? folded : 2 * width - 1 - folded);
  }
  if (mode == cudaAddressModeBorder) return x < 0 || x >= width ? 777 : 10 + x;
  return 10 + (x < 0 ? 0 : x >= width ? width - 1 : x);
}

void check_edges() {
  int values[width * height];
  for (int i = 0; i < width * height; ++i) values[i] = 10 * (i / width) + i % width;
  cudaArray_t array = array_of(values, width, height, 0);
  bool right = true;
  struct {
    cudaTextureAddressMode mode;
    bool normalized;
  } const ways[] = {{cudaAddressModeWrap, true},
                    {cudaAddressModeMirror, true},
                    {cudaAddressModeClamp, true},
                    {cudaAddressModeBorder, true},
                    {cudaAddressModeBorder, false}};
  int* got = reinterpret_cast<int*>(out);
  for (const auto& way : ways) {
    const auto texture =
        texture_of(resource_of(array), way.mode, cudaFilterModePoint, cudaReadModeElementType, way.normalized, 777);
    nearest_2d<<<1, 32>>>(texture, way.normalized ? 1.0f / width : 1.0f, way.normalized ? 1.5f / height : 1.5f, got);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) right = right && got[i] == expected((i - 6) >> 1, way.mode);
    cudaDestroyTextureObject(texture);
  }
  say("edges", right);
  cudaFreeArray(array);
}

void check_filter() {
  float values[width * height];
  for (int i = 0; i < width * height; ++i) values[i] = i * i % 23 - 9;
  cudaArray_t array = array_of(values, width, height, 0);
  const auto texture = texture_of(array, cudaFilterModeLinear);
  float2* at;
  cudaMallocManaged(&at, 64 * sizeof(float2));
  for (int i = 0; i < 64; ++i) at[i] = make_float2(i % 8 - 0.3f, i / 8 * 0.7f - 0.9f);
  filtered_2d<<<1, 64>>>(texture, at, out);
  cudaDeviceSynchronize();
  const auto value = [&](int x, int y) {
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return static_cast<double>(values[y * width + x]);
  };
  bool right = true;
  for (int i = 0; i < 64; ++i) {
    // The weights have eight fractional bits, so a coordinate is rounded to the nearest 1/256.
    const double x = std::floor(at[i].x * 256.0 + 0.5) / 256 - 0.5, y = std::floor(at[i].y * 256.0 + 0.5) / 256 - 0.5;
    const int k = static_cast<int>(std::floor(x)), m = static_cast<int>(std::floor(y));
    const double a = x - k, b = y - m;
    // The product of the weights is rounded in the same way, and the texels' weights are computed with it.
    const double both = std::floor(a * b * 256 + 0.5) / 256;
    const double wanted = (1 - a - b + both) * value(k, m) + (a - both) * value(k + 1, m) +
                          (b - both) * value(k, m + 1) + both * value(k + 1, m + 1);
    right = right && std::fabs(out[i] - wanted) < 1e-5;
  }
  say("linear filter", right);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
  cudaFree(at);
}

void check_three_dimensions() {
  float values[depth][height][width];
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) values[z][y][x] = 100 * z + 10 * y + x;
  cudaArray_t array = array_of(&values[0][0][0], width, height, depth);
  const auto texture = texture_of(array, cudaFilterModeLinear);
  filtered_3d<<<1, 5>>>(texture, out);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 5; ++i) right = right && out[i] == 50 + 15 + i + 0.5f;  // slices 0, 1; rows 1, 2; texels i, i + 1
  say("three dimensions", right);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}

void check_layers() {
  float values[3 * 2 * 4];
  for (int i = 0; i < 24; ++i) values[i] = i;
  cudaArray_t one = array_of(values, 4, 0, 6, cudaArrayLayered), two = array_of(values, 4, 2, 3, cudaArrayLayered);
  const auto first = texture_of(one), second = texture_of(two);
  of_layers<<<1, 8>>>(first, second, out);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 8; ++i) {
    const auto clamped = [&](int layers) { return i >= 1 && i - 1 < layers ? i - 1 : layers - 1; };
    right = right && out[i] == 4 * clamped(6) + 2 && out[8 + i] == 8 * clamped(3) + 4 + 2;
  }
  say("layers", right);
  for (const auto texture : {first, second}) cudaDestroyTextureObject(texture);
  for (const auto array : {one, two}) cudaFreeArray(array);
}

void check_reals() {
  uchar4 bytes[8];
  short shorts[8];
  std::uint16_t halves[8];
  for (int i = 0; i < 8; ++i) {
    bytes[i] = make_uchar4(31 * i, 0, 0, 255 - i);
    shorts[i] = static_cast<short>(i == 0 ? -32768 : 4000 * i - 16000);
    halves[i] = static_cast<std::uint16_t>(0x3c00 + 64 * i);  // 1 + i / 16
  }
  cudaArray_t of_bytes = array_of(bytes, 8, 0, 0), of_shorts = array_of(shorts, 8, 0, 0);
  cudaArray_t of_halves = array_of(halves, 8, 0, 0, 0, cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat));
  const cudaTextureObject_t textures[] = {texture_of(of_bytes, cudaFilterModePoint, cudaReadModeNormalizedFloat),
                                          texture_of(of_shorts, cudaFilterModePoint, cudaReadModeNormalizedFloat),
                                          texture_of(of_halves)};
  as_real<<<1, 8>>>(textures[0], textures[1], textures[2], out);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 8; ++i) {
    right = right && std::fabs(out[i] - 31 * i / 255.0) < 1e-7 && std::fabs(out[8 + i] - (255 - i) / 255.0) < 1e-7;
    right = right && std::fabs(out[16 + i] - (i == 0 ? -1 : (4000 * i - 16000) / 32767.0)) < 1e-7;
    right = right && out[24 + i] == 1 + i / 16.0f;
  }
  say("numbers from -1 to 1", right);
  for (const auto texture : textures) cudaDestroyTextureObject(texture);
  for (const auto array : {of_bytes, of_shorts, of_halves}) cudaFreeArray(array);
}

void check_rows() {
  constexpr int columns = 7, rows = 3;
  float values[rows][columns];
  for (int i = 0; i < rows * columns; ++i) values[i / columns][i % columns] = 3 * i;
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  what.res.pitch2D.width = columns;
  what.res.pitch2D.height = rows;
  cudaMallocPitch(&what.res.pitch2D.devPtr, &what.res.pitch2D.pitchInBytes, sizeof(values[0]), rows);
  cudaMemcpy2D(what.res.pitch2D.devPtr, what.res.pitch2D.pitchInBytes, values, sizeof(values[0]), sizeof(values[0]),
               rows, cudaMemcpyHostToDevice);
  const auto texture = texture_of(what, cudaAddressModeBorder, cudaFilterModeLinear, cudaReadModeElementType, false);
  float2* at;
  cudaMallocManaged(&at, 4 * sizeof(float2));
  at[0] = make_float2(3.5f, 1.5f);  // the centre of a texel
  at[1] = make_float2(4.0f, 1.5f);  // between two texels
  at[2] = make_float2(4.0f, 2.0f);  // between four texels
  at[3] = make_float2(7.0f, 1.5f);  // between the last and the border, which is 0
  filtered_2d<<<1, 4>>>(texture, at, out);
  cudaDeviceSynchronize();
  say("rows", out[0] == 30 && out[1] == 31.5f && out[2] == 42 && out[3] == 19.5f);
  int* got = reinterpret_cast<int*>(out);
  sizes<<<1, 1>>>(texture, got);
  cudaDeviceSynchronize();
  std::printf("sizes: %d x %d\n", got[0], got[1]);
  cudaDestroyTextureObject(texture);
  cudaFree(what.res.pitch2D.devPtr);
  cudaFree(at);
}

int main() {
  cudaMallocManaged(&out, 64 * sizeof(float));
  check_memory();
  check_edges();
  check_filter();
  check_three_dimensions();
  check_layers();
  check_reals();
  check_rows();
  cudaFree(out);
  return failures;
}
