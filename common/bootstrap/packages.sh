# Part of bootstrap.sh: what is needed from the system, how it is detected, and how apt installs it.
#
# Something that is needed is detected by its files and not by asking the package manager, because it may have been
# installed by other means. Each look_for_GROUP is called twice, before and after packages are installed.

# wanted GROUP PACKAGE TEXT: records a package that the group needs, and what it is for.
wanted() {
  lacking="$lacking $1"
  note_missing "$2" "$3"
}

# wished GROUP PACKAGE TEXT: records an optional package of the group. It is installed only if no password is needed.
wished() {
  wishes="$wishes $1"
  note_missing "$2" "$3"
}

note_missing() {
  case "$missing_packages " in *" $1 "*) ;; *) missing_packages="$missing_packages $1" ;; esac
  printf '%s\t%s\n' "$1" "$2" >>"$state_dir/missing"
}

# found_or wanted|wished PATH GROUP PACKAGE TEXT: records that the group depends on this file. If PATH is empty, records
# the package as wanted or wished.
found_or() { if [ -n "$2" ]; then found "$3" "$2"; else "$1" "$3" "$4" "$5"; fi; }

# need_program GROUP PROGRAM LEAST_VERSION PACKAGE TEXT: requires a program on the path, of at least this version (0 for
# any).
need_program() {
  local path version text
  text=$5
  if path=$(command -v "$2"); then
    version=$3
    [ "$3" = 0 ] || version=$("$2" --version 2>/dev/null | sed -n 's/[^0-9]*\([0-9][0-9.]*\).*/\1/p' | head -n 1)
    version_at_least "${version:-0}" "$3" && found "$1" "$path" && return
    text="$5 (here: ${version:-no version}; needed: $3)"
  fi
  wanted "$1" "$4" "$text"
  return 1
}

# first_of -r|-x FILE…: prints the first of these files that is readable (-r) or executable (-x).
first_of() {
  local test file
  test=$1
  shift
  for file; do
    [ "$test" "$file" ] && echo "$file" && return
  done
  return 1
}

