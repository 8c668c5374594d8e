#!/bin/sh
# check_python.sh STYLE TREE: checks that all Python of the tree is formatted, linted and typed; pyproject.toml has the
# rules. STYLE is the folder of the tools. Exit status: 0 if it is; 1 if it isn't; 77 if the tools are missing, which
# ctest treats as a skip.
set -u
style=$1
cd "$2" || exit 1
if ! [ -x "$style/bin/ruff" ] || ! [ -x "$style/bin/mypy" ]; then
  echo "No ruff and mypy in $style: run \`sh common/bootstrap/bootstrap.sh install style\`."
  exit 77
fi
status=0
"$style/bin/ruff" format --check --no-cache || status=1
"$style/bin/ruff" check --no-cache || status=1
"$style/bin/mypy" --cache-dir "$style/mypy" || status=1
# A test also imports modules that are in its own folder, which mypy doesn't find.
"$style/bin/ruff" check --no-cache --show-files | grep '\.py$' | grep -Ev '/common/(book|bootstrap|course|student)/' |
  xargs -d '\n' "$style/bin/mypy" --cache-dir "$style/mypy_of_the_rest" --ignore-missing-imports || status=1
exit $status
