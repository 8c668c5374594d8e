# Part of the scripts that look for programs and start them: makes the packages usable that the bootstrap has unpacked
# without root (packages.sh). The Makefile sets the same variables for the programs that it starts itself.

# use_unpacked: sets variables so that programs, libraries and Python modules in build/packages are found. Expects the
# build folder's absolute path in $build_path, and sets $unpacked.
use_unpacked() {
  local libraries wheel
  unpacked=$build_path/packages/usr
  [ -d "$unpacked" ] || return 0
  libraries=$unpacked/lib/$(uname -m)-linux-gnu
  case ":${CMAKE_PREFIX_PATH-}:" in
    *":$unpacked:"*) ;;
    *)
      PATH=$unpacked/bin:$PATH
      # update-alternatives would choose a BLAS and a LAPACK if it ran as root. Here, their folders are listed instead.
      LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
      CMAKE_PREFIX_PATH=$unpacked${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
      PYTHONPATH=$unpacked/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}
      ;;
  esac
  # Packages that are unpacked later may contain these. Debian has pip as a wheel, for virtual environments.
  for wheel in "$unpacked"/share/python-wheels/pip-*.whl; do
    [ -r "$wheel" ] || continue
    case ":${PYTHONPATH-}:" in *":$wheel:"*) ;; *) PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$wheel ;; esac
  done
  export PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH PYTHONPATH
  # The folder that contains Graphviz's list of plugins.
  if [ -d "$libraries/graphviz" ]; then export GVBINDIR="$libraries/graphviz"; fi
}
