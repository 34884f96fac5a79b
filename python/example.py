#!/usr/bin/env python3
"""example.py [QUERIES]: 2000 points in 16 dimensions, and the 5 nearest of each query, from numpy.

After make build/step08/libknn.so. Without a GPU: LD_LIBRARY_PATH=cudasim/build python3 python/example.py
"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "build/numpy"]
import knn  # noqa: E402
import numpy  # noqa: E402

random = numpy.random.default_rng(1)
data = random.uniform(-1, 1, (2000, 16)).astype(numpy.float32)
queries = data[:int(sys.argv[1]) if len(sys.argv) > 1 else 3] + numpy.float32(0.01)
with knn.Points(data) as points:
    distance, index = points.search(queries, 5)
for query, (row, near) in enumerate(zip(index, distance)):
    print(f"query {query}:", ", ".join(f"point {i} at {d:.4f}" for i, d in zip(row, near)))
