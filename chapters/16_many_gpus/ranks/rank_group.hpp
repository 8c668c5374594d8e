#pragma once
/// \file
/// The ranks of an MPI job: their numbers, and what they do together. Everything that calls MPI is here.
///
/// All ranks must call each function except the first ones, in the same order. An error of MPI becomes an exception.
/// The watchdog ends a rank that waits longer than the limit.

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "16_many_gpus/large_sum/summing.hpp"
#include "16_many_gpus/ranks/watchdog.hpp"
#include "workbook/element.hpp"

namespace chapter16 {

/// A call of MPI failed. The other ranks don't know about it.
class mpi_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws mpi_error  if a call of MPI failed, with MPI's message
void check_mpi(int code, const char* what);

class rank_group {
 public:
  /// Joins the job.
  /// \param program  its name, with which messages of this rank begin
  /// \throws mpi_error  also if the launcher belongs to a different MPI, because each rank would then be alone
  rank_group(std::string program, std::chrono::seconds limit);
  /// Leaves the job after all ranks have reached this point. If they don't know that it ends, call `abort` instead.
  ~rank_group();
  rank_group(const rank_group&) = delete;
  rank_group& operator=(const rank_group&) = delete;

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned size() const { return size_; }
  /// The number of this rank among the ranks of its host, which share the host's devices.
  [[nodiscard]] unsigned local_rank() const { return local_rank_; }
  [[nodiscard]] unsigned local_size() const { return local_size_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  /// Returns the beginning of a line about this rank: "chapter16: rank 2 on host", or "chapter16" for a single rank.
  [[nodiscard]] std::string name() const;

  /// Lets the watchdog watch a step that other ranks wait for, outside of the functions of this class.
  /// \param what  the step as in messages: "all join NCCL"
  [[nodiscard]] watchdog::step watch(const char* what) { return watchdog_.watch(what); }

  /// Returns the values of `own` of all ranks, in the order of the ranks.
  template <typename T>
  [[nodiscard]] std::vector<T> all_of(const T& own, const char* what) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(size_);
    gather(&own, all.data(), sizeof(T), what);
    return all;
  }
  /// Adds up the sums of all ranks on rank 0 (MPI_Reduce). \return the total on rank 0, and an empty sum elsewhere
  [[nodiscard]] sum_bytes sum_on_first(workbook::element_type type, const sum_bytes& own);
  /// Adds up the sums of all ranks on every rank: MPI_Allreduce.
  [[nodiscard]] sum_bytes sum_on_all(workbook::element_type type, const sum_bytes& own);
  /// Replaces each rank's vector by the sum of all ranks' vectors (MPI_Allreduce). Adds floating-point numbers without
  /// bins, so the bits of the sums depend on the number of ranks.
  /// \param vector  `count` elements on the host; the number is the same on all ranks, and at most 2^31 - 1
  void add_vectors(workbook::element_type type, void* vector, std::size_t count);

  /// Waits until all ranks have reached this call. After that, a rank that ends is no longer reported.
  void all_have_spoken();
  /// Ends all ranks at once, for a reason that only this rank knows, and has printed. \param status  not 0
  [[noreturn]] void abort(int status);

 private:
  void gather(const void* own, void* all, std::size_t bytes, const char* what);

  std::string program_;
  watchdog watchdog_;
  unsigned rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::string host_;
};

}  // namespace chapter16
