#!/bin/sh
# check_format.sh CLANG_FORMAT TREE: fails, naming the places, where clang-format would change something.
set -eu
cd "$2"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find chapters common solutions tests \
  \( -name "*.cpp" -o -name "*.hpp" -o -name "*.cu" -o -name "*.cuh" \) -print0 >"$list"
[ -s "$list" ] || { echo "found no source at all"; exit 1; }
xargs -0 "$1" --dry-run -Werror <"$list" || { echo "\`make format\` mends this."; exit 1; }
