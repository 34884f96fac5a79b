/* Operands between guard zones in one allocation, said to the simulator as the harness says them: X is 8 x 10 with
 * leading dimension 16, from int 64 on, and y has 64 elements, from int 256 on. */
#include <dlfcn.h>

#include "faulty.h"

static const int X = 64, Y = 256, ROWS = 8, COLS = 10, LD = 16, LENGTH = 64;
static const int END = (ROWS - 1) * LD + COLS; /* of X, from its beginning */

static void say_operands(int *g) {
    void (*operand)(const char *, const void *, size_t, size_t, size_t, size_t);
    *(void **)&operand = dlsym(RTLD_DEFAULT, "cudasim_operand");
    if (operand == nullptr) return; /* on a GPU */
    operand("X", g + X, sizeof *g, ROWS, COLS, LD);
    operand("y", g + Y, sizeof *g, LENGTH, 1, 1);
}

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
/* 16 bytes, of which it reads the first `some`; the rest becomes zeros. */
static __device__ void copy_16(void *to, const void *from, int some) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(some)
                 : "memory");
}
static __device__ void bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *full) {
    asm volatile("{ .reg .b64 s; mbarrier.init.shared.b64 [%3], 1;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 s, [%3], %2;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3]; }" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(full))
                 : "memory");
}

__global__ void past_the_operand(int *g, int n) {
    const int *x = g + X;
    g[Y + threadIdx.x] = x[END - 31 + threadIdx.x]; // FAULT out-of-bounds
}
__global__ void before_the_operand(int *g, int n) {
    const int *x = g + X;
    g[Y + threadIdx.x] = x[(int)threadIdx.x - 1]; // FAULT out-of-bounds
}
__global__ void vector_past_the_operand(int *g, int n) {
    const int4 four = *(const int4 *)(g + X + END - 2); // FAULT out-of-bounds
    g[Y] = four.x + four.y;
}
__global__ void past_the_vector(int *g, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i <= LENGTH; i += 32) sum += g[Y + i]; // FAULT out-of-bounds
    g[X + threadIdx.x % COLS] = sum;
}
__global__ void dot_product_past_the_vector(int *g, int n) {
    const float *x = (const float *)(g + X), *y = (const float *)(g + Y);
    float sum = 0.0f;
    for (int i = 0; i < 68; i++) sum += x[i] * y[i]; // FAULT out-of-bounds
    g[X + (ROWS - 1) * LD + threadIdx.x % COLS] = (int)sum;
}
__global__ void written_past_the_vector(int *g, int n) {
    for (int i = threadIdx.x; i < LENGTH + 1; i += 32) g[Y + i] = 0; // FAULT out-of-bounds
}
__global__ void padding_written(int *g, int n) {
    if (threadIdx.x < LD) g[X + LD + threadIdx.x] = 0; // FAULT out-of-bounds
}
__global__ void added_past_the_vector(int *g, int n) {
    atomicAdd(g + Y + LENGTH, 1); // FAULT out-of-bounds
}
__global__ void copied_past_the_operand(int *g, int n) {
    __shared__ __align__(16) int s[4];
    if (threadIdx.x == 0) copy_16(s, g + X + END - 2, 16); // FAULT out-of-bounds
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    g[Y + threadIdx.x] = s[threadIdx.x % 4];
}
__global__ void bulk_copy_past_the_vector(int *g, int n) {
    __shared__ __align__(16) int s[LENGTH + 4];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) bulk_load(s, g + Y, sizeof s, &full); // FAULT out-of-bounds
    __syncthreads();
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(
                     shared_address(&full))
                 : "memory");
    g[Y + threadIdx.x] = s[threadIdx.x];
}

/* All of both operands, and between X's rows. */
__global__ void ok_operands(int *g, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i < END; i += 32) sum += g[X + i];
    for (int i = threadIdx.x; i < LENGTH; i += 32) g[Y + i] += sum;
    __syncwarp();
    for (int row = 0; row < ROWS; row++)
        if (threadIdx.x < COLS) g[X + row * LD + threadIdx.x] = row;
}
__global__ void ok_vectors(int *g, int n) {
    const int4 four = *(const int4 *)(g + X + END - 6);
    *(int4 *)(g + Y + LENGTH - 4) = four;
    if (threadIdx.x < COLS) atomicAdd(g + X + LD + threadIdx.x, 1);
}
__global__ void ok_filled_with_zeros(int *g, int n) {
    __shared__ __align__(16) int s[4];
    if (threadIdx.x == 0) copy_16(s, g + X + END - 2, 8);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    g[Y + threadIdx.x] = s[threadIdx.x % 4];
}
__global__ void ok_dot_product(int *g, int n) {
    const float *x = (const float *)(g + X), *y = (const float *)(g + Y);
    float sum = 0.0f;
    for (int i = 0; i < LENGTH; i++) sum += x[i] * y[i];
    g[X + (ROWS - 1) * LD + threadIdx.x % COLS] = (int)sum;
}

static const faulty_case cases[] = {CASE(past_the_operand, 1, 32),
                                    CASE(before_the_operand, 1, 32),
                                    CASE(vector_past_the_operand, 1, 1),
                                    CASE(past_the_vector, 1, 32),
                                    CASE(dot_product_past_the_vector, 1, 32),
                                    CASE(written_past_the_vector, 1, 32),
                                    CASE(padding_written, 1, 32),
                                    CASE(added_past_the_vector, 1, 32),
                                    CASE(copied_past_the_operand, 1, 32),
                                    CASE(bulk_copy_past_the_vector, 1, 64),
                                    CASE(ok_operands, 1, 32),
                                    CASE(ok_vectors, 1, 32),
                                    CASE(ok_filled_with_zeros, 1, 32),
                                    CASE(ok_dot_product, 1, 32)};

int main(int argc, char **argv) {
    return faulty_main(argc, argv, cases, sizeof cases / sizeof *cases, say_operands);
}
