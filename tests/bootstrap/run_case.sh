#!/bin/sh
# run_case.sh CASE: one test of the bootstrap; CASE is a function below without its `case_`.
# Long because there is a case for each thing that a machine can lack.
. "$(dirname "$0")/fake_machine.sh"

case_names_what_is_missing_where_there_is_no_apt() {
  bootstrap
  expect_status 1
  expect_said "no apt-get here"
  for package in g++ cmake libfmt-dev libasmjit-dev libcli11-dev nlohmann-json3-dev libbenchmark-dev python3; do
    expect_said "  $package "
  done
  expect_said "sudo apt-get install g++ cmake libfmt-dev libasmjit-dev libcli11-dev nlohmann-json3-dev libbenchmark-dev"
}

case_names_only_what_is_missing() {
  have_everything
  rm -r "$machine/prefix/lib/cmake/CLI11"
  bootstrap
  expect_status 1
  expect_said "sudo apt-get install libcli11-dev"
  ! grep -q libfmt "$machine/output" || fail "named a package that is there"
}

case_does_not_ask_for_ninja_where_it_cannot_install_it() {
  have_everything
  rm "$machine/bin/ninja"
  bootstrap
  expect_status 0
  expect_silence
}

case_a_chapter_wants_nothing_that_only_tests_need() {
  have_python
  have_apt
  touch "$machine/lists"
  have_nvcc "$machine/prefix/cuda/bin" 13.0
  bootstrap
  expect_status 0
  for package in catch2 libz3-dev bubblewrap doxygen graphviz python3-matplotlib clang-format; do
    expect_not_called "$package"
  done
}

case_installs_for_the_tests_when_they_are_asked_for() {
  have_everything
  have_apt
  touch "$machine/lists"
  bootstrap
  ! grep -q "^# test" "$machine/build/bootstrap.cmake" || fail "tells CMake of a library that is not there"
  bootstrap -- build cuda test
  expect_status 0
  expect_called "catch2"
  # CMake reads this file, and so runs again.
  grep -q "^# test /" "$machine/build/bootstrap.cmake" || fail "does not tell CMake of the new library"
}

case_installs_a_browser_when_it_is_asked_for() {
  have_everything
  have_apt
  touch "$machine/lists"
  bootstrap -- build cuda
  expect_not_called "chromium"
  bootstrap -- browser
  expect_status 0
  expect_called "chromium"
  : >"$machine/calls"
  bootstrap -- browser
  expect_status 0
  expect_silence
}

case_gets_what_the_grader_needs_for_the_grader_alone() {
  have_everything
  have_apt
  touch "$machine/lists"
  bootstrap
  expect_status 0
  expect_not_called "libseccomp-dev"
  bootstrap -- grade
  expect_status 0
  expect_said "libseccomp-dev         keeps the host code of what is graded from the system"
  expect_called "libseccomp-dev"
  grep -qF "# grade $machine/prefix" "$machine/build/bootstrap.cmake" || fail "CMake does not look again"
}

case_installs_the_solver_when_it_is_asked_for() {
  have_everything
  have_apt
  touch "$machine/lists"
  bootstrap -- proofs
  expect_status 0
  expect_said "  libz3-dev              proves what the superoptimiser finds"
  expect_called "libz3-dev"
  grep -q "^# proofs /" "$machine/build/bootstrap.cmake" || fail "does not tell CMake of the solver"
}

case_installs_mpi_for_ranks_alone() {
  have_everything
  have_apt
  touch "$machine/lists"
  bootstrap
  expect_not_called "openmpi"
  bootstrap -- mpi
  expect_status 0
  expect_said "  openmpi-bin            starts a program on several processes"
  expect_called "openmpi-bin libopenmpi-dev"
  # CMake reads this file, and so looks for it again.
  grep -qF "# mpi $machine/bin/mpicxx" "$machine/build/bootstrap.cmake" || fail "does not tell CMake of MPI"
  : >"$machine/calls"
  bootstrap -- mpi
  expect_status 0
  expect_silence
}

