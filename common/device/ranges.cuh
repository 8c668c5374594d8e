#pragma once
/// \file
/// Pipelines in the spirit of std::ranges, evaluated on the GPU in one kernel:
///
///     auto sum = view::iota(0, n) | view::transform(square{}) | view::filter(is_even{}) | action::reduce(plus{});
///
/// Nothing is computed before an action ends the pipeline, and nothing is stored between its stages. The range that
/// each stage makes is a type of its own; the compiler sees through all of them (ranges/README.md).

#include "device/ranges/range.cuh"
#include "device/ranges/reduce.cuh"
#include "device/ranges/sources.cuh"
#include "device/ranges/stages.cuh"
#include "device/ranges/to_gpu.cuh"
