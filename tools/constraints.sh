#!/bin/sh
# Versions of requirements.lock as constraints of pip, which takes no hashes there: tools/constraints.sh >FILE.
set -eu
sed -n 's/^\([a-z][^ ]*==[^ ;]*\)\( ;.*[^ \\]\)\{0,1\} *\\$/\1\2/p' "$(dirname "$0")/../requirements.lock"
