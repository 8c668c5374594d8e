#!/bin/sh
# run_case.sh CASE: runs one test of the bootstrap. CASE is the name of a function below without its `case_`.
# Long because there is a case for everything that a machine can lack.
. "$(dirname "$0")/fake_machine.sh"

case_names_what_is_missing_where_there_is_no_apt() {
  bootstrap
  expect_status 1
  expect_said "no apt-get here"
  for package in g++ cmake libfmt-dev libcli11-dev nlohmann-json3-dev python3-venv; do
    expect_said "  $package "
  done
  expect_said "conda create -p $machine/build/conda -c conda-forge cmake ninja python fmt cli11 nlohmann_json"
  # Packages that the build does not need are not named.
  for text in libasmjit-dev libbenchmark-dev sudo; do
    ! grep -q -e "$text" "$machine/output" || fail "named $text"
  done
}

case_offers_conda_only_for_what_its_command_installs() {
  have_everything
  bootstrap -- grade
  expect_status 1
  expect_said "  libseccomp-dev "
  expect_said "Install what your system calls these packages."
  ! grep -q conda "$machine/output" || fail "offered conda, which would not change this"
}

case_names_only_what_is_missing() {
  have_everything
  rm -r "$machine/prefix/lib/cmake/CLI11"
  bootstrap
  expect_status 1
  expect_said "  libcli11-dev "
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
  # CMake reads this file, so it runs again if the file changes.
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
  # CMake reads this file, so it searches again if the file changes.
  grep -qF "# mpi $machine/bin/mpicxx" "$machine/build/bootstrap.cmake" || fail "does not tell CMake of MPI"
  : >"$machine/calls"
  bootstrap -- mpi
  expect_status 0
  expect_silence
}

# on_this_machine COMMAND…: runs it; like `bootstrap`, sets status and writes the output.
on_this_machine() {
  status=0
  (cd "$repository" && env -i PATH="$machine/bin" HOME="$machine/home" LC_ALL=C WORKBOOK_BUILD_DIR="$machine/build" \
    WORKBOOK_PREFIXES="$machine/prefix" "$@") >"$machine/output" 2>&1 </dev/null || status=$?
}

ranks() { on_this_machine sh "$repository/common/bootstrap/bootstrap.sh" ranks "$@"; }

case_a_chapter_without_mpi_says_how_to_have_ranks_and_installs_none() {
  have_everything
  have_apt
  touch "$machine/lists"
  on_this_machine PYTHONPATH=common "$real_python" -B -c \
    "from bootstrap import ranks; ranks.run_if_there_is_mpi()"
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
  ranks 3 --type float
  expect_status 0
  expect_said "-n 3 --oversubscribe --bind-to none --allow-run-as-root $machine/build/bin/chapter16 --type float"
  echo 'echo 1000' | stub id
  ranks 3
  expect_said "mpirun got: -n 3 --oversubscribe --bind-to none $machine/build/bin/chapter16"
  echo "HYDRA build details" >"$machine/mpi"
  ranks 3
  expect_said "mpirun got: -n 3 $machine/build/bin/chapter16"
  ranks many
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
  expect_said "apt-get install doxygen"
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
  # An update of the workbook may require different versions.
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
  # A run for other groups must not forget it.
  bootstrap -- build cuda
  grep -q RACED_CCCL "$machine/build/bootstrap.cmake" || fail "forgotten"
}

