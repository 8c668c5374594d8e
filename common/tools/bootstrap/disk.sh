# Part of what installs and builds: a full disk in a sentence.

# say_disk_is_full FOLDER [FILE…]: succeeds, with words on standard error, where the disk of the folder is full, or one
# of the files, which hold what a program said, says that a disk is.
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
