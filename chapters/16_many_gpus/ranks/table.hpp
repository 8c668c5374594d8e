#pragma once
/// \file
/// What rank 0 prints of all ranks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workbook/element.hpp"

namespace chapter16 {

/// Text of a bounded length, to be sent as bytes.
template <std::size_t Size>
struct short_text {
  std::array<char, Size> characters{};
  short_text() = default;
  /// What does not fit is left out.
  explicit short_text(std::string_view text) { text.copy(characters.data(), Size - 1); }
  [[nodiscard]] std::string_view view() const { return characters.data(); }
};

/// What a rank has to tell.
struct rank_row {
  short_text<256> host;
  short_text<128> device;
  std::uint64_t count = 0;      ///< Elements of its share.
  short_text<40> sum;           ///< That of all ranks, as MPI_Allreduce brought it here.
  bool own_right = false;       ///< The sum of its share.
  bool vector_right = false;    ///< The vector on its GPU, after the all-reduce.
  bool first_right = false;     ///< Of rank 0: what MPI_Reduce brought is the sum of everything.
  short_text<40> sum_on_first;  ///< Of rank 0: that sum.
  bool has_nccl = false;        ///< NCCL has summed the vectors, too.
  bool nccl_right = false;      ///< Where it has: the vector on its GPU then.
  std::uint32_t findings = 0;   ///< Of the emulator's checks.
  /// Says whether it has the sum of all that `first`, the row of rank 0, has been found to be right with.
  [[nodiscard]] bool all_right(const rank_row& first) const {
    return first.first_right && sum.view() == first.sum_on_first.view();
  }
};

/// What the ranks have been told to do.
struct rank_task {
  workbook::element_type type;
  std::uint64_t count, vector, seed;
};

/// Says whether everything is right on all ranks.
[[nodiscard]] bool is_right(const std::vector<rank_row>& rows);

/// Returns heading, table and sum. The hosts have a column where there are several.
[[nodiscard]] std::string text_of(const rank_task& task, const std::vector<rank_row>& rows);

/// What a rank has of NCCL.
struct nccl_readiness {
  int version = 0;  ///< Of 2.28.3: 22803.
  short_text<240> why_not;
};

/// Returns why not all ranks can take part, the same words on all of them; empty where they can.
[[nodiscard]] std::string why_no_common_nccl(const std::vector<nccl_readiness>& ranks);

}  // namespace chapter16
