#pragma once
/// \file
/// The ranks of an MPI job: who they are, and what they do together. Everything that calls MPI is here.
///
/// Each function but the first ones has to be called by all ranks, in the same order. What MPI reports is an exception;
/// a rank that waits longer than the limit is ended by its watchdog.

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

/// A call of MPI that failed. The other ranks know nothing of it.
class mpi_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws mpi_error  where a call of MPI failed, with MPI's own words
void check_mpi(int code, const char* what);

class rank_group {
 public:
  /// Joins the others.
  /// \param program  its name, as this rank's lines begin
  /// \throws mpi_error  also where the launcher is another MPI's, so that each rank would be alone
  rank_group(std::string program, std::chrono::seconds limit);
  /// Leaves them, and waits for them to do so. Where they do not know of it, `abort` is the way out.
  ~rank_group();
  rank_group(const rank_group&) = delete;
  rank_group& operator=(const rank_group&) = delete;

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned size() const { return size_; }
  /// Among the ranks of this host, which share its devices.
  [[nodiscard]] unsigned local_rank() const { return local_rank_; }
  [[nodiscard]] unsigned local_size() const { return local_size_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  /// Returns what begins a line about this rank: "chapter16: rank 2 on host". A rank that is alone: "chapter16".
  [[nodiscard]] std::string name() const;

  /// Has the watchdog look after what others are waited for with, other than in a function of this class.
  /// \param what  as the words have it: "all join NCCL"
  [[nodiscard]] watchdog::step watch(const char* what) { return watchdog_.watch(what); }

  /// Returns each rank's `own`, in the order of the ranks.
  template <typename T>
  [[nodiscard]] std::vector<T> all_of(const T& own, const char* what) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(size_);
    gather(&own, all.data(), sizeof(T), what);
    return all;
  }
  /// Adds up the sums of all ranks on rank 0: MPI_Reduce. \return there the sum of all, elsewhere that of nothing
  [[nodiscard]] sum_bytes sum_on_first(workbook::element_type type, const sum_bytes& own);
  /// Adds up the sums of all ranks on every rank: MPI_Allreduce.
  [[nodiscard]] sum_bytes sum_on_all(workbook::element_type type, const sum_bytes& own);
  /// Puts the sum of all ranks' vectors in the place of each: MPI_Allreduce again. In ordinary numbers, so the bits of
  /// floating-point sums depend on the number of ranks.
  /// \param vector  `count` elements on the host, the same number on all ranks, up to 2^31 - 1
  void add_vectors(workbook::element_type type, void* vector, std::size_t count);

  /// Waits until all ranks have come here. From then on nobody speaks of a rank that ends.
  void all_have_spoken();
  /// Ends all ranks at once, for a reason that only this one knows, and has said. \param status  not 0
  [[noreturn]] void abort(int status);

 private:
  void gather(const void* own, void* all, std::size_t bytes, const char* what);

  std::string program_;
  watchdog watchdog_;
  unsigned rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::string host_;
};

}  // namespace chapter16
