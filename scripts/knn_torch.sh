#!/bin/sh
# help: time step 8 against PyTorch's addmm and topk, and record it (METHODS=, SHAPES= narrow it)
# Times step 8 and PyTorch's addmm and topk alternately, and records it in plots/data/GPU/knn.csv; what is already
# recorded there is not measured again. METHODS="exact_tc fused" and SHAPES="1200:32768:256:25" (m:n:d:k) narrow it,
# SECONDS_EACH=2 is how long a comparison takes, PYTHON=python3 the Python that has PyTorch. KNN_LIBRARY names a
# libknn.so that is built already. Exit status: 0, 1 where a result was wrong, 2 without PyTorch, 3 without a GPU.
set -eu
cd "$(dirname "$0")/.."
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
"$python" scripts/knn_torch.py --library "$library" --csv "$folder/knn.csv" --seconds "${SECONDS_EACH:-2}" \
    --methods ${METHODS:-exact_tc fused direct+radix} ${SHAPES:+--shapes $SHAPES} || status=$?
rmdir "$folder" 2>/dev/null || true
exit "$status"
