#!/bin/sh
# Wheels for Linux that run on any distribution since 2014 (manylinux2014: glibc 2.17), or on those with musl: tools/wheels.sh [musl].
# zig links against old system libraries wherever this is built. Programs of the target's are in TOOLS; wheels come into dist/.
set -eu
cd "$(dirname "$0")/.."
tools=${TOOLS:-.tools}/wheel
machine=$(uname -m)
case ${1:-gnu} in
gnu) target=$machine-unknown-linux-gnu suffix=.2.17 compatibility=manylinux2014 ;;
musl) target=$machine-unknown-linux-musl suffix='' compatibility=musllinux_1_2 ;;
*) echo "tools/wheels.sh takes gnu or musl, not $1" >&2 && exit 2 ;;
esac
# With musl a cdylib needs the C library to be linked dynamically.
[ "${1:-gnu}" = musl ] && export RUSTFLAGS='-C target-feature=-crt-static'
"${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r tools/wheels.lock
PATH=$PWD/$tools/bin:$PATH
rustup target list --installed 2>/dev/null | grep -qx "$target" || rustup target add "$target"
# As `make build` strips what it installs.
export CARGO_PROFILE_RELEASE_STRIP=symbols
# The program that starts kernels is part of the wheel. The one of the checkout waits elsewhere, since all of that folder is packed.
agent=python/tailrace/kernels/tailrace-agent
cargo zigbuild --locked --release --target "$target$suffix" --target-dir target/wheel -p tailrace-agent --bin tailrace-agent
kept=$tools/tailrace-agent
rm -f "$kept"
[ ! -f "$agent" ] || mv "$agent" "$kept"
trap 'rm -f "$agent"; [ ! -f "$kept" ] || mv "$kept" "$agent"' EXIT
cp "target/wheel/$target/release/tailrace-agent" "$agent"
maturin build --locked --release --zig --target "$target" --compatibility "$compatibility" --target-dir target/wheel --out dist
