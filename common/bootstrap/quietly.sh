# Part of compile.sh: the output of a build, without the parts that only its authors read.

# The prefix of ninja's progress lines (NINJA_STATUS), which distinguishes them from the output of compilers.
step_mark='@step@ '

# as_owner COMMAND…: runs the command as one of the owners of the lock (lock.sh), so that the lock stays in place if the
# caller is killed.
as_owner() { sh -c '[ ! -d "$0" ] || echo $$ >>"$0/owner"; exec "$@"' "${WORKBOOK_LOCKED-}.d" "$@"; }

# show_step NUMBER COUNT: on a terminal, each step overwrites the previous one, and none is left at the end. Elsewhere,
# prints the beginning and each quarter of a long build.
show_step() {
  if [ -n "$on_terminal" ]; then
    printf '\r\033[KBuilding [%s/%s]' "$1" "$2"
  elif [ "$1" -eq 1 ] && [ "$2" -ge 40 ]; then
    echo "Building: $2 steps"
  elif [ "$2" -ge 40 ] && [ $(($1 * 4 / $2)) -gt $((($1 - 1) * 4 / $2)) ]; then
    echo "  $1 of $2 steps"
  fi
}
clear_step() { [ -z "$on_terminal" ] || printf '\r\033[K'; }

# Prints the output of a failed command. If the disk is full, prints one sentence instead.
show_failure() {
  [ -n "$failure" ] || return 0
  clear_step
  printf '%s' "$failure" >"$build_dir/bootstrap/failure.txt" 2>/dev/null
  say_disk_is_full "$build_dir" "$build_dir/bootstrap/failure.txt" || printf '%s' "$failure"
  failure=
}

# Shows the part of a build's output that is for everyone: warnings, and the output of a failed command.
show_words() {
  local line behind failure on_terminal rest
  on_terminal=
  [ ! -t 2 ] || [ "${TERM:-dumb}" = dumb ] || on_terminal=yes
  # After a step, ninja may report that it has failed. Then the failed command follows, and then its output.
  behind=
  failure=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      "$step_mark"*)
        show_failure
        behind=step
        rest=${line#"$step_mark"}
        line=${rest#* }
        show_step "${rest%% *}" "${line%% *}"
        continue
        ;;
    esac
    case $behind in
      step)
        behind=
        case $line in "FAILED: "*) behind=failed && continue ;; esac
        ;;
      failed)
        behind=command
        continue
        ;;
    esac
    case $line in
      "ninja: build stopped: interrupted"*)
        clear_step
        echo "The build was interrupted. Its finished steps are kept, and the same command does the rest."
        continue
        ;;
      "ninja: Entering directory"* | "ninja: no work to do."* | "ninja: build stopped"*) continue ;;
      # Lines that CMake prints if it runs again, and lines of make.
      "-- "* | "["[\ 0-9]*"%]"* | gmake*": *** "* | make*": *** "* | "Consolidate compiler generated"*) continue ;;
    esac
    if [ "$behind" = command ]; then
      failure="$failure$line
"
    else
      clear_step
      printf '%s\n' "$line"
    fi
  done
  show_failure
  clear_step
}

# quietly COMMAND…: runs a build with this output, and returns the command's exit status.
quietly() {
  local status
  status=$({
    {
      "$@" 2>&1
      echo $? >&3
    } | show_words >&2
  } 3>&1)
  return "$status"
}
