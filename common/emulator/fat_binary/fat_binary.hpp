#pragma once
/// \file
/// The container in which nvcc stores device code in an object file, with one entry per architecture: PTX text or
/// machine code. Also unpacks LZ4, and reads the resources of a kernel from its machine code.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/fat_binary/byte_view.hpp"

namespace fat_binary {

/// The contents of an entry.
enum class entry_kind : std::uint8_t {
  ptx,
  elf,    ///< Machine code, a "cubin".
  other,  ///< A newer kind, or code for link-time optimisation.
};

enum class compression : std::uint8_t { none, lz4, zstd, unknown };

/// The devices that can run the code in addition to the named one.
enum class portability : std::uint8_t {
  later,     ///< `compute_90`: all later ones.
  family,    ///< `compute_100f`: later ones with the same major number.
  specific,  ///< `compute_90a`: none.
};

/// One entry. The spans point into the container.
struct entry {
  entry_kind kind = entry_kind::other;
  std::uint16_t kind_number = 0;  ///< As in the container.
  unsigned architecture = 0;      ///< 90 for sm_90.
  portability good_for = portability::later;
  compression packed = compression::none;
  std::uint64_t unpacked_size_bytes = 0;  ///< 0 if it isn't compressed.
  std::string source_name;                ///< "reduce.cu"; may be empty.
  byte_span payload;                      ///< As stored: compressed, or padded with zeros to 8 bytes.

  /// Returns "compute_90" or "sm_90a".
  [[nodiscard]] std::string target() const;
};

/// The argument of `__cudaRegisterFatBinary`.
struct wrapper {
  std::int32_t magic;
  std::int32_t version;  ///< 1: `data` has everything; 2: made by nvcc's device linker (-rdc=true).
  const void* data;
  const void* prelinked;  ///< Version 2: null-terminated array of the linker's inputs.
};

/// Reads consecutive containers, as in the section `.nv_fatbin`. `bytes` must outlive the entries.
/// \throws error  if they are damaged
[[nodiscard]] std::vector<entry> read_entries(byte_span bytes);

/// The device code of one registration: of one source file, or of all inputs of the device linker (-rdc=true).
struct registered_code {
  std::vector<entry> whole;               ///< The code for a GPU.
  std::vector<std::vector<entry>> files;  ///< Indexed by source file; without a device linker, this is just `whole`.
};

/// Reads the container that a registered wrapper points to, and those of the device linker's inputs.
/// \param registered  the argument of `__cudaRegisterFatBinary`; must outlive the entries
/// \throws error  if it isn't a wrapper, if a container is damaged, or if it was linked from inputs that are no longer
/// available
[[nodiscard]] registered_code read_registered(const void* registered);

/// Returns the unpacked bytes of `from`.
/// \throws error  if they are damaged, or compressed with zstd; the message recommends `--no-compress`
[[nodiscard]] std::vector<std::byte> contents(const entry& from);

/// Unpacks one LZ4 block, as packed by `nvcc --compress-mode=speed`.
/// \param unpacked_size_bytes  the exact size of the result
/// \throws error  if the block is damaged or unpacks to a different size
[[nodiscard]] std::vector<std::byte> unpack_lz4(byte_span packed, std::uint64_t unpacked_size_bytes);

/// Returns the text of a PTX entry, unpacked and without padding.
/// \throws error  if it is damaged, or compressed with zstd
[[nodiscard]] std::string ptx_text(const entry& from);

/// Returns the PTX entry for a device: the one with the highest architecture that is not above `compute_capability`.
/// \param compute_capability  90 for 9.0
/// \throws error  if there is none; the message lists the available entries, and the flags of nvcc that fix it
[[nodiscard]] const entry& select_ptx(const std::vector<entry>& entries, unsigned compute_capability);

/// Returns the machine code for the device, that of the highest suitable architecture with the same major number, or
/// null.
[[nodiscard]] const entry* select_machine_code(const std::vector<entry>& entries, unsigned compute_capability);

/// The resources of one kernel, as ptxas assigned them and `nvcc -Xptxas -v` prints them. In bytes per thread, except
/// for shared memory.
struct kernel_resources {
  std::uint32_t registers = 0;
  std::uint32_t frame_bytes = 0;          ///< "stack frame": local memory of the kernel alone.
  std::uint32_t stack_bytes = 0;          ///< "cumulative stack size": includes the functions that it calls.
  std::uint64_t static_shared_bytes = 0;  ///< "smem", per block, without the part that the system reserves.
};

/// Reads machine code (an ELF file for the "NVIDIA CUDA architecture").
/// \return the resources, indexed by the kernel's mangled name
/// \throws error  if it is damaged or isn't such a file
[[nodiscard]] std::map<std::string, kernel_resources> read_kernel_resources(byte_span elf);

}  // namespace fat_binary
