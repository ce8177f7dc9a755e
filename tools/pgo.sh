#!/bin/sh
# What runs of every kind spend their time on, for a compiler to go by: tools/pgo.sh FILE writes that profile. The extension is
# built so that it counts, and runs the gallery and the scenarios of benches/peers; with -Cprofile-use=FILE it is then built again.
# Only speed follows from a profile, no result.
set -eu
out=$(realpath -m "$1")
cd "$(dirname "$0")/.."
machine=$(rustc -vV | sed -n 's/^host: //p')
# Other versions of these tools do not read what this compiler writes.
merge=$(rustc --print sysroot)/lib/rustlib/$machine/bin/llvm-profdata
[ -x "$merge" ] || rustup component add llvm-tools ||
  { echo 'a profile needs the LLVM tools of this rustc: rustup component add llvm-tools, or build without PGO=1' >&2; exit 1; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
counts=$PWD/target/pgo/counts
rm -rf "$counts"
# The same package for the same target as the build that uses it, so that functions have the same names there.
RUSTFLAGS=-Cprofile-generate=$counts \
  cargo build --locked --quiet --release -p tailrace-python --lib --target "$machine" --target-dir target/pgo
mkdir "$place/package"
cp -R python/tailrace "$place/package/tailrace"
rm -f "$place"/package/tailrace/_native*
cp "target/pgo/$machine/release/lib_native.so" "$place/package/tailrace/_native.abi3.so"
PYTHONPATH=$place/package "${PYTHON:-.venv/bin/python}" tools/pgo_training.py
mkdir -p "$(dirname "$out")"
"$merge" merge -o "$out" "$counts"
