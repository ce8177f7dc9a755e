#!/bin/sh
# Installs a wheel of this checkout into an empty environment, and uses it as somebody does who has neither Rust nor this folder.
# The wheel is of this machine's own libraries, from what `make build` compiled: tools/wheels.sh makes those for others.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$root"
VIRTUAL_ENV=$root/.venv .venv/bin/maturin build --quiet --locked --profile "${PROFILE:-release}" --out "$place/dist"
"${PYTHON:-python3}" -m venv "$place/venv"
"$place/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$place"/dist/*.whl
mkdir "$place/work"
cd "$place/work"
# No cargo, no make, no Python of the checkout.
PATH=$place/venv/bin:/usr/bin:/bin
export PATH
unset PYTHONPATH VIRTUAL_ENV || true
tailrace --version
tailrace doctor
tailrace init hello
tailrace run hello.toml --quiet -o results/hello
tailrace compare hello.toml --set-each link.bottleneck.queue=droptail,codel --quiet -o results/two
tailrace report results/two
tailrace example list >examples
test "$(wc -l <examples)" -gt 20
tailrace reproduce kochher --dry-run
python - <<'PY'
import tailrace

result = tailrace.run("hello.toml", runs=2, set={"duration": "5 s"})
assert result.aggregate["groups"]["tcp"]["goodput_bps"]["sum"]["n"] == 2
PY
echo "the wheel works: $(basename "$place"/dist/*.whl)"