# ranks WORD…: as `bootstrap`, but the script that runs ranks.
ranks() {
  status=0
  env -i PATH="$machine/bin" HOME="$machine/home" LC_ALL=C WORKBOOK_BUILD_DIR="$machine/build" \
    WORKBOOK_PREFIXES="$machine/prefix" sh "$repository/common/tools/bootstrap/ranks.sh" "$@" \
    >"$machine/output" 2>&1 </dev/null || status=$?
}

case_a_chapter_without_mpi_says_how_to_have_ranks_and_installs_none() {
  have_everything
  have_apt
  touch "$machine/lists"
  ranks where-there-is-mpi
  expect_status 0
  expect_said "Many processes, too: \`make ranks\` installs MPI"
  expect_not_called "apt-get"
}

case_ranks_get_of_mpirun_what_a_small_machine_and_root_need() {
  stub mpirun <<'STUB'
[ "$*" = --version ] || echo "mpirun got: $*"
[ "$*" != --version ] || cat "$machine/mpi"
STUB
  echo "mpirun (Open MPI) 4.1.4" >"$machine/mpi"
  ranks run 3 --type float
  expect_status 0
  expect_said "-n 3 --oversubscribe --bind-to none --allow-run-as-root $machine/build/bin/chapter16 --type float"
  echo 'echo 1000' | stub id
  ranks run 3
  expect_said "mpirun got: -n 3 --oversubscribe --bind-to none $machine/build/bin/chapter16"
  echo "HYDRA build details" >"$machine/mpi"
  ranks run 3
  expect_said "mpirun got: -n 3 $machine/build/bin/chapter16"
  ranks run many
  expect_status 2
  expect_said "RANKS=many: give the number of processes"
}

case_does_without_the_solver_where_it_cannot_be_installed() {
  have_everything
  bootstrap -- proofs
  expect_status 0
  expect_silence
  have_apt
  touch "$machine/lists" "$machine/broken_apt"
  bootstrap -- proofs
  expect_status 0
  expect_said "The workbook does without these, which apt-get could not install"
  expect_said "  libz3-dev "
}

case_asks_for_no_password_for_what_it_can_do_without() {
  have_everything
  have_apt
  touch "$machine/lists"
  echo 'echo 1000' | stub id
  echo 'exit 1' | stub sudo
  bootstrap -- proofs
  expect_status 0
  expect_silence
  expect_not_called "apt-get"
}

case_installs_what_it_can_where_one_package_is_unknown() {
  have_everything
  have_apt
  touch "$machine/lists" "$machine/no_doxygen"
  bootstrap -- docs test
  expect_status 1
  expect_said "sudo apt-get install doxygen"
  grep -q "^# test /" "$machine/build/bootstrap.cmake" || fail "one missing package kept the others away"
  : >"$machine/calls"
  bootstrap -- test
  expect_status 0
  expect_silence
}

case_installs_the_checkers_of_style_with_their_versions() {
  have_everything
  bootstrap -- style
  expect_status 0
  expect_called "style_wheels.txt"
  [ -x "$machine/build/style/bin/clang-format" ] && [ -x "$machine/build/style/bin/mypy" ] || fail "no checkers"
  : >"$machine/calls"
  rm -r "$machine/build/bootstrap"
  bootstrap -- style
  expect_status 0
  expect_not_called "pip install"
  # Other versions are wanted after an update of the workbook.
  echo "ruff==0.0" >"$machine/build/style/wheels.txt"
  rm -r "$machine/build/bootstrap"
  bootstrap -- style
  expect_called "pip install"
}

case_fetches_the_newest_library_only_for_races_and_names_it_to_cmake() {
  have_everything
  bootstrap -- build cuda
  expect_status 0
  expect_not_called "races_wheels.txt"
  ! grep -q RACED_CCCL "$machine/build/bootstrap.cmake" || fail "a library that nobody fetched"
  bootstrap -- races
  expect_status 0
  expect_called "races_wheels.txt"
  [ -r "$machine/build/races/cub/version.cuh" ] || fail "no headers"
  grep -q 'WORKBOOK_RACED_CCCL ".*/build/races"' "$machine/build/bootstrap.cmake" || fail "CMake does not know"
  : >"$machine/calls"
  rm -r "$machine/build/bootstrap"
  bootstrap -- races
  expect_status 0
  expect_not_called "pip install"
  # It stays known when something else is looked for.
  bootstrap -- build cuda
  grep -q RACED_CCCL "$machine/build/bootstrap.cmake" || fail "forgotten"
}

