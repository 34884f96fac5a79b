#!/bin/sh
# Draws the figures of recorded measurements: scripts/plots.sh [--term png,svg|dumb] [--out DIR] [--device GPU | CSV]
# (--help says more). gnuplot draws them, plots/*.gp; report/figures lays them out.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/gpu.sh"
command -v gnuplot >/dev/null || { echo "plots: gnuplot is missing: apt-get install gnuplot-nox" >&2; exit 2; }
need_python plots
GPU_SLUG=$(gpu_slug)
export GPU_SLUG
report figures "$@"