# Prints the file that find_package(NAME) reads, if there is one.
config_of() {
  local lower own prefix directory
  lower=$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]')
  # CMake reads NAME_DIR and NAME_ROOT from the environment.
  eval "own=\"\${$1_DIR-} \${$1_ROOT-}\""
  # Prefixes are separated by blanks, so a prefix that contains a blank is not searched. Our own folder may contain one.
  for prefix in "$unpacked" $own $(printf '%s' "${CMAKE_PREFIX_PATH-}" | tr ':;' '  ') $prefixes; do
    for directory in "$prefix" "$prefix/lib/cmake/$1" "$prefix"/lib/*/cmake/"$1" "$prefix/lib64/cmake/$1" \
      "$prefix/share/cmake/$1" "$prefix/share/$1/cmake" "$prefix/share/$1"; do
      first_of -r "$directory/$1Config.cmake" "$directory/$lower-config.cmake" && return
    done
  done
  return 1
}

# need_config GROUP NAME PACKAGE TEXT: requires a library, which is detected by the file that find_package(NAME) reads.
need_config() { found_or wanted "$(config_of "$2")" "$1" "$3" "$4"; }

# packaged_config GROUP NAME PACKAGE TEXT: as need_config, but if there is no apt, the group doesn't need this library.
packaged_config() {
  if command -v apt-get >/dev/null; then need_config "$@"; else found_or : "$(config_of "$2")" "$1" "$3" "$4"; fi
}

# header_of FILE…: prints the path of the first of these headers that exists.
header_of() {
  local prefix header
  for prefix in "$unpacked" $(printf '%s' "${CMAKE_PREFIX_PATH-}" | tr ':;' '  ') $prefixes; do
    for header; do first_of -r "$prefix/include/$header" && return; done
  done
  return 1
}
z3_header() { header_of z3++.h z3/z3++.h; }

look_for_build() {
  [ -n "$cxx" ] || look_for_compiler
  [ -z "$cxx" ] || found build "$cxx"
  need_program build cmake 3.22 cmake "configures and runs the build"
  need_config build fmt libfmt-dev "formats what the programs print"
  # Without asmjit the emulator interprets everything, as it does on other processors.
  [ "$(uname -m)" != x86_64 ] || packaged_config build asmjit libasmjit-dev "makes long-running kernels fast"
  need_config build CLI11 libcli11-dev "reads the command lines"
  need_config build nlohmann_json nlohmann-json3-dev "writes and reads JSON"
  packaged_config build benchmark libbenchmark-dev "times kernels with --benchmark"
  need_program build python3 0 python3 "generates the exercises, and installs a CUDA compiler if there is none"
  # Ninja is only faster than make, so the build uses make if Ninja cannot be installed.
  if command -v ninja >/dev/null || [ -n "$missing_packages" ]; then
    found_or wished "$(command -v ninja)" build ninja-build "makes rebuilding quicker"
  fi
}

look_for_book() { need_program book python3 0 python3 "runs the workbook's own commands"; }

look_for_test() { need_config test Catch2 catch2 "runs the tests"; }

look_for_browser() {
  found_or wanted "$(command -v chromium || command -v chromium-browser || command -v google-chrome)" \
    browser chromium "opens the pages that the tests look at"
}

look_for_proofs() { found_or wished "$(z3_header)" proofs libz3-dev "proves what the superoptimiser finds"; }

# Any MPI works if its compiler and its mpirun belong together, as they do on Debian and Ubuntu.
look_for_mpi() {
  need_program mpi mpirun 0 openmpi-bin "starts a program on several processes"
  need_program mpi mpicxx 0 libopenmpi-dev "lets them talk to each other (MPI)"
}

look_for_grade() {
  found_or wanted "$(header_of seccomp.h)" grade libseccomp-dev "keeps the host code of what is graded from the system"
  found_or wished "$(command -v bwrap)" grade bubblewrap "keeps all of what is graded from the rest of the machine"
  find_grade_modules || need_pip grade
}

look_for_docs() {
  need_program docs doxygen 0 doxygen "makes the documentation"
  need_program docs dot 0 graphviz "draws its diagrams"
  sh common/book/python.sh markdown -c '' 2>/dev/null || wanted docs python3-markdown "makes HTML of the lessons"
  sh common/book/python.sh pygments -c '' 2>/dev/null || wanted docs python3-pygments "colours the code in them"
  # The site can be made without this package, which Ubuntu 22.04 does not have.
  if [ ! -r /usr/share/doxygen-awesome-css/doxygen-awesome.css ] && [ -z "${WORKBOOK_NO_INSTALL-}" ] &&
    apt-cache show doxygen-awesome-css >/dev/null 2>&1 && privilege >/dev/null; then
    wanted docs doxygen-awesome-css "gives the documentation its look"
  fi
}

look_for_plots() {
  need_program plots python3 0 python3 "draws the plots" || return 0
  sh common/book/python.sh matplotlib -c 'import numpy' 2>/dev/null || wanted plots python3-matplotlib "draws the plots"
}

# A compiler or a pip need not come from a package; cuda.sh and wheels.sh decide if one is needed.
look_for_cuda() { find_nvcc || need_pip cuda; }
look_for_sass() { find_sass_tools || need_pip sass; }
look_for_style() { find_style_tools || need_pip style; }
look_for_wheel() { find_wheel_tools || need_pip wheel; }
look_for_races() { find_raced_cccl || need_pip races; }

# Prints the missing packages and what each of them is for.
print_missing() {
  sort -u "$state_dir/missing" | while IFS="$(printf '\t')" read -r package text; do
    printf '  %-22s %s\n' "$package" "$text"
  done
}

# Succeeds if one of the missing packages is among those that the command for conda installs.
conda_helps() {
  local package
  for package in $missing_packages; do
    case $package in
      cmake | ninja-build | python3 | python3-venv) return 0 ;;
      libfmt-dev | libcli11-dev | nlohmann-json3-dev | catch2) return 0 ;;
    esac
  done
  return 1
}

# Prints how to install the packages by hand, and the reason ($1) why the bootstrap did not.
print_what_to_install() {
  say "The workbook needs these, and they are not here ($1):"
  say
  print_missing
  say
  if command -v apt-get >/dev/null; then
    if [ "$(id -u)" = 0 ]; then
      say "To install them:  apt-get install$missing_packages"
    elif command -v sudo >/dev/null; then
      say "To install them:  sudo apt-get install$missing_packages"
    else
      say "Ask the administrator of this machine to run:  apt-get install$missing_packages"
    fi
  else
    say "Install what your system calls these packages."
  fi
  if ! command -v apt-get >/dev/null && conda_helps; then
    say "Without root, conda (or micromamba) can install those that \`make chapter1\` needs:"
    say "  conda create -p $build_dir/conda -c conda-forge cmake ninja python" \
      "fmt cli11 nlohmann_json benchmark asmjit catch2"
    say "  export PATH=\"$build_path/conda/bin:\$PATH\" CMAKE_PREFIX_PATH=\"$build_path/conda\""
  fi
  say "Then run make again."
}

# Prints the command to put before apt-get (empty for root). Fails, and prints the reason, if apt-get cannot be used.
privilege() {
  [ "$(id -u)" != 0 ] || return 0
  if ! command -v sudo >/dev/null; then
    echo "not root, and there is no sudo"
    return 1
  fi
  if sudo -n true 2>/dev/null || [ -t 0 ]; then
    echo sudo
    return 0
  fi
  echo "not root, and sudo would ask for a password"
  return 1
}

apt_get() {
  # apt asks no questions, and waits for another apt instead of failing. Processes that a package starts don't inherit
  # our lock.
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq "$@" >>"$log" 2>&1 9>&-
}

# Installs the missing packages: all at once, and, if that fails, one by one.
install_packages() {
  local package
  for package in $missing_packages; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      say "  reading the package lists …"
      apt_get update
      break
    fi
  done
  apt_get install -y --no-install-recommends $missing_packages && return
  ! no_server_is_reached || return 1
  # Outdated package lists name files that no longer exist, so the lists are read again, once.
  apt_get update && apt_get install -y --no-install-recommends $missing_packages && return
  ! no_server_is_reached || return 1
  for package in $missing_packages; do apt_get install -y --no-install-recommends "$package"; done
}

no_server_is_reached() {
  grep -qE 'Temporary failure resolving|Could not resolve|Could not connect|Network is unreachable' "$log"
}

# Downloads the missing packages and their dependencies without root, and unpacks them into the build folder. apt checks
# signatures as always. No package's scripts are run.
unpack_packages() {
  local folder names package
  folder=$build_path/packages
  mkdir -p "$folder/files" "$folder/lists/partial"
  set -- -qq -o "Debug::NoLocking=1"
  for package in $missing_packages; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      # The system has no package lists. Our own lists need no root.
      set -- "$@" -o "Dir::State::lists=$folder/lists" -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache="
      say "  reading the package lists …"
      apt-get "$@" update >>"$log" 2>&1
      break
    fi
  done
  names=
  for package in $missing_packages; do
    # If apt does not have one of the packages, the others are still installed.
    names="$names $(apt-get "$@" -s --no-install-recommends install "$package" 2>>"$log" |
      sed -n 's/^Inst \([^ ]*\).*/\1/p' | tr '\n' ' ')"
  done
  names=$(printf '%s\n' $names | sort -u)
  [ -n "$names" ] || return 1
  (cd "$folder/files" && apt-get "$@" download $names) >>"$log" 2>&1 || return 1
  mv "$folder/files" "$folder/downloaded"
  finish_unpacking
}

