# Part of bootstrap.sh: the C++ compiler.

# Sets cxx to a compiler that supports C++20: $CXX, or g++ 11 or newer under any of its names.
look_for_compiler() {
  local candidate version seen
  seen=
  for candidate in ${CXX:-g++ g++-16 g++-15 g++-14 g++-13 g++-12 g++-11}; do
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
  [ -z "${CXX-}" ] || refuse_own_compiler "${seen%,}"
  if [ -n "$seen" ]; then
    wanted build g++-12 "the C++ compiler, for C++20 (here:${seen%,}; needed: g++ 11)"
  else
    wanted build g++ "the C++ compiler"
  fi
}

# refuse_own_compiler SEEN: prints why $CXX cannot be used, and exits, because no package would change that.
refuse_own_compiler() {
  if [ -n "$1" ]; then
    say "\$CXX is '$CXX', which is too old (here:$1; needed: g++ 11 or newer, for C++20)."
  elif [ -x "$CXX" ]; then
    say "\$CXX is '$CXX'. A path with a blank cannot be used there."
  else
    say "\$CXX is '$CXX', which is not a program here."
  fi >&2
  say "Set CXX to a g++ from 11 to 16, or unset it, and run make again." >&2
  exit 1
}

# Prints the major version, such as 12.
major_of_compiler() { "$1" -dumpversion 2>/dev/null | sed 's/[^0-9].*//;1q'; }

# Prints the compiler's name and major version, for example "g++ 12" or "clang 17".
name_of_compiler() {
  case $("$1" --version 2>/dev/null | head -n 1) in
    *clang*) echo "clang $(major_of_compiler "$1")" ;;
    *) echo "g++ $(major_of_compiler "$1")" ;;
  esac
}
