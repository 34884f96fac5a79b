#!/bin/sh
# What the lessons predict and their drawings show, counted in the simulator (tests/lessons). Last line: "N passed, N
# failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
CUDASIM_LIB=$PWD/cudasim/build/libcudart.so.13
export CUDASIM_LIB
exec python3 -B tests/lessons/check.py
