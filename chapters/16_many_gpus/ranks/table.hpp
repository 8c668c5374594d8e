#pragma once
/// \file
/// The table with the results of all ranks, which rank 0 prints.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workbook/element.hpp"

namespace chapter16 {

/// Text of limited length that can be sent as bytes.
template <std::size_t Size>
struct short_text {
  std::array<char, Size> characters{};
  short_text() = default;
  /// Drops the end of a text that is too long.
  explicit short_text(std::string_view text) { text.copy(characters.data(), Size - 1); }
  [[nodiscard]] std::string_view view() const { return characters.data(); }
};

/// The results that a rank reports.
struct rank_row {
  short_text<256> host;
  short_text<128> device;
  std::uint64_t count = 0;      ///< Elements of its share.
  short_text<40> sum;           ///< The sum of all ranks, as MPI_Allreduce returned it here.
  bool own_right = false;       ///< True if the sum of its share is right.
  bool vector_right = false;    ///< True if the vector on its GPU is right after the all-reduce.
  bool first_right = false;     ///< On rank 0: true if MPI_Reduce returned the sum of everything.
  short_text<40> sum_on_first;  ///< On rank 0: that sum.
  bool has_nccl = false;        ///< True if NCCL has summed the vectors, too.
  bool nccl_right = false;      ///< True if the vector on its GPU was right after that.
  std::uint32_t findings = 0;   ///< Number of findings of the emulator's checks.
  /// Returns true if the rank has the same total as `first`, the row of rank 0, and that total is right.
  [[nodiscard]] bool all_right(const rank_row& first) const {
    return first.first_right && sum.view() == first.sum_on_first.view();
  }
};

/// The task of all ranks.
struct rank_task {
  workbook::element_type type;
  std::uint64_t count, vector, seed;
};

/// Returns true if everything is right on all ranks.
[[nodiscard]] bool is_right(const std::vector<rank_row>& rows);

/// Returns heading, table and sum. If there are several hosts, there is a column for them.
[[nodiscard]] std::string text_of(const rank_task& task, const std::vector<rank_row>& rows);

/// A rank's report about its NCCL.
struct nccl_readiness {
  int version = 0;  ///< For example 22803 for version 2.28.3.
  short_text<240> why_not;
};

/// Returns why some ranks can't use NCCL, with the same text on all ranks. Empty if all can.
[[nodiscard]] std::string why_no_common_nccl(const std::vector<nccl_readiness>& ranks);

}  // namespace chapter16
