/* A thread an element, in FP64. */
#include "gemm/gemm_kernel.cuh"
#include "tensorcore.h"

static const int THREADS = 64;

__global__ void reference(gemm_problem p, double *sum, double *magnitude) {
    const int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (e >= (int64_t)p.m * p.n) return;
    const float *a = gemm_at((const float *)p.A, p.lda, (int)(e / p.n), 0), *b = (const float *)p.B + e % p.n;
    double s = 0.0, t = 0.0;
#pragma unroll 8
    for (int l = 0; l < p.k; l++) {
        const double product = (double)a[l] * b[(int64_t)l * p.ldb];
        s += product;
        t += fabs(product);
    }
    sum[e] = s;
    magnitude[e] = t;
}

extern "C" cudaError_t tensorcore_reference(const gemm_problem *p, double *sum, double *magnitude) {
    reference<<<(unsigned)(((int64_t)p->m * p->n + THREADS - 1) / THREADS), THREADS>>>(*p, sum, magnitude);
    return cudaGetLastError();
}
