// Prints the results of fetches from textures and of accesses to surfaces, form by form, as one line of JSON each. Runs
// on a GPU and on the emulator; texture_forms.py records and compares the output.

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int width = 7, height = 5, depth = 3;
constexpr int points = 48;

struct coordinates {
  float x, y, z;
  int layer;
};

// The kind of texture that a fetch specifies: "a2", for example, is a layered 2D texture.
enum class shape { d1, d2, d3, a1, a2 };

template <typename T, shape Shape>
__global__ void fetch(cudaTextureObject_t texture, const coordinates* at, T* out) {
  const int i = static_cast<int>(threadIdx.x);
  const coordinates c = at[i];
  if constexpr (Shape == shape::d1) out[i] = tex1D<T>(texture, c.x);
  if constexpr (Shape == shape::d2) out[i] = tex2D<T>(texture, c.x, c.y);
  if constexpr (Shape == shape::d3) out[i] = tex3D<T>(texture, c.x, c.y, c.z);
  if constexpr (Shape == shape::a1) out[i] = tex1DLayered<T>(texture, c.x, c.layer);
  if constexpr (Shape == shape::a2) out[i] = tex2DLayered<T>(texture, c.x, c.y, c.layer);
}

template <typename T>
__global__ void fetch_linear(cudaTextureObject_t texture, T* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex1Dfetch<T>(texture, i - 4);
}

template <typename T>
__global__ void touch_surface(cudaSurfaceObject_t surface, T* out, T value, cudaSurfaceBoundaryMode edge) {
  for (int i = 0; i < points; ++i) {
    const int x = (i % 11 - 2) * static_cast<int>(sizeof(T)), y = i / 11 - 1;
    if (edge == cudaBoundaryModeZero) {
      out[i] = surf2Dread<T>(surface, x, y, cudaBoundaryModeZero);
      if (i % 7 == 3) surf2Dwrite(value, surface, x, y, cudaBoundaryModeZero);
    } else {
      out[i] = surf2Dread<T>(surface, x, y, cudaBoundaryModeClamp);
      if (i % 7 == 3) surf2Dwrite(value, surface, x, y, cudaBoundaryModeClamp);
    }
  }
}

__global__ void touch_beyond(cudaSurfaceObject_t surface, float* out, int x, int y) {
  out[0] = surf2Dread<float>(surface, x * 4, y);
}

void print(const std::string& form, const void* values, std::size_t word_count) {
  std::printf("{\"form\": \"%s\", \"error\": \"%s\", \"words\": [", form.c_str(),
              cudaGetErrorName(cudaDeviceSynchronize()));
  const auto* words = static_cast<const std::uint32_t*>(values);
  for (std::size_t i = 0; i < word_count; ++i) std::printf("%s%u", i == 0 ? "" : ", ", words[i]);
  std::printf("]}\n");
  std::fflush(stdout);
}

/// Returns the bytes of elements with up to 251 different values. If they are floating-point numbers, they are small.
std::vector<unsigned char> filling(const cudaChannelFormatDesc& format, std::size_t elements) {
  const int channels = (format.x != 0) + (format.y != 0) + (format.z != 0) + (format.w != 0);
  const std::size_t values = elements * static_cast<std::size_t>(channels);
  std::vector<unsigned char> bytes(values * static_cast<std::size_t>(format.x) / 8);
  for (std::size_t i = 0; i < values; ++i) {
    const auto number = static_cast<std::int32_t>(i * 37 % 251) - 90;
    const float real = static_cast<float>(number) * 0.8125f;
    // A half with the same sign and few significant bits, composed by hand.
    const auto half = static_cast<std::uint16_t>((number < 0 ? 0x8000 : 0) | (0x3c00 + std::abs(number) * 16));
    if (format.f == cudaChannelFormatKindFloat && format.x == 32)
      std::memcpy(&bytes[i * 4], &real, 4);
    else if (format.f == cudaChannelFormatKindFloat)
      std::memcpy(&bytes[i * 2], &half, 2);
    else
      std::memcpy(&bytes[i * static_cast<std::size_t>(format.x) / 8], &number, static_cast<std::size_t>(format.x) / 8);
  }
  return bytes;
}

