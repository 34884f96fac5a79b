#!/bin/sh
# help: what changes from one rung's kernel to another's: A=lds128 B=lds128_2x2 (or A=step04:lds128)
# The code without comments, with the headers of the step that it includes; a kernel's own name is no change.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_python diff
report diff "${A-}" "${B-}"
