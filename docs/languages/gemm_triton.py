"""C = A·B in Triton: a program computes a BM x BN tile of C. docs/other_languages.md sets it beside our kernels.

    python3 docs/languages/gemm_triton.py fp16 64 OUT    compiles it for sm_90a, without a GPU: OUT.ptx and OUT.cubin

(`make other-languages` does so with fp32 and 16.)

A, B and C are row-major without gaps. The type, fp16 or fp32, and BK are the command's; the sums are FP32.
"""

import sys

import triton
import triton.language as tl


@triton.jit
def gemm(A, B, C, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_n = tl.cdiv(n, BN)
    rows = tl.program_id(0) // tiles_n * BM + tl.arange(0, BM)
    cols = tl.program_id(0) % tiles_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, k, BK):
        ks = k0 + tl.arange(0, BK)
        a = tl.load(A + rows[:, None] * k + ks[None, :], mask=(rows[:, None] < m) & (ks[None, :] < k), other=0.0)
        b = tl.load(B + ks[:, None] * n + cols[None, :], mask=(ks[:, None] < k) & (cols[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(C + rows[:, None] * n + cols[None, :], acc, mask=(rows[:, None] < m) & (cols[None, :] < n))


def compiled(dtype, bk):
    """128 x 128 of C for a program of 8 warps, four stages; addresses and sides are multiples of 16."""
    types = {"A": "*" + dtype, "B": "*" + dtype, "C": "*fp32", "m": "i32", "n": "i32", "k": "i32",
             "BM": "constexpr", "BN": "constexpr", "BK": "constexpr"}
    source = triton.compiler.ASTSource(fn=gemm, signature=types, constexprs={"BM": 128, "BN": 128, "BK": bk},
                                       attrs={(place,): [["tt.divisibility", 16]] for place in range(6)})
    return triton.compile(source, target=triton.backends.compiler.GPUTarget("cuda", 90, 32),
                          options={"num_warps": 8, "num_stages": 4})


if __name__ == "__main__":
    made = compiled(sys.argv[1], int(sys.argv[2])).asm
    with open(sys.argv[3] + ".ptx", "w", encoding="utf-8") as file:
        file.write(made["ptx"])
    with open(sys.argv[3] + ".cubin", "wb") as file:
        file.write(made["cubin"])
