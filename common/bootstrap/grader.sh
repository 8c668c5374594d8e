#!/bin/sh
# grader.sh [CHAPTERS]: installs what the grader needs and builds it, for an image that grades submissions later without
# a network. CHAPTERS is a list such as 1,3,5-9; by default, all chapters. Exit status: 0 if the image can grade.
set -eu
cd "$(dirname "$0")/../.."
here=common/bootstrap
export DEBIAN_FRONTEND=noninteractive
# The bootstrap looks for packages by their files, so the system needs its lists of packages.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -q
  apt-get install -y -q --no-install-recommends \
    ca-certificates git make g++ ninja-build python3 python3-venv python3-pip
fi
sh "$here/bootstrap.sh" build cuda grade
if [ -z "${1-}" ]; then
  sh "$here/build.sh" grader
  exit 0
fi
sh "$here/build.sh" exercise_host
for range in $(printf '%s' "$1" | tr ',' ' '); do
  for number in $(seq "${range%-*}" "${range#*-}"); do
    sh "$here/build.sh" "judge$number"
  done
done
