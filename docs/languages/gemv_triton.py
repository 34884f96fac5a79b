"""y = A·x in Triton: a program reduces a row. docs/other_languages.md sets it beside step 7's rungs.

A has n rows of k elements without gaps; the sums are FP32. scripts/other_languages.py checks and times it.
"""

import triton
import triton.language as tl

# BLOCK and warps of a program. A lane reads 16 bytes of A at once where BLOCK is at least 256 for each warp.
CONFIGURATIONS = [(block, warps) for block in (512, 1024, 2048, 4096) for warps in (1, 2, 4, 8) if block >= 256 * warps]


@triton.jit
def gemv(A, x, y, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k0 in range(0, k, BLOCK):
        ks = k0 + tl.arange(0, BLOCK)
        a = tl.load(A + row.to(tl.int64) * k + ks, mask=ks < k, other=0.0)
        b = tl.load(x + ks, mask=ks < k, other=0.0)
        acc += a.to(tl.float32) * b.to(tl.float32)
    tl.store(y + row, tl.sum(acc, axis=0))


def launch(A, x, y, block, warps):
    n, k = A.shape
    gemv[(n,)](A, x, y, k, BLOCK=block, num_warps=warps)
