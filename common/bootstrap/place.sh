# Part of bootstrap.sh and compile.sh: checks the paths of the source tree and of the build folder.

# nvcc passes its arguments to a shell in double quotes, and splits lists at commas. CMake splits lists at semicolons. A
# colon separates the folders of a search path. Ninja stops reading dependencies at & and ^, so it would compile
# everything each time. The other characters are patterns or comments in the files of a build.

tab=$(printf '\t')
line_break='
'

# refuse_place PATH WHAT: fails, with a message, if the path has a character that a tool of the build cannot handle.
refuse_place() {
  local rest character name
  rest=$1
  while [ -n "$rest" ]; do
    character=${rest%"${rest#?}"}
    rest=${rest#?}
    case $character in
      [][,\;:#$\`\'\"\\\<\>\|*?\&] | '^') name="the character “$character”" ;;
      "$line_break") name="a line break" ;;
      "$tab") name="a tab" ;;
      *) continue ;;
    esac
    printf '%s holds %s, which the CUDA compiler, CMake or make cannot take:\n  %s\n%s\n' "$2" "$name" "$1" \
      "Nothing was installed or built. Rename that folder, or move the workbook elsewhere, and run make again." >&2
    return 1
  done
}

# forget_configuration FOLDER: removes what CMake and Ninja have recorded about a build folder's old path or compiler.
# checks every file in its records, and stops if it isn't allowed to read one.
forget_configuration() { rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles" "$1/.ninja_deps" "$1/.ninja_log"; }
