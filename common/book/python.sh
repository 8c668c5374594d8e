#!/bin/sh
# Runs a Python that has a module, with the search path for the packages of the tree: python.sh MODULE ARGUMENTS…
# The system's Python may have Debian's modules even if the first Python on the path has not. WORKBOOK_PYTHONS names
# others to try. Exit status: that of Python; 77 if no Python here has the module.
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build_path=${WORKBOOK_BUILD_DIR:-build}
case $build_path in /*) ;; *) build_path=$root/$build_path ;; esac
# Without root, modules are in packages that were unpacked into the build folder (common/bootstrap/unpacked.py).
unpacked=$build_path/packages/usr/lib/python3/dist-packages
export PYTHONPATH="$root/common:$root:$unpacked${PYTHONPATH:+:$PYTHONPATH}"
module=$1
shift
for candidate in ${WORKBOOK_PYTHONS:-python3 /usr/bin/python3}; do
  if "$candidate" -c "import $module" 2>/dev/null; then exec "$candidate" "$@"; fi
done
echo "No Python here has the module $module. On Debian and Ubuntu: sudo apt-get install python3-$module" >&2
exit 77