std::vector<coordinates> places(bool normalized) {
  std::vector<coordinates> all;
  for (int i = 0; i < points; ++i) {
    // The places range from two texels before the array to two after it, and include edges and centres of texels.
    coordinates c = {-2.0f + 0.25f * static_cast<float>(i % 44), -1.3f + 0.171f * static_cast<float>(i),
                     -0.7f + 0.113f * static_cast<float>(i), i % 5 - 1};
    if (i >= 44) c.x = 2.0f + 0.001953125f * static_cast<float>(i - 43);
    if (i % 3 == 2) c.x += 0.0371f;
    if (normalized) c = {c.x / width, c.y / height, c.z / depth, c.layer};
    all.push_back(c);
  }
  return all;
}

cudaArray_t make_array(const cudaChannelFormatDesc& format, shape s, unsigned flags = 0) {
  const bool layered = s == shape::a1 || s == shape::a2;
  const cudaExtent extent =
      make_cudaExtent(width, s == shape::d1 || s == shape::a1 ? 0 : height, s == shape::d3 || layered ? depth : 0);
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &format, extent, flags | (layered ? cudaArrayLayered : 0u));
  const std::size_t rows = extent.height == 0 ? 1 : extent.height, slices = extent.depth == 0 ? 1 : extent.depth;
  const std::vector<unsigned char> bytes = filling(format, width * rows * slices);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<unsigned char*>(bytes.data()), bytes.size() / rows / slices, width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, rows, slices);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return array;
}

/// A two-dimensional surface, and its array.
struct surface {
  cudaArray_t array = nullptr;
  cudaSurfaceObject_t object = 0;
  cudaError_t error = cudaSuccess;
};

surface make_surface(const cudaChannelFormatDesc& format, unsigned flags = cudaArraySurfaceLoadStore) {
  surface made;
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = made.array = make_array(format, shape::d2, flags);
  made.error = cudaCreateSurfaceObject(&made.object, &what);
  return made;
}

struct reading {
  cudaTextureAddressMode mode;
  cudaTextureFilterMode filter;
  cudaTextureReadMode read;
  bool normalized;
};

std::string words_of(const reading& r) {
  static const char* const modes[] = {"wrap", "clamp", "mirror", "border"};
  return std::string(modes[r.mode]) + (r.filter == cudaFilterModeLinear ? " linear" : " point") +
         (r.read == cudaReadModeNormalizedFloat ? " as real" : "") + (r.normalized ? " normalized" : "");
}

cudaTextureDesc describe(const reading& r) {
  cudaTextureDesc how = {};
  for (auto& mode : how.addressMode) mode = r.mode;
  how.filterMode = r.filter;
  how.readMode = r.read;
  how.normalizedCoords = r.normalized;
  how.borderColor[0] = 0.375f;
  return how;
}

template <typename T, shape Shape>
void try_texture(const std::string& name, const cudaResourceDesc& what, const reading& r) {
  const cudaTextureDesc how = describe(r);
  cudaTextureObject_t texture = 0;
  const std::string form = name + " " + words_of(r);
  if (const cudaError_t error = cudaCreateTextureObject(&texture, &what, &how, nullptr); error != cudaSuccess) {
    std::printf("{\"form\": \"%s\", \"error\": \"%s\", \"words\": []}\n", form.c_str(), cudaGetErrorName(error));
    cudaGetLastError();
    return;
  }
  coordinates* at;
  T* out;
  cudaMallocManaged(&at, points * sizeof(coordinates));
  cudaMallocManaged(&out, points * sizeof(T));
  const std::vector<coordinates> all = places(r.normalized);
  std::memcpy(at, all.data(), points * sizeof(coordinates));
  fetch<T, Shape><<<1, points>>>(texture, at, out);
  cudaDeviceSynchronize();
  std::vector<std::uint32_t> words(points * sizeof(T) / 4);
  std::memcpy(words.data(), out, points * sizeof(T));
  print(form, words.data(), words.size());
  cudaDestroyTextureObject(texture);
  cudaFree(at);
  cudaFree(out);
}

constexpr cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};