case_refuses_a_build_folder_in_which_nothing_can_be_built() {
  have_apt
  touch "$machine/lists"
  bootstrap WORKBOOK_BUILD_DIR="$machine/a,b"
  expect_status 1
  expect_said "The path of the build folder holds the character “,”"
  expect_not_called "apt-get"
  [ ! -e "$machine/a,b" ] || fail "made the folder"
}

case_waits_for_another_installation() {
  have_everything
  mkdir -p "$machine/build/bootstrap"
  PATH="$machine/bin" sh "$repository/common/tools/bootstrap/lock.sh" "$machine/build" sleep 2 &
  until [ -s "$machine/build/bootstrap/lock" ]; do sleep 0.1; done
  bootstrap
  expect_status 0
  expect_said "Another build is running in $machine/build/ (process $!); waiting for it to end"
}

case_installs_nothing_when_told_so() {
  have_apt
  bootstrap WORKBOOK_NO_INSTALL=1
  expect_status 1
  expect_said "WORKBOOK_NO_INSTALL is set"
  expect_not_called "apt-get"
}

case_says_why_without_root_and_sudo() {
  have_apt
  echo 'echo 1000' | stub id
  bootstrap
  expect_status 1
  expect_said "not root, and there is no sudo"
  expect_not_called "apt-get"
}

case_does_not_wait_for_a_password_without_a_terminal() {
  have_apt
  echo 'echo 1000' | stub id
  echo 'exit 1' | stub sudo
  bootstrap
  expect_status 1
  expect_said "sudo would ask for a password"
  expect_not_called "apt-get"
}

case_installs_with_apt_as_root_and_says_what() {
  have_python
  have_apt
  touch "$machine/lists"
  have_nvcc "$machine/prefix/cuda/bin" 13.0
  bootstrap
  expect_status 0
  expect_said "  libfmt-dev             formats what the programs print"
  expect_said "  ninja-build "
  expect_called "DEBIAN_FRONTEND=noninteractive"
  expect_not_called "update"
  [ "$(grep -c install "$machine/calls")" = 1 ] || fail "ran apt-get more than once"
  expect_cuda_compiler "$machine/prefix/cuda/bin/nvcc"
}

case_installs_through_sudo_when_not_root() {
  have_everything
  rm "$machine/bin/cmake"
  have_apt
  touch "$machine/lists"
  echo 'echo 1000' | stub id
  stub sudo <<'STUB'
echo "sudo $*" >>"$machine/calls"
[ "$1" != -n ] || exit 0
exec "$@"
STUB
  bootstrap
  expect_status 0
  expect_said "installs what it needs, with sudo"
  expect_called "sudo env DEBIAN_FRONTEND=noninteractive apt-get"
}

case_reads_the_package_lists_where_they_are_missing() {
  have_python
  have_apt
  have_nvcc "$machine/prefix/cuda/bin" 13.0
  bootstrap
  expect_status 0
  expect_said "reading the package lists"
  grep apt-get "$machine/calls" | head -n 1 | grep -q update || fail "did not read the lists before installing"
}

case_shows_what_apt_said_when_it_fails() {
  have_everything
  rm "$machine/bin/cmake"
  have_apt
  touch "$machine/lists" "$machine/broken_apt"
  bootstrap
  expect_status 1
  expect_said "E: Unable to fetch some archives"
  expect_said "apt-get could not install them"
  expect_said "sudo apt-get install cmake"
}

case_rejects_an_old_compiler_with_its_version() {
  have_everything
  have_compiler 10.2.1
  bootstrap
  expect_status 1
  expect_said "here: g++ 10.2.1; needed: g++ 11"
}

