# Part of bootstrap.sh: finds or installs the CUDA compiler and the programs that read machine code.

# Prints the candidates for nvcc, best first, one per line.
nvcc_candidates() {
  if [ -z "${WORKBOOK_IGNORE_SYSTEM_CUDA-}" ]; then
    [ -n "${CUDA_HOME-}" ] && echo "$CUDA_HOME/bin/nvcc"
    command -v nvcc
    local prefix directory
    for prefix in $prefixes; do
      # The newest version is listed first.
      for directory in "$prefix/cuda" $(ls -d "$prefix"/cuda-* 2>/dev/null | sort -rV); do
        echo "$directory/bin/nvcc"
      done
    done
  fi
  echo "$build_path/cuda/bin/nvcc"
}

# reject NVCC VERSION REASON: records why this nvcc is not used.
reject() { say "  $1 (CUDA $2): $3" >>"$state_dir/rejected"; }

# nvcc_version NVCC: prints its version, such as 13.0; prints nothing if it does not run.
nvcc_version() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# nvcc_works NVCC CXX: succeeds if nvcc is new enough and compiles and links C++20 with this C++ compiler. Otherwise
# records why not.
nvcc_works() {
  local version limit
  [ -x "$1" ] || return 1
  version=$(nvcc_version "$1")
  if ! version_at_least "${version:-0}" 12.4; then
    reject "$1" "${version:-of an unknown version}" "too old; the workbook needs 12.4 or newer"
    return 1
  fi
  "$1" -ccbin "$2" -std=c++20 -gencode "arch=compute_90,code=[compute_90,sm_90]" --no-compress -lineinfo \
    -o "$state_dir/probe" "$here/probe.cu" >"$state_dir/probe.txt" 2>&1 && rm -f "$state_dir/probe" && return
  cat "$state_dir/probe.txt" >>"$log"
  limit=$(sed -n 's/.*gcc versions later than \([0-9]*\) are not supported.*/\1/p' "$state_dir/probe.txt" | head -n 1)
  if [ -n "$limit" ]; then
    reject "$1" "$version" "works with g++ up to $limit; $2 is $(name_of_compiler "$2")"
  elif grep -qE 'exception specification is incompatible|[^a-z]rsqrtf?[^a-z]' "$state_dir/probe.txt"; then
    reject "$1" "$version" "does not compile with this system's C library (glibc 2.42 and newer need CUDA 13.2)"
  elif grep -q 'CUB is missing' "$state_dir/probe.txt"; then
    reject "$1" "$version" "CUB is not installed with it; install the whole CUDA Toolkit"
  else
    reject "$1" "$version" "does not compile a small program with $2; the errors are in $log"
  fi
  return 1
}

# Prints the newest CUDA that the driver of this machine's GPU supports, such as 12.4; nothing if there is no driver.
driver_cuda() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p' | head -n 1
}

# fits_driver NVCC DRIVER: succeeds if a GPU with this driver can run what this nvcc compiles. A driver runs programs of
# every toolkit of its own major version and of older ones.
fits_driver() {
  local version
  version=$(nvcc_version "$1")
  [ -n "$version" ] && [ "${version%%.*}" -le "${2%%.*}" ]
}

# Sets nvcc to the first candidate that works. If the driver is too old for CUDA 13, a toolkit that fits the driver is
# preferred, even if it needs an older g++ than the default one.
find_nvcc() {
  local candidate driver compiler
  [ -z "$nvcc" ] || return 0
  # Without a C++ compiler no candidate can be tried. The C++ compiler is installed first, and then all are tried again.
  [ -n "$cxx" ] || look_for_compiler
  [ -n "$cxx" ] || return 1
  rm -f "$state_dir/rejected"
  if [ -n "${CUDA_HOME-}" ] && [ -z "${WORKBOOK_IGNORE_SYSTEM_CUDA-}" ]; then
    # The user's choice is preferred to a toolkit that fits the driver.
    if [ ! -x "$CUDA_HOME/bin/nvcc" ]; then
      say "  $CUDA_HOME (CUDA_HOME): there is no bin/nvcc in it" >>"$state_dir/rejected"
    elif nvcc_works "$CUDA_HOME/bin/nvcc" "$cxx"; then
      nvcc=$CUDA_HOME/bin/nvcc
      return 0
    fi
  fi
  driver=$(driver_cuda)
  nvcc_candidates >"$state_dir/candidates"
  if [ -n "$driver" ] && [ "${driver%%.*}" -lt 13 ]; then
    while read -r candidate; do
      [ -x "$candidate" ] && fits_driver "$candidate" "$driver" || continue
      for compiler in "$cxx" ${CXX:-g++-14 g++-13 g++-12 g++-11}; do
        compiler=$(command -v "$compiler") && nvcc_works "$candidate" "$compiler" || continue
        nvcc=$candidate
        cxx=$compiler
        return 0
      done
    done <"$state_dir/candidates"
  fi
  while read -r candidate; do
    if nvcc_works "$candidate" "$cxx"; then
      nvcc=$candidate
      return 0
    fi
  done <"$state_dir/candidates"
  return 1
}

