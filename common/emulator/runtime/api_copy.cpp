// Copies and fills.

#include <fmt/format.h>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/memory_rules.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"

using namespace emulator::runtime;

namespace {

/// Finds a variable, and the address of `size_bytes` at `offset` in it.
cudaError_t place_in_symbol(const void* symbol, std::size_t offset, std::size_t size_bytes, std::byte*& address) {
  variable_record* variable = registry::instance().find_variable(symbol);
  if (variable == nullptr) return cudaErrorInvalidSymbol;
  const auto [placed, error, why_not] = load_variable(*variable);
  if (placed == nullptr) {
    explain(why_not);
    return error;
  }
  if (offset > placed->size_bytes || size_bytes > placed->size_bytes - offset) {
    explain(fmt::format("{} bytes at byte {} do not fit variable {}, which has {}", size_bytes, offset,
                        variable->device_name, placed->size_bytes));
    return cudaErrorInvalidValue;
  }
  address = reinterpret_cast<std::byte*>(placed->address) + offset;
  return cudaSuccess;
}

cudaError_t copy_to_symbol(const char* call, const void* symbol, const void* source, std::size_t size_bytes,
                           std::size_t offset, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  std::byte* address = nullptr;
  const cudaError_t error = place_in_symbol(symbol, offset, size_bytes, address);
  return error != cudaSuccess ? error : copy(call, address, source, size_bytes, kind);
}

cudaError_t copy_from_symbol(const char* call, void* destination, const void* symbol, std::size_t size_bytes,
                             std::size_t offset, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  std::byte* address = nullptr;
  const cudaError_t error = place_in_symbol(symbol, offset, size_bytes, address);
  return error != cudaSuccess ? error : copy(call, destination, address, size_bytes, kind);
}

/// Checks the device numbers of a copy between devices, and that each side of the copy belongs to its device.
cudaError_t check_owners(const char* call, const void* destination, int to, const void* source, int from) {
  const auto& all = process_memory().devices;
  if (!all.has(to) || !all.has(from)) return cudaErrorInvalidDevice;
  const auto check = [&](const char* role, const void* pointer, int number) {
    const auto* in = process_memory().memory.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (in == nullptr || in->device == number || in->from == emulator::memory::origin::pinned ||
        in->from == emulator::memory::origin::managed)
      return cudaSuccess;
    explain(fmt::format("{}: the {} is memory of device {}, not of device {}", call, role, in->device, number));
    return cudaErrorInvalidValue;
  };
  const cudaError_t error = check("destination", destination, to);
  return error != cudaSuccess ? error : check("source", source, from);
}

}  // namespace

EMULATOR_API_STREAM(cudaMemcpy, _ptds, (void* destination, const void* source, size_t size, cudaMemcpyKind kind),
                    destination, source, size, kind) {
  return at_once("cudaMemcpy", [&] { return copy("cudaMemcpy", destination, source, size, kind); });
}

EMULATOR_API_STREAM(cudaMemcpyAsync, _ptsz,
                    (void* destination, const void* source, size_t size, cudaMemcpyKind kind, cudaStream_t stream),
                    destination, source, size, kind, stream) {
  wait_for_staging(stream, {destination, source});
  return in_stream(stream, cudaGraphNodeTypeMemcpy,
                   [=] { return copy("cudaMemcpyAsync", destination, source, size, kind); });
}

EMULATOR_API_STREAM(cudaMemcpy2D, _ptds,
                    (void* destination, size_t destination_pitch, const void* source, size_t source_pitch, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    destination, destination_pitch, source, source_pitch, width, height, kind) {
  return at_once("cudaMemcpy2D", [&] {
    return copy_rows("cudaMemcpy2D", destination, destination_pitch, source, source_pitch, width, height, kind);
  });
}

EMULATOR_API_STREAM(cudaMemcpy2DAsync, _ptsz,
                    (void* destination, size_t destination_pitch, const void* source, size_t source_pitch, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    destination, destination_pitch, source, source_pitch, width, height, kind, stream) {
  wait_for_staging(stream, {destination, source});
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_rows("cudaMemcpy2DAsync", destination, destination_pitch, source, source_pitch, width, height, kind);
  });
}

EMULATOR_API(cudaMemcpyPeer, (void* destination, int to, const void* source, int from, size_t size), destination, to,
             source, from, size) {
  if (const cudaError_t error = check_owners("cudaMemcpyPeer", destination, to, source, from); error != cudaSuccess)
    return error;
  return at_once("cudaMemcpyPeer",
                 [&] { return copy("cudaMemcpyPeer", destination, source, size, cudaMemcpyDeviceToDevice); });
}

