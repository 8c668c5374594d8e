#!/bin/sh
# check_workflows.sh STYLE TREE: checks that the workflows of .github are valid and safe: their keys and expressions,
# the permissions, and what an outsider could inject. STYLE is the folder of the tools. Exit status: 0 if they are; 1 if
# they aren't; 77 if the tool is missing, which ctest treats as a skip.
set -u
lint="$1/bin/zizmor --offline --strict-collection --quiet --no-progress --color never"
cd "$2" || exit 1
if ! [ -x "$1/bin/zizmor" ]; then
  echo "No zizmor in $1: run \`sh common/bootstrap/bootstrap.sh install style\`."
  exit 77
fi
$lint .github || exit 1

# The linter has to find what is wrong with a damaged copy.
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/.github"
cp .github/zizmor.yml "$copy/.github"
status=0
for damage in 's/runs-on:/run-on:/' 's/contents: read/contents: reed/' 's/checkout@v4/checkout/' \
  's/run: make test/run: make ${{ github.head_ref }}/'; do
  rm -rf "$copy/.github/workflows"
  cp -r .github/workflows "$copy/.github"
  sed -i "$damage" "$copy/.github/workflows/test.yml"
  if $lint "$copy/.github" >/dev/null 2>&1; then
    echo "The linter doesn't find what this changes in test.yml: $damage"
    status=1
  fi
done
exit $status
