#!/bin/sh
# The simulator as WebAssembly against the same code on this machine, as `cargo test` builds it. Skips, and says so, where Node or
# the target of the compiler is missing.
set -eu
cd "$(dirname "$0")/../.."

skip() {
    echo "!! $1: THE TESTS OF WEBASSEMBLY ARE SKIPPED" >&2
    exit 0
}

target=wasm32-unknown-unknown
command -v node >/dev/null || skip 'node is missing'
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || skip 'node is older than 20'
there() {
    test -d "$(rustc --print sysroot)/lib/rustlib/$target/lib"
}
# A part of the toolchain that rustup knows how to get.
there || { command -v rustup >/dev/null && rustup target add $target >/dev/null 2>&1; } || true
there || skip "the target $target is missing (rustup target add $target)"

cargo build --locked --profile wasm --target $target -p tailrace-wasm --lib
cargo build --locked -p tailrace-wasm --example native
folder=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
TAILRACE_WASM=$folder/$target/wasm/tailrace_wasm.wasm TAILRACE_NATIVE=$folder/debug/examples/native \
    node --test tests/wasm/test.mjs
