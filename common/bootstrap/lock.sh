#!/bin/sh
# lock.sh FOLDER COMMAND…: runs the command as soon as nothing else builds in the folder.
#
# Two builds at once in one folder corrupt Ninja's dependency records, and later edits are then not compiled. The
# command and everything it starts hold the lock, so it is released when the last of them has ended, however it ended. A
# command that already holds the lock of this folder may call lock.sh for it again.
set -u
folder=$1
shift
state=$folder/bootstrap
mkdir -p "$state" && : 2>/dev/null >>"$state/lock" || {
  echo "$state cannot be written to. If it is a different user's, use a different build folder: make … BUILD=NAME" >&2
  exit 1
}
lock=$(cd "$state" && pwd -P)/lock
[ "${WORKBOOK_LOCKED-}" != "$lock" ] || exec "$@"
WORKBOOK_LOCKED=$lock
export WORKBOOK_LOCKED

say_waiting() { echo "Another build is running in $folder/${1:+ (process $1)}; waiting for it to end …" >&2; }

# The usual method: flock(1) of util-linux. The lock belongs to descriptor 9, which the command and its children
# inherit.
if command -v flock >/dev/null; then
  exec 9>>"$lock"
  flock -n 9
  status=$?
  if [ "$status" = 1 ]; then
    say_waiting "$(cat "$lock")"
    flock 9
    status=$?
  fi
  if [ "$status" = 0 ]; then
    echo $$ >"$lock"
    exec "$@"
  fi
  # On a file system without locks, use the other method.
  exec 9>&-
fi

# Otherwise: a folder, which only one process can make. The owners recorded in it, one per line, are the command's own
# process and those that it has added, such as the build tool. When all of them have ended, the lock is released.
lives() {
  local process
  for process in $1; do
    ! kill -0 "$process" 2>/dev/null || return 0
  done
  return 1
}
waiting=
until mkdir "$lock.d" 2>/dev/null; do
  [ -d "${lock%/*}" ] || { echo "$folder was removed." >&2 && exit 1; }
  owner=$(cat "$lock.d/owner" 2>/dev/null)
  if [ -n "$owner" ] && ! lives "$owner"; then
    # If several processes see this at once, one of them removes it, but not the lock that another has made since.
    if mkdir "$lock.d/removing" 2>/dev/null; then
      if [ "$(cat "$lock.d/owner" 2>/dev/null)" = "$owner" ]; then rm -rf "$lock.d"; else rmdir "$lock.d/removing"; fi
    fi
    continue
  fi
  [ -n "$waiting" ] || say_waiting "${owner%%[!0-9]*}"
  waiting=yes
  sleep 0.2
done
trap 'rm -rf "$lock.d"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
sh -c 'echo $$ >"$0/owner" && exec "$@"' "$lock.d" "$@"
