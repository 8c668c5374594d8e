// Tests how large whole numbers are read as people write them: 4194304, 2^22, 4Mi.

#include "host/count.hpp"
#include "support/catch.hpp"

TEST_CASE("a count is a number, a power of two, or a number with a unit") {
  constexpr std::uint64_t one = 1;
  const std::pair<const char*, std::uint64_t> counts[] = {
      {"0", 0},           {"4194304", 4194304}, {"2^0", 1},         {"2^22", one << 22},
      {"4Mi", one << 22}, {"3Ki", 3072},        {"2Gi", one << 31}, {"500k", 500000},
      {"5K", 5000},       {"16M", 16000000},    {"2G", 2000000000}, {"9223372036854775807", ~(one << 63)},
      {"2^62", one << 62}};
  for (const auto& [text, value] : counts) {
    INFO(text);
    CHECK(host::parse_count(text) == value);
  }
}

TEST_CASE("an argument that is not a count is refused") {
  for (const char* text : {"",
                           "-1",
                           "+1",
                           " 1",
                           "1 ",
                           "1.5",
                           "1e6",
                           "0x10",
                           "banana",
                           "Mi",
                           "4Ti",
                           "4mi",
                           "3^2",
                           "2^",
                           "2^-1",
                           "2^63",
                           "2^2^2",
                           "^2",
                           "9223372036854775808",
                           "99999999999999999999999",
                           "9223372036854775807k"}) {
    INFO(text);
    CHECK_FALSE(host::parse_count(text));
  }
}