case_rejects_an_old_cmake_with_its_version() {
  have_everything
  have_cmake 3.18.4
  bootstrap
  expect_status 1
  expect_said "here: 3.18.4; needed: 3.22"
}

case_rejects_a_compiler_of_ones_own_that_is_not_there() {
  have_everything
  bootstrap CXX=g++-99
  expect_status 1
  expect_said "\$CXX is 'g++-99', which is not a program here"
}

case_takes_cuda_home_first() {
  have_everything
  have_nvcc "$machine/mine/bin" 12.4
  bootstrap CUDA_HOME="$machine/mine"
  expect_status 0
  expect_cuda_compiler "$machine/mine/bin/nvcc"
}

case_takes_the_newest_toolkit_of_the_system() {
  have_everything_but_cuda
  have_nvcc "$machine/prefix/cuda-12.9/bin" 12.9
  have_nvcc "$machine/prefix/cuda-12.10/bin" 12.10
  bootstrap
  expect_status 0
  expect_cuda_compiler "$machine/prefix/cuda-12.10/bin/nvcc"
}

case_installs_a_cuda_compiler_where_nvcc_is_too_old() {
  have_everything_but_cuda
  have_nvcc "$machine/bin" 11.5
  bootstrap
  expect_status 0
  expect_said "$machine/bin/nvcc is CUDA 11.5, too old: C++20 needs 12.0"
  expect_said "installing 13.0 into $machine/build/cuda"
  expect_called "--require-hashes"
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
}

case_installs_a_cuda_compiler_where_nvcc_does_not_compile() {
  have_everything_but_cuda
  have_nvcc "$machine/bin" 12.0 1
  bootstrap
  expect_status 0
  expect_said "$machine/bin/nvcc (CUDA 12.0) does not compile the probe"
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
}

case_ignores_the_system_cuda_when_told_so() {
  have_everything
  bootstrap WORKBOOK_IGNORE_SYSTEM_CUDA=1
  expect_status 0
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
}

case_does_not_download_a_cuda_compiler_twice() {
  have_everything_but_cuda
  bootstrap
  : >"$machine/calls"
  rm -r "$machine/build/bootstrap"
  bootstrap
  expect_status 0
  expect_silence
  expect_not_called "pip install"
}

case_leaves_no_half_cuda_tree_when_pip_fails() {
  have_everything_but_cuda
  touch "$machine/offline"
  bootstrap
  expect_status 1
  expect_said "The package index has no build of a package for this Python and this processor, or cannot be reached"
  ! grep -q "ERROR: Could not find a version" "$machine/output" || fail "showed pip's words"
  expect_said "Set CUDA_HOME"
  [ ! -e "$machine/build/cuda" ] && [ ! -e "$machine/build/cuda.part" ] || fail "left files behind"
  # Once the cause is mended, the next run goes through.
  rm "$machine/offline"
  bootstrap
  expect_status 0
}

case_says_that_no_package_index_is_reached() {
  have_everything_but_cuda
  echo "WARNING: Retrying after connection broken by 'NewConnectionError(Temporary failure in name resolution)'" \
    >"$machine/offline"
  bootstrap
  expect_status 1
  expect_said "No package index can be reached from here, so nothing could be downloaded."
  expect_said "WORKBOOK_NO_INSTALL=1 make chapter1 prints what to bring by other ways."
  ! grep -q "ERROR: Could not find a version\|Retrying" "$machine/output" || fail "showed pip's words"
}

case_says_that_no_package_server_is_reached() {
  have_everything
  rm "$machine/bin/cmake"
  have_apt
  touch "$machine/lists"
  echo "E: Could not resolve 'deb.debian.org'" >"$machine/broken_apt"
  bootstrap
  expect_status 1
  expect_said "No package server can be reached from here."
  ! grep -q "^E: " "$machine/output" || fail "showed apt's words"
  expect_said "sudo apt-get install cmake"
}

case_says_that_the_disk_is_full_where_pip_meets_it() {
  have_everything_but_cuda
  echo "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device" >"$machine/offline"
  bootstrap
  expect_status 1
  expect_said "The disk is full: nothing more can be written to $machine/build."
}

