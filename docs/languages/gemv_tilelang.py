"""y = A·x in TileLang: a block has BLOCK_N rows, and reduce_threads share each. docs/other_languages.md sets it beside
step 7's `tree`, which is made of the same steps.

scripts/other_languages.py checks and times it.
"""

import tilelang
import tilelang.language as T

# BLOCK_N and reduce_threads: what won in the article's search, and twice the rows.
CONFIGURATIONS = [(2, 32), (4, 32)]


@tilelang.jit
def gemv(n, k, BLOCK_N, reduce_threads, dtype="float16"):
    TILE_K = 8  # elements of 16 bytes
    BLOCK_K = reduce_threads * TILE_K

    @T.prim_func
    def kernel(A: T.Tensor((n, k), dtype), x: T.Tensor((k,), dtype), y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, BLOCK_N), threads=(BLOCK_N, reduce_threads)) as block:
            tn = T.get_thread_binding(0)
            tk = T.get_thread_binding(1)
            a = T.alloc_local((TILE_K,), dtype)
            b = T.alloc_local((TILE_K,), dtype)
            acc = T.alloc_local((1,), "float32")
            sums = T.alloc_shared((reduce_threads, BLOCK_N), "float32")
            acc[0] = 0.0
            for step in T.serial(T.ceildiv(k, BLOCK_K)):
                for i in T.vectorized(TILE_K):
                    a[i] = A[block * BLOCK_N + tn, step * BLOCK_K + tk * TILE_K + i]
                    b[i] = x[step * BLOCK_K + tk * TILE_K + i]
                for i in T.serial(TILE_K):
                    acc[0] += T.cast(a[i], "float32") * T.cast(b[i], "float32")
            sums[tk, tn] = acc[0]
            T.sync_threads()
            for level in T.serial(reduce_threads.bit_length() - 1):
                if tk < (reduce_threads >> (level + 1)):
                    sums[tk, tn] += sums[tk + (reduce_threads >> (level + 1)), tn]
                T.sync_threads()
            if tk == 0:
                y[block * BLOCK_N + tn] = T.cast(sums[0, tn], dtype)

    return kernel
