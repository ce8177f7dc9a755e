#!/bin/sh
# Builds every fuzz target and runs each for so many seconds (the first argument; 60 without one), or only those named.
# `check` instead of a number gives the same build the same inputs every time: a seed, a number of inputs and an empty corpus. That is
# what CI does, so that what it finds can be repeated. Another build has other coverage, and so other inputs: what it finds may be
# older than the change. The stable toolchain will do: coverage comes by flags of the compiler (.cargo/config.toml), libFuzzer by libfuzzer-sys.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
inputs_of() { # some ten to twenty seconds each
    case $1 in
        files) echo 1000000 ;;
        guest) echo 250000 ;;
        mptcp) echo 250000 ;;
        pcapng) echo 1500000 ;;
        scenario) echo 60000 ;;
        tc) echo 100000 ;;
        tcp_receive) echo 500000 ;;
        *) echo 2000000 ;;
    esac
}
[ $# -eq 0 ] || shift
cargo build --release --locked
host=$(rustc -vV | sed -n 's/^host: //p')
[ $# -gt 0 ] || set -- $(ls fuzz_targets | sed 's/\.rs$//')
failed=''
for target in "$@"; do
    corpus="corpus/$target"
    until="-max_total_time=$seconds"
    if [ "$seconds" = check ]; then
        corpus="artifacts/$target/corpus"
        rm -rf "$corpus"
        until="-seed=1 -runs=$(inputs_of "$target")"
    fi
    mkdir -p "$corpus" "artifacts/$target"
    inputs=$corpus
    [ -d "seeds/$target" ] && inputs="$inputs seeds/$target"
    more='-max_len=2048'
    if [ "$target" = scenario ]; then
        inputs="$inputs ../crates/scenario/tests/files"
        more='-max_len=8192 -dict=scenario.dict'
    fi
    echo "== $target: $until"
    log="artifacts/$target/log"
    # shellcheck disable=SC2086 # several words are meant
    if "target/$host/release/$target" $inputs $more $until -timeout=10 \
        -artifact_prefix="artifacts/$target/" >"$log" 2>&1; then
        grep '^Done' "$log"
    else
        failed="$failed $target"
        tail -n 40 "$log"
    fi
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