template <typename T, shape Shape>
void try_readings(const std::string& name, const cudaResourceDesc& what, cudaTextureReadMode read, bool filters) {
  for (const bool normalized : {false, true}) {
    for (const cudaTextureAddressMode mode : modes) {
      try_texture<T, Shape>(name, what, {mode, cudaFilterModePoint, read, normalized});
      if (filters) try_texture<T, Shape>(name, what, {mode, cudaFilterModeLinear, read, normalized});
    }
  }
}

template <typename T, shape Shape>
void try_array(const std::string& name, const cudaChannelFormatDesc& format, cudaTextureReadMode read, bool filters) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = make_array(format, Shape);
  try_readings<T, Shape>(name, what, read, filters);
  cudaFreeArray(what.res.array.array);
}

template <typename T>
void try_rows(const std::string& name, const cudaChannelFormatDesc& format) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypePitch2D;
  auto& rows = what.res.pitch2D;
  rows.desc = format;
  rows.width = width;
  rows.height = height;
  const std::vector<unsigned char> bytes = filling(format, width * height);
  cudaMallocPitch(&rows.devPtr, &rows.pitchInBytes, bytes.size() / height, height);
  cudaMemcpy2D(rows.devPtr, rows.pitchInBytes, bytes.data(), bytes.size() / height, bytes.size() / height, height,
               cudaMemcpyHostToDevice);
  try_readings<T, shape::d2>(name, what, cudaReadModeElementType, true);
  cudaFree(rows.devPtr);
}

template <typename T>
void try_linear(const std::string& name, const cudaChannelFormatDesc& format, cudaTextureReadMode read) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeLinear;
  auto& linear = what.res.linear;
  linear.desc = format;
  const std::vector<unsigned char> bytes = filling(format, points - 8);
  linear.sizeInBytes = bytes.size();
  cudaMalloc(&linear.devPtr, bytes.size());
  cudaMemcpy(linear.devPtr, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  const cudaTextureDesc how = describe({cudaAddressModeClamp, cudaFilterModePoint, read, false});
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &what, &how, nullptr);
  T* out;
  cudaMallocManaged(&out, points * sizeof(T));
  fetch_linear<T><<<1, points>>>(texture, out);
  cudaDeviceSynchronize();
  print(name, out, points * sizeof(T) / 4);
  cudaDestroyTextureObject(texture);
  cudaFree(linear.devPtr);
  cudaFree(out);
}

template <typename T>
void try_surface(const std::string& name, T value, cudaSurfaceBoundaryMode edge) {
  const surface of = make_surface(cudaCreateChannelDesc<T>());
  T* out;
  cudaMallocManaged(&out, points * sizeof(T));
  touch_surface<<<1, 1>>>(of.object, out, value, edge);
  cudaDeviceSynchronize();
  print(name + " read", out, points * sizeof(T) / 4);
  std::vector<unsigned char> bytes(width * height * sizeof(T) + 4);
  cudaMemcpy2DFromArray(bytes.data(), width * sizeof(T), of.array, 0, 0, width * sizeof(T), height,
                        cudaMemcpyDeviceToHost);
  print(name + " written", bytes.data(), bytes.size() / 4);
  cudaDestroySurfaceObject(of.object);
  cudaFreeArray(of.array);
  cudaFree(out);
}

/// Runs each mistake in its own process, because it may make the device's context unusable.
template <typename Mistake>
void in_a_process(const char* name, Mistake mistake) {
  std::fflush(stdout);
  if (fork() == 0) {
    const cudaError_t error = mistake();
    std::printf("{\"form\": \"%s\", \"error\": \"%s\", \"words\": []}\n", name, cudaGetErrorName(error));
    std::fflush(stdout);
    _exit(0);
  }
  int status;
  wait(&status);
}

cudaError_t read_from(cudaSurfaceObject_t object, int x, int y) {
  float* out;
  cudaMallocManaged(&out, sizeof(float));
  touch_beyond<<<1, 1>>>(object, out, x, y);
  return cudaDeviceSynchronize();
}

cudaError_t read_beyond(int x, int y) {
  return read_from(make_surface(cudaCreateChannelDesc<float>()).object, x, y);
}