# Prints the versions of the wheels that can work here, best first. The outputs in this repository were recorded with
# 13.0, which works with g++ up to 15, but not with a C library that declares C23's rsqrt (glibc 2.42 or newer).
wheel_versions() {
  if [ "$(major_of_compiler "$cxx")" -le 15 ] 2>/dev/null &&
    ! echo '#include <math.h>' | "$cxx" -D_GNU_SOURCE -E -x c++ - 2>/dev/null | grep -q '[^a-z]rsqrt[^a-z]'; then
    echo 13.0
  fi
  echo 13.5
}

# install_cuda VERSION: installs the wheels of this version into build/cuda. Returns 1 if they cannot be downloaded, and
# 2 if they do not work.
install_cuda() {
  local size start
  start=$(date +%s)
  case $1 in 13.0) size="105 MB to download, 280 MB" ;; *) size="130 MB to download, 330 MB" ;; esac
  say "Installing CUDA $1 into $build_dir/cuda"
  say "  ($size on the disk; no root needed)"
  install_wheels "$here/cuda_wheels_$1.txt" "$build_dir/cuda" nvidia/cu13 || return 1
  # The wheels lack some names that nvcc, CMake and the dynamic loader look for.
  ln -s lib "$build_dir/cuda/lib64"
  ln -s libcudart.so.13 "$build_dir/cuda/lib/libcudart.so"
  nvcc_works "$build_path/cuda/bin/nvcc" "$cxx" || return 2
  nvcc=$build_path/cuda/bin/nvcc
  # If these wheels replace others, CMake would find them under the same path and not check them again.
  forget_configuration "$build_dir"
  say "  done in $(($(date +%s) - start)) s"
}

provide_cuda() {
  local version tried
  if ! find_nvcc; then
    if [ -n "${WORKBOOK_NO_INSTALL-}" ]; then
      say "The workbook needs a CUDA compiler, nvcc 12.4 or newer (WORKBOOK_NO_INSTALL is set)."
      print_rejected
      say "Set CUDA_HOME to a CUDA Toolkit, or let make install one into $build_dir/cuda."
      return 1
    fi >&2
    say "No CUDA compiler that works with $cxx ($(name_of_compiler "$cxx")) is here."
    print_rejected
    say_what_the_driver_needs
    # If build/cuda was removed by hand, all versions are tried again.
    [ -e "$build_dir/cuda" ] || rm -f "$state_dir/cuda_that_failed"
    for version in $(wheel_versions); do
      # A version that was installed before and did not work is not downloaded again.
      tried="$version for g++ $("$cxx" -dumpfullversion -dumpversion 2>/dev/null | head -n 1)"
      ! grep -qxF "$tried" "$state_dir/cuda_that_failed" 2>/dev/null || continue
      install_cuda "$version"
      case $? in
        0) break ;;
        1)
          say "Set CUDA_HOME to a CUDA Toolkit from 12.4 on, or fix the above; then run make again." >&2
          return 1
          ;;
      esac
      echo "$tried" >>"$state_dir/cuda_that_failed"
    done
    if [ -z "$nvcc" ]; then
      say "No CUDA compiler works here:" >&2
      print_rejected >&2
      say "Set CUDA_HOME to a CUDA Toolkit that works with $cxx, or CXX to a g++ from 11 to 16, and run make again." >&2
      return 1
    fi
  fi
  say_if_cuda_home_is_not_used >&2
  found cuda "$nvcc"
}

