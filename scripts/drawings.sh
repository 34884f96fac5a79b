#!/bin/sh
# help: draw docs/img anew: the notes' drawings, from the kernels' source and the recorded measurements
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_python drawings
report drawings "$@"
