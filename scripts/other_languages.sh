#!/bin/sh
# help: y = A*x in Triton and TileLang beside cuBLAS and step 7's rungs, and the machine code of Triton's C = A*B
# Without a GPU only the machine code is recorded, a row of plots/data/sass.csv, for which Triton is enough. On a GPU
# python3 needs PyTorch and Triton; where TileLang is missing its row says so. PYTHON= names another python3.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_python other-languages
python=${PYTHON:-python3}
command -v "$python" >/dev/null || { echo "other-languages: $python is missing; PYTHON= names another" >&2; exit 2; }
triton=$("$python" -c 'import triton; print(triton.__version__)' 2>/dev/null) ||
    { echo "other-languages: $python has no Triton (pip install triton); PYTHON= names another" >&2; exit 2; }
# Triton brings cuobjdump and nvdisasm along.
PATH=$PATH:$("$python" -c 'import os, triton; print(os.path.dirname(triton.__file__))')/backends/nvidia/bin
need_sass other-languages
begin other_languages

"$python" docs/languages/gemm_triton.py fp32 16 "$work/gemm"
cuobjdump -res-usage "$work/gemm.cubin" >"$work/usage" 2>/dev/null
cuobjdump -sass "$work/gemm.cubin" >"$work/sass" 2>/dev/null
report sass languages gemm_triton sm_90a "Triton $triton" "$work/usage" "$work/sass" >"$work/row"
{ report header sass; cat "$work/row"; sed '1d; /^languages,/d' plots/data/sass.csv; } >"$work/all"
put plots/data/sass.csv <"$work/all"
cat "$work/row"
if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    echo "other-languages: no GPU here, so no times; the machine code is recorded in plots/data/sass.csv" >&2
    exit 0
fi

MAKEFLAGS='' make --no-print-directory -j"$(nproc)" build/step07/libgemv.so >&2
name_origin
"$python" scripts/other_languages.py --csv "$work/languages.csv"
put "$folder/languages.csv" <"$work/languages.csv"
echo "other-languages: recorded in $folder/languages.csv; refresh the notes with make notes" >&2
