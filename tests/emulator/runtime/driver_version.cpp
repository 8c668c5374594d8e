#include "emulator/runtime/driver_version.hpp"

#include "support/catch.hpp"

using namespace emulator::runtime;

TEST_CASE("a driver runs programs of its own major version with any minor version") {
  CHECK(why_driver_is_too_old({.driver = 13000, .runtime = 13050}).empty());
  CHECK(why_driver_is_too_old({.driver = 12020, .runtime = 12090}).empty());
  CHECK(why_driver_is_too_old({.driver = 13010, .runtime = 12040}).empty());
}

TEST_CASE("a missing driver is not reported as an old driver") {
  CHECK(why_driver_is_too_old({.driver = 0, .runtime = 13000}).empty());
}

TEST_CASE("an old driver is reported with its supported version and with what to do") {
  const std::string text = why_driver_is_too_old({.driver = 12040, .runtime = 13000, .release = "550.54.15"});
  CHECK_THAT(text, ContainsSubstring("driver 550.54.15 supports CUDA up to 12.4"));
  CHECK_THAT(text, ContainsSubstring("built with CUDA 13.0"));
  CHECK_THAT(text, ContainsSubstring("Update the driver to 580 or newer"));
  CHECK_THAT(text, ContainsSubstring("a CUDA Toolkit from 12.4 to 12.9"));
}

TEST_CASE("a driver of CUDA 11 has to be updated: no toolkit that the workbook takes fits it") {
  const std::string text = why_driver_is_too_old({.driver = 11080, .runtime = 13000});
  CHECK_THAT(text, ContainsSubstring("Update the driver to 580 or newer"));
  CHECK_THAT(text, !ContainsSubstring("Toolkit"));
}

TEST_CASE("PTX that is newer than the driver is refused with both versions") {
  const std::string text = why_ptx_is_too_new({.driver = 13000, .runtime = 13050, .release = {}});
  CHECK_THAT(text, ContainsSubstring("the GPU's driver supports CUDA up to 13.0"));
  CHECK_THAT(text, ContainsSubstring("cannot load PTX of CUDA 13.5"));
}

TEST_CASE("the driver's number is read from the text that Linux shows of it") {
  CHECK(driver_release("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"
                       "GCC version:  gcc version 12.2.0\n") == "550.54.15");
  CHECK(driver_release("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.82.07  Release Build\n") ==
        "580.82.07");
  CHECK(driver_release("").empty());
}
