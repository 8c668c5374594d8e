// specimen NAME COUNT TYPE BLOCK_SIZE: runs a kernel of the zoo on the emulator and says what the checks say.
// For `make zoo`. Exit status: 1, since something is found; 0 where nothing is; 2 bad usage.

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "workbook/laboratory.hpp"
#include "workbook/words.hpp"
#include "wrong_kernels/zoo.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  const std::vector<reduction> all = wrong::zoo();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const reduction& r) { return argc == 5 && r.name == argv[1]; });
  problem p;
  bool known = false;
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    if (argc != 5 || name_of(type) != argv[3]) continue;
    p.type = type;
    known = true;
  }
  if (found == all.end() || !known) {
    fmt::print(stderr, "specimen NAME COUNT TYPE BLOCK_SIZE\n");
    return 2;
  }
  p.count = std::strtoull(argv[2], nullptr, 10);
  p.block_size = static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10));
  emulator::select_device(emulator::device_kind::emulator);
  emulator::options wanted = emulator::current_options();
  // Enough for every kernel here that ends.
  wanted.max_instructions = 1'000'000;
  emulator::set_options(wanted);
  laboratory lab(p);
  const outcome o = lab.run(*found, effort{});
  fmt::print("{}\n{}", o.verified ? "The sum is right." : "The sum is wrong, or there is none.", words_for(o));
  return o.passed() ? 0 : 1;
}
