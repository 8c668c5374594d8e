#include "workbook/lost_elements.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workbook/wrong_outputs.hpp"

namespace workbook {
namespace {

/// Describes that some elements of each 16-byte vector are lost.
std::string words_for_components(const element_set& lost, const block_of_elements& shape) {
  const std::size_t width = shape.per_vector;
  if (lost.size() < 4 * width || shape.per_block < 2 * std::size_t{shape.threads} * width) return {};
  std::vector<std::size_t> components;
  for (std::size_t k = 0; k < width; ++k)
    if (lost[k]) components.push_back(k);
  const element_set of_vectors(lost.begin(), lost.end() - static_cast<std::ptrdiff_t>(lost.size() % width));
  if (!repeats(of_vectors, width)) return {};
  return components.empty() ? std::string()
                            : fmt::format("Of every vector of {} elements, element{} {} never reach{} the sum.", width,
                                          components.size() == 1 ? "" : "s", fmt::join(components, ", "),
                                          components.size() == 1 ? "es" : "");
}

/// Describes that the last elements are lost.
std::string words_for_tail(const element_set& lost, const block_of_elements& shape) {
  const std::size_t n = lost.size();
  const auto first = first_of(lost);
  if (first == 0 || std::find(lost.begin() + static_cast<std::ptrdiff_t>(first), lost.end(), false) != lost.end())
    return {};
  const std::size_t count = n - first;
  std::string text = fmt::format("The last {} of {} elements never reach{} the sum",
                                 count == 1 ? "one" : fmt::format("{}", count), n, count == 1 ? "es" : "");
  if (shape.per_block != 0 && first % shape.per_block == 0) {
    if (count >= shape.per_block)
      return text + fmt::format(", which includes only the first {}: {} block{} hold{} no more here.", first,
                                first / shape.per_block, first == shape.per_block ? "" : "s",
                                first == shape.per_block ? "s" : "");
    return text + fmt::format(": those that do not fill a whole block of {} elements (the tail).", shape.per_block);
  }
  const bool by_vectors = shape.per_block == 0 || shape.per_block >= 2 * std::size_t{shape.threads} * shape.per_vector;
  if (by_vectors && count < shape.per_vector && first % shape.per_vector == 0)
    return text + fmt::format(": those that do not fill a vector of {} (the tail).", shape.per_vector);
  return text + fmt::format(" (the tail, from element {} on).", first);
}

/// Describes that elements are lost which one step of the tree adds to some of its threads.
std::string words_for_part_of_step(const element_set& lost, const block_of_elements& shape) {
  for (std::size_t stride = 2; stride < shape.threads; stride *= 2) {
    if (lost.size() < 2 * stride || lost.size() % (2 * stride) != 0) continue;
    const auto begin = lost.begin() + static_cast<std::ptrdiff_t>(stride);
    const auto width =
        static_cast<std::size_t>(std::find(begin, begin + static_cast<std::ptrdiff_t>(stride), false) - begin);
    if (width == 0 || width == stride) continue;
    const auto added = [&](std::size_t i) { return i % (2 * stride) >= stride && i % (2 * stride) < stride + width; };
    if (lost != chosen_of(lost.size(), added)) continue;
    const std::string words = words_for(lost);
    return fmt::format("{} never reach{} the sum: what the step with stride {} adds to thread{} {} is lost.",
                       capital(words), is_plural(lost) ? "" : "es", stride, width == 1 ? "" : "s",
                       width == 1 ? std::string("0") : fmt::format("0 to {}", width - 1));
  }
  return {};
}

}  // namespace

std::string words_for_later_blocks(const element_set& lost, const block_of_elements& shape) {
  const std::size_t per_block = shape.per_block;
  if (per_block < 2 || lost.size() < 3 * per_block || lost.size() % per_block != 0) return {};
  const element_set of_later(lost.begin() + static_cast<std::ptrdiff_t>(per_block), lost.end());
  if (first_of(lost) < per_block || !repeats(of_later, per_block)) return {};
  const auto count = static_cast<std::size_t>(
      std::count(of_later.begin(), of_later.begin() + static_cast<std::ptrdiff_t>(per_block), true));
  if (count == 0 || count == per_block) return {};
  const std::string which = count == per_block - 1 && !of_later.front()
                                ? std::string("only its first element reaches")
                                : fmt::format("{} of its {} elements never reach", count, per_block);
  return fmt::format(
      "Block 0 is right, but of every later block {} the sum: an index or a condition uses the element's "
      "index in the whole array, or the block's index.",
      which);
}

std::string words_for_steps(const element_set& chosen, const block_of_elements& shape, bool lost) {
  // If a thread has at least two vectors' worth of a block's contiguous elements, it loads them as vectors of 16 bytes.
  const bool has_vectors = shape.per_block >= 2 * std::size_t{shape.threads} * shape.per_vector;
  const auto strides = strides_of(chosen, shape.threads, has_vectors ? static_cast<unsigned>(shape.per_vector) : 1);
  if (!strides) return {};
  const std::string elements = words_for(chosen);
  if (lost && strides->size() > 2 && (std::size_t{1} << strides->size()) == shape.threads)
    return fmt::format(
        "Only the first thread's elements reach the sum: no step adds anything to them, and {} are lost.", elements);
  const unsigned warps = shape.threads / 32;
  if (lost && warps > 1 && strides->back() == 32 && (1u << strides->size()) == warps)
    return fmt::format(
        "Of each block only the first warp's elements reach the sum, those of its other warps are lost: "
        "{}.",
        elements);
  std::string list = fmt::format("{}", fmt::join(*strides, ", "));
  if (const std::size_t comma = list.rfind(", "); comma != std::string::npos) list.replace(comma, 2, " and ");
  const bool several = strides->size() > 1;
  const bool upper_half = !several && strides->front() == shape.threads / 2;
  // A subject that contains a comma needs a comma before the verb.
  const std::string subject =
      (upper_half ? "the upper half of each block, " : "") + elements + (upper_half || has_comma(chosen) ? "," : "");
  if (lost)
    return fmt::format("The step{} with stride {} {} missing, {} nothing{}: {} never reach{} the sum.",
                       several ? "s" : "", list, several ? "are" : "is", several ? "or add" : "or adds",
                       strides->back() == 1 && !several ? ", or comes too late for the result" : "", subject,
                       is_plural(chosen) ? "" : "es");
  return fmt::format("The step{} with stride {} {} done twice: {} {} counted twice.", several ? "s" : "", list,
                     several ? "are" : "is", subject, is_plural(chosen) ? "are" : "is");
}

std::string words_for_overlap(const element_set& lost, const element_set& often, const std::vector<double>& times) {
  if (!any(lost) || !any(often)) return {};
  const auto first_lost = std::find(lost.begin(), lost.end(), true);
  const bool at_end = std::find(first_lost, lost.end(), false) == lost.end();
  const auto first_often = first_of(often);
  const auto count = static_cast<std::size_t>(std::count(often.begin(), often.end(), true));
  const auto behind = often.begin() + static_cast<std::ptrdiff_t>(first_often + count);
  const bool in_a_row = std::find(behind, often.end(), true) == often.end() && often[first_often + count - 1];
  if (!at_end || !in_a_row || times[first_often] != 2 || first_often == 0 || count < 32) return {};
  return fmt::format("Blocks overlap: {} are counted twice, and the last {} of {} never reach the sum.",
                     words_for(often), std::count(lost.begin(), lost.end(), true), lost.size());
}

lost_sentence words_for_lost(const element_set& lost, const block_of_elements& shape, bool alone) {
  const auto count = static_cast<std::size_t>(std::count(lost.begin(), lost.end(), true));
  const std::size_t n = lost.size();
  if (count == 0) return {};
  if (count == n)
    return {n == 1 ? "Not even a single element reaches the sum."
                   : "No element reaches the sum: whatever the input is, the result is 0."};
  if (alone) {
    if (std::string words = words_for_steps(lost, shape, true); !words.empty()) return {words};
    if (std::string words = words_for_part_of_step(lost, shape); !words.empty()) return {words};
  }
  if (const std::string words = words_for_tail(lost, shape); !words.empty() && n > 2) return {words};
  if (count == n - 1) {
    const auto only = static_cast<std::size_t>(std::find(lost.begin(), lost.end(), false) - lost.begin());
    const bool is_last = only == n - 1;
    return {fmt::format("Of {} elements only element {} reaches the sum{}.", n, only,
                        is_last ? ": later elements overwrite earlier ones (= instead of +=?)" : ""),
            !is_last};
  }
  const auto all_but_last = [&](std::size_t i) { return (i + 1) % shape.threads != 0; };
  if (count > n / 2 && n % shape.threads == 0 && n > shape.threads && lost == chosen_of(n, all_but_last))
    return {
        fmt::format("Of every {} elements only the last reaches the sum: later elements overwrite earlier ones (= "
                    "instead of +=?).",
                    shape.threads)};
  const std::string words = words_for(lost);
  const std::string verb = is_plural(lost) ? "reach" : "reaches";
  if (const std::string of_vectors = words_for_components(lost, shape); !of_vectors.empty()) return {of_vectors, true};
  const auto first_lost = first_of(lost);
  if (shape.per_block != 0 && n % shape.per_block != 0 && first_lost >= n / shape.per_block * shape.per_block)
    return {fmt::format("{} of {} never {} the sum: part of the last block's, which is not full (the tail).",
                        capital(words), n, verb)};
  if (shape.per_block != 0 && n > shape.per_block) {
    // Looks for whole blocks that are lost.
    std::set<std::size_t> blocks;
    for (std::size_t i = 0; i < n; ++i)
      if (lost[i]) blocks.insert(i / shape.per_block);
    if (lost == chosen_of(n, [&](std::size_t i) { return blocks.contains(i / shape.per_block); }))
      return {fmt::format("Of {}, no element reaches the sum: {} are lost.",
                          blocks.size() == 1 ? fmt::format("block {}", *blocks.begin())
                                             : fmt::format("blocks {}", fmt::join(blocks, ", ")),
                          words)};
  }
  return {fmt::format("{} never {} the sum.", capital(words), verb), true};
}

}  // namespace workbook
