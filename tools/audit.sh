#!/bin/sh
# Licences, sources and known vulnerabilities of everything that Tailrace is built from: cargo-deny over both lock
# files, pip-audit over requirements.lock and that of the site. Says so where a program is missing or a database of advisories cannot be had.
set -u
cd "$(dirname "$0")/.." || exit 1
python=${PYTHON:-python3}
tools=${TOOLS:-.tools}
failed='' left=''

rust() {
    if ! cargo deny --version >/dev/null 2>&1; then
        echo 'cargo-deny is missing: cargo install --locked cargo-deny' >&2
        left="$left rust"
        return
    fi
    for manifest in Cargo.toml fuzz/Cargo.toml; do
        echo "== $manifest: licences, bans, sources"
        cargo deny --locked --manifest-path "$manifest" check --config deny.toml licenses bans sources ||
            failed="$failed $manifest"
        echo "== $manifest: advisories"
        if cargo deny --locked --manifest-path "$manifest" fetch db; then
            cargo deny --locked --manifest-path "$manifest" check --config deny.toml advisories ||
                failed="$failed $manifest:advisories"
        else
            echo 'the database of advisories cannot be had' >&2
            left="$left $manifest:advisories"
        fi
    done
}

wheels() {
    lock=$1
    echo "== $lock: advisories"
    if ! "$python" -m venv "$tools/audit" ||
        ! "$tools/audit/bin/python" -m pip install --quiet --disable-pip-version-check pip-audit; then
        left="$left $lock"
        return
    fi
    # Nothing is installed: the lock file has the versions and hashes of everything.
    report=$("$tools/audit/bin/pip-audit" --requirement "$lock" --require-hashes --disable-pip \
        --progress-spinner off --vulnerability-service osv 2>&1)
    status=$?
    case $status,$report in
    *ConnectionError* | *'Could not connect'* | *ServiceError*)
        # Of the trace only what it ends with says anything.
        echo "the database of advisories cannot be had: $(echo "$report" | tail -n 1)" >&2
        left="$left $lock"
        return
        ;;
    *'could not be audited'*) left="$left $lock" ;;
    0,*) ;;
    *) failed="$failed $lock" ;;
    esac
    echo "$report"
}

rust
wheels requirements.lock
wheels docs/requirements.lock
[ -z "$left" ] || echo "NOT audited, for the reasons above:$left"
[ -z "$failed" ] || echo "failed:$failed"
[ -z "$failed$left" ]
