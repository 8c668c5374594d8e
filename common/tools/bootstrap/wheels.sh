# Part of bootstrap.sh: parts of the CUDA Toolkit from Python wheels, into a folder of the build tree.

# Succeeds when wheels can be installed: with a pip that knows the wheels' platform tags, or with the means to make one.
have_pip() {
  local version
  version=$(python3 -m pip --version 2>/dev/null | sed -n 's/^pip \([0-9.]*\).*/\1/p')
  [ -n "$version" ] && version_at_least "$version" 20.3 && return 0
  python3 -c 'import ensurepip, venv' 2>/dev/null
}

need_pip() {
  have_pip || wanted "$1" python3-venv "installs parts of the CUDA Toolkit into the build folder"
}

# Prints the Python whose pip installs: the system's, or that of a virtual environment in the build folder. Where the
# system's pip is 'externally managed' this is no obstacle: --target leaves the system's packages alone.
python_with_pip() {
  local version
  version=$(python3 -m pip --version 2>/dev/null | sed -n 's/^pip \([0-9.]*\).*/\1/p')
  if [ -n "$version" ] && version_at_least "$version" 20.3; then
    echo python3
    return 0
  fi
  python3 -m venv "$state_dir/venv" >>"$log" 2>&1 || return 1
  echo "$state_dir/venv/bin/python"
}

# install_wheels LIST DIRECTORY [TREE]: installs the wheels listed in the file, and leaves their common tree (NVIDIA's
# where it is not named) in the directory. The directory appears only when it is complete.
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
    say "  pip failed; its last lines:" >&2
    tail -n 8 "$log" >&2
    rm -rf "$part"
    return 1
  }
  rm -rf "$2"
  mv "$part/${3:-nvidia/cu13}" "$2" && rm -rf "$part"
}
