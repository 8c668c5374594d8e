#pragma once
/// \file
/// The container in which nvcc leaves device code in an object file: one entry per architecture, PTX text or machine
/// code. Also how either is packed (LZ4), and what the machine code of a kernel needs.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fat_binary/byte_view.hpp"

namespace fat_binary {

/// What an entry holds.
enum class entry_kind : std::uint8_t {
  ptx,
  elf,    ///< Machine code, a "cubin".
  other,  ///< Something newer, or code for link-time optimisation.
};

enum class compression : std::uint8_t { none, lz4, zstd, unknown };

/// For which devices code is good besides the one it names.
enum class portability : std::uint8_t {
  later,     ///< `compute_90`: that one and all later ones.
  family,    ///< `compute_100f`: later ones of the same major number.
  specific,  ///< `compute_90a`: that one alone.
};

/// One entry. The spans point into the container.
struct entry {
  entry_kind kind = entry_kind::other;
  std::uint16_t kind_number = 0;  ///< As in the container.
  unsigned architecture = 0;      ///< 90 for sm_90.
  portability good_for = portability::later;
  compression packed = compression::none;
  std::uint64_t unpacked_size_bytes = 0;  ///< 0 where not compressed.
  std::string source_name;                ///< "reduce.cu"; may be empty.
  byte_span payload;                      ///< As stored: compressed, or padded with zeros to 8 bytes.

  /// Returns "compute_90" or "sm_90a".
  [[nodiscard]] std::string target() const;
};

/// What `__cudaRegisterFatBinary` is given.
struct wrapper {
  std::int32_t magic;
  std::int32_t version;  ///< 1: `data` holds all; 2: made by nvcc's device linker (-rdc=true).
  const void* data;
  const void* prelinked;  ///< Version 2: null-terminated array of what was linked.
};

/// Reads containers that stand one behind the other, as in the section `.nv_fatbin`. `bytes` must outlive the entries.
/// \throws error  where they are damaged
[[nodiscard]] std::vector<entry> read_entries(byte_span bytes);

/// The device code of one registration: of a source file, or of all that went through the device linker (-rdc=true).
struct registered_code {
  std::vector<entry> whole;               ///< What a GPU gets.
  std::vector<std::vector<entry>> files;  ///< By source file; without a device linker that is `whole`.
};

/// Reads the container that a registered wrapper points to, and those of what was linked.
/// \param registered  the argument of `__cudaRegisterFatBinary`; must outlive the entries
/// \throws error  where it is none, or damaged, or linked from what is not there any more
[[nodiscard]] registered_code read_registered(const void* registered);

/// Returns the bytes of `from`, unpacked.
/// \throws error  where they are damaged, or compressed with zstd; it says to compile with `--no-compress`
[[nodiscard]] std::vector<std::byte> contents(const entry& from);

/// Unpacks one LZ4 block, as `nvcc --compress-mode=speed` packs them.
/// \param unpacked_size_bytes  the exact size of the result
/// \throws error  where the block is damaged or gives another size
[[nodiscard]] std::vector<std::byte> unpack_lz4(byte_span packed, std::uint64_t unpacked_size_bytes);

/// Returns the text of a PTX entry, unpacked and without padding.
/// \throws error  as above
[[nodiscard]] std::string ptx_text(const entry& from);

/// Returns the PTX entry for a device: the highest architecture that is not above `compute_capability`.
/// \param compute_capability  90 for 9.0
/// \throws error  where there is none: what is there instead, and which flags of nvcc mend it
[[nodiscard]] const entry& select_ptx(const std::vector<entry>& entries, unsigned compute_capability);

/// Returns the machine code that the device would run, or null: the highest architecture of the same major number.
[[nodiscard]] const entry* select_machine_code(const std::vector<entry>& entries, unsigned compute_capability);

/// What one kernel needs by what ptxas decided, as `nvcc -Xptxas -v` prints it. Bytes per thread, except for shared
/// memory.
struct kernel_resources {
  std::uint32_t registers = 0;
  std::uint32_t frame_bytes = 0;          ///< "stack frame": local memory of the kernel itself.
  std::uint32_t stack_bytes = 0;          ///< "cumulative stack size": with the functions that it calls.
  std::uint64_t static_shared_bytes = 0;  ///< "smem", per block: without what the system reserves.
};

/// Reads machine code (an ELF file for the "NVIDIA CUDA architecture").
/// \return by mangled name of the kernel
/// \throws error  where it is damaged or something else
[[nodiscard]] std::map<std::string, kernel_resources> read_kernel_resources(byte_span elf);

}  // namespace fat_binary