# Unpacks the downloaded packages. If an earlier run was interrupted or the disk was full, they are still here; without
# this, a later run would find some of the packages and take them for all. Exits if it fails.
finish_unpacking() {
  local folder libraries package link
  folder=$build_path/packages
  libraries=$folder/usr/lib/$(uname -m)-linux-gnu
  [ -d "$folder/downloaded" ] || return 0
  for package in "$folder"/downloaded/*.deb; do
    dpkg-deb -x "$package" "$folder" >>"$log" 2>&1 && continue
    say_disk_is_full "$build_dir" "$log" || {
      say "dpkg-deb cannot unpack ${package##*/}; its last lines:"
      last_lines "$log"
      say "Run make again: it downloads these packages again."
      rm -rf "$folder"
    } >&2
    exit 1
  done
  # If the system has a library without its headers, only a link to the library was unpacked. It must point to the
  # system's library.
  for link in "$libraries"/*.so; do
    [ -e "$link" ] || [ ! -L "$link" ] || ln -sf "/usr/lib/${libraries##*/}/$(readlink "$link")" "$link"
  done
  rm -rf "$folder/downloaded"
  use_unpacked
  if [ -n "${GVBINDIR-}" ]; then dot -c >>"$log" 2>&1; fi
  return 0
}

say_why_apt_failed() {
  if no_server_is_reached; then
    say "No package server can be reached from here. Connect to the network and run make again, or install by hand."
  elif ! say_disk_is_full "$build_dir" "$log"; then
    say "apt-get failed; its last lines:"
    last_lines "$log"
  fi
}

