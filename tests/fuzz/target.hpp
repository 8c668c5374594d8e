#pragma once
/// \file
/// The functions of a fuzzing target. They are called by libFuzzer, or by `driver.cpp` if there is no libFuzzer.

#include <cstddef>
#include <cstdint>

/// Runs the code under test on one input. Returns 0. If something is wrong with the input, the code under test must
/// throw one of the exceptions that it documents, with a message. Anything else ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Changes the `size` bytes at `data` in place, to at most `capacity` bytes. The same `seed` makes the same change.
/// Returns the new size.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity,
                                               unsigned seed);
