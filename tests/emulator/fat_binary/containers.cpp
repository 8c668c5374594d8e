#include <algorithm>
#include <cstring>
#include <random>

#include "emulator/fat_binary/sample.hpp"
#include "support/catch.hpp"

using namespace fat_binary;
using namespace fat_binary::test;

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string unpacked(const std::string& packed, std::uint64_t size) {
  const auto result = unpack_lz4(bytes_of(packed), size);
  return {reinterpret_cast<const char*>(result.data()), result.size()};
}

/// Reads everything in a container. Returns false if it is refused. Exceptions other than `error` fail the test.
bool survives(const std::vector<std::byte>& bytes) {
  try {
    for (const entry& e : read_entries(bytes)) {
      if (e.kind == entry_kind::ptx) (void)ptx_text(e);
      if (e.kind == entry_kind::elf) (void)read_kernel_resources(contents(e));
    }
    return true;
  } catch (const error& e) {
    CHECK(std::strlen(e.what()) > 10);
    return false;
  }
}

/// Returns the container that the object registered.
std::vector<std::byte> registered_container() {
  wrapper w;
  std::memcpy(&w, registered_wrapper(), sizeof w);
  std::uint64_t size;
  std::memcpy(&size, static_cast<const std::byte*>(w.data) + 8, sizeof size);
  const auto* begin = static_cast<const std::byte*>(w.data);
  return {begin, begin + 16 + size};
}

}  // namespace

TEST_CASE("an object file of nvcc registers PTX and machine code") {
  REQUIRE(registered_wrapper() != nullptr);
  REQUIRE(registered_entries().size() == 2);
  const entry& ptx = registered_entry(entry_kind::ptx);
  CHECK(ptx.architecture == 90);
  CHECK(ptx.target() == "compute_90");
  CHECK(ptx.packed == compression::none);
  CHECK_THAT(ptx.source_name, ContainsSubstring("kernels.cu"));
  CHECK(registered_entry(entry_kind::elf).target() == "sm_90");

  const std::string text = ptx_text(ptx);
  CHECK_THAT(text, ContainsSubstring(".target sm_90"));
  CHECK_THAT(text, ContainsSubstring(".entry _Z9store_onePi"));
  CHECK(text.find('\0') == std::string::npos);
  CHECK_THROWS_WITH(ptx_text(registered_entry(entry_kind::elf)), ContainsSubstring("not PTX"));
}

TEST_CASE("the PTX for a device is the newest that it can run") {
  const auto bytes = make_container({{.architecture = 75}, {.architecture = 90}, {.architecture = 80}});
  const auto entries = read_entries(bytes);
  REQUIRE(entries.size() == 3);
  CHECK(select_ptx(entries, 75).architecture == 75);
  CHECK(select_ptx(entries, 89).architecture == 80);
  CHECK(select_ptx(entries, 90).architecture == 90);
  CHECK(select_ptx(entries, 120).architecture == 90);
  CHECK_THROWS_WITH(select_ptx(entries, 70), ContainsSubstring("compute_75, compute_90, compute_80") &&
                                                 ContainsSubstring("compute capability 7.0") &&
                                                 ContainsSubstring("-gencode arch=compute_70"));
}

TEST_CASE("PTX for one chip or one family is not taken for others") {
  const auto bytes = make_container(
      {{.architecture = 90, .flags = 0x100011}, {.architecture = 100, .flags = 0x200011}, {.architecture = 80}});
  const auto entries = read_entries(bytes);
  CHECK(entries[0].target() == "compute_90a");
  CHECK(entries[1].target() == "compute_100f");
  CHECK(select_ptx(entries, 90).target() == "compute_90a");
  CHECK(select_ptx(entries, 103).target() == "compute_100f");
  CHECK(select_ptx(entries, 120).target() == "compute_80");
  const auto both = make_container({{.architecture = 90, .flags = 0x100011}, {.architecture = 90}});
  CHECK(select_ptx(read_entries(both), 90).target() == "compute_90");
}

