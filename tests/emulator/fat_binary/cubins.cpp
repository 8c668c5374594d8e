#include <elf.h>

#include <cstring>
#include <random>

#include "emulator/fat_binary/sample.hpp"
#include "support/catch.hpp"

using namespace fat_binary;
using namespace fat_binary::test;

namespace {

std::vector<std::byte> machine_code() {
  return contents(registered_entry(entry_kind::elf));
}

}  // namespace

TEST_CASE("registers, stack and shared memory are those that ptxas prints") {
  const auto printed = printed_resources();
  const auto read = read_kernel_resources(machine_code());
  // There are six kernels in kernels.cu; the function `pick` is not a kernel.
  REQUIRE(printed.size() == 6);
  REQUIRE(read.size() == printed.size());
  for (const auto& [name, expected] : printed) {
    INFO(name);
    REQUIRE(read.count(name) == 1);
    CHECK(expected.registers > 0);
    CHECK(read.at(name).registers == expected.registers);
    CHECK(read.at(name).frame_bytes == expected.frame_bytes);
    CHECK(read.at(name).stack_bytes == expected.stack_bytes);
    CHECK(read.at(name).static_shared_bytes == expected.static_shared_bytes);
  }
}

TEST_CASE("the resources of the sample's kernels are read") {
  const auto read = read_kernel_resources(machine_code());
  CHECK(read.at("_Z9store_onePi").frame_bytes == 0);
  CHECK(read.at("_Z9store_onePi").static_shared_bytes == 0);
  // 250 ints, rounded up by ptxas to a multiple of 16 bytes. The kilobyte that the system reserves is not included.
  CHECK(read.at("_Z11shared_tilePi").static_shared_bytes == 1008);
  CHECK(read.at("_Z12dynamic_tilePi").static_shared_bytes == 0);
  // Arrays of 40 and 64 floats, with an index that is known only at run time.
  CHECK(read.at("_Z13private_arrayILi40EEvPfi").frame_bytes == 160);
  CHECK(read.at("_Z13private_arrayILi64EEvPfi").frame_bytes == 256);
  // The function that the kernel calls has 50 ints.
  CHECK(read.at("_Z5callsPi").stack_bytes >= 200);
}

TEST_CASE("a file without machine code is refused") {
  CHECK_THROWS_WITH(read_kernel_resources({}), ContainsSubstring("ends too early"));
  std::vector<std::byte> other(sizeof(Elf64_Ehdr));
  CHECK_THROWS_WITH(read_kernel_resources(other), ContainsSubstring("not an ELF file"));
  auto for_host = machine_code();
  const Elf64_Half machine = EM_X86_64;
  std::memcpy(for_host.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  CHECK_THROWS_WITH(read_kernel_resources(for_host), ContainsSubstring("not for the CUDA architecture"));
}

TEST_CASE("machine code that ends too early is refused") {
  // The section headers follow all sections that are read.
  const auto whole = machine_code();
  Elf64_Ehdr header;
  std::memcpy(&header, whole.data(), sizeof header);
  const std::size_t needed = header.e_shoff + std::size_t{header.e_shnum} * sizeof(Elf64_Shdr);
  for (std::size_t length = 0; length < needed; length += 509) {
    INFO(length);
    const byte_span cut(whole.data(), length);
    CHECK_THROWS_AS(read_kernel_resources(cut), error);
  }
}

TEST_CASE("damaged machine code is an error or other numbers, never a crash") {
  const auto whole = machine_code();
  Elf64_Ehdr header;
  std::memcpy(&header, whole.data(), sizeof header);
  std::mt19937 random(11);
  std::size_t refused = 0;
  for (int round = 0; round < 600; ++round) {
    auto damaged = whole;
    // Damages the ELF header, the section headers, or any place after the ELF header, in turn.
    const std::size_t begin = round % 3 == 0 ? 0 : round % 3 == 1 ? header.e_shoff : 64;
    const std::size_t size = round % 3 == 0   ? 64
                             : round % 3 == 1 ? header.e_shnum * sizeof(Elf64_Shdr)
                                              : whole.size() - 64;
    for (int i = 0; i < 3; ++i) damaged[begin + random() % size] = static_cast<std::byte>(random() % 256);
    try {
      (void)read_kernel_resources(damaged);
    } catch (const error& e) {
      ++refused;
      CHECK(std::strlen(e.what()) > 10);
    }
  }
  CHECK(refused > 100);
}
