#!/bin/sh
# libknn.so by python/knn.py, in the simulator: tests/knn/test_library.py, and the example. Last line: "N passed, N
# failed".
set -u
. "$(dirname "$0")/../case.sh"
LD_LIBRARY_PATH=$root/cudasim/build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
CUDASIM_LEAK_CHECK=1 # a finding ends a program with status 1
export LD_LIBRARY_PATH CUDASIM_LEAK_CHECK
run python3 -B tests/knn/test_library.py

added 'the library in Python'
run python3 -B python/example.py 2
same 'the example' '0 2' "$status $(grep -cE '^query [01]: point [01] at 0.0016, point ' "$work/out")"
run env KNN_LIBRARY="$work/none" python3 -B python/example.py
same 'without the library' 1 "$(grep -c '^ImportError: .*KNN_LIBRARY names another' "$work/out")"

# Faiss's index, made of numpy: what the comparison on a CPU prints and records.
cat >"$work/faiss.py" <<'END'
import numpy
__version__ = "0"
def omp_get_max_threads(): return 3
class IndexFlatL2:
    def __init__(self, d): pass
    def add(self, y): self.y = y
    def search(self, x, k): return None, numpy.argsort(((x[:, None] - self.y) ** 2).sum(2), axis=1)[:, :k]
END
peers() {
    run env PYTHONPATH="$work" python3 -B scripts/knn/knn_peers.py --peers faiss-cpu --seconds 0 --csv "$work/csv" "$@"
}
peers --shapes 1:60:4:3 2:60:4:3
same 'Faiss on the CPU' '0 2' "$status $(grep -c 'n 60 d 4 k 3  faiss 0 IndexFlatL2, 3 threads: .* 5 runs' "$work/out")"
same 'and its row' 'faiss_cpu,knn,f32,prepared,1,60,3,4,1,0,warm,cpu' "$(sed -n 2p "$work/csv" | cut -d , -f 2-13)"
peers --shapes 1:2:4:3
same 'k above n' '2 1' "$status $(grep -c 'not M:N:D:K with k up to n' "$work/out")"

ended