TEST_CASE("a program without PTX is refused with the options to compile it with") {
  const auto bytes = make_container({{.kind = 2, .architecture = 80}, {.kind = 2, .architecture = 90}});
  const auto entries = read_entries(bytes);
  CHECK_THROWS_WITH(select_ptx(entries, 90),
                    ContainsSubstring("compiled without PTX (it has machine code for sm_80, sm_90 only)") &&
                        ContainsSubstring("-gencode arch=compute_90,code=[compute_90,sm_90] --no-compress"));
  CHECK_THROWS_WITH(select_ptx({}, 90), ContainsSubstring("compiled without PTX: compile with"));
}

TEST_CASE("machine code is taken for the same major number only") {
  const auto bytes = make_container({{.kind = 2, .architecture = 80}, {.kind = 2, .architecture = 86}, {.kind = 1}});
  const auto entries = read_entries(bytes);
  CHECK(select_machine_code(entries, 89)->architecture == 86);
  CHECK(select_machine_code(entries, 80)->architecture == 80);
  CHECK(select_machine_code(entries, 90) == nullptr);
}

TEST_CASE("entries of a kind that is not known are listed, not refused") {
  const auto bytes = make_container({{.kind = 64}, {.kind = 1}});
  const auto entries = read_entries(bytes);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].kind == entry_kind::other);
  CHECK(entries[0].kind_number == 64);
  CHECK(&select_ptx(entries, 90) == &entries[1]);
}

TEST_CASE("containers may follow each other with zeros in between") {
  auto bytes = make_container({{.architecture = 80}});
  bytes.resize(bytes.size() + 24);
  const auto second = make_container({{.architecture = 90}});
  bytes.insert(bytes.end(), second.begin(), second.end());
  CHECK(read_entries(bytes).size() == 2);
  CHECK(read_entries({}).empty());
}

TEST_CASE("an invalid wrapper is refused with a message") {
  const auto container = make_container({{}});
  wrapper w{0x466243b1, 1, container.data(), nullptr};
  CHECK(read_registered(&w).whole.size() == 1);
  CHECK_THROWS_WITH(read_registered(nullptr), ContainsSubstring("null pointer"));
  w.magic = 7;
  CHECK_THROWS_WITH(read_registered(&w), ContainsSubstring("0x466243b1"));
  w = {0x466243b1, 3, container.data(), nullptr};
  CHECK_THROWS_WITH(read_registered(&w), ContainsSubstring("version 3"));
  w = {0x466243b1, 1, nullptr, nullptr};
  CHECK_THROWS_WITH(read_registered(&w), ContainsSubstring("without data"));
  const std::vector<std::byte> rubbish(64);
  w = {0x466243b1, 1, rubbish.data(), nullptr};
  CHECK_THROWS_WITH(read_registered(&w), ContainsSubstring("0xba55ed50"));
}

TEST_CASE("the device linker keeps its inputs, file by file") {
  const auto machine_code = make_container({{.kind = 2}}), with_ptx = make_container({{.kind = 1}});
  const auto one = make_container({{.kind = 1, .architecture = 80}}),
             other = make_container({{.kind = 1}, {.kind = 2}});
  const void* const linked[] = {one.data(), other.data(), nullptr};
  wrapper w{0x466243b1, 2, machine_code.data(), linked};
  const registered_code code = read_registered(&w);
  CHECK(code.whole.size() == 1);
  REQUIRE(code.files.size() == 2);
  CHECK(code.files[0].front().architecture == 80);
  CHECK(code.files[1].size() == 2);
  w = {0x466243b1, 2, with_ptx.data(), nullptr};
  CHECK(read_registered(&w).files.size() == 1);
  w.data = machine_code.data();
  CHECK_THROWS_WITH(read_registered(&w), ContainsSubstring("-rdc=true"));
}

TEST_CASE("code that nvcc compresses for speed is unpacked to the same text") {
  const auto bytes = read_file(WORKBOOK_LZ4_FATBIN);
  const auto entries = read_entries(bytes);
  const entry& ptx = select_ptx(entries, 90);
  REQUIRE(ptx.packed == compression::lz4);
  CHECK(ptx.payload.size() < ptx.unpacked_size_bytes);
  const auto plain = read_file(WORKBOOK_PLAIN_FATBIN);
  CHECK(ptx_text(ptx) == ptx_text(select_ptx(read_entries(plain), 90)));
}

