#!/bin/sh
# help: time step 8 against PyTorch's addmm and topk, and record it (METHODS=, SHAPES= narrow it)
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
need_gpu knn-torch
python=${PYTHON:-python3}
command -v "$python" >/dev/null || { echo "knn-torch: $python is missing; PYTHON= names another" >&2; exit 2; }
"$python" -c 'import torch' 2>/dev/null ||
    { echo "knn-torch: $python has no PyTorch (pip install torch); PYTHON= names another" >&2; exit 2; }
library=${KNN_LIBRARY:-build/step08/libknn.so}
[ -n "${KNN_LIBRARY:-}" ] || MAKEFLAGS='' make --no-print-directory -j"$(nproc)" "$library" >&2
folder=plots/data/$(gpu_slug)
mkdir -p "$folder"
status=0
# shellcheck disable=SC2086 # several methods, several shapes
"$python" scripts/knn/knn_peers.py --library "$library" --csv "$folder/knn.csv" --seconds "${SECONDS_EACH:-2}" \
    --methods ${METHODS:-exact_tc fused direct+radix} --shapes ${SHAPES:-1200:32768:256:25 1200:16384:32:46 \
    1200:16384:32:512 1200:1000000:128:100 10000:1000000:128:25} || status=$?
rmdir "$folder" 2>/dev/null || true
exit "$status"
