// CUDA arrays, and copies to and from them.

#include <fmt/format.h>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/arrays.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/handle_table.hpp"
#include "emulator/runtime/memory_rules.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/waiting_work.hpp"

namespace emulator::runtime {
namespace {

handle_table<array_record, cudaArray_t>& arrays() {
  static auto* table = new handle_table<array_record, cudaArray_t>;
  return *table;
}

constexpr std::size_t max_layers = 2048;

/// Returns what is wrong with an array's size; null if nothing is.
const char* array_objection(const cudaExtent& extent, bool layered) {
  const auto fits = [&](std::size_t w, std::size_t h, std::size_t d) {
    return extent.width <= w && extent.height <= h && extent.depth <= d;
  };
  if (extent.width == 0) return "the width is 0";
  if (layered) {
    if (extent.depth == 0) return "a layered array has a depth, which counts its layers";
    return fits(32768, 32768, max_layers) ? nullptr : "layers have up to 32768 x 32768 elements, an array 2048 layers";
  }
  if (extent.height == 0 && extent.depth != 0) return "there is a depth, and no height";
  if (extent.depth != 0) return fits(16384, 16384, 16384) ? nullptr : "each side has up to 16384 elements";
  return fits(131072, 65536, 0) ? nullptr : "an array has up to 131072 elements in a row, and 65536 rows";
}

cudaError_t allocate_array(const char* call, cudaArray_t* array, const cudaChannelFormatDesc* format,
                           const cudaExtent& extent, unsigned flags) {
  if (array == nullptr || format == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_while_capturing(call); error != cudaSuccess) return error;
  constexpr unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
  if ((flags & cudaArrayCubemap) != 0) return not_implemented("an array for a cubemap");
  if ((flags & ~known) != 0) return not_implemented("an array with these flags");
  const auto texel = texel_format_of(*format);
  if (!texel) {
    explain(
        fmt::format("{}: elements have 1, 2 or 4 channels of 8, 16 or 32 bits, all alike; floating-point numbers "
                    "16 or 32",
                    call));
    return cudaErrorInvalidChannelDescriptor;
  }
  const bool layered = (flags & cudaArrayLayered) != 0;
  if (const char* wrong = array_objection(extent, layered); wrong != nullptr) {
    explain(fmt::format("{}: {}", call, wrong));
    return cudaErrorInvalidValue;
  }
  auto made = std::make_unique<array_record>(array_record{*format, extent, flags});
  memory::texel_grid& grid = made->texels;
  grid.format = *texel;
  grid.width = extent.width;
  grid.height = extent.height;
  grid.depth = extent.depth;
  grid.layered = layered;
  grid.row_bytes = extent.width * texel->bytes();
  grid.slice_bytes = grid.row_bytes * made->rows();
  const std::size_t size_bytes = grid.slice_bytes * made->slices();
  const std::uintptr_t begin = process_memory().memory.allocate(size_bytes, memory::origin::device);
  if (begin == 0) return cudaErrorMemoryAllocation;
  static_cast<void>(place_texels(call, reinterpret_cast<const void*>(begin), size_bytes, grid));
  note_allocation(reinterpret_cast<const void*>(begin));
  *array = arrays().add(std::move(made));
  return cudaSuccess;
}

/// Checks that a rectangle (x in bytes) is inside an array's first slice.
cudaError_t check_rectangle(const char* call, const array_record& array, std::size_t x_bytes, std::size_t y,
                            std::size_t width_bytes, std::size_t height) {
  if (x_bytes % array.element_bytes() != 0 || width_bytes % array.element_bytes() != 0) {
    explain(
        fmt::format("{}: offset and width are counted in bytes, and an element has {}", call, array.element_bytes()));
    return cudaErrorInvalidValue;
  }
  const bool wide = width_bytes > array.texels.row_bytes || x_bytes > array.texels.row_bytes - width_bytes;
  if (wide || height > array.rows() || y > array.rows() - height) {
    explain(fmt::format("{}: {} bytes x {} from byte {} of row {} do not fit an array of {} bytes x {}", call,
                        width_bytes, height, x_bytes, y, array.texels.row_bytes, array.rows()));
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t copy_to_array(const char* call, cudaArray_t to, std::size_t x, std::size_t y, const void* source,
                          std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  const array_record* array = find_array(to);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  if (const cudaError_t error = check_rectangle(call, *array, x, y, width, height); error != cudaSuccess) return error;
  return copy_rows(call, array->row(0, y) + x, array->texels.row_bytes, source, pitch, width, height, kind);
}

cudaError_t copy_from_array(const char* call, void* destination, std::size_t pitch, cudaArray_const_t from,
                            std::size_t x, std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  const array_record* array = find_array(from);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  if (const cudaError_t error = check_rectangle(call, *array, x, y, width, height); error != cudaSuccess) return error;
  return copy_rows(call, destination, pitch, array->row(0, y) + x, array->texels.row_bytes, width, height, kind);
}

/// Finds byte `x` of a row in an array. cudaMemcpyToArray and cudaMemcpyFromArray copy bytes that continue from one row
/// to the next.
cudaError_t find_byte(cudaArray_const_t array, size_t x, size_t y, std::byte*& found) {
  const array_record* in = find_array(array);
  if (in == nullptr) return cudaErrorInvalidResourceHandle;
  if (x >= in->texels.row_bytes || y >= in->rows()) return cudaErrorInvalidValue;
  found = in->row(0, y) + x;
  return cudaSuccess;
}

}  // namespace

const array_record* find_array(cudaArray_const_t handle) {
  const array_record* found = arrays().find(const_cast<cudaArray_t>(handle));
  const memory::allocation* in = found == nullptr ? nullptr : process_memory().memory.find(found->texels.begin);
  if (in != nullptr && in->serial == found->texels.serial) return found;
  explain("invalid array handle: it was never created, or has been freed");
  return nullptr;
}

std::optional<memory::texel_format> texel_format_of(const cudaChannelFormatDesc& d) {
  const int bits[4] = {d.x, d.y, d.z, d.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  for (unsigned c = 0; c < 4; ++c) {
    if (bits[c] != (c < channels ? d.x : 0)) return {};
  }
  if (channels == 0 || channels == 3 || (d.x != 8 && d.x != 16 && d.x != 32)) return {};
  const auto of_kind = [&](memory::channel_kind kind) {
    return memory::texel_format{channels, static_cast<unsigned>(d.x), kind};
  };
  if (d.f == cudaChannelFormatKindSigned) return of_kind(memory::channel_kind::signed_integer);
  if (d.f == cudaChannelFormatKindUnsigned) return of_kind(memory::channel_kind::unsigned_integer);
  if (d.f == cudaChannelFormatKindFloat && d.x != 8) return of_kind(memory::channel_kind::real);
  return {};
}

bool place_texels(const char* call, const void* pointer, std::size_t size_bytes, memory::texel_grid& grid) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const memory::allocation* in = process_memory().memory.find(begin);
  if (in == nullptr || size_bytes > in->end() - begin) {
    explain(fmt::format("{}: the {} bytes of the texture are not all in allocated device memory", call, size_bytes));
    return false;
  }
  grid.begin = begin;
  grid.size_bytes = size_bytes;
  grid.serial = in->serial;
  grid.device = memory::current_device();
  return true;
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

EMULATOR_API(cudaMallocArray,
             (cudaArray_t * array, const cudaChannelFormatDesc* format, size_t width, size_t height, unsigned flags),
             array, format, width, height, flags) {
  if ((flags & cudaArrayLayered) != 0) return cudaErrorInvalidValue;
  return allocate_array("cudaMallocArray", array, format, {width, height, 0}, flags);
}

EMULATOR_API(cudaMalloc3DArray,
             (cudaArray_t * array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags), array,
             format, extent, flags) {
  return allocate_array("cudaMalloc3DArray", array, format, extent, flags);
}

EMULATOR_API(cudaFreeArray, (cudaArray_t array), array) {
  if (array == nullptr) return cudaSuccess;
  const array_record* found = find_array(array);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = refuse_while_capturing("cudaFreeArray"); error != cudaSuccess) return error;
  waiting_work::instance().finish_device(found->texels.device);
  if (const cudaError_t fault = device::instance().sticky_error(); fault != cudaSuccess) return fault;
  stream_order::instance().host_waited_for_all();
  static_cast<void>(process_memory().memory.free(found->texels.begin));
  static_cast<void>(arrays().destroy(array));
  return cudaSuccess;
}

EMULATOR_API(cudaArrayGetInfo, (cudaChannelFormatDesc * format, cudaExtent* extent, unsigned* flags, cudaArray_t array),
             format, extent, flags, array) {
  const array_record* found = find_array(array);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (format != nullptr) *format = found->format;
  if (extent != nullptr) *extent = found->extent;
  if (flags != nullptr) *flags = found->flags;
  return cudaSuccess;
}

EMULATOR_API(cudaGetChannelDesc, (cudaChannelFormatDesc * format, cudaArray_const_t array), format, array) {
  return answer(format, find_array(array), &array_record::format, cudaErrorInvalidResourceHandle);
}

EMULATOR_API_STREAM(cudaMemcpy2DToArray, _ptds,
                    (cudaArray_t array, size_t x, size_t y, const void* source, size_t pitch, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    array, x, y, source, pitch, width, height, kind) {
  return at_once("cudaMemcpy2DToArray",
                 [&] { return copy_to_array("cudaMemcpy2DToArray", array, x, y, source, pitch, width, height, kind); });
}

EMULATOR_API_STREAM(cudaMemcpy2DToArrayAsync, _ptsz,
                    (cudaArray_t array, size_t x, size_t y, const void* source, size_t pitch, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    array, x, y, source, pitch, width, height, kind, stream) {
  wait_for_staging(stream, {source});
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_to_array("cudaMemcpy2DToArrayAsync", array, x, y, source, pitch, width, height, kind);
  });
}

EMULATOR_API_STREAM(cudaMemcpy2DFromArray, _ptds,
                    (void* destination, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    destination, pitch, array, x, y, width, height, kind) {
  return at_once("cudaMemcpy2DFromArray", [&] {
    return copy_from_array("cudaMemcpy2DFromArray", destination, pitch, array, x, y, width, height, kind);
  });
}

EMULATOR_API_STREAM(cudaMemcpy2DFromArrayAsync, _ptsz,
                    (void* destination, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    destination, pitch, array, x, y, width, height, kind, stream) {
  wait_for_staging(stream, {destination});
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_from_array("cudaMemcpy2DFromArrayAsync", destination, pitch, array, x, y, width, height, kind);
  });
}

EMULATOR_API_STREAM(cudaMemcpy2DArrayToArray, _ptds,
                    (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
                     size_t width, size_t height, cudaMemcpyKind kind),
                    to, to_x, to_y, from, from_x, from_y, width, height, kind) {
  const array_record* source = find_array(from);
  if (source == nullptr) return cudaErrorInvalidResourceHandle;
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  return at_once("cudaMemcpy2DArrayToArray", [&] {
    const cudaError_t error = check_rectangle("cudaMemcpy2DArrayToArray", *source, from_x, from_y, width, height);
    if (error != cudaSuccess) return error;
    return copy_to_array("cudaMemcpy2DArrayToArray", to, to_x, to_y, source->row(0, from_y) + from_x,
                         source->texels.row_bytes, width, height, kind);
  });
}

EMULATOR_API_STREAM(cudaMemcpyToArray, _ptds,
                    (cudaArray_t array, size_t x, size_t y, const void* source, size_t size, cudaMemcpyKind kind),
                    array, x, y, source, size, kind) {
  return at_once("cudaMemcpyToArray", [&] {
    std::byte* to = nullptr;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
    const cudaError_t error = find_byte(array, x, y, to);
    return error != cudaSuccess ? error : copy("cudaMemcpyToArray", to, source, size, kind);
  });
}

EMULATOR_API_STREAM(cudaMemcpyFromArray, _ptds,
                    (void* destination, cudaArray_const_t array, size_t x, size_t y, size_t size, cudaMemcpyKind kind),
                    destination, array, x, y, size, kind) {
  return at_once("cudaMemcpyFromArray", [&] {
    std::byte* from = nullptr;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
    const cudaError_t error = find_byte(array, x, y, from);
    return error != cudaSuccess ? error : copy("cudaMemcpyFromArray", destination, from, size, kind);
  });
}