case_keeps_what_it_found_where_the_disk_is_full() {
  have_everything
  bootstrap
  cp "$machine/build/bootstrap.cmake" "$machine/before"
  have_nvcc "$machine/mine/bin" 12.4
  stub cat <<STUB
case "\$#\$(readlink /proc/\$\$/fd/1)" in
  0*bootstrap.cmake.new) exit 1 ;;
  *) exec $(command -v cat) "\$@" ;;
esac
STUB
  ln -s "$(command -v readlink)" "$machine/bin/readlink"
  printf 'echo "Filesystem 1024-blocks Used Available Capacity"\necho "/dev/x 9 9 0 100%% /"\n' | stub df
  bootstrap CUDA_HOME="$machine/mine"
  expect_status 1
  expect_said "The disk is full"
  cmp "$machine/before" "$machine/build/bootstrap.cmake" || fail "lost what it had found"
}

case_wants_nothing_but_python_for_the_book() {
  bootstrap -- book
  expect_status 1
  expect_said "sudo apt-get install python3"
  for package in g++ cmake libfmt-dev ninja; do
    ! grep -q "  $package " "$machine/output" || fail "wants $package"
  done
  have_python
  bootstrap -- book
  expect_status 0
  expect_silence
}

case_asks_for_venv_where_python_cannot_install() {
  have_everything_but_cuda
  echo 'exit 1' | stub python3
  bootstrap
  expect_status 1
  expect_said "sudo apt-get install python3-venv"
}

case_is_silent_and_quick_the_second_time() {
  have_everything
  bootstrap
  expect_status 0
  # The second run asks no program anything: one that would fail is not missed.
  echo 'exit 1' | stub g++
  local start end
  start=$(date +%s%N)
  for _ in 1 2 3 4 5; do bootstrap; done
  end=$(date +%s%N)
  expect_status 0
  expect_silence
  # 0.2 s is the promise; it takes about 0.01 s, and another job may be running beside this test.
  [ $(((end - start) / 5000000)) -lt 200 ] || fail "took $(((end - start) / 5000000)) ms a run"
}

case_notices_a_tool_that_went_away() {
  have_everything
  bootstrap
  expect_status 0
  rm -r "$machine/prefix/lib/cmake/fmt"
  bootstrap
  expect_status 1
  expect_said "libfmt-dev"
}

case_makes_cmake_start_afresh_after_another_cuda_compiler() {
  have_everything
  bootstrap
  touch "$machine/build/CMakeCache.txt"
  bootstrap
  [ -e "$machine/build/CMakeCache.txt" ] || fail "removed the cache for nothing"
  have_nvcc "$machine/mine/bin" 12.4
  sleep 0.1
  bootstrap CUDA_HOME="$machine/mine"
  expect_status 0
  [ ! -e "$machine/build/CMakeCache.txt" ] || fail "kept a cache made with another compiler"
}

case_asks_for_matplotlib_where_no_python_has_it() {
  have_everything
  echo 'case "$*" in *matplotlib*) exit 1 ;; esac' | stub python3
  bootstrap WORKBOOK_PYTHONS=python3 -- plots
  expect_status 1
  expect_said "  python3-matplotlib     draws the plots"
}

case_is_content_with_any_python_that_has_matplotlib() {
  have_everything
  echo 'case "$*" in *matplotlib*) exit 1 ;; esac' | stub python3
  echo 'exit 0' | stub python3-other
  bootstrap WORKBOOK_PYTHONS="python3-other" -- plots
  expect_status 0
  expect_silence
}

case_asks_for_what_makes_the_site() {
  have_everything
  bootstrap WORKBOOK_NO_INSTALL=1 WORKBOOK_PYTHONS=no-python-here -- docs
  expect_status 1
  expect_said "  python3-markdown       makes HTML of the lessons"
}

case_rejects_an_unknown_group() {
  bootstrap -- bananas
  expect_status 2
  expect_said "no group 'bananas'"
}

empty_machine
"case_$1"
