# Part of bootstrap.sh: the CUDA compiler, and the programs that read machine code.

# Prints the candidates for nvcc, best first, one a line.
nvcc_candidates() {
  if [ -z "${WORKBOOK_IGNORE_SYSTEM_CUDA-}" ]; then
    [ -n "${CUDA_HOME-}" ] && echo "$CUDA_HOME/bin/nvcc"
    command -v nvcc
    local prefix directory
    for prefix in $prefixes; do
      # The newest first.
      for directory in "$prefix/cuda" $(ls -d "$prefix"/cuda-* 2>/dev/null | sort -rV); do
        echo "$directory/bin/nvcc"
      done
    done
  fi
  echo "$build_path/cuda/bin/nvcc"
}

# nvcc_works NVCC: new enough, and compiles and links C++20 with this machine's C++ compiler. Notes why not.
nvcc_works() {
  local version
  [ -x "$1" ] || return 1
  version=$("$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  if ! version_at_least "${version:-0}" 12.0; then
    say "  $1 is CUDA ${version:-of an unknown version}, too old: C++20 needs 12.0" >>"$state_dir/rejected"
    return 1
  fi
  "$1" -ccbin "$cxx" -std=c++20 -gencode "arch=compute_90,code=[compute_90,sm_90]" --no-compress -lineinfo \
    -o "$state_dir/probe" "$here/probe.cu" >>"$log" 2>&1 || {
    say "  $1 (CUDA $version) does not compile the probe with $cxx; the errors are in $log" >>"$state_dir/rejected"
    return 1
  }
  rm -f "$state_dir/probe"
}

# Sets nvcc to the first candidate that works.
find_nvcc() {
  local candidate
  [ -z "$nvcc" ] || return 0
  # Without a C++ compiler no candidate can be judged; it is installed first, then all are looked at again.
  [ -n "$cxx" ] || look_for_compiler
  [ -n "$cxx" ] || return 1
  rm -f "$state_dir/rejected"
  while read -r candidate; do
    if nvcc_works "$candidate"; then
      nvcc=$candidate
      return 0
    fi
  done <<CANDIDATES
$(nvcc_candidates)
CANDIDATES
  return 1
}

provide_cuda() {
  local start
  start=$(date +%s)
  if ! find_nvcc; then
    if [ -n "${WORKBOOK_NO_INSTALL-}" ]; then
      say "The workbook needs a CUDA compiler, nvcc 12.0 or newer (WORKBOOK_NO_INSTALL is set):" >&2
      print_rejected >&2
      say "Set CUDA_HOME to a CUDA Toolkit, or let make install one into $build_dir/cuda." >&2
      return 1
    fi
    print_rejected
    say "No CUDA compiler from 12.0 on is here: installing 13.0 into $build_dir/cuda"
    say "  (about 100 MB to download, 280 MB on the disk; no root needed)"
    install_wheels "$here/cuda_wheels.txt" "$build_dir/cuda" nvidia/cu13 || {
      say "Set CUDA_HOME to a CUDA Toolkit from 12.0 on, or mend the above; then run make again." >&2
      return 1
    }
    # What the wheels leave out: the names that nvcc, CMake and the dynamic loader look for.
    ln -s lib "$build_dir/cuda/lib64"
    ln -s libcudart.so.13 "$build_dir/cuda/lib/libcudart.so"
    nvcc=$build_path/cuda/bin/nvcc
    if ! nvcc_works "$nvcc"; then
      say "The CUDA compiler was installed and does not work:" >&2
      print_rejected >&2
      tail -n 8 "$log" >&2
      return 1
    fi
    say "  done in $(($(date +%s) - start)) s"
  fi
  found cuda "$nvcc"
}

print_rejected() { [ ! -r "$state_dir/rejected" ] || sort -u "$state_dir/rejected"; }

# sass_tool NAME: prints where the program is.
sass_tool() { first_of -x "${CUDA_HOME:-/nowhere}/bin/$1" "$(command -v "$1")" "$build_path/sass/bin/$1"; }

find_sass_tools() { sass_tool cuobjdump >/dev/null && sass_tool nvdisasm >/dev/null; }

provide_sass() {
  find_sass_tools || provide_wheels "cuobjdump and nvdisasm are missing (WORKBOOK_NO_INSTALL is set)" \
    "cuobjdump and nvdisasm into $build_dir/sass (5 MB to download)" sass sass nvidia/cu13 || return 1
  found sass "$(sass_tool cuobjdump)"
  found sass "$(sass_tool nvdisasm)"
}

# Writes what CMake needs to know. A build folder that was made with another compiler is emptied of CMake's memory.
write_cmake_facts() {
  local before fact
  before=$(grep -E '^# (cxx|nvcc) ' "$build_dir/bootstrap.cmake" 2>/dev/null)
  # A run for another group must not forget what an earlier one found.
  [ -n "$cxx" ] || cxx=$(sed -n 's/^# cxx //p' "$build_dir/bootstrap.cmake" 2>/dev/null)
  [ -n "$nvcc" ] || nvcc=$(sed -n 's/^# nvcc //p' "$build_dir/bootstrap.cmake" 2>/dev/null)
  {
    echo "# Written by common/tools/bootstrap/bootstrap.sh: what it found. An own -D on CMake's command line wins."
    echo "# cxx $cxx"
    echo "# nvcc $nvcc"
    case ${cxx##*/} in
      '' | g++ | c++) ;;
      *)
        echo "set(CMAKE_CXX_COMPILER \"$cxx\" CACHE FILEPATH \"C++ compiler\")"
        echo "set(CMAKE_CUDA_HOST_COMPILER \"$cxx\" CACHE FILEPATH \"nvcc's C++ compiler\")"
        ;;
    esac
    # Without these there are fewer targets, and CMake has to run again once they are there.
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
    rm -rf "$build_dir/CMakeCache.txt" "$build_dir/CMakeFiles"
  fi
  return 0
}