#ifdef WORKBOOK_ZSTD_FATBIN
TEST_CASE("code that nvcc compresses for size is refused with the flag that fixes it") {
  const auto bytes = read_file(WORKBOOK_ZSTD_FATBIN);
  const auto entries = read_entries(bytes);
  const entry& ptx = select_ptx(entries, 90);
  REQUIRE(ptx.packed == compression::zstd);
  CHECK_THROWS_WITH(ptx_text(ptx), ContainsSubstring("compute_90 is compressed: compile with --no-compress"));
}
#endif

TEST_CASE("LZ4 blocks unpack by hand") {
  // Token 0x50: five literals and no match, as a last sequence.
  CHECK(unpacked("\x50hello", 5) == "hello");
  // Token 0x22: two literals, then 2 + 4 bytes copied from two bytes back. The rest is one literal.
  CHECK(unpacked(std::string("\x22"
                             "ab\x02\x00\x10"
                             "c",
                             7),
                 9) ==
        "abababab"
        "c");
  // Token 0xf0 and a byte of 1: 15 + 1 literals.
  CHECK(unpacked("\xf0\x01"
                 "0123456789abcdef",
                 16) == "0123456789abcdef");
  // A distance of 1 repeats one byte. The length is 15 + 255 + 0 + 4.
  CHECK(unpacked(std::string("\x1f"
                             "x\x01\x00\xff\x00\x00",
                             7),
                 275) == std::string(275, 'x'));
}

TEST_CASE("damaged LZ4 blocks are refused") {
  CHECK_THROWS_WITH(unpacked("\x50hel", 5), ContainsSubstring("outside"));
  CHECK_THROWS_WITH(unpacked("\x50hello", 4), ContainsSubstring("too long"));
  CHECK_THROWS_WITH(unpacked("\x50hello", 6), ContainsSubstring("too short"));
  CHECK_THROWS_WITH(unpacked("", 5), ContainsSubstring("too short"));
  CHECK_THROWS_WITH(unpacked("\x50hello", std::uint64_t{1} << 40), ContainsSubstring("too short"));
  CHECK_THROWS_WITH(unpacked("\xf0\xff\xff", 600), ContainsSubstring("ends too early"));
  CHECK_THROWS_WITH(unpacked(std::string("\x20"
                                         "ab\x00\x00",
                                         5),
                             6),
                    ContainsSubstring("before its start"));
  CHECK_THROWS_WITH(unpacked(std::string("\x20"
                                         "ab\x03\x00",
                                         5),
                             6),
                    ContainsSubstring("before its start"));
  CHECK_THROWS_WITH(unpacked(std::string("\x2f"
                                         "ab\x01\x00\xff\x00",
                                         7),
                             100),
                    ContainsSubstring("too long"));
}

TEST_CASE("a container that ends too early is refused") {
  const auto whole = registered_container();
  REQUIRE(survives(whole));
  // Tests every length in the headers, then some in the payloads.
  for (std::size_t length = 1; length < whole.size(); length += length < 200 ? 1 : 997) {
    INFO(length);
    CHECK_FALSE(survives({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}));
  }
}

TEST_CASE("damaged numbers in a container's headers are errors or other entries, never a crash") {
  const auto whole = registered_container();
  const std::size_t second = whole.size() - registered_entry(entry_kind::elf).payload.size();
  std::size_t refused = 0;
  for (const std::size_t base : {std::size_t{0}, std::size_t{16}, second - 64, second}) {
    for (std::size_t at = base; at < base + 64; ++at) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        auto damaged = whole;
        damaged[at] = static_cast<std::byte>(value);
        refused += !survives(damaged);
      }
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("random damage to packed entries is an error or other text, never a crash") {
  const auto whole = read_file(WORKBOOK_LZ4_FATBIN);
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    auto damaged = whole;
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<std::byte>(random() % 256);
    refused += !survives(damaged);
  }
  CHECK(refused > 10);
}