# Looks for every group that isn't already known to be complete, and records what is missing.
look_for_groups() {
  local group
  missing_packages=
  lacking=
  wishes=
  : >"$state_dir/missing"
  for group in $stale; do
    rm -f "$state_dir/$group.found" "$state_dir/$group.stamp"
    "look_for_$group"
  done
}

# Succeeds if packages can be installed; otherwise fails and sets $obstacle to the reason. Sets as_root or, if packages
# can only be unpacked, why_unpacked.
can_install() {
  as_root=
  why_unpacked=
  if [ -n "${WORKBOOK_NO_INSTALL-}" ]; then
    obstacle="WORKBOOK_NO_INSTALL is set"
  elif ! command -v apt-get >/dev/null; then
    obstacle="no apt-get here to install them"
  elif as_root=$(privilege); then
    return 0
  else
    obstacle=$as_root
    as_root=
    can_unpack || return 1
    why_unpacked=$obstacle
    return 0
  fi
  return 1
}

# Succeeds if the missing packages work from our own folder. A compiler and MPI don't, because they look for their parts
# in fixed folders.
can_unpack() {
  command -v dpkg-deb >/dev/null || return 1
  case " $missing_packages " in *" g++"* | *" openmpi-bin "* | *" libopenmpi-dev "*) return 1 ;; esac
}

# Installs or unpacks the missing packages, and prints what it does.
provide_missing() {
  if [ -z "$why_unpacked" ]; then
    say "The workbook installs what it needs${as_root:+, with $as_root}:"
    print_missing
    if [ -z "$as_root" ] || sudo -n true 2>/dev/null || sudo true || ! can_unpack; then
      install_packages
      return
    fi
    why_unpacked="sudo refuses"
    say "They are unpacked into $build_dir/packages instead ($why_unpacked)."
  else
    say "The workbook needs these, and unpacks them into $build_dir/packages ($why_unpacked):"
    print_missing
  fi
  unpack_packages
}

# Installs what look_for_groups has recorded, and looks again. `lacking` then names the groups that are still
# incomplete; what they lack has been printed.
provide_packages() {
  local start installed round
  [ -n "$missing_packages" ] || return 0
  if ! can_install; then
    [ -z "$lacking" ] || print_what_to_install "$obstacle" >&2
    return
  fi
  # Never asks for a password only because of an optional package.
  [ -n "$lacking" ] || [ -z "$as_root" ] || sudo -n true 2>/dev/null || return 0
  start=$(date +%s)
  # Looking again may find more that is missing: a CUDA compiler can be tried only after there is a C++ compiler.
  for round in 1 2 3; do
    provide_missing || say_why_apt_failed >&2
    hash -r
    installed=$missing_packages
    look_for_groups
    [ -n "$lacking" ] && [ "$missing_packages" != "$installed" ] || break
  done
  if [ -n "$lacking" ]; then
    print_what_to_install "apt-get could not install them; its output is in $log" >&2
    return
  fi
  if [ -n "$missing_packages" ]; then
    say "The workbook does without these, which apt-get could not install (its output is in $log):" >&2
    print_missing >&2
    return
  fi
  say "  done in $(($(date +%s) - start)) s"
}
