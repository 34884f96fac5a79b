#!/bin/sh
# help: draw the shapes of plots/random_sets.csv anew, into plots/random_shapes.csv (no GPU needed)
# So a recorded row counts where its shape was drawn, and a shape that has no row is missed.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
build_steps step05 step06 step09
{
    report header random_shapes
    sed 1d plots/random_sets.csv | while IFS=, read -r step dtype layout spread max multiple count seed final set; do
        for draw in tuning final; do
            "./$step/run" --list --sweep random --dtype "$dtype" --layout "$layout" --spread "$spread" --max "$max" \
                --multiple "$multiple" --count "$count" --seed "$seed" | sed "s/^/$set,$draw,$step,/"
            seed=$final
        done
    done
    for dtype in f16 bf16; do # a few tokens, by the matrices of a language model's layers
        for matrix in 4096,14336 14336,4096 8192,28672; do
            for m in 1 8 16 32 64; do echo "16-bit few rows,,step06,$dtype,tn,$m,$matrix"; done
        done
    done
} | put "${1:-plots/random_shapes.csv}"
