#!/bin/sh
# Installs a wheel of this checkout into an empty environment, and uses it as somebody does who has neither Rust nor this folder.
# The wheel is of this machine's own libraries, from what is compiled for .venv already: tools/wheels.sh makes those for others. Its
# dependencies have the versions of requirements.lock.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$root"
profile=$(ls -A .venv | sed -n 's/^\.extension-//p' | sed 's/-pgo$//')
VIRTUAL_ENV=$root/.venv .venv/bin/maturin build --quiet --locked --profile "$profile" --out "$place/dist"
"${PYTHON:-python3}" -m venv "$place/venv"
tools/constraints.sh >"$place/constraints.txt"
"$place/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --constraint "$place/constraints.txt" "$place"/dist/*.whl
cp tests/python/pages.py docs/tutorial.md "$place"
mkdir "$place/work"
cd "$place/work"
# No Rust, and no Python of the checkout. Where the system has a Rust of its own, one that fails stands in front of it.
mkdir "$place/none"
for program in cargo rustc rustup; do
    printf '#!/bin/sh\necho "%s is not to be used here" >&2\nexit 1\n' $program >"$place/none/$program"
    chmod +x "$place/none/$program"
done
PATH=$place/none:$place/venv/bin:/usr/bin:/bin
export PATH
unset PYTHONPATH VIRTUAL_ENV || true
tailrace --version
tailrace doctor
tailrace example list >examples
test "$(wc -l <examples)" -gt 20
tailrace reproduce kochher --dry-run
tailrace init hello --editor
# The package that runs is the one that was installed, and the tutorial's commands print what its page shows.
python -c 'import sys, tailrace; assert tailrace.__file__.startswith(sys.prefix), tailrace.__file__'
mkdir tutorial
python "$place/pages.py" "$place/tutorial.md" tutorial
test -f tutorial/results/rates/report.html
echo "the wheel works: $(basename "$place"/dist/*.whl)"
