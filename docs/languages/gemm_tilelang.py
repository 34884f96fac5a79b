"""C = A·B in TileLang: a block computes a BM x BN tile of C. docs/other_languages.md sets it beside our kernels.

Written against TileLang 0.1.15's interface, and neither compiled nor run here: it needs PyTorch and a GPU.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def gemm(m, n, k, BM=128, BN=128, BK=64, dtype="float16"):
    @T.prim_func
    def kernel(A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, BN), T.ceildiv(m, BM), threads=256) as (tile_n, tile_m):
            As = T.alloc_shared((BM, BK), dtype)
            Bs = T.alloc_shared((BK, BN), dtype)
            acc = T.alloc_fragment((BM, BN), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, BK), num_stages=4):
                T.copy(A[tile_m * BM, step * BK], As)
                T.copy(B[step * BK, tile_n * BN], Bs)
                T.gemm(As, Bs, acc)
            T.copy(acc, C[tile_m * BM, tile_n * BN])

    return kernel