case_fetches_what_packs_a_wheel_once() {
  have_everything
  bootstrap -- wheel
  expect_status 0
  expect_called "wheel_wheels.txt"
  [ -d "$machine/build/wheel_tools/scikit_build_core" ] || fail "no tools"
  : >"$machine/calls"
  rm -r "$machine/build/bootstrap"
  bootstrap -- wheel
  expect_status 0
  expect_not_called "pip install"
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
  PATH="$machine/bin" sh "$repository/common/bootstrap/bootstrap.sh" lock "$machine/build" sleep 2 &
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

case_unpacks_packages_without_root() {
  have_everything
  rm -r "$machine/bin/cmake" "$machine/prefix/lib/cmake/fmt"
  have_no_root
  bootstrap
  expect_status 0
  expect_said "unpacks them into $machine/build/packages (not root, and there is no sudo)"
  expect_called "download cmake libfmt-dev"
  expect_called "dpkg-deb -x $machine/build/packages/downloaded/cmake_1.0_amd64.deb $machine/build/packages"
  ! grep -q "sudo apt-get" "$machine/output" || fail "names a sudo that is not there"
  # The next run finds the packages and does not download them again.
  : >"$machine/calls"
  bootstrap
  expect_status 0
  expect_silence
  rm -r "$machine/build/bootstrap"
  bootstrap
  expect_status 0
  expect_not_called "download"
}

# Adds a pip that exists only after Debian's wheel of it has been unpacked and is on the module search path.
have_pip_in_a_package() {
  have_python
  mv "$machine/bin/python3" "$machine/python3_with_pip"
  stub python3 <<'STUB'
case "$*$PYTHONPATH" in
  *pip-23.whl*) exec "$machine/python3_with_pip" "$@" ;;
  *) exit 1 ;;
esac
STUB
  mv "$machine/bin/dpkg-deb" "$machine/dpkg-deb"
  stub dpkg-deb <<'STUB'
case $2 in
  */python3-venv_*) mkdir -p "$3/usr/share/python-wheels" && touch "$3/usr/share/python-wheels/pip-23.whl" ;;
esac
exec "$machine/dpkg-deb" "$@"
STUB
}

case_uses_at_once_what_a_later_run_unpacks() {
  have_everything
  rm "$machine/bin/cmake"
  have_no_root
  have_pip_in_a_package
  bootstrap
  expect_status 0
  bootstrap -- style
  expect_status 0
  expect_called "download python3-venv"
  expect_called "style_wheels.txt"
}

case_takes_half_of_the_packages_for_none() {
  have_everything
  rm -r "$machine/bin/cmake" "$machine/prefix/lib/cmake/fmt"
  have_no_root
  mv "$machine/bin/dpkg-deb" "$machine/dpkg-deb"
  # The disk has room for cmake, but not for the library.
  stub dpkg-deb <<'STUB'
case $2 in
  */libfmt-dev_*) "$machine/dpkg-deb" "$@" && cat "$machine/unpacking_fails" && exit 2 ;;
  *) exec "$machine/dpkg-deb" "$@" ;;
esac
STUB
  echo "dpkg-deb: error: failed to write: No space left on device" >"$machine/unpacking_fails"
  bootstrap
  expect_status 1
  expect_said "The disk is full"
  bootstrap
  expect_status 1
  expect_said "The disk is full"
  [ "$(grep -c " download " "$machine/calls")" = 1 ] || fail "downloaded the packages again"
  echo "dpkg-deb: error: not a Debian format archive" >"$machine/unpacking_fails"
  bootstrap
  expect_status 1
  expect_said "dpkg-deb cannot unpack libfmt-dev_1.0_amd64.deb"
  [ ! -e "$machine/build/packages" ] || fail "left half of the packages"
  rm "$machine/unpacking_fails"
  mv "$machine/dpkg-deb" "$machine/bin/dpkg-deb"
  bootstrap
  expect_status 0
}

case_unpacks_packages_where_sudo_refuses() {
  have_everything
  rm "$machine/bin/cmake"
  have_no_root
  echo 'exit 1' | stub sudo
  bootstrap
  expect_status 0
  expect_said "unpacks them into $machine/build/packages (not root, and sudo would ask for a password)"
}

case_reads_package_lists_of_its_own_without_root() {
  have_everything
  rm "$machine/bin/cmake"
  have_no_root
  echo 'exit 1' | stub apt-cache
  bootstrap
  expect_status 0
  expect_said "reading the package lists"
  expect_called "Dir::State::lists=$machine/build/packages/lists"
}

case_says_what_to_ask_for_without_root_and_network() {
  have_everything
  rm "$machine/bin/cmake"
  have_no_root
  echo "E: Could not resolve 'deb.debian.org'" >"$machine/broken_apt"
  bootstrap
  expect_status 1
  expect_said "No package server can be reached from here."
  expect_said "Ask the administrator of this machine to run:  apt-get install cmake"
}

