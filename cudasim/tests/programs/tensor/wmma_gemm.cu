// GEMMs with the warp matrix functions of CUDA C++: D = alpha A B + beta C in tiles of every shape, elements of
// fragments scaled one by one, and the other types: bfloat16, TF32, bytes, double.
#include "../check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

enum { SIZE = 96, K = 64, SKEW = 8 };

template <class T> struct storage { typedef T type; };
template <> struct storage<wmma::precision::tf32> { typedef float type; };

template <class F> __device__ void to_tf32(F &f) {
    for (int i = 0; i < f.num_elements; i++) f.x[i] = wmma::__float_to_tf32(f.x[i]);
}

// A block is a warp and makes one TM x TN tile; A passes through shared memory with SKEW elements behind each row.
template <class T, class C, int TM, int TN, int TK, class LB>
__global__ void gemm(const typename storage<T>::type *a, const typename storage<T>::type *b, const C *c, C *d, C alpha,
                     C beta) {
    __shared__ __align__(32) typename storage<T>::type tile[TM * (TK + SKEW * 2)];
    const int row = blockIdx.y * TM, column = blockIdx.x * TN;
    constexpr bool b_rows = std::is_same<LB, wmma::row_major>::value;
    wmma::fragment<wmma::accumulator, TM, TN, TK, C> sum, old;
    wmma::fill_fragment(sum, C(0));
    for (int k = 0; k < K; k += TK) {
        wmma::fragment<wmma::matrix_a, TM, TN, TK, T, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, TM, TN, TK, T, LB> fb;
        for (int i = threadIdx.x; i < TM * TK; i += 32)
            tile[i / TK * (TK + SKEW * 2) + i % TK] = a[(row + i / TK) * K + k + i % TK];
        __syncwarp();
        wmma::load_matrix_sync(fa, tile, TK + SKEW * 2);
        wmma::load_matrix_sync(fb, b_rows ? b + k * SIZE + column : b + column * K + k, b_rows ? SIZE : K);
        if constexpr (std::is_same<T, wmma::precision::tf32>::value) {
            to_tf32(fa);
            to_tf32(fb);
        }
        wmma::mma_sync(sum, fa, fb, sum);
        __syncwarp();
    }
    wmma::load_matrix_sync(old, c + row * SIZE + column, SIZE, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = alpha * sum.x[i] + beta * old.x[i];
    wmma::store_matrix_sync(d + row * SIZE + column, sum, SIZE, wmma::mem_row_major);
}

static int a_value(int r, int k) {
    return (r * 3 + k * 5 + r * k) % 5;
}
static int b_value(int k, int n) {
    return (k * 7 + n * 2 + n * k) % 4;
}
static int c_value(int r, int n) {
    return (r + n * 2) % 9 - 4;
}

template <class T, class C, int TM, int TN, int TK, class LB> static void run(const char *name) {
    typedef typename storage<T>::type E;
    std::vector<E> a(SIZE * K), b(K * SIZE);
    std::vector<C> c(SIZE * SIZE), d(SIZE * SIZE);
    const bool b_rows = std::is_same<LB, wmma::row_major>::value;
    for (int r = 0; r < SIZE; r++)
        for (int k = 0; k < K; k++) a[r * K + k] = E((float)a_value(r, k));
    for (int k = 0; k < K; k++)
        for (int n = 0; n < SIZE; n++) b[b_rows ? k * SIZE + n : n * K + k] = E((float)b_value(k, n));
    for (int r = 0; r < SIZE; r++)
        for (int n = 0; n < SIZE; n++) c[r * SIZE + n] = C((float)c_value(r, n));
    E *device_a, *device_b;
    C *device_c, *device_d;
    CHECK(cudaMalloc(&device_a, a.size() * sizeof(E)));
    CHECK(cudaMalloc(&device_b, b.size() * sizeof(E)));
    CHECK(cudaMalloc(&device_c, c.size() * sizeof(C)));
    CHECK(cudaMalloc(&device_d, d.size() * sizeof(C)));
    CHECK(cudaMemcpy(device_a, a.data(), a.size() * sizeof(E), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), b.size() * sizeof(E), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_c, c.data(), c.size() * sizeof(C), cudaMemcpyHostToDevice));
    gemm<T, C, TM, TN, TK, LB><<<dim3(SIZE / TN, SIZE / TM), 32>>>(device_a, device_b, device_c, device_d, C(2), C(3));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(d.data(), device_d, d.size() * sizeof(C), cudaMemcpyDeviceToHost));
    int wrong = 0;
    long sum = 0;
    for (int r = 0; r < SIZE; r++)
        for (int n = 0; n < SIZE; n++) {
            int expected = 3 * c_value(r, n);
            for (int k = 0; k < K; k++) expected += 2 * a_value(r, k) * b_value(k, n);
            const int got = (int)(float)d[r * SIZE + n];
            wrong += got != expected;
            sum += got * (n % 4);
        }
    printf("%s: %ld\n", name, sum);
    expect(wrong == 0, name);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    CHECK(cudaFree(device_d));
}

int main() {
    typedef wmma::row_major row;
    typedef wmma::col_major col;
    run<__half, float, 16, 16, 16, row>("f16, f32, 16 x 16");
    run<__half, float, 32, 8, 16, col>("f16, f32, 32 x 8");
    run<__half, float, 8, 32, 16, row>("f16, f32, 8 x 32");
    run<__half, __half, 16, 16, 16, col>("f16, f16, 16 x 16");
    run<__nv_bfloat16, float, 16, 16, 16, col>("bf16, 16 x 16");
    run<wmma::precision::tf32, float, 16, 16, 8, row>("tf32, 16 x 16");
    run<signed char, int, 16, 16, 16, col>("s8, 16 x 16");
    run<unsigned char, int, 32, 8, 16, row>("u8, 32 x 8");
    run<double, double, 8, 8, 4, row>("f64, 8 x 8");
    return finish("wmma_gemm");
}
