#!/bin/sh
# Builds every fuzz target and runs each for so many seconds (the first argument; 60 without one), or only those named.
# The stable toolchain will do: coverage comes by flags of the compiler (.cargo/config.toml), libFuzzer by libfuzzer-sys.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -eq 0 ] || shift
cargo build --release --locked
host=$(rustc -vV | sed -n 's/^host: //p')
[ $# -gt 0 ] || set -- $(ls fuzz_targets | sed 's/\.rs$//')
failed=''
for target in "$@"; do
    mkdir -p "corpus/$target" "artifacts/$target"
    inputs="corpus/$target"
    [ -d "seeds/$target" ] && inputs="$inputs seeds/$target"
    more='-max_len=2048'
    if [ "$target" = scenario ]; then
        inputs="$inputs ../crates/scenario/tests/files"
        more='-max_len=8192 -dict=scenario.dict'
    fi
    echo "== $target, $seconds s"
    log="artifacts/$target/log"
    # shellcheck disable=SC2086 # several words are meant
    if "target/$host/release/$target" $inputs $more -timeout=10 -max_total_time="$seconds" \
        -artifact_prefix="artifacts/$target/" >"$log" 2>&1; then
        grep '^Done' "$log"
    else
        failed="$failed $target"
        tail -n 40 "$log"
    fi
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
