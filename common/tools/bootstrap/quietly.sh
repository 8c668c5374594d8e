# Part of compile.sh: what a build says, without what only its authors read.

# In front of what ninja says of its steps (NINJA_STATUS), so that they are told from what the compilers say.
step_mark='@step@ '

# as_owner COMMAND…: runs it as one of those that hold the lock (lock.sh), so that it outlives a caller that is killed.
as_owner() { sh -c '[ ! -d "$0" ] || echo $$ >>"$0/owner"; exec "$@"' "${WORKBOOK_LOCKED-}.d" "$@"; }

# On a terminal the last step is shown, and written over; nothing of it is left.
show_step() {
  if [ -n "$on_terminal" ]; then
    printf '\r\033[K[%s/%s]' "$1" "$2"
  elif [ "$2" -ge 40 ] && [ $(($1 * 4 / $2)) -gt $((($1 - 1) * 4 / $2)) ]; then
    echo "  $1 of $2 steps"
  fi
}
clear_step() { [ -z "$on_terminal" ] || printf '\r\033[K'; }

# Shows what a failed command said; a full disk in a sentence.
show_failure() {
  [ -n "$failure" ] || return 0
  clear_step
  printf '%s' "$failure" >"$build_dir/bootstrap/failure.txt" 2>/dev/null
  say_disk_is_full "$build_dir" "$build_dir/bootstrap/failure.txt" || printf '%s' "$failure"
  failure=
}

# Shows what of a build's words is for everyone: warnings, and of a command that failed what it said.
show_words() {
  local line behind failure on_terminal rest
  on_terminal=
  [ ! -t 2 ] || [ "${TERM:-dumb}" = dumb ] || on_terminal=yes
  # Behind a step ninja may say that it has failed; behind that stands the command, and behind that what it said.
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
      "ninja: Entering directory"* | "ninja: no work to do."* | "ninja: build stopped"*) continue ;;
      # CMake's, where it runs again, and make's.
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

# quietly COMMAND…: runs a build; its exit status is the command's.
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