case_unpacks_no_compiler() {
  have_everything
  rm "$machine/bin/g++"
  have_no_root
  bootstrap
  expect_status 1
  expect_said "not root, and there is no sudo"
  expect_not_called "dpkg-deb"
}

case_tries_each_package_alone_only_if_a_server_answers() {
  have_everything
  rm -r "$machine/bin/cmake" "$machine/prefix/lib/cmake/fmt"
  have_apt
  touch "$machine/lists"
  echo "E: Could not resolve 'deb.debian.org'" >"$machine/broken_apt"
  bootstrap
  expect_status 1
  [ "$(grep -c "install -y" "$machine/calls")" = 1 ] || fail "tried again"
}

case_installs_python_first() {
  have_everything
  mv "$machine/bin/python3" "$machine/python3"
  have_apt
  mv "$machine/bin/apt-get" "$machine/apt-get"
  stub apt-get <<'STUB'
case "$*" in *" install "*" python3") cp "$machine/python3" "$machine/bin/python3" ;; esac
exec "$machine/apt-get" "$@"
STUB
  bootstrap
  expect_status 0
  expect_said "  python3                runs the workbook's own commands"
  grep apt-get "$machine/calls" | head -n 1 | grep -q update || fail "did not read the lists before installing"
  expect_called "DEBIAN_FRONTEND=noninteractive -o DPkg::Lock::Timeout=120 -qq install"
}

case_says_how_to_install_python() {
  have_everything
  rm "$machine/bin/python3"
  have_apt
  touch "$machine/lists" "$machine/broken_apt"
  bootstrap
  expect_status 1
  expect_said "apt-get could not install it"
  expect_said "To install it:  apt-get install python3"
  bootstrap WORKBOOK_NO_INSTALL=1
  expect_status 1
  expect_said "WORKBOOK_NO_INSTALL is set"
  echo 'echo 1000' | stub id
  echo 'exit 1' | stub sudo
  bootstrap
  expect_status 1
  expect_said "To install it:  sudo apt-get install python3"
}

case_unpacks_python_without_root() {
  have_everything
  mv "$machine/bin/python3" "$machine/python3"
  have_no_root
  stub dpkg-deb <<'STUB'
case $2 in */python3_*) mkdir -p "$3/usr/bin" && cp "$machine/python3" "$3/usr/bin/python3" ;; esac
STUB
  bootstrap
  expect_status 0
  expect_said "The workbook needs python3, and unpacks it into $machine/build/packages (not root, and there is"
  expect_called "download python3"
  bootstrap
  expect_status 0
  expect_silence
}

case_says_why_without_root_and_sudo() {
  have_apt
  have_python
  echo 'echo 1000' | stub id
  bootstrap
  expect_status 1
  expect_said "not root, and there is no sudo"
  # Both the build and nvcc need a g++, but the message names it only once.
  grep -q "apt-get install g++ [^+]*$" "$machine/output" || fail "does not name each package once"
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
  [ "$(grep -c "E: Unable to fetch some archives" "$machine/output")" = 1 ] || fail "did not show it once"
  expect_said "apt-get could not install them"
  expect_said "apt-get install cmake"
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
  have_apt
  touch "$machine/lists"
  bootstrap CXX=g++-99
  expect_status 1
  expect_said "\$CXX is 'g++-99', which is not a program here"
  expect_said "Set CXX to a g++ from 11 to 16, or unset it"
  cp "$machine/bin/g++" "$machine/g++-12"
  have_compiler 9.4.0
  mv "$machine/bin/g++" "$machine/bin/g++-9"
  mv "$machine/g++-12" "$machine/bin/g++"
  bootstrap CXX=g++-9
  expect_status 1
  expect_said "\$CXX is 'g++-9', which is too old (here: g++-9 9.4.0; needed: g++ 11 or newer, for C++20)"
  # Installing a different g++ would not help, because it would not be used.
  expect_not_called "apt-get"
}

case_takes_cuda_home_first() {
  have_everything
  have_nvcc "$machine/mine/bin" 12.4
  bootstrap CUDA_HOME="$machine/mine"
  expect_status 0
  expect_cuda_compiler "$machine/mine/bin/nvcc"
  # A relative path is relative to the workbook's folder.
  bootstrap CUDA_HOME="$(printf '%s' "$repository" | sed 's,/[^/]*,../,g')$machine/mine"
  expect_status 0
  grep -q 'set(CMAKE_CUDA_COMPILER "/.*mine/bin/nvcc"' "$machine/build/bootstrap.cmake" || fail "a relative path"
}