# If the driver is older than CUDA 13, prints what the GPU needs before CUDA 13 is downloaded, because only an older g++
# may be missing.
say_what_the_driver_needs() {
  local driver
  driver=$(driver_cuda)
  case ${driver%%.*} in
    12)
      say "The GPU's driver supports CUDA up to $driver, so CUDA 13 runs on the emulator only. To use the GPU, update"
      say "the driver to 580 or newer, or install a CUDA Toolkit from 12.4 to 12.9 and a g++ that works with it."
      ;;
  esac
}

say_if_cuda_home_is_not_used() {
  [ -n "${CUDA_HOME-}" ] && [ -z "${WORKBOOK_IGNORE_SYSTEM_CUDA-}" ] && [ "$nvcc" != "$CUDA_HOME/bin/nvcc" ] || return 0
  say "CUDA_HOME is ignored, and $nvcc is used instead:"
  print_rejected | grep -F "  $CUDA_HOME"
}

print_rejected() { [ ! -r "$state_dir/rejected" ] || sort -u "$state_dir/rejected"; }

# sass_tool NAME: prints the path of the program.
sass_tool() { first_of -x "${CUDA_HOME:-/nowhere}/bin/$1" "$(command -v "$1")" "$build_path/sass/bin/$1"; }

find_sass_tools() { sass_tool cuobjdump >/dev/null && sass_tool nvdisasm >/dev/null; }

provide_sass() {
  find_sass_tools || provide_wheels "cuobjdump and nvdisasm are missing (WORKBOOK_NO_INSTALL is set)" \
    "cuobjdump and nvdisasm into $build_dir/sass (5 MB to download)" sass sass nvidia/cu13 || return 1
  found sass "$(sass_tool cuobjdump)"
  found sass "$(sass_tool nvdisasm)"
}

# Writes the facts that CMake needs. If the build folder was made with a different compiler, removes its configuration.
write_cmake_facts() {
  local before fact
  before=$(grep -E '^# (cxx|nvcc) ' "$build_dir/bootstrap.cmake" 2>/dev/null)
  # A run for one group must keep what an earlier run has found for others.
  [ -n "$cxx" ] || cxx=$(sed -n 's/^# cxx //p' "$build_dir/bootstrap.cmake" 2>/dev/null)
  [ -n "$nvcc" ] || nvcc=$(sed -n 's/^# nvcc //p' "$build_dir/bootstrap.cmake" 2>/dev/null)
  {
    echo "# Written by common/bootstrap/bootstrap.sh: what it found. An own -D on CMake's command line wins."
    echo "# cxx $cxx"
    echo "# nvcc $nvcc"
    case ${cxx##*/} in
      '' | g++ | c++) ;;
      *)
        echo "set(CMAKE_CXX_COMPILER \"$cxx\" CACHE FILEPATH \"C++ compiler\")"
        echo "set(CMAKE_CUDA_HOST_COMPILER \"$cxx\" CACHE FILEPATH \"nvcc's C++ compiler\")"
        ;;
    esac
    # If one of these is missing, there are fewer targets. CMake has to run again after it has been installed.
    for fact in "test $(config_of Catch2)" "proofs $(z3_header)" "grade $(header_of seccomp.h)" \
      "mpi $(command -v mpicxx)"; do
      case $fact in *" /"*) echo "# $fact" ;; esac
    done
    [ ! -r "$build_dir/races/$raced_header" ] ||
      echo "set(WORKBOOK_RACED_CCCL \"$build_path/races\" CACHE PATH \"CUB and Thrust that the races are against\")"
    [ -z "$nvcc" ] || echo "set(CMAKE_CUDA_COMPILER \"$nvcc\" CACHE FILEPATH \"CUDA compiler\")"
  } | write_if_changed "$build_dir/bootstrap.cmake" || return 1
  if [ -r "$build_dir/CMakeCache.txt" ] && [ "$build_dir/bootstrap.cmake" -nt "$build_dir/CMakeCache.txt" ] &&
    [ "$before" != "$(grep -E '^# (cxx|nvcc) ' "$build_dir/bootstrap.cmake")" ]; then
    forget_configuration "$build_dir"
  fi
  return 0
}
