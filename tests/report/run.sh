#!/bin/sh
# Reports in a headless Chromium: nothing is asked of a network, nothing fails, axe-core finds nothing against them, and
# what can be clicked works. Skips, and says so, where Chromium, Node or axe-core cannot be had.
#
# tests/report/run.sh [FOLDER]: with a folder screenshots of all pages are left there.
set -eu
cd "$(dirname "$0")/../.."

skip() {
    echo "!! $1: THE TESTS OF REPORTS IN A BROWSER ARE SKIPPED" >&2
    exit 0
}

command -v node >/dev/null || skip 'node is missing'
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || skip 'node is older than 20'
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip 'chromium is missing (apt install chromium)'
# Only tests need it, so it is fetched where they run.
axe=.tools/axe/node_modules/axe-core/axe.min.js
[ -f "$axe" ] || npm install --silent --no-fund --no-audit --prefix .tools/axe axe-core@4.14.1 >/dev/null 2>&1 || true
[ -f "$axe" ] || skip 'axe-core could not be fetched (npm install)'

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
.venv/bin/python tests/report/samples.py "$pages"
TAILRACE_PAGES=$pages TAILRACE_BROWSER=$browser TAILRACE_AXE=$axe TAILRACE_SCREENSHOTS=${1:-} \
    node --test tests/report/test.mjs
