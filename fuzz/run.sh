#!/bin/sh
# Builds every fuzz target and runs each for so many seconds (the first argument; 60 without one), or only those named.
# `check` instead of a number tries inputs that are the same whatever was built (src/check.rs), as CI does: libFuzzer follows the
# coverage of a build, so what it finds may be older than the change. The stable toolchain will do: coverage comes by flags of the
# compiler (.cargo/config.toml), libFuzzer by libfuzzer-sys.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -eq 0 ] || shift
cargo build --release --locked
host=$(rustc -vV | sed -n 's/^host: //p')
if [ "$seconds" = check ]; then
    cargo test --release --locked --lib --quiet
    exec "target/$host/release/check" "$@"
fi
[ $# -gt 0 ] || set -- $(ls fuzz_targets | sed 's/\.rs$//')
failed=''
for target in "$@"; do
    corpus="corpus/$target"
    mkdir -p "$corpus" "artifacts/$target"
    inputs=$corpus
    [ -d "seeds/$target" ] && inputs="$inputs seeds/$target"
    more='-max_len=2048'
    if [ "$target" = scenario ]; then
        inputs="$inputs ../crates/scenario/tests/files"
        more='-max_len=8192 -dict=scenario.dict'
    fi
    echo "== $target: $seconds seconds"
    log="artifacts/$target/log"
    # shellcheck disable=SC2086 # several words are meant
    if "target/$host/release/$target" $inputs $more -max_total_time="$seconds" -timeout=10 \
        -artifact_prefix="artifacts/$target/" >"$log" 2>&1; then
        grep '^Done' "$log"
    else
        failed="$failed $target"
        tail -n 40 "$log"
    fi
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
