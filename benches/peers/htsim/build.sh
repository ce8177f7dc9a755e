#!/bin/sh
# Builds scenario.cpp against htsim's source, whose folder (with sim/ in it) is $1. The program goes to $2, or ./scenario beside
# this file. Nothing is written into htsim's folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sim=${1:?usage: build.sh HTSIM_FOLDER [PROGRAM]}/sim
out=${2:-$here/scenario}
[ -f "$sim/eventlist.cpp" ] || { echo "$sim has no eventlist.cpp: not the source of htsim" >&2; exit 2; }
# What the program needs of htsim, and no more: its whole library takes minutes.
files="config eventlist eth_pause_packet fairpullqueue logfile loggers mtcp ndppacket network pipe queue queue_lossless route routetable sent_packets switch tcp tcppacket trigger"
sources=
for file in $files; do sources="$sources $sim/$file.cpp"; done
# shellcheck disable=SC2086  # a list of files on purpose
exec "${CXX:-g++}" -std=c++17 -O3 -DNDEBUG -w -I"$sim" "$here/scenario.cpp" $sources -o "$out"
