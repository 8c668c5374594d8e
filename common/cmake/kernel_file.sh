#!/bin/sh
# kernel_file.sh [--of FILE] COMPILER ARGUMENT…: compiles a kernel file without the mathematical special functions
# (std::beta and the like) that CUDA's headers bring in with <cmath>, and with them where it does not compile so. They,
# and the algorithms that they need, are a third of nvcc's time. The macro is libstdc++'s own guard around them. The
# grader does the same (common/book/grade/compiler.py), but for a compiler that was stopped.
#
# FILE is a student's, who may write anything: with one of the words of all_headers.txt in it, it is compiled as it is,
# for then it could compile in both ways and mean something else.
if [ "$1" = --of ]; then
  file=$2
  shift 2
  if grep -sqFf "${0%/*}/all_headers.txt" "$file"; then exec "$@"; fi
fi
trap 'exit 130' INT
trap 'exit 131' QUIT
said=$("$@" -D_GLIBCXX_BITS_SPECFUN_H 2>&1) || exec "$@"
[ -z "$said" ] || printf '%s\n' "$said" >&2
