#!/bin/sh
# kernel_file.sh [--of FILE] COMPILER ARGUMENT…: compiles a kernel file without the mathematical special functions
# (std::beta and the like) that CUDA's headers include with <cmath>, and retries with them if that fails. These
# functions, and the algorithms that they need, take a third of nvcc's time. The macro is libstdc++'s own include guard.
# The grader does the same (common/course/grade/compiler.py), except if the compiler was stopped.
#
# FILE belongs to a student and may contain anything. If it contains one of the words in all_headers.txt, it is compiled
# with these functions, because it might compile without them, too, but with a different meaning.
if [ "$1" = --of ]; then
  file=$2
  shift 2
  if grep -sqFf "${0%/*}/all_headers.txt" "$file"; then exec "$@"; fi
fi
trap 'exit 130' INT
trap 'exit 131' QUIT
said=$("$@" -D_GLIBCXX_BITS_SPECFUN_H 2>&1) || exec "$@"
[ -z "$said" ] || printf '%s\n' "$said" >&2
