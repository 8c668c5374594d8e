#!/bin/sh
# native_compilers.sh BARE COPY: adds the folder /native to COPY, a root of arm64: programs inside g++ and nvcc, of the
# same versions, but for this machine's processor. try.sh copies them over the root's own.
#
# BARE is a root of the same system for this machine. BARE-cross, a copy of it, gets the cross compiler from the
# system's packages and CUDA from the same wheels as the root, once.
set -u
tree=$(cd "$(dirname "$0")/../.." && pwd)
bare=$1
copy=$2
cross=$bare-cross
here=$(uname -m)-linux-gnu

if [ ! -e "$cross/.done" ]; then
  rm -rf "$cross"
  cp -a --reflink=auto "$bare" "$cross"
  rm -f "$cross/.done"
  cp /etc/resolv.conf "$cross/etc/resolv.conf"
  settings=
  if [ -n "${PIP_CERT-}" ]; then
    mkdir -p "$cross/etc/ssl/certs"
    cp "$PIP_CERT" "$cross/etc/ssl/certs/of-the-host.crt"
    settings=PIP_CERT=/etc/ssl/certs/of-the-host.crt
  fi
  git clone -q "$tree" "$cross/workbook"
  cat >"$cross/install.sh" <<'INSIDE'
apt-get -qq update &&
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends g++-aarch64-linux-gnu &&
  cd /workbook && sh common/bootstrap/bootstrap.sh install build cuda
INSIDE
  unshare --mount --pid --fork sh -c "mount -t proc proc '$cross/proc'; mount --rbind /dev '$cross/dev'
    chroot '$cross' env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin $settings sh /install.sh" \
    >"$cross.log" 2>&1 || {
    tail -n 5 "$cross.log" >&2
    exit 1
  }
  touch "$cross/.done"
fi

# add FILE PLACE: copies a program of $cross to this place below /native, and the libraries that it needs.
add() {
  local library
  mkdir -p "$copy/native/$(dirname "$2")" "$copy/native/system/usr/lib/$here"
  cp -L "$cross/$1" "$copy/native/$2" || exit 1
  for library in $(chroot "$cross" ldd "/$1" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p'); do
    cp -L "$cross$library" "$copy/native/system/usr/lib/$here/" || exit 1
  done
}

# Debian 12 has these below /usr/lib, and Debian 13 below /usr/libexec.
for program in $(cd "$cross" && find usr/lib* -path '*/gcc-cross/aarch64-linux-gnu/*' \( -name cc1plus -o -name \
  liblto_plugin.so \) -type f); do
  add "$program" "system/$(printf '%s' "$program" | sed 's/gcc-cross/gcc/')"
done
for program in as ld.bfd; do
  add "usr/bin/aarch64-linux-gnu-$program" "system/usr/bin/aarch64-linux-gnu-$program"
done
# Not cudafe++ and cicc: those for x86-64 do not know __Float32x4_t and other types in the arm64 headers of glibc 2.41.
for program in ptxas fatbinary; do
  add "workbook/build/cuda/bin/$program" "cuda/bin/$program"
done
# A cross compiler looks for its headers in folders of its own. They become links to those of the root's g++.
version=$(ls "$copy/usr/include/c++")
mkdir -p "$copy/native/system/usr/aarch64-linux-gnu/include" "$copy/native/system/usr/include/c++/$version"
ln -s gcc "$copy/native/system/usr/lib/gcc-cross"
ln -s /usr/include/c++ "$copy/native/system/usr/aarch64-linux-gnu/include/c++"
ln -s "/usr/include/aarch64-linux-gnu/c++/$version" "$copy/native/system/usr/include/c++/$version/aarch64-linux-gnu"
mkdir -p "$copy/lib64"
cp -L "$cross/lib64/ld-linux-x86-64.so.2" "$copy/lib64/"
