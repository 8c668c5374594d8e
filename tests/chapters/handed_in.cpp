// The exercise of chapter 0, 1, 2 or 3 (WORKBOOK_CHAPTER) with a student's kernel: the reference's kernel, or the wrong
// kernel named by the variable HANDED_IN. It is linked with the chapter's own program.

#include <algorithm>
#include <cstdlib>
#include <string>

#include "chapters/rungs.hpp"
#include "kernels/wrong_kernels/zoo.hpp"

#define WORKBOOK_JOINED(one, other, rest) one##other##rest
#define WORKBOOK_TABLE(number, rest) WORKBOOK_JOINED(chapter, number, rest)

workbook::kernel_table workbook::WORKBOOK_TABLE(WORKBOOK_CHAPTER, _exercise_table)() {
  const char* const wanted = std::getenv("HANDED_IN");
  if (wanted == nullptr) return WORKBOOK_TABLE(WORKBOOK_CHAPTER, _solution_table)();
  const auto* const end = wrong::tables + wrong::table_count;
  const auto* const found =
      std::find_if(wrong::tables, end, [&](const wrong::named_table& one) { return wanted == std::string(one.name); });
  if (found == end) std::abort();
  return found->passes;
}
