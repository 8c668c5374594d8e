#!/bin/sh
# check_format.sh BUILD TREE: fails, and lists the places, if clang-format would change something. Exits with 77, which
# means a skip, if the bootstrap could not install clang-format.
set -eu
cd "$2"
# Everybody has to use the same version, because different versions format differently.
clang_format=$1/style/bin/clang-format
[ -x "$clang_format" ] || clang_format=build/style/bin/clang-format
[ -x "$clang_format" ] || {
  echo "There is no clang-format in $1/style; \`sh common/bootstrap/bootstrap.sh install style\` installs it."
  exit 77
}
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find chapters common solutions tests \
  \( -name "*.cpp" -o -name "*.hpp" -o -name "*.cu" -o -name "*.cuh" \) -print0 >"$list"
[ -s "$list" ] || { echo "found no source at all"; exit 1; }
xargs -0 "$clang_format" --dry-run -Werror <"$list" || { echo "\`make format\` fixes this."; exit 1; }
