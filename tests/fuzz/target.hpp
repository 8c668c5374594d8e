#pragma once
/// \file
/// What a fuzzing target defines. libFuzzer calls it, and so does `driver.cpp` where there is no libFuzzer.

#include <cstddef>
#include <cstdint>

/// Feeds one input to the code under test. Returns 0. Whatever is wrong with the input must end in an exception of the
/// kinds that the code under test promises, with words in it; anything else ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Changes the `size` bytes at `data` in place to something else of at most `capacity` bytes; the same `seed` makes the
/// same change. Returns the new size.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity,
                                               unsigned seed);