case_takes_cuda_home_even_if_another_toolkit_fits_the_driver() {
  have_everything_but_cuda
  have_driver 12.4
  have_nvcc "$machine/prefix/cuda-12.6/bin" 12.6
  have_nvcc "$machine/mine/bin" 13.0
  bootstrap CUDA_HOME="$machine/mine"
  expect_status 0
  expect_silence
  expect_cuda_compiler "$machine/mine/bin/nvcc"
}

case_says_why_it_does_not_use_cuda_home() {
  have_everything
  bootstrap CUDA_HOME=/nowhere
  expect_status 0
  expect_said "CUDA_HOME is ignored, and $machine/prefix/cuda/bin/nvcc is used instead:"
  expect_said "/nowhere (CUDA_HOME): there is no bin/nvcc in it"
  have_nvcc "$machine/mine/bin" 12.2
  bootstrap CUDA_HOME="$machine/mine"
  expect_said "$machine/mine/bin/nvcc (CUDA 12.2): too old; the workbook needs 12.4 or newer"
  rm -r "$machine/prefix/cuda"
  bootstrap WORKBOOK_NO_INSTALL=1 CUDA_HOME="$machine/mine/bin"
  expect_status 1
  expect_said "$machine/mine/bin (CUDA_HOME): there is no bin/nvcc in it"
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
  expect_said "$machine/bin/nvcc (CUDA 11.5): too old; the workbook needs 12.4 or newer"
  expect_said "Installing CUDA 13.0 into $machine/build/cuda"
  expect_called "--require-hashes"
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
}

case_installs_a_cuda_compiler_where_nvcc_does_not_compile() {
  have_everything_but_cuda
  have_nvcc "$machine/bin" 12.6 1
  bootstrap
  expect_status 0
  expect_said "$machine/bin/nvcc (CUDA 12.6): does not compile a small program with $machine/bin/g++; the errors are in"
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
}

case_passes_over_a_toolkit_that_is_older_than_what_the_tree_compiles_with() {
  have_everything_but_cuda
  have_nvcc "$machine/bin" 12.3
  have_nvcc "$machine/prefix/cuda-12.4/bin" 12.4
  bootstrap
  expect_status 0
  expect_cuda_compiler "$machine/prefix/cuda-12.4/bin/nvcc"
}

case_says_which_compilers_an_nvcc_works_with() {
  have_everything_but_cuda
  have_compiler 14.2.0
  have_nvcc "$machine/bin" 12.4 1 "#error -- unsupported GNU version! gcc versions later than 13 are not supported!"
  bootstrap
  expect_status 0
  expect_said "No CUDA compiler that works with $machine/bin/g++ (g++ 14) is here."
  expect_said "$machine/bin/nvcc (CUDA 12.4): works with g++ up to 13; $machine/bin/g++ is g++ 14"
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
}

case_calls_clang_by_its_name() {
  have_everything_but_cuda
  stub clang++ <<'STUB'
case "$*" in
  *-dump*) echo 17.0.6 ;;
  *) echo "clang version 17.0.6" ;;
esac
STUB
  bootstrap CXX=clang++
  expect_status 0
  expect_said "No CUDA compiler that works with $machine/bin/clang++ (clang 17) is here."
}

case_takes_the_newer_wheels_at_once_for_a_newer_compiler() {
  have_everything_but_cuda
  have_compiler 16.2.0
  bootstrap
  expect_status 0
  expect_said "Installing CUDA 13.5 into $machine/build/cuda"
  expect_not_called "cuda_wheels_13.0.txt"
}

case_takes_the_newer_wheels_at_once_for_a_c_library_that_the_older_do_not_know() {
  have_everything_but_cuda
  # As glibc 2.42 does, it declares rsqrt as a function that throws nothing.
  stub g++ <<'STUB'
case "$*" in
  *-dump*) echo 15.2.0 ;;
  *' -E '*) echo 'extern double rsqrt (double __x) noexcept (true);' ;;
  *) echo "g++ (Test) 15.2.0" ;;
