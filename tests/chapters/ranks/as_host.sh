#!/bin/sh
# as_host.sh HOST COMMAND…: runs the command as ssh would, but on this machine, which gets that name. Needs root.
host=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec sh -c "$*"' "$host" "$@"
