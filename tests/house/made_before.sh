#!/bin/sh
# made_before.sh COMPILER WORD…: CMake's compiler launcher for a copy of the source tree. It does not compile files of
# common/, but copies their objects from BEFORE, the original tree's build folder, if they are there.
out=
last=
for word; do
  [ "$last" = -o ] && out=$word
  last=$word
done
case $out in
  common/*) cp "$BEFORE/$out" "$out" 2>/dev/null && exit ;;
esac
exec "$@"
