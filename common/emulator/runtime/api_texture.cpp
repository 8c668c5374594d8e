// Texture and surface objects.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/arrays.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"

namespace emulator::runtime {
namespace {

using memory::address_mode;
using memory::channel_kind;
using memory::texture_object;
using memory::texture_objects;

constexpr std::size_t object_alignment = 512, pitch_alignment = 32;
constexpr std::size_t max_linear_texels = std::size_t{1} << 28, max_pitch = 2097120, max_width = 131072,
                      max_rows = 65000;

/// The program's descriptions of an object, which it can query.
struct made_from {
  cudaResourceDesc resource = {};
  cudaTextureDesc texture = {};
};

std::map<std::uint64_t, made_from>& descriptions() {
  static auto* all = new std::map<std::uint64_t, made_from>;
  return *all;
}

cudaError_t refuse_object(const char* call, const std::string& words) {
  explain(fmt::format("{}: {}", call, words));
  return cudaErrorInvalidValue;
}

cudaError_t place_linear(const char* call, const cudaResourceDesc& from, memory::texel_grid& grid) {
  const auto& linear = from.res.linear;
  const auto format = texel_format_of(linear.desc);
  if (!format) return cudaErrorInvalidChannelDescriptor;
  grid.format = *format;
  grid.linear = true;
  grid.width = linear.sizeInBytes / format->bytes();
  if (grid.width == 0 || grid.width > max_linear_texels)
    return refuse_object(call,
                         fmt::format("{} texels are requested: 1 to {} are possible", grid.width, max_linear_texels));
  if (reinterpret_cast<std::uintptr_t>(linear.devPtr) % object_alignment != 0)
    return refuse_object(call, fmt::format("the memory does not begin at a multiple of {} bytes", object_alignment));
  return place_texels(call, linear.devPtr, linear.sizeInBytes, grid) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t place_rows(const char* call, const cudaResourceDesc& from, memory::texel_grid& grid) {
  const auto& rows = from.res.pitch2D;
  const auto format = texel_format_of(rows.desc);
  if (!format) return cudaErrorInvalidChannelDescriptor;
  grid.format = *format;
  grid.width = rows.width;
  grid.height = rows.height;
  grid.row_bytes = rows.pitchInBytes;
  if (rows.width == 0 || rows.height == 0 || rows.width > max_width || rows.height > max_rows ||
      rows.pitchInBytes > max_pitch)
    return refuse_object(call, fmt::format("up to {} texels x {} with up to {} bytes from row to row are possible",
                                           max_width, max_rows, max_pitch));
  if (rows.pitchInBytes % pitch_alignment != 0 || rows.pitchInBytes < rows.width * format->bytes())
    return refuse_object(call, fmt::format("rows are {} bytes apart: it must be a multiple of {} that holds a row",
                                           rows.pitchInBytes, pitch_alignment));
  if (reinterpret_cast<std::uintptr_t>(rows.devPtr) % object_alignment != 0)
    return refuse_object(call, fmt::format("the memory does not begin at a multiple of {} bytes", object_alignment));
  const std::size_t size_bytes = rows.pitchInBytes * (rows.height - 1) + rows.width * format->bytes();
  grid.slice_bytes = size_bytes;
  return place_texels(call, rows.devPtr, size_bytes, grid) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t place_resource(const char* call, const cudaResourceDesc& from, memory::texel_grid& grid) {
  switch (from.resType) {
    case cudaResourceTypeArray: {
      const array_record* array = find_array(from.res.array.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      grid = array->texels;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
      return place_linear(call, from, grid);
    case cudaResourceTypePitch2D:
      return place_rows(call, from, grid);
    default:
      return not_implemented("an object over a mipmapped array");
  }
}

address_mode mode_of(cudaTextureAddressMode given, bool normalized) {
  switch (given) {
    case cudaAddressModeWrap:
      return normalized ? address_mode::wrap : address_mode::clamp;
    case cudaAddressModeMirror:
      return normalized ? address_mode::mirror : address_mode::clamp;
    case cudaAddressModeBorder:
      return address_mode::border;
    default:
      return address_mode::clamp;
  }
}

/// Sets the members of `object` that determine how it is read.
cudaError_t set_reading(const char* call, const cudaTextureDesc& how, texture_object& object) {
  if (how.sRGB != 0) return not_implemented("a texture of sRGB");
  const memory::texel_format& format = object.texels.format;
  object.normalized = how.normalizedCoords != 0;
  object.filters = how.filterMode == cudaFilterModeLinear;
  object.reads_as_real = how.readMode == cudaReadModeNormalizedFloat && format.kind != channel_kind::real;
  if (object.reads_as_real && format.bits == 32) {
    explain(fmt::format("{}: integers of 32 bits cannot be read as numbers from 0 to 1", call));
    return cudaErrorInvalidNormSetting;
  }
  if (object.filters && (!object.gives_reals() || object.texels.linear)) {
    explain(fmt::format(
        "{}: a linear filter needs a texture that returns floating-point numbers and is not plain memory", call));
    return cudaErrorInvalidFilterSetting;
  }
  for (std::size_t d = 0; d < 3; ++d) object.modes[d] = mode_of(how.addressMode[d], object.normalized);
  std::copy_n(how.borderColor, 4, object.border.begin());
  return cudaSuccess;
}

cudaError_t destroy_object(unsigned long long object, bool is_surface) {
  if (object == 0) return cudaSuccess;
  if (!process_memory().textures.destroy(object, is_surface)) {
    explain("invalid object: it was never created, or has been destroyed");
    return cudaErrorInvalidValue;
  }
  descriptions().erase(object);
  return cudaSuccess;
}

const made_from* find_description(unsigned long long object) {
  const auto found = descriptions().find(object);
  return found == descriptions().end() ? nullptr : &found->second;
}

}  // namespace
}  // namespace emulator::runtime

using namespace emulator::runtime;

EMULATOR_API(cudaCreateTextureObject,
             (cudaTextureObject_t * object, const cudaResourceDesc* resource, const cudaTextureDesc* texture,
              const cudaResourceViewDesc* view),
             object, resource, texture, view) {
  if (object == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  if (view != nullptr) return not_implemented("a view of a texture's memory (cudaResourceViewDesc)");
  texture_object made;
  if (const cudaError_t error = place_resource("cudaCreateTextureObject", *resource, made.texels); error != cudaSuccess)
    return error;
  if (const cudaError_t error = set_reading("cudaCreateTextureObject", *texture, made); error != cudaSuccess)
    return error;
  *object = process_memory().textures.add(made);
  descriptions()[*object] = {*resource, *texture};
  return cudaSuccess;
}

EMULATOR_API(cudaDestroyTextureObject, (cudaTextureObject_t object), object) {
  return destroy_object(object, false);
}

EMULATOR_API(cudaCreateSurfaceObject, (cudaSurfaceObject_t * object, const cudaResourceDesc* resource), object,
             resource) {
  if (object == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  const array_record* array = find_array(resource->res.array.array);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  if ((array->flags & cudaArraySurfaceLoadStore) == 0) {
    explain("cudaCreateSurfaceObject: the array was made without cudaArraySurfaceLoadStore");
    return cudaErrorInvalidValue;
  }
  texture_object made;
  made.texels = array->texels;
  made.is_surface = true;
  *object = process_memory().textures.add(made);
  descriptions()[*object] = {*resource, {}};
  return cudaSuccess;
}

EMULATOR_API(cudaDestroySurfaceObject, (cudaSurfaceObject_t object), object) {
  return destroy_object(object, true);
}

EMULATOR_API(cudaGetTextureObjectResourceDesc, (cudaResourceDesc * resource, cudaTextureObject_t object), resource,
             object) {
  return answer(resource, find_description(object), &made_from::resource, cudaErrorInvalidValue);
}

EMULATOR_API(cudaGetTextureObjectTextureDesc, (cudaTextureDesc * texture, cudaTextureObject_t object), texture,
             object) {
  return answer(texture, find_description(object), &made_from::texture, cudaErrorInvalidValue);
}

EMULATOR_API(cudaGetTextureObjectResourceViewDesc, (cudaResourceViewDesc * view, cudaTextureObject_t object), view,
             object) {
  explain("cudaGetTextureObjectResourceViewDesc: the object was made without a view");
  return cudaErrorInvalidValue;
}

EMULATOR_API(cudaGetSurfaceObjectResourceDesc, (cudaResourceDesc * resource, cudaSurfaceObject_t object), resource,
             object) {
  return answer(resource, find_description(object), &made_from::resource, cudaErrorInvalidValue);
}

EMULATOR_API(cudaDeviceGetTexture1DLinearMaxWidth, (size_t * texels, const cudaChannelFormatDesc* format, int number),
             texels, format, number) {
  if (texels == nullptr || format == nullptr || !texel_format_of(*format)) return cudaErrorInvalidValue;
  if (!process_memory().devices.has(number)) return cudaErrorInvalidDevice;
  *texels = max_linear_texels;
  return cudaSuccess;
}
