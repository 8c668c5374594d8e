#!/bin/sh
# lock.sh FOLDER COMMAND…: runs the command as soon as no other build runs in the folder.
#
# Two simultaneous builds in one folder corrupt Ninja's dependency records, so that later edits are not compiled. The
# command and all its child processes hold the lock, so it is released when the last of them ends, for whatever reason.
# A command that already holds the lock of this folder may call lock.sh again for the same folder.
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

# The other method: a folder, which only one process can create. The owners, one per line in a file there, are the
# command's own process and those that it has added, such as the build tool. When all of them have ended, the lock is
# free.
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
    # If several processes find that the owners have ended, only one of them removes the lock, and it doesn't remove a
    # lock that another process has created since.
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
