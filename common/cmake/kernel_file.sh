#!/bin/sh
# kernel_file.sh COMPILER ARGUMENT…: compiles a kernel file without the mathematical special functions (std::beta and
# the like) that CUDA's headers bring in with <cmath>, and with them where it does not compile so. They, and the
# algorithms that they need, are a third of nvcc's time. The macro is libstdc++'s own guard around them. The grader does
# the same (common/book/grade/compiler.py), but for a compiler that was stopped.
trap 'exit 130' INT
trap 'exit 143' TERM
said=$("$@" -D_GLIBCXX_BITS_SPECFUN_H 2>&1) || exec "$@"
[ -z "$said" ] || printf '%s\n' "$said" >&2