esac
STUB
  bootstrap
  expect_status 0
  expect_said "Installing CUDA 13.5"
  expect_not_called "cuda_wheels_13.0.txt"
}

case_goes_on_to_the_newer_wheels_where_the_older_do_not_compile() {
  have_everything_but_cuda
  echo 'error: exception specification is incompatible with that of previous function "rsqrt"' >"$machine/fails_13.0"
  bootstrap
  expect_status 0
  expect_said "Installing CUDA 13.0"
  expect_said "Installing CUDA 13.5"
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
}

case_downloads_no_wheels_again_that_do_not_compile() {
  have_everything_but_cuda
  echo 'error: exception specification is incompatible with that of previous function "rsqrt"' >"$machine/fails_13.0"
  echo 'error: something else' >"$machine/fails_13.5"
  bootstrap
  expect_status 1
  expect_said "No CUDA compiler works here:"
  expect_said "does not compile with this system's C library (glibc 2.42 and newer need CUDA 13.2)"
  expect_said "does not compile a small program with $machine/bin/g++"
  expect_said "Set CUDA_HOME to a CUDA Toolkit that works with $machine/bin/g++, or CXX to a g++ from 11 to 16"
  : >"$machine/calls"
  bootstrap
  expect_status 1
  expect_not_called "pip install"
  # If the folder is removed by hand, the compiler is installed again.
  rm -r "$machine/build/cuda"
  bootstrap
  expect_status 1
  expect_said "Installing CUDA 13.5"
  # With a different compiler, the version is tried again.
  rm "$machine/fails_13.0"
  have_compiler 12.3.0
  bootstrap
  expect_status 0
  expect_called "cuda_wheels_13.0.txt"
}

# have_driver CUDA_VERSION: adds a GPU whose driver supports this version.
have_driver() { echo "echo '| NVIDIA-SMI 550.54.15  Driver Version: 550.54.15  CUDA Version: $1 |'" | stub nvidia-smi; }

case_prefers_a_toolkit_that_fits_the_driver() {
  have_everything_but_cuda
  have_driver 12.4
  have_nvcc "$machine/prefix/cuda-13.0/bin" 13.0
  have_nvcc "$machine/prefix/cuda-12.6/bin" 12.6
  bootstrap
  expect_status 0
  expect_cuda_compiler "$machine/prefix/cuda-12.6/bin/nvcc"
  have_driver 13.0
  rm -r "$machine/build"
  bootstrap
  expect_cuda_compiler "$machine/prefix/cuda-13.0/bin/nvcc"
}

case_notices_a_toolkit_that_was_installed_later() {
  have_everything_but_cuda
  have_driver 12.4
  bootstrap
  expect_status 0
  expect_cuda_compiler "$machine/build/cuda/bin/nvcc"
  have_nvcc "$machine/prefix/cuda-12.6/bin" 12.6
  bootstrap
  expect_status 0
  expect_cuda_compiler "$machine/prefix/cuda-12.6/bin/nvcc"
}

case_takes_an_older_compiler_for_a_toolkit_that_fits_the_driver() {
  have_everything_but_cuda
  have_compiler 14.2.0
  cp "$machine/bin/g++" "$machine/bin/g++-13"
  have_driver 12.4
  have_nvcc "$machine/bin" 12.4
  cat >"$machine/bin/nvcc" <<'STUB'
#!/bin/sh
case "$*" in
  --version) echo "Cuda compilation tools, release 12.4, V12.4.0" ;;
  *g++-13*) exit 0 ;;
  *) echo "gcc versions later than 13 are not supported!" && exit 1 ;;
esac
STUB
  bootstrap
  expect_status 0
  expect_cuda_compiler "$machine/bin/nvcc"
  grep -qF "set(CMAKE_CXX_COMPILER \"$machine/bin/g++-13\"" "$machine/build/bootstrap.cmake" || fail "not with g++-13"
}

