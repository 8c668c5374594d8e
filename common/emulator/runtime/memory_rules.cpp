#include "emulator/runtime/memory_rules.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <string_view>

#include "emulator/emulator.hpp"
#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/memory/host_ranges.hpp"
#include "emulator/runtime/arrays.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

namespace emulator::runtime {
namespace {

using memory::address_of;
using memory::allocation;
using memory::global_memory;
using memory::origin;

/// Returns true if the host may access the memory, too.
bool host_may_touch(const allocation& of) {
  return of.from == origin::managed || of.from == origin::pinned;
}

cudaError_t refuse(const char* call, const std::string& words) {
  explain(fmt::format("{}: {}", call, words));
  return cudaErrorInvalidValue;
}

/// Checks that `size_bytes` from `pointer` are device memory; if not, explains what they are.
cudaError_t check_device_range(const char* call, const char* role, const void* pointer, std::size_t size_bytes) {
  global_memory& memory = process_memory().memory;
  const allocation* where = memory.find(address_of(pointer));
  if (where == nullptr) {
    std::string nearest;
    static_cast<void>(memory.classify(address_of(pointer), &nearest));
    return refuse(call, fmt::format("the {} is not allocated device memory: it is {}", role, nearest));
  }
  if (where->from == origin::heap) {
    return refuse(call, fmt::format("the {} is memory from malloc() in a kernel, which no call of the host can reach: "
                                    "let a kernel copy it to memory from cudaMalloc",
                                    role));
  }
  if (size_bytes > where->end() - address_of(pointer)) {
    return refuse(call, fmt::format("{} bytes do not fit the {}: {} bytes are left in an allocation of {}", size_bytes,
                                    role, where->end() - address_of(pointer), where->size_bytes));
  }
  return cudaSuccess;
}

/// Checks that the program can access `size_bytes` from `pointer`, which isn't device memory.
cudaError_t check_own_memory(const char* call, const char* role, const void* pointer, std::size_t size_bytes) {
  const bool writing = std::string_view(role) == "destination";
  const auto unusable = memory::first_unusable_byte(address_of(pointer), size_bytes, writing);
  if (!unusable) return cudaSuccess;
  const std::uint64_t usable = *unusable - address_of(pointer);
  const char* const what = writing ? "write" : "read";
  if (usable == 0) {
    return refuse(call, fmt::format("the {} is host memory that the program may not {}: address {:#x}; check "
                                    "the pointer, and the order of the arguments",
                                    role, what, address_of(pointer)));
  }
  return refuse(call, fmt::format("the {} is host memory of which the program may {} {} bytes, not {}: check "
                                  "the size, which is in bytes",
                                  role, what, usable, size_bytes));
}

/// Checks one side of a copy that should be host memory. An address in the emulator's reserved range must still be
/// allocated.
cudaError_t check_host_range(const char* call, const char* role, const void* pointer, std::size_t size_bytes) {
  if (pointer == nullptr) return refuse(call, fmt::format("the {} is a null pointer", role));
  global_memory& memory = process_memory().memory;
  if (!memory.is_device_address(address_of(pointer))) return check_own_memory(call, role, pointer, size_bytes);
  const allocation* where = memory.find(address_of(pointer));
  if (where != nullptr && !host_may_touch(*where)) {
    return refuse(call, fmt::format("the {} is device memory, but the direction requires host memory", role));
  }
  return check_device_range(call, role, pointer, size_bytes);
}

cudaError_t check_copy(const char* call, const void* destination, std::size_t destination_bytes, const void* source,
                       std::size_t source_bytes, cudaMemcpyKind kind) {
  if (static_cast<unsigned>(kind) > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  // A side is device memory if the direction is `one_way` or cudaMemcpyDeviceToDevice. With cudaMemcpyDefault, its
  // address decides.
  const auto check = [&](const void* side, cudaMemcpyKind one_way) {
    const bool on_device = kind == cudaMemcpyDefault ? process_memory().memory.is_device_address(address_of(side))
                                                     : kind == one_way || kind == cudaMemcpyDeviceToDevice;
    return on_device ? check_device_range : check_host_range;
  };
  const cudaError_t error =
      check(destination, cudaMemcpyHostToDevice)(call, "destination", destination, destination_bytes);
  return error != cudaSuccess ? error : check(source, cudaMemcpyDeviceToHost)(call, "source", source, source_bytes);
}

/// Checks that bytes which are copied from device memory to the host have been written.
void check_source(const char* call, const void* destination, const void* source, std::size_t size_bytes) {
  global_memory& memory = process_memory().memory;
  const bool to_host = !memory.is_device_address(address_of(destination)) ||
                       memory.find(address_of(destination))->from == origin::pinned;
  if (to_host && memory.is_device_address(address_of(source))) check_copied_bytes(call, source, size_bytes);
}

/// Notes the accesses of a copy or fill to memory that the device knows.
void note_touch(const void* pointer, std::size_t size_bytes, memory::touch how) {
  memory::touched_bytes* touched = stream_order::instance().touched();
  const allocation* in = touched == nullptr ? nullptr : process_memory().memory.find(address_of(pointer));
  if (in != nullptr) touched->note(*in, address_of(pointer), size_bytes, how);
}

std::atomic<std::uint64_t> copied_on_device = 0;

/// Counts a copy on the link that it uses. Within one device or the host, it uses none.
void count_on_link(const void* destination, const void* source, std::size_t size_bytes) {
  const auto end_of = [](const void* pointer) {
    const allocation* in = process_memory().memory.find(address_of(pointer));
    return in == nullptr || host_may_touch(*in) ? memory::host_end : in->device;
  };
  const int from = end_of(source), to = end_of(destination);
  if (from == to) return;
  memory::link_counters& link = process_memory().devices.link(from, to);
  ++link.copies;
  link.copied_bytes += size_bytes;
}

/// Copies bytes, which may overlap within one allocation. Bytes that are unwritten at the source become unwritten at
/// the destination.
void move_bytes(void* destination, const void* source, std::size_t size_bytes) {
  global_memory& memory = process_memory().memory;
  count_on_link(destination, source, size_bytes);
  note_touch(source, size_bytes, memory::touch::read);
  note_touch(destination, size_bytes, memory::written_by_copy(address_of(destination), size_bytes));
  if (memory.find(address_of(destination)) == nullptr) stream_order::instance().host_waits();
  std::memmove(destination, source, size_bytes);
  if (!memory.is_device_address(address_of(destination))) return;
  if (memory.is_device_address(address_of(source))) {
    memory::copy_written(process_memory().memory, address_of(destination), address_of(source), size_bytes);
    copied_on_device.fetch_add(size_bytes, std::memory_order_relaxed);
  } else {
    memory.mark_initialized(address_of(destination), size_bytes);
  }
}

/// One side of a copy of a box: the start of its first row, and the distances between rows and slices.
struct box_side {
  std::byte* corner = nullptr;
  std::size_t pitch = 0, slice_bytes = 0;
};

cudaError_t array_side(const char* call, const array_record& array, const cudaPos& from, const cudaExtent& extent,
                       box_side& side) {
  const auto fits = [](std::size_t begin, std::size_t count, std::size_t size) {
    return count <= size && begin <= size - count;
  };
  if (!fits(from.x, extent.width, array.extent.width) || !fits(from.y, extent.height, array.rows()) ||
      !fits(from.z, extent.depth, array.slices()))
    return refuse(call,
                  fmt::format("a box of {} x {} x {} elements at ({}, {}, {}) does not fit an array of {} x {} x {}",
                              extent.width, extent.height, extent.depth, from.x, from.y, from.z, array.extent.width,
                              array.rows(), array.slices()));
  side = {array.row(from.z, from.y) + from.x * array.element_bytes(), array.texels.row_bytes, array.texels.slice_bytes};
  return cudaSuccess;
}

box_side pitched_side(const cudaPitchedPtr& at, const cudaPos& from) {
  return {static_cast<std::byte*>(at.ptr) + (from.z * at.ysize + from.y) * at.pitch + from.x, at.pitch,
          at.ysize * at.pitch};
}

}  // namespace

cudaError_t at_once(const char* call, const std::function<cudaError_t()>& work) {
  if (const cudaError_t error = refuse_legacy_while_capturing(call); error != cudaSuccess) return error;
  // The host does not wait for fills of memory that it cannot access. Copies are assumed to be over when the call
  // returns.
  const bool host_waits = !std::string_view(call).starts_with("cudaMemset");
  const stream_record& stream = *timeline::instance().find(cudaStream_t{});
  waiting_work::instance().finish_stream(stream);
  if (const cudaError_t fault = device::instance().sticky_error(); fault != cudaSuccess) return fault;
  const cudaError_t done = stream_order::instance().run(stream, host_waits, work);
  waiting_work::instance().resume();
  return done;
}

void wait_for_staging(cudaStream_t stream, std::initializer_list<const void*> ends) {
  const stream_record* found = timeline::instance().find(stream);
  if (found == nullptr || !waiting_work::instance().any()) return;
  for (const void* end : ends) {
    if (process_memory().memory.find(address_of(end)) == nullptr) waiting_work::instance().finish_stream(*found);
  }
}

cudaError_t copy(const char* call, void* destination, const void* source, std::size_t size_bytes, cudaMemcpyKind kind) {
  if (size_bytes == 0) return cudaSuccess;
  if (const cudaError_t error = check_copy(call, destination, size_bytes, source, size_bytes, kind);
      error != cudaSuccess) {
    return error;
  }
  check_source(call, destination, source, size_bytes);
  move_bytes(destination, source, size_bytes);
  return cudaSuccess;
}

cudaError_t copy_rows(const char* call, void* destination, std::size_t destination_pitch, const void* source,
                      std::size_t source_pitch, std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  if (width_bytes > destination_pitch || width_bytes > source_pitch) return cudaErrorInvalidPitchValue;
  if (width_bytes == 0 || height == 0) return cudaSuccess;
  const std::size_t destination_bytes = destination_pitch * (height - 1) + width_bytes;
  const std::size_t source_bytes = source_pitch * (height - 1) + width_bytes;
  if (const cudaError_t error = check_copy(call, destination, destination_bytes, source, source_bytes, kind);
      error != cudaSuccess) {
    return error;
  }
  for (std::size_t row = 0; row < height; ++row) {
    auto* const to = static_cast<std::byte*>(destination) + row * destination_pitch;
    const auto* const from = static_cast<const std::byte*>(source) + row * source_pitch;
    check_source(call, to, from, width_bytes);
    move_bytes(to, from, width_bytes);
  }
  return cudaSuccess;
}

cudaError_t copy_box(const char* call, const cudaMemcpy3DParms& box) {
  if ((box.srcArray != nullptr && box.srcPtr.ptr != nullptr) || (box.dstArray != nullptr && box.dstPtr.ptr != nullptr))
    return refuse(call, "a side is given as an array and as a pointer");
  const array_record* from = box.srcArray == nullptr ? nullptr : find_array(box.srcArray);
  const array_record* to = box.dstArray == nullptr ? nullptr : find_array(box.dstArray);
  if ((box.srcArray != nullptr && from == nullptr) || (box.dstArray != nullptr && to == nullptr))
    return cudaErrorInvalidResourceHandle;
  if (from != nullptr && to != nullptr && from->element_bytes() != to->element_bytes())
    return refuse(call, "the elements of the two arrays differ in size");
  box_side source = pitched_side(box.srcPtr, box.srcPos), destination = pitched_side(box.dstPtr, box.dstPos);
  if (from != nullptr)
    if (const cudaError_t error = array_side(call, *from, box.srcPos, box.extent, source); error != cudaSuccess)
      return error;
  if (to != nullptr)
    if (const cudaError_t error = array_side(call, *to, box.dstPos, box.extent, destination); error != cudaSuccess)
      return error;
  const std::size_t unit = from != nullptr ? from->element_bytes() : to != nullptr ? to->element_bytes() : 1;
  for (std::size_t slice = 0; slice < box.extent.depth; ++slice) {
    const cudaError_t error = copy_rows(call, destination.corner + slice * destination.slice_bytes, destination.pitch,
                                        source.corner + slice * source.slice_bytes, source.pitch,
                                        box.extent.width * unit, box.extent.height, box.kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill(const char* call, void* destination, int value, std::size_t size_bytes) {
  if (size_bytes == 0) return cudaSuccess;
  if (const cudaError_t error = check_device_range(call, "destination", destination, size_bytes);
      error != cudaSuccess) {
    return error;
  }
  note_touch(destination, size_bytes, memory::written_by_copy(address_of(destination), size_bytes));
  if (host_may_touch(*process_memory().memory.find(address_of(destination)))) stream_order::instance().host_waits();
  std::memset(destination, value, size_bytes);
  process_memory().memory.mark_initialized(address_of(destination), size_bytes);
  return cudaSuccess;
}

cudaError_t fill_elements(const char* call, const cudaMemsetParams& wanted) {
  const std::size_t row_bytes = wanted.width * wanted.elementSize;
  if (wanted.height > 1 && row_bytes > wanted.pitch) return cudaErrorInvalidPitchValue;
  for (std::size_t row = 0; row < wanted.height; ++row) {
    auto* const to = static_cast<std::byte*>(wanted.dst) + row * wanted.pitch;
    const cudaError_t error = fill(call, to, static_cast<int>(wanted.value & 0xff), row_bytes);
    if (error != cudaSuccess) return error;
    for (std::size_t i = 0; wanted.elementSize != 1 && i < wanted.width; ++i)
      std::memcpy(to + i * wanted.elementSize, &wanted.value, wanted.elementSize);
  }
  return cudaSuccess;
}

}  // namespace emulator::runtime

std::uint64_t emulator::bytes_copied_on_device() {
  return runtime::copied_on_device.load(std::memory_order_relaxed);
}
