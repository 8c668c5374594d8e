# Part of bootstrap.sh: installs Python wheels. The wheels of each list are installed into one folder of the build
# tree. They contain parts of the CUDA Toolkit, style checkers and Python modules.

# Succeeds if the system's pip supports the wheels' platform tags.
pip_is_new() {
  local version
  version=$(python3 -m pip --version 2>/dev/null | sed -n 's/^pip \([0-9.]*\).*/\1/p')
  version_at_least "${version:-0}" 20.3
}

# need_pip GROUP: requires such a pip, or the modules that create one in a virtual environment.
need_pip() {
  pip_is_new || python3 -c 'import ensurepip, venv' 2>/dev/null ||
    wanted "$1" python3-venv "installs Python wheels into the build folder"
}

# Prints the Python whose pip is used: the system's, or that of a virtual environment in the build folder. An
# 'externally managed' pip can be used, because --target doesn't change the system's packages.
python_with_pip() {
  if pip_is_new; then
    echo python3
    return 0
  fi
  python3 -m venv "$state_dir/venv" >>"$log" 2>&1 || return 1
  echo "$state_dir/venv/bin/python"
}

# say_why_pip_failed LOG: prints one sentence if the reason is known, otherwise the last lines of pip's output.
say_why_pip_failed() {
  # If no index answers, pip retries several times and then reports that it has found no version.
  if grep -qE 'NewConnectionError|Temporary failure in name resolution|Name or service not known' "$1" ||
    grep -qE 'Network is unreachable|Connection (refused|timed out)|ConnectTimeout|ProxyError' "$1"; then
    say "No package index can be reached from here, so nothing could be downloaded."
    say "Connect to the network (or to an index through PIP_INDEX_URL or HTTPS_PROXY) and run make again."
    say "WORKBOOK_NO_INSTALL=1 make chapter1 prints what to install by hand. pip's output is in $1."
  elif grep -qE 'No matching distribution|Could not find a version' "$1"; then
    say "The package index has no build of a package for this Python and this processor, or cannot be reached:"
    say "  $(python3 --version 2>&1), $(uname -m 2>/dev/null)"
    say "WORKBOOK_NO_INSTALL=1 make chapter1 prints what to install by hand. pip's output is in $1."
  elif ! say_disk_is_full "$build_dir" "$1"; then
    say "  pip failed; its last lines:"
    last_lines "$1"
  fi
}

# install_wheels LIST DIRECTORY [PART]: installs the wheels that are listed in the file, and puts their common tree, or
# only this part of it, into the directory. The directory is created only when it is complete.
install_wheels() {
  local python part
  part=$2.part
  rm -rf "$part"
  python=$(python_with_pip) || {
    say "  python3 -m venv failed; its output is in $log" >&2
    return 1
  }
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_REQUIRE_VIRTUALENV=0 \
    "$python" -m pip install --no-input --progress-bar off --no-deps --only-binary :all: --require-hashes \
    --target "$part" -r "$1" >>"$log" 2>&1 || {
    rm -rf "$part"
    say_why_pip_failed "$log" >&2
    return 1
  }
  rm -rf "$2"
  mv "$part${3:+/$3}" "$2" && rm -rf "$part"
}

# provide_wheels LACKING WHAT LIST FOLDER [PART]: installs LIST_wheels.txt into FOLDER in the build tree. If installing
# is not allowed, prints what is missing.
provide_wheels() {
  if [ -n "${WORKBOOK_NO_INSTALL-}" ]; then
    say "$1" >&2
    return 1
  fi
  say "Installing $2"
  install_wheels "$here/$3_wheels.txt" "$build_dir/$4" "${5-}"
}

# The style checkers, in the versions of style_wheels.txt, whose programs are in build/style/bin. The system's own are
# never used, because other versions report and format different things.
style_tools="clang-format ruff mypy"

find_style_tools() {
  local tool
  for tool in $style_tools; do [ -x "$build_dir/style/bin/$tool" ] || return 1; done
  cmp -s "$here/style_wheels.txt" "$build_dir/style/wheels.txt"
}

provide_style() {
  local tool
  if ! find_style_tools; then
    provide_wheels "$build_dir/style lacks $style_tools (WORKBOOK_NO_INSTALL is set)." \
      "$style_tools into $build_dir/style (25 MB to download)" style style || return 1
    ln -sf ../clang_format/data/bin/clang-format "$build_dir/style/bin/clang-format"
    # pip's own launcher for mypy finds neither this folder nor, after the folder was moved, its Python.
    cat >"$build_dir/style/bin/mypy" <<'SCRIPT'
#!/bin/sh
folder=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH} exec python3 -m mypy "$@"
SCRIPT
    chmod +x "$build_dir/style/bin/mypy"
    cp "$here/style_wheels.txt" "$build_dir/style/wheels.txt"
  fi
  for tool in $style_tools; do found style "$build_dir/style/bin/$tool"; done
}

# The Python modules that grading needs. If the Python on the path lacks them, they are in build/python.
find_grade_modules() { PYTHONPATH=$build_dir/python python3 -c 'import elftools' 2>/dev/null; }

provide_grade() {
  find_grade_modules ||
    provide_wheels "The grader needs the Python module elftools: pip install pyelftools (WORKBOOK_NO_INSTALL is set)." \
      "pyelftools into $build_dir/python (0.2 MB to download)" grade python
}

# The modules that pack the emulator into a wheel, in the versions of wheel_wheels.txt. They are in build/wheel_tools.
find_wheel_tools() {
  [ -d "$build_dir/wheel_tools/scikit_build_core" ] &&
    cmp -s "$here/wheel_wheels.txt" "$build_dir/wheel_tools/wheels.txt"
}

provide_wheel() {
  if ! find_wheel_tools; then
    provide_wheels "$build_dir/wheel_tools lacks scikit-build-core (WORKBOOK_NO_INSTALL is set)." \
      "scikit-build-core into $build_dir/wheel_tools (0.4 MB to download)" wheel wheel_tools || return 1
    cp "$here/wheel_wheels.txt" "$build_dir/wheel_tools/wheels.txt"
  fi
  found wheel "$build_dir/wheel_tools/wheels.txt"
}

# The headers that the races are compiled with, in the version of races_wheels.txt. They are in build/races.
raced_header=cub/version.cuh

find_raced_cccl() {
  [ -r "$build_dir/races/$raced_header" ] && cmp -s "$here/races_wheels.txt" "$build_dir/races/wheels.txt"
}

provide_races() {
  if ! find_raced_cccl; then
    provide_wheels "$build_dir/races lacks the newest CUB (WORKBOOK_NO_INSTALL is set)." \
      "the newest CUB into $build_dir/races (4 MB to download)" races races nvidia/cu13/include/cccl || return 1
    cp "$here/races_wheels.txt" "$build_dir/races/wheels.txt"
  fi
  found races "$build_dir/races/$raced_header"
}
