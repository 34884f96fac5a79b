// Matrix loads and stores that the lanes of a warp reach at different times: they wait there for one another, in the
// middle of what else is straight code. A loop that only half of the lanes run keeps the others waiting for long
// enough.
#include "../check.h"

#include <mma.h>

using namespace nvcuda;

enum { SIDE = 16, ROUNDS = 20000 };

// Half of the lanes come later. What they compute is written, so that it is not left out.
__device__ void dawdle(unsigned *sink, int rounds) {
    unsigned x = threadIdx.x;
    if (threadIdx.x < 16) {
#pragma unroll 1
        for (int k = 0; k < rounds; k++) x = x * 1664525u + 1013904223u;
    }
    sink[threadIdx.x] = x;
}

__global__ void fragments(unsigned *out, unsigned *sink, int rounds) {
    __shared__ __align__(16) unsigned short s[64];
    const int t = threadIdx.x;
    s[t] = (unsigned short)t;
    s[t + 32] = (unsigned short)(t + 32);
    __syncwarp();
    dawdle(sink, rounds);
    const unsigned row = (unsigned)__cvta_generic_to_shared(&s[t % 8 * 8]);
    unsigned first, sum, second;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%3];\n\t"
                 "add.u32 %1, %0, 1;\n\t"
                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%2}, [%3];"
                 : "=r"(first), "=r"(sum), "=r"(second)
                 : "r"(row)
                 : "memory");
    out[t] += sum + (second - first);
}

__global__ void product(float *c, const half *a, const half *b, unsigned *sink, int rounds) {
    wmma::fragment<wmma::matrix_a, SIDE, SIDE, SIDE, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, SIDE, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, float> fc;
    dawdle(sink, rounds);
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, SIDE);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = fa.x[i] * half(2.0f);
    wmma::load_matrix_sync(fb, b, SIDE);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, SIDE, wmma::mem_row_major);
}

int main() {
    unsigned *out, *sink;
    half *a, *b;
    float *c;
    CHECK(cudaMallocManaged(&out, 32 * sizeof *out));
    CHECK(cudaMallocManaged(&sink, 32 * sizeof *sink));
    CHECK(cudaMallocManaged(&a, SIDE * SIDE * sizeof *a));
    CHECK(cudaMallocManaged(&b, SIDE * SIDE * sizeof *b));
    CHECK(cudaMallocManaged(&c, SIDE * SIDE * sizeof *c));
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = half((float)(i % 7));
        b[i] = half((float)(i % 5));
    }
    for (int rounds : {10, (int)ROUNDS}) {
        for (int t = 0; t < 32; t++) out[t] = 0;
        fragments<<<1, 32>>>(out, sink, rounds);
        CHECK(cudaDeviceSynchronize());
        for (unsigned t = 0; t < 32; t++) expect(out[t] == ((2 * t) | (2 * t + 1) << 16) + 1, "ldmatrix");
        product<<<1, 32>>>(c, a, b, sink, rounds);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                float sum = 0.0f;
                for (int k = 0; k < SIDE; k++) sum += 2.0f * (float)((i * SIDE + k) % 7) * (float)((j * SIDE + k) % 5);
                expect(c[i * SIDE + j] == sum, "wmma");
            }
    }
    return finish("late_lanes");
}
