#!/bin/sh
# help: record on this GPU how long a load waits (latency.csv), and its ceilings (limits.csv)
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu latency
need_python latency
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" step02 >&2

begin latency
name_origin
for show in latency limits; do
    status=0
    step02/run --show $show >"$work/$show" || status=$?
    if [ "$status" != 0 ]; then
        echo "latency: run --show $show failed (exit status $status)" >&2
        exit "$status"
    fi
    report $show "$work/$show" >"$work/$show.rows"
done
for show in latency limits; do
    report header $show | cat - "$work/$show.rows" | put "$folder/$show.csv"
    cat "$work/$show"
done
echo "latency: recorded in $folder/latency.csv and limits.csv; refresh the notes with make notes" >&2