case_says_what_the_driver_needs_before_it_installs_a_newer_toolkit() {
  have_everything_but_cuda
  have_compiler 14.2.0
  have_driver 12.4
  have_nvcc "$machine/prefix/cuda-12.4/bin" 12.4 1 "gcc versions later than 13 are not supported!"
  bootstrap
  expect_status 0
  expect_said "nvcc (CUDA 12.4): works with g++ up to 13; $machine/bin/g++ is g++ 14"
  expect_said "The GPU's driver supports CUDA up to 12.4, so CUDA 13 runs on the emulator only."
  expect_said "or install a CUDA Toolkit from 12.4 to 12.9 and a g++ that works with it"
  # If there is a g++ that works with it, it is found.
  cp "$machine/bin/g++" "$machine/bin/g++-13"
  have_nvcc "$machine/prefix/cuda-12.4/bin" 12.4
  bootstrap
  expect_cuda_compiler "$machine/prefix/cuda-12.4/bin/nvcc"
  rm -r "$machine/build" "$machine/prefix/cuda-12.4"
  have_driver 13.0
  bootstrap
  ! grep -q "driver" "$machine/output" || fail "spoke of a driver that fits"
}

case_uses_what_works_if_nothing_fits_the_driver() {
  have_everything_but_cuda
  have_driver 11.8
  have_nvcc "$machine/prefix/cuda-12.6/bin" 12.6
  bootstrap
  expect_status 0
  expect_cuda_compiler "$machine/prefix/cuda-12.6/bin/nvcc"
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
  # After the cause has been fixed, the next run succeeds.
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
  expect_said "WORKBOOK_NO_INSTALL=1 make chapter1 prints what to install by hand."
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
  expect_said "apt-get install cmake"
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
  # A write to this file fails, as on a full disk.
  ln -s /dev/full "$machine/build/bootstrap.cmake.new"
  printf 'echo "Filesystem 1024-blocks Used Available Capacity"\necho "/dev/x 9 9 0 100%% /"\n' | stub df
  bootstrap CUDA_HOME="$machine/mine"
  expect_status 1
  expect_said "The disk is full"
  cmp "$machine/before" "$machine/build/bootstrap.cmake" || fail "lost what it had found"
}

case_wants_nothing_but_python_for_the_book() {
  rm "$machine/bin/python3"
  bootstrap -- book
  expect_status 1
  expect_said "  python3 "
  expect_said "no apt-get here to install it"
  for package in g++ cmake libfmt-dev ninja; do
    ! grep -q "  $package " "$machine/output" || fail "wants $package"
  done
  echo 'exit 1' | stub python3
  bootstrap -- book
  expect_status 0
  expect_silence
}

case_asks_for_venv_where_python_cannot_install() {
  have_everything_but_cuda
  echo 'exit 1' | stub python3
  bootstrap
  expect_status 1
  expect_said "  python3-venv "
}

case_is_silent_and_quick_the_second_time() {
  have_everything
  bootstrap
  expect_status 0
  # The second run calls no program, so a program that would fail does not matter.
  echo 'exit 1' | stub cmake
  local took
  # Processor time, because other jobs may run at the same time.
  times >"$machine/before"
  for _ in 1 2 3 4 5; do bootstrap; done
  times >"$machine/after"
  expect_status 0
  expect_silence
  # The second line of `times` is about child processes: 0m0.37s 0m0.12s.
  took=$(cat "$machine/before" "$machine/after" |
    awk 'NR % 2 == 0 { s = 0; for (k = 1; k <= 2; ++k) { split($k, t, /[ms]/); s += 60 * t[1] + t[2] } all[NR] = s }
      END { print int((all[4] - all[2]) * 200) }')
  [ "$took" -lt 200 ] || fail "took $took ms of processor time"
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

case_notices_that_the_system_was_upgraded() {
  have_everything_but_cuda
  bootstrap
  expect_status 0
  touch "$machine/build/CMakeCache.txt"
  sleep 0.1
  have_compiler 16.2.0
  echo "gcc versions later than 15 are not supported" >"$machine/fails_13.0"
  bootstrap
  expect_status 0
  expect_said "$machine/build/cuda/bin/nvcc (CUDA 13.0): works with g++ up to 15; $machine/bin/g++ is g++ 16"
  expect_said "Installing CUDA 13.5"
  # The new nvcc has the same path as the old one.
  [ ! -e "$machine/build/CMakeCache.txt" ] || fail "kept a cache made with another compiler"
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
