#!/bin/sh
# The playground in a headless Chromium: runs are those of the native build, errors have their places, links hold what is
# played, sliders act, axe-core finds nothing. Skips, and says so, where something it takes cannot be had.
#
# tests/playground/run.sh [FOLDER]: with a folder screenshots are left there.
set -eu
cd "$(dirname "$0")/../.."

skip() {
    echo "!! $1: THE TESTS OF THE PLAYGROUND ARE SKIPPED" >&2
    exit 0
}

target=wasm32-unknown-unknown
command -v node >/dev/null || skip 'node is missing'
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || skip 'node is older than 20'
there() {
    test -d "$(rustc --print sysroot)/lib/rustlib/$target/lib"
}
there || { command -v rustup >/dev/null && rustup target add $target >/dev/null 2>&1; } || true
there || skip "the target $target is missing (rustup target add $target)"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip 'chromium is missing (apt install chromium)'
axe=.tools/axe/node_modules/axe-core/axe.min.js
[ -f "$axe" ] || npm install --silent --no-fund --no-audit --prefix .tools/axe axe-core@4.14.1 >/dev/null 2>&1 || true
[ -f "$axe" ] || skip 'axe-core could not be fetched (npm install)'
if ! [ web/node_modules/.package-lock.json -nt web/package-lock.json ]; then
    npm ci --silent --no-fund --no-audit --prefix web >/dev/null 2>&1 || skip 'the editor could not be fetched (npm ci)'
fi

web/build.sh build/playground
cargo build --quiet --locked -p tailrace-wasm --example native
folder=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
TAILRACE_PLAYGROUND=build/playground TAILRACE_SIZES=build/playground-data/sizes.json TAILRACE_NATIVE=$folder/debug/examples/native \
    TAILRACE_BROWSER=$browser TAILRACE_AXE=$axe TAILRACE_SCREENSHOTS=${1:-} node --test tests/playground/test.mjs
