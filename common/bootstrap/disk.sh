# Part of the scripts that install and build: reports a full disk in one sentence.

# say_disk_is_full FOLDER [FILE…]: succeeds, with a message on standard error, if the folder's disk is full, or if one
# of the files, which contain the output of programs, reports a full disk.
say_disk_is_full() {
  local folder free
  folder=$1
  shift
  free=$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print $4 }')
  [ "${free:-99999}" -lt 1024 ] ||
    cat "$@" /dev/null 2>/dev/null | grep -qiE 'No space left on device|Disk quota exceeded|Errno 28' || return 1
  printf '%s\n' "The disk is full: nothing more can be written to $folder." \
    "It has ${free:-?} KiB left. Make room on it (the build takes about 1 GB), or take a build" \
    "folder on another disk: make … BUILD=/path/to/folder. Then run make again." >&2
}