EMULATOR_API(cudaMemcpyPeerAsync,
             (void* destination, int to, const void* source, int from, size_t size, cudaStream_t stream), destination,
             to, source, from, size, stream) {
  if (const cudaError_t error = check_owners("cudaMemcpyPeerAsync", destination, to, source, from);
      error != cudaSuccess)
    return error;
  return in_stream(stream, cudaGraphNodeTypeMemcpy,
                   [=] { return copy("cudaMemcpyPeerAsync", destination, source, size, cudaMemcpyDeviceToDevice); });
}

EMULATOR_API_STREAM(cudaMemcpyToSymbol, _ptds,
                    (const void* symbol, const void* source, size_t size, size_t offset, cudaMemcpyKind kind), symbol,
                    source, size, offset, kind) {
  return at_once("cudaMemcpyToSymbol",
                 [&] { return copy_to_symbol("cudaMemcpyToSymbol", symbol, source, size, offset, kind); });
}

EMULATOR_API_STREAM(cudaMemcpyToSymbolAsync, _ptsz,
                    (const void* symbol, const void* source, size_t size, size_t offset, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    symbol, source, size, offset, kind, stream) {
  wait_for_staging(stream, {source});
  return in_stream(stream, cudaGraphNodeTypeMemcpy,
                   [=] { return copy_to_symbol("cudaMemcpyToSymbolAsync", symbol, source, size, offset, kind); });
}

EMULATOR_API_STREAM(cudaMemcpyFromSymbol, _ptds,
                    (void* destination, const void* symbol, size_t size, size_t offset, cudaMemcpyKind kind),
                    destination, symbol, size, offset, kind) {
  return at_once("cudaMemcpyFromSymbol",
                 [&] { return copy_from_symbol("cudaMemcpyFromSymbol", destination, symbol, size, offset, kind); });
}

EMULATOR_API_STREAM(cudaMemcpyFromSymbolAsync, _ptsz,
                    (void* destination, const void* symbol, size_t size, size_t offset, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    destination, symbol, size, offset, kind, stream) {
  wait_for_staging(stream, {destination});
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_from_symbol("cudaMemcpyFromSymbolAsync", destination, symbol, size, offset, kind);
  });
}

EMULATOR_API(cudaGetSymbolAddress, (void** address, const void* symbol), address, symbol) {
  if (address == nullptr) return cudaErrorInvalidValue;
  std::byte* place = nullptr;
  const cudaError_t error = place_in_symbol(symbol, 0, 0, place);
  if (error == cudaSuccess) *address = place;
  return error;
}

EMULATOR_API(cudaGetSymbolSize, (size_t * size, const void* symbol), size, symbol) {
  if (size == nullptr) return cudaErrorInvalidValue;
  const variable_record* variable = registry::instance().find_variable(symbol);
  if (variable == nullptr) return cudaErrorInvalidSymbol;
  *size = variable->size_bytes;
  return cudaSuccess;
}

EMULATOR_API_STREAM(cudaMemset, _ptds, (void* destination, int value, size_t size), destination, value, size) {
  return at_once("cudaMemset", [&] { return fill("cudaMemset", destination, value, size); });
}

EMULATOR_API_STREAM(cudaMemsetAsync, _ptsz, (void* destination, int value, size_t size, cudaStream_t stream),
                    destination, value, size, stream) {
  return in_stream(stream, cudaGraphNodeTypeMemset, [=] { return fill("cudaMemsetAsync", destination, value, size); });
}

EMULATOR_API_STREAM(cudaMemset2D, _ptds, (void* destination, size_t pitch, int value, size_t width, size_t height),
                    destination, pitch, value, width, height) {
  if (width > pitch) return cudaErrorInvalidPitchValue;
  return at_once("cudaMemset2D", [&] {
    return fill_elements("cudaMemset2D", {destination, pitch, static_cast<unsigned>(value), 1, width, height});
  });
}

EMULATOR_API_STREAM(cudaMemset2DAsync, _ptsz,
                    (void* destination, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
                    destination, pitch, value, width, height, stream) {
  if (width > pitch) return cudaErrorInvalidPitchValue;
  const cudaMemsetParams wanted{destination, pitch, static_cast<unsigned>(value), 1, width, height};
  return in_stream(stream, cudaGraphNodeTypeMemset, [=] { return fill_elements("cudaMemset2DAsync", wanted); });
}

EMULATOR_API_STREAM(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* box), box) {
  if (box == nullptr) return cudaErrorInvalidValue;
  return at_once("cudaMemcpy3D", [&] { return copy_box("cudaMemcpy3D", *box); });
}

EMULATOR_API_STREAM(cudaMemcpy3DAsync, _ptsz, (const cudaMemcpy3DParms* box, cudaStream_t stream), box, stream) {
  if (box == nullptr) return cudaErrorInvalidValue;
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [kept = *box] { return copy_box("cudaMemcpy3DAsync", kept); });
}
