#include "emulator/fat_binary/fat_binary.hpp"

#include <algorithm>

namespace fat_binary {
namespace {

constexpr std::int32_t wrapper_magic = 0x466243b1;
constexpr std::int32_t plain_version = 1, linked_version = 2;
constexpr std::uint32_t container_magic = 0xba55ed50;
constexpr std::uint64_t largest_container = std::uint64_t{1} << 32;

/// Layout of a container's header, derived from nvcc's output.
namespace container_field {
constexpr std::uint64_t magic = 0, header_size = 6, body_size = 8, size = 16;
}

/// Layout of an entry's header: 64 bytes, followed by the name and ptxas' options. The payload begins at `header_size`.
namespace entry_field {
constexpr std::uint64_t kind = 0, header_size = 4, payload_size = 8, packed_size = 16, architecture = 28,
                        name_offset = 32, name_size = 36, flags = 40, unpacked_size = 56, size = 64;
}

constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_specific = 0x100000, flag_family = 0x200000;

/// If a text seems to be larger than this, the container is taken to be damaged, and nothing is allocated.
constexpr std::uint64_t largest_contents = std::uint64_t{1} << 30;

compression find_compression(std::uint64_t flags, std::uint32_t packed_size) {
  if (flags & flag_zstd) return compression::zstd;
  if (flags & flag_lz4) return compression::lz4;
  return packed_size != 0 ? compression::unknown : compression::none;
}

/// Reads the entry at the start of `bytes`, and returns its size.
std::uint64_t read_entry(byte_span bytes, entry& result) {
  constexpr const char* what = "fat binary entry";
  result.kind_number = load<std::uint16_t>(bytes, entry_field::kind, what);
  const auto header_size = load<std::uint32_t>(bytes, entry_field::header_size, what);
  const auto payload_size = load<std::uint64_t>(bytes, entry_field::payload_size, what);
  if (header_size < entry_field::size) throw error("damaged fat binary entry: its header is too small");
  const byte_span header = slice(bytes, 0, header_size, what);
  const byte_span payload = slice(bytes, header_size, payload_size, what);

  result.kind = result.kind_number == 1   ? entry_kind::ptx
                : result.kind_number == 2 ? entry_kind::elf
                                          : entry_kind::other;
  result.architecture = load<std::uint32_t>(header, entry_field::architecture, what);
  const auto flags = load<std::uint64_t>(header, entry_field::flags, what);
  if (flags & flag_specific) result.good_for = portability::specific;
  if (flags & flag_family) result.good_for = portability::family;

  const auto packed_size = load<std::uint32_t>(header, entry_field::packed_size, what);
  result.packed = find_compression(flags, packed_size);
  result.payload = payload;
  if (result.packed != compression::none) {
    result.unpacked_size_bytes = load<std::uint64_t>(header, entry_field::unpacked_size, what);
    if (packed_size != 0) result.payload = slice(payload, 0, packed_size, what);
  }

  const auto name_offset = load<std::uint32_t>(header, entry_field::name_offset, what);
  const auto name_size = load<std::uint32_t>(header, entry_field::name_size, what);
  const byte_span name = slice(header, name_offset, name_size, what);
  result.source_name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  return std::uint64_t{header_size} + payload_size;
}

/// Reads the entries of one container, whose header has been read already.
void read_body(byte_span body, std::vector<entry>& result) {
  while (!body.empty()) {
    const std::uint64_t size = read_entry(body, result.emplace_back());
    body = body.subspan(static_cast<std::size_t>(size));
  }
}

/// Returns the size of the container at `bytes`, including its header.
std::uint64_t container_size(byte_span bytes) {
  constexpr const char* what = "fat binary";
  if (load<std::uint32_t>(bytes, container_field::magic, what) != container_magic) {
    throw error("this is not a fat binary: the magic number 0xba55ed50 is missing");
  }
  const auto header_size = load<std::uint16_t>(bytes, container_field::header_size, what);
  const auto body_size = load<std::uint64_t>(bytes, container_field::body_size, what);
  if (header_size < container_field::size) throw error("damaged fat binary: its header is too small");
  if (body_size > largest_container) throw error("damaged fat binary: it claims to be larger than 4 GiB");
  return header_size + body_size;
}

/// Reads the single container at `data`.
std::vector<entry> read_container(const void* data) {
  const auto* begin = static_cast<const std::byte*>(data);
  const std::uint64_t size = container_size({begin, container_field::size});
  return read_entries({begin, static_cast<std::size_t>(size)});
}

/// Returns true if code of this entry runs on a device of `compute_capability`.
bool runs_on(const entry& code, unsigned compute_capability) {
  switch (code.good_for) {
    case portability::specific:
      return code.architecture == compute_capability;
    case portability::family:
      return code.architecture <= compute_capability && code.architecture / 10 == compute_capability / 10;
    case portability::later:
      break;
  }
  return code.architecture <= compute_capability;
}

std::string join_targets(const std::vector<entry>& entries, entry_kind kind) {
  std::string result;
  for (const entry& e : entries) {
    if (e.kind == kind) result += (result.empty() ? "" : ", ") + e.target();
  }
  return result;
}

/// Returns the compiler flags that add suitable PTX to an object file.
std::string advice(unsigned compute_capability) {
  const std::string number = std::to_string(compute_capability);
  return "compile with -gencode arch=compute_" + number + ",code=[compute_" + number + ",sm_" + number +
         "] --no-compress";
}

}  // namespace

std::string entry::target() const {
  std::string result = kind == entry_kind::ptx ? "compute_" : "sm_";
  result += std::to_string(architecture);
  if (good_for == portability::specific) result += 'a';
  if (good_for == portability::family) result += 'f';
  return result;
}

std::vector<entry> read_entries(byte_span bytes) {
  std::vector<entry> result;
  while (!bytes.empty()) {
    const std::uint64_t size = container_size(bytes);
    const byte_span container = slice(bytes, 0, size, "fat binary");
    read_body(container.subspan(load<std::uint16_t>(container, container_field::header_size, "fat binary")), result);
    bytes = bytes.subspan(container.size());
    // Containers are aligned to 8 bytes, with zeros between them.
    while (!bytes.empty() && bytes.front() == std::byte{0}) bytes = bytes.subspan(1);
  }
  return result;
}

registered_code read_registered(const void* registered) {
  if (!registered) throw error("a null pointer was registered as a fat binary");
  wrapper w;
  std::memcpy(&w, registered, sizeof w);
  if (w.magic != wrapper_magic)
    throw error("the registered object is not a fat binary: the magic number 0x466243b1 is missing");
  if (w.version != plain_version && w.version != linked_version) {
    throw error("fat binary wrapper of version " + std::to_string(w.version) + ": only 1 and 2 are known");
  }
  if (!w.data) throw error("a fat binary without data was registered");
  registered_code code;
  code.whole = read_container(w.data);
  const auto is_ptx = [](const entry& e) { return e.kind == entry_kind::ptx; };
  const bool has_ptx = std::any_of(code.whole.begin(), code.whole.end(), is_ptx);
  // The device linker writes machine code for the whole program. The PTX is in its inputs, file by file.
  if (w.version == linked_version && !has_ptx && w.prelinked != nullptr) {
    for (auto file = static_cast<const void* const*>(w.prelinked); *file != nullptr; ++file) {
      std::vector<entry> entries = read_container(*file);
      // The toolkit's own libraries contain machine code, and PTX that is compressed with zstd.
      const auto can_be_read = [&](const entry& e) {
        return is_ptx(e) && (e.packed == compression::none || e.packed == compression::lz4);
      };
      if (std::any_of(entries.begin(), entries.end(), can_be_read)) code.files.push_back(std::move(entries));
    }
  }
  if (code.files.empty() && w.version == linked_version && !has_ptx) {
    throw error(
        "this program was linked by nvcc's device linker, and the PTX of its files is missing: compile them "
        "with nvcc -rdc=true --no-compress and -gencode arch=compute_90,code=[compute_90,sm_90]");
  }
  if (code.files.empty()) code.files.push_back(code.whole);
  return code;
}

std::vector<std::byte> contents(const entry& from) {
  if (from.packed == compression::none) return {from.payload.begin(), from.payload.end()};
  if (from.packed != compression::lz4) {
    throw error("the device code for " + from.target() + " is compressed: compile with --no-compress");
  }
  if (from.unpacked_size_bytes > largest_contents)
    throw error("damaged fat binary entry: it claims to be larger than 1 GiB");
  return unpack_lz4(from.payload, from.unpacked_size_bytes);
}

std::string ptx_text(const entry& from) {
  if (from.kind != entry_kind::ptx) throw error("the entry for " + from.target() + " is machine code, not PTX");
  const std::vector<std::byte> bytes = contents(from);
  std::string result(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!result.empty() && result.back() == '\0') result.pop_back();
  return result;
}

const entry& select_ptx(const std::vector<entry>& entries, unsigned compute_capability) {
  const entry* best = nullptr;
  for (const entry& e : entries) {
    if (e.kind != entry_kind::ptx || !runs_on(e, compute_capability)) continue;
    // If two have the same architecture, the portable one is chosen, because it uses no features of a specific chip.
    if (!best || e.architecture > best->architecture ||
        (e.architecture == best->architecture && e.good_for < best->good_for)) {
      best = &e;
    }
  }
  if (best) return *best;

  const std::string ptx = join_targets(entries, entry_kind::ptx), machine_code = join_targets(entries, entry_kind::elf);
  if (!ptx.empty()) {
    throw error("this program only has PTX for " + ptx + ", which a device of compute capability " +
                std::to_string(compute_capability / 10) + '.' + std::to_string(compute_capability % 10) +
                " cannot run: " + advice(compute_capability));
  }
  throw error("this program was compiled without PTX" +
              (machine_code.empty() ? std::string() : " (it has machine code for " + machine_code + " only)") + ": " +
              advice(compute_capability));
}

const entry* select_machine_code(const std::vector<entry>& entries, unsigned compute_capability) {
  const entry* best = nullptr;
  for (const entry& e : entries) {
    if (e.kind != entry_kind::elf || !runs_on(e, compute_capability)) continue;
    if (e.architecture / 10 != compute_capability / 10) continue;
    if (!best || e.architecture > best->architecture) best = &e;
  }
  return best;
}

}  // namespace fat_binary
