#!/bin/sh
# The playground as a folder of static files, build/playground: to be copied to any web server.
# web/build.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/playground}

stop() {
    echo "$1" >&2
    exit 1
}

target=wasm32-unknown-unknown
command -v node >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    stop 'the playground is built with Node 20 or newer, which is missing'
there() {
    test -d "$(rustc --print sysroot)/lib/rustlib/$target/lib"
}
# A part of the toolchain that rustup knows how to get.
there || { command -v rustup >/dev/null && rustup target add $target >/dev/null 2>&1; } || true
there || stop "the target $target is missing: rustup target add $target"

cargo build --quiet --locked --profile wasm --target $target -p tailrace-wasm --lib
folder=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
if ! [ web/node_modules/.package-lock.json -nt web/package-lock.json ]; then
    npm ci --silent --no-fund --no-audit --prefix web || stop 'what the editor is made of could not be fetched (npm ci)'
fi
.venv/bin/python web/data.py build/playground-data
node web/build.mjs "$folder/$target/wasm/tailrace_wasm.wasm" build/playground-data "$out"
echo "look at it: python3 -m http.server --directory $out 8000, then http://localhost:8000"
