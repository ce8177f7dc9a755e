#!/bin/sh
# A wheel of this machine's own libraries, and the versions that it was tested with, into a folder: tools/build_wheel.sh FOLDER.
# The first stage of the Containerfile; needs cargo and Python. tools/wheels.sh makes wheels for other systems.
set -eu
cd "$(dirname "$0")/.."
place=$1
profile=${PROFILE:-release}
mkdir -p "$place"
"${PYTHON:-python3}" -m venv "$place/tools"
sed -n '/^maturin==/,/[^\\]$/p' requirements.lock >"$place/maturin.lock"
"$place/tools/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r "$place/maturin.lock"
export PYO3_PYTHON="$place/tools/bin/python" CARGO_PROFILE_RELEASE_STRIP=symbols
if [ "$(uname -s)" = Linux ]; then
    cargo build --locked --profile "$profile" -p tailrace-agent --bin tailrace-agent
    cp "${CARGO_TARGET_DIR:-target}/$profile/tailrace-agent" python/tailrace/kernels/tailrace-agent
fi
VIRTUAL_ENV="$place/tools" "$place/tools/bin/maturin" build --locked --profile "$profile" --out "$place"
tools/constraints.sh >"$place/constraints.txt"
rm -r "$place/tools" "$place/maturin.lock"
