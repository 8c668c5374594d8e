#pragma once
/// \file
/// Chapter 14: what `warp_sum` in shuffle_trees.cuh may do with a lane's value apart from adding, and a type that
/// records what is done with a value, for the model and the solver.

#include "14_shuffle_trees/notes.hpp"
#include "reductions/shuffle.cuh"

namespace chapter14 {

/// Is used in place of a value, and records what is done with it. For one thread.
class noted {
 public:
  __device__ noted(notes* by, unsigned number) : by_(by), number_(number) {}
  __device__ friend noted operator+(const noted& a, const noted& b) { return a.write(what_was_done::sum, b.number_); }
  __device__ noted& operator+=(const noted& b) { return *this = *this + b; }
  __device__ friend noted down(const noted& a, unsigned distance) { return a.write(what_was_done::down, distance); }
  __device__ unsigned number() const { return number_; }

 private:
  __device__ noted write(what_was_done what, unsigned other) const {
    if (by_->count < max_notes) by_->done[by_->count] = {what, number_, other};
    return {by_, ++by_->count};
  }
  notes* by_;
  unsigned number_;
};

/// Returns the value of the lane `distance` further on, or its own beyond the warp. All 32 lanes must call it.
template <typename T>
__device__ T down(T value, unsigned distance) {
  return workbook::shuffle_down(~0u, value, distance);
}

/// Writes to `*to` what `Last::sum` does with its value. Launched with one thread.
template <typename Last>
__global__ void write_down(notes* to) {
  to->count = 0;
  to->result = Last::sum(noted(to, 0)).number();
}

}  // namespace chapter14
