#pragma once
/// \file
/// Pipelines in the spirit of std::ranges, evaluated on the GPU in one kernel:
///
///     auto sum = view::iota(0, n) | view::transform(square{}) | view::filter(is_even{}) | action::reduce(plus{});
///
/// Nothing is computed until an action ends the pipeline, and nothing is stored between its stages. Each stage makes a
/// range of its own type, and the compiler sees through all of them (ranges/README.md).

#include "reductions/ranges/range.cuh"
#include "reductions/ranges/reduce.cuh"
#include "reductions/ranges/sources.cuh"
#include "reductions/ranges/stages.cuh"
#include "reductions/ranges/to_gpu.cuh"
