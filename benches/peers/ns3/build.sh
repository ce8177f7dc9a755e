#!/bin/sh
# Builds scenario.cc against the installed ns-3 (Debian: libns3-dev). The program goes to $1, or ./scenario beside this file.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/scenario}
modules="ns3-applications ns3-point-to-point ns3-traffic-control ns3-internet ns3-network ns3-core"
pkg-config --exists $modules || { echo "ns-3 not found by pkg-config; Debian: apt-get install libns3-dev" >&2; exit 2; }
# The .pc files also name development files of GSL and SQLite by path; nothing here needs them, so only -l words are taken.
# shellcheck disable=SC2046,SC2086  # lists of words on purpose
exec "${CXX:-g++}" -std=c++17 -O3 -DNDEBUG -Wall "$here/scenario.cc" -o "$out" $(pkg-config --cflags $modules) $(pkg-config --libs-only-l $modules)