cudaError_t create(cudaChannelFormatDesc format, cudaTextureFilterMode filter, cudaTextureReadMode read) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = make_array(format, shape::d2);
  const cudaTextureDesc how = describe({cudaAddressModeClamp, filter, read, false});
  cudaTextureObject_t texture = 0;
  return cudaCreateTextureObject(&texture, &what, &how, nullptr);
}

cudaError_t surface_of_plain_array() {
  return make_surface(cudaCreateChannelDesc<float>(), 0).error;
}

cudaError_t use_destroyed() {
  const surface of = make_surface(cudaCreateChannelDesc<float>());
  cudaDestroySurfaceObject(of.object);
  return read_from(of.object, 0, 0);
}

void try_mistakes() {
  in_a_process("surface beyond its row", [] { return read_beyond(width, 0); });
  in_a_process("surface beyond its last row", [] { return read_beyond(0, height); });
  in_a_process("surface in front of its row", [] { return read_beyond(-1, 0); });
  in_a_process("destroyed surface", use_destroyed);
  in_a_process("surface of an array that is for none", surface_of_plain_array);
  in_a_process("linear filter over integers",
               [] { return create(cudaCreateChannelDesc<int>(), cudaFilterModeLinear, cudaReadModeElementType); });
  in_a_process("integers of 32 bits as real",
               [] { return create(cudaCreateChannelDesc<int>(), cudaFilterModePoint, cudaReadModeNormalizedFloat); });
}

}  // namespace

int main() {
  // Called before anything creates a context, because a child process cannot use a context of its parent.
  try_mistakes();
  const auto element = cudaReadModeElementType, real = cudaReadModeNormalizedFloat;
  const auto one = cudaCreateChannelDesc<float>();
  const auto half = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
  try_array<float, shape::d1>("1D float", one, element, true);
  try_array<float, shape::d2>("2D float", one, element, true);
  try_array<float, shape::d3>("3D float", one, element, true);
  try_array<float, shape::a1>("1D layered float", one, element, true);
  try_array<float, shape::a2>("2D layered float", one, element, true);
  try_array<float4, shape::d2>("2D float4", cudaCreateChannelDesc<float4>(), element, true);
  try_array<float2, shape::d1>("1D float as float2", one, element, false);
  try_array<float, shape::d2>("2D half", half, element, true);
  try_array<float, shape::d2>("2D uchar as real", cudaCreateChannelDesc<unsigned char>(), real, true);
  try_array<float, shape::d2>("2D char as real", cudaCreateChannelDesc<signed char>(), real, true);
  try_array<float, shape::d2>("2D short as real", cudaCreateChannelDesc<short>(), real, true);
  try_array<float, shape::d2>("2D ushort as real", cudaCreateChannelDesc<unsigned short>(), real, true);
  try_array<float4, shape::d1>("1D uchar4 as real", cudaCreateChannelDesc<uchar4>(), real, true);
  try_array<int, shape::d1>("1D int", cudaCreateChannelDesc<int>(), element, false);
  try_array<uint4, shape::d1>("1D uint4", cudaCreateChannelDesc<uint4>(), element, false);
  try_array<uchar4, shape::d1>("1D uchar4", cudaCreateChannelDesc<uchar4>(), element, false);
  try_rows<float>("rows of float", one);
  try_linear<float>("linear float", one, element);
  try_linear<uint2>("linear uint2", cudaCreateChannelDesc<uint2>(), element);
  try_linear<float>("linear char as real", cudaCreateChannelDesc<signed char>(), real);
  for (const auto edge : {cudaBoundaryModeZero, cudaBoundaryModeClamp}) {
    const std::string end = edge == cudaBoundaryModeZero ? " zero" : " clamp";
    try_surface<float>("surface float" + end, 0.625f, edge);
    try_surface<float4>("surface float4" + end, make_float4(1, 2, 3, 4), edge);
    try_surface<uchar4>("surface uchar4" + end, make_uchar4(1, 2, 3, 4), edge);
    try_surface<int2>("surface int2" + end, make_int2(77, -78), edge);
  }
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
