#!/bin/sh
# Sets two files of recorded measurements side by side: scripts/compare.sh A.csv B.csv
# Rows match when they measure the same thing (step to cache, of a GEMV the mode too); of several in one file the last
# counts.
set -eu
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)

say() { printf 'compare: %s\n' "$1" >&2; }

[ $# -eq 2 ] || { say "two files are needed (usage: scripts/compare.sh A.csv B.csv)"; exit 2; }
for file; do
    if [ ! -f "$file" ] || [ ! -r "$file" ]; then say "cannot read $file"; exit 2; fi
    [ -s "$file" ] || { say "$file: empty, not even the header of recorded measurements"; exit 2; }
done
A_NAME=$1 B_NAME=$2
export A_NAME B_NAME
case $1 in /*) a=$1 ;; *) a=./$1 ;; esac # awk takes a=b for an assignment
case $2 in /*) b=$2 ;; *) b=./$2 ;; esac
exec awk -f "$here/records.awk" -f "$here/compare.awk" side=1 "$a" side=2 "$b"
