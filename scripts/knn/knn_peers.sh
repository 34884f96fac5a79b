#!/bin/sh
# help: time searches of prepared points, and Faiss, cuVS and PyTorch beside them (PEERS=, SHAPES= narrow it, CSV=)
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
python=${PYTHON:-python3}
command -v "$python" >/dev/null || { echo "knn-peers: $python is missing; PYTHON= names another" >&2; exit 2; }
peers=${PEERS:-}
csv=${CSV:-}
has() { "$python" -c "import $1" 2>/dev/null; }
if nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    library=${KNN_LIBRARY:-build/step08/libknn.so}
    [ -n "${KNN_LIBRARY:-}" ] || MAKEFLAGS='' make --no-print-directory -j"$(nproc)" "$library" step08 >&2
    csv=${csv:-plots/data/$(gpu_slug)/knn_peers.csv}
    mkdir -p "$(dirname "$csv")"
    if [ -z "$peers" ]; then
        for m in 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 10000; do
            ./step08/run --method best --queries-at-once $m --n 1000000 --d 128 --time 0.5 --csv "$csv" --resume
        done
        ./step08/run --method best --queries-at-once 100 --n 1000000 --d 768 --time 0.5 --csv "$csv" --resume
    fi
    if has torch; then
        [ -n "$peers" ] || peers="torch torch-tf32 torch-f16 faiss cuvs"
    else
        echo "knn-peers: $python has no PyTorch, in which peers on the GPU have their data: they are left out" >&2
    fi
fi
if [ -z "${PEERS:-}" ] && has faiss; then peers="$peers faiss-cpu"; fi
[ -n "$peers" ] ||
    { echo "knn-peers: $python has no Faiss (pip install faiss-cpu); PYTHON= names another" >&2; exit 2; }
# shellcheck disable=SC2086 # several peers, several shapes
exec "$python" scripts/knn/knn_peers.py --library "${library:-build/step08/libknn.so}" ${csv:+--csv "$csv"} \
    --seconds "${SECONDS_EACH:-2}" --peers $peers ${SHAPES:+--shapes $SHAPES}
