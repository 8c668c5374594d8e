# Part of bootstrap.sh: what is needed from the system, how it is recognised, and apt.
#
# A need is looked for by what is really there, not by asking the package manager: a tool may come from anywhere. Each
# look_for_GROUP is run twice, before and after installing.

# wanted GROUP PACKAGE TEXT: notes a package to install, and why.
wanted() {
  missing_packages="$missing_packages $2"
  printf '%s\t%s\n' "$2" "$3" >>"$state_dir/missing"
}

# need_program GROUP PROGRAM LEAST_VERSION PACKAGE TEXT: a program on the path, of a version (or 0 for any).
need_program() {
  local path version
  if path=$(command -v "$2"); then
    version=$3
    [ "$3" = 0 ] || version=$("$2" --version 2>/dev/null | sed -n 's/[^0-9]*\([0-9][0-9.]*\).*/\1/p' | head -n 1)
    if [ -n "$version" ] && version_at_least "$version" "$3"; then
      found "$1" "$path"
      return 0
    fi
    wanted "$1" "$4" "$5 (here: ${version:-no version}; needed: $3)"
    return 1
  fi
  wanted "$1" "$4" "$5"
  return 1
}

# need_config GROUP NAME PACKAGE TEXT: a library, by the file that find_package(NAME) reads.
need_config() {
  local lower own prefix directory file
  lower=$(printf '%s' "$2" | tr '[:upper:]' '[:lower:]')
  # NAME_DIR and NAME_ROOT, as CMake reads them from the environment.
  eval "own=\"\${$2_DIR-} \${$2_ROOT-}\""
  # The prefixes are words; one that holds a blank is not found, and is installed again.
  for prefix in $own $(printf '%s' "${CMAKE_PREFIX_PATH-}" | tr ':;' '  ') $prefixes; do
    for directory in "$prefix" "$prefix/lib/cmake/$2" "$prefix"/lib/*/cmake/"$2" "$prefix/lib64/cmake/$2" \
      "$prefix/share/cmake/$2" "$prefix/share/$2/cmake" "$prefix/share/$2"; do
      for file in "$directory/$2Config.cmake" "$directory/$lower-config.cmake"; do
        if [ -r "$file" ]; then
          found "$1" "$file"
          return 0
        fi
      done
    done
  done
  wanted "$1" "$3" "$4"
  return 1
}

# need_header GROUP HEADER PACKAGE TEXT: a library, by a header of its own.
need_header() {
  local prefix
  for prefix in $(printf '%s' "${CMAKE_PREFIX_PATH-}" | tr ':;' '  ') $prefixes; do
    if [ -r "$prefix/include/$2" ]; then
      found "$1" "$prefix/include/$2"
      return 0
    fi
  done
  wanted "$1" "$3" "$4"
  return 1
}

# Sets cxx to a C++ compiler with C++20: $CXX, or g++ from 11 on under any of its names.
look_for_compiler() {
  local candidate version seen
  seen=
  for candidate in ${CXX:-g++ g++-14 g++-13 g++-12 g++-11}; do
    command -v "$candidate" >/dev/null || continue
    version=$("$candidate" -dumpfullversion -dumpversion 2>/dev/null | head -n 1)
    case $("$candidate" --version 2>/dev/null | head -n 1) in
      *clang*) version_at_least "${version:-0}" 14 && version=99 ;;
    esac
    if version_at_least "${version:-0}" 11; then
      cxx=$(command -v "$candidate")
      return 0
    fi
    seen="$seen $candidate $version,"
  done
  if [ -n "$seen" ]; then
    wanted build g++-12 "the C++ compiler, for C++20 (here:${seen%,}; needed: g++ 11)"
  elif [ -n "${CXX-}" ]; then
    wanted build g++ "the C++ compiler (\$CXX is '$CXX', which is not a program here)"
  else
    wanted build g++ "the C++ compiler"
  fi
}

look_for_build() {
  [ -n "$cxx" ] || look_for_compiler
  [ -z "$cxx" ] || found build "$cxx"
  need_program build cmake 3.22 cmake "configures and runs the build"
  need_config build fmt libfmt-dev "formats what the programs print"
  need_config build CLI11 libcli11-dev "reads the command lines"
  need_config build nlohmann_json nlohmann-json3-dev "writes and reads JSON"
  need_config build Catch2 catch2 "runs the tests"
  need_config build benchmark libbenchmark-dev "times the kernels"
  need_program build python3 0 python3 "generates the exercises, installs a CUDA compiler where there is none"
  # Ninja is quicker than make, and no more than that: make builds where Ninja cannot be had.
  command -v ninja >/dev/null && found build "$(command -v ninja)"
  return 0
}

# Succeeds where Z3 is. The build does without it, and then the superoptimiser calls nothing proved.
have_z3() {
  local prefix header
  for prefix in $(printf '%s' "${CMAKE_PREFIX_PATH-}" | tr ':;' '  ') $prefixes; do
    for header in "$prefix/include/z3++.h" "$prefix/include/z3/z3++.h"; do
      [ ! -r "$header" ] || { found build "$header" && return 0; }
    done
  done
  return 1
}

# Installs Z3 where nothing else is missing and nobody has to be asked. Without it all else works.
offer_z3() {
  local as_root
  case " $stale " in *" build "*) ;; *) return 0 ;; esac
  ! have_z3 && [ -z "${WORKBOOK_NO_INSTALL-}" ] && command -v apt-get >/dev/null || return 0
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif sudo -n true 2>/dev/null; then
    as_root=sudo
  else
    return 0
  fi
  say "The workbook installs libz3-dev, which proves what the superoptimiser finds."
  missing_packages=libz3-dev
  install_packages || say "  apt-get could not; the superoptimiser will say 'not proved'. Its output is in $log." >&2
  missing_packages=
  have_z3 || true
}

look_for_grade() {
  need_header grade seccomp.h libseccomp-dev "keeps the host code of what is graded from the system"
}

look_for_style() {
  need_program style clang-format 14 clang-format "formats the sources"
}

look_for_docs() {
  need_program docs doxygen 0 doxygen "makes the documentation"
  need_program docs dot 0 graphviz "draws its diagrams"
  sh common/book/python.sh markdown -c '' 2>/dev/null || wanted docs python3-markdown "makes HTML of the lessons"
  sh common/book/python.sh pygments -c '' 2>/dev/null || wanted docs python3-pygments "colours the code in them"
  # The site is made without it, too; Ubuntu 22.04 has no such package.
  if [ ! -r /usr/share/doxygen-awesome-css/doxygen-awesome.css ] && [ -z "${WORKBOOK_NO_INSTALL-}" ] &&
    apt-cache show doxygen-awesome-css >/dev/null 2>&1 && privilege >/dev/null; then
    wanted docs doxygen-awesome-css "gives the documentation its look"
  fi
}

look_for_plots() {
  need_program plots python3 0 python3 "draws the plots" || return 0
  sh common/book/python.sh matplotlib -c 'import numpy' 2>/dev/null || wanted plots python3-matplotlib "draws the plots"
}

# Prints where the Python that make calls finds elftools.
elftools() { PYTHONPATH="$build_path/python" python3 -c 'import elftools; print(elftools.__file__)' 2>/dev/null; }

# A package where apt can install it for the system's own Python; elsewhere, and where that did not help, a wheel.
look_for_grade() {
  elftools >/dev/null && return 0
  if [ -n "${WORKBOOK_NO_INSTALL-}" ] || { [ -z "${round-}" ] && command -v apt-get >/dev/null &&
    [ "$(python3 -c 'import sys; print(sys.prefix)' 2>/dev/null)" = /usr ] && privilege >/dev/null; }; then
    wanted grade python3-pyelftools "reads the libraries that are graded"
  else
    need_pip grade
  fi
}

provide_grade() {
  if ! elftools >/dev/null; then
    say "Installing pyelftools into $build_dir/python (200 kB to download)"
    install_wheels "$here/grade_wheels.txt" "$build_dir/python/elftools" elftools || return 1
  fi
  found grade "$(elftools)"
}

# Nothing of these two is a package while a compiler or a pip is there; cuda.sh decides.
look_for_cuda() {
  find_nvcc || need_pip cuda
}
look_for_sass() {
  find_sass_tools || need_pip sass
}

# Prints how to install by hand, with the reason ($1) why the bootstrap did not.
print_what_to_install() {
  say "The workbook needs these, and they are not here ($1):"
  say
  sort -u "$state_dir/missing" | while IFS="$(printf '\t')" read -r package text; do
    printf '  %-22s %s\n' "$package" "$text"
  done
  say
  say "On Debian and Ubuntu:  sudo apt-get install$missing_packages"
  say "Elsewhere: install what your system calls these packages. Then run make again."
}

# Prints the command that stands before apt-get (nothing for root), or fails with the reason on standard output.
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
  # Without a terminal's questions; waits for another apt rather than failing.
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq "$@" >>"$log" 2>&1
}

install_packages() {
  local package
  for package in $missing_packages; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      say "  reading the package lists …"
      apt_get update
      break
    fi
  done
  # What the build can do without must not keep the rest away.
  apt-cache show libz3-dev >/dev/null 2>&1 ||
    missing_packages=$(printf '%s' "$missing_packages" | sed 's/ *libz3-dev//')
  # Lists that are out of date name files that are gone: read them again, once.
  apt_get install -y --no-install-recommends $missing_packages ||
    { apt_get update && apt_get install -y --no-install-recommends $missing_packages; }
}

# Installs what look_for_… noted, and looks again. Fails, with the list, when something is still missing.
provide_packages() {
  [ -n "$missing_packages" ] || { offer_z3 && return 0; }
  local as_root start installed
  if [ -n "${WORKBOOK_NO_INSTALL-}" ]; then
    print_what_to_install "WORKBOOK_NO_INSTALL is set" >&2
    return 1
  fi
  if ! command -v apt-get >/dev/null; then
    print_what_to_install "no apt-get here to install them" >&2
    return 1
  fi
  if ! as_root=$(privilege); then
    print_what_to_install "$as_root" >&2
    return 1
  fi
  : "${round:=1}"
  # A machine that lacks the rest most likely lacks Ninja, and apt runs anyway.
  command -v ninja >/dev/null || wanted build ninja-build "makes rebuilding quicker"
  have_z3 || wanted build libz3-dev "proves what the superoptimiser finds"
  # The grader works without it, and says so; the course that grades gets it here.
  command -v bwrap >/dev/null || wanted build bubblewrap "keeps what is graded from everything else"

  say "The workbook installs what it needs${as_root:+, with $as_root}:"
  sort -u "$state_dir/missing" | while IFS="$(printf '\t')" read -r package text; do
    printf '  %-22s %s\n' "$package" "$text"
  done
  start=$(date +%s)
  install_packages || {
    say "apt-get failed; its last lines:" >&2
    tail -n 8 "$log" >&2
  }
  hash -r
  installed=$missing_packages
  missing_packages=
  : >"$state_dir/missing"
  for group in $stale; do
    rm -f "$state_dir/$group.found"
    "look_for_$group"
  done
  # A second look can find more: whether a CUDA compiler works is known once there is a C++ compiler.
  if [ -n "$missing_packages" ]; then
    if [ "$missing_packages" = "$installed" ] || [ "$round" = 3 ]; then
      print_what_to_install "apt-get could not install them; its output is in $log" >&2
      return 1
    fi
    round=$((round + 1))
    provide_packages
    return
  fi
  say "  done in $(($(date +%s) - start)) s"
}
