/* Copies by tensor maps: what they write and read of global memory, what nothing has written, and where a map leads out
 * of the memory that it was made for. */
#include <cuda.h>

#include "faulty.h"

static const int T = 128, WIDTH = 32, ROWS = 16; /* words of a box */

/* g as 32 rows of 32 words, of which the tensor has the first 30; and as 64 rows, of which 32 are there. As two images
 * of 4 x 4 pixels with 32 channels, whose columns are 16 pixels, in a box of 3 x 4: its last place of a row is left
 * out. */
static __constant__ CUtensorMap map_of_g, map_past_g, images_of_g;

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void tensor_load(void *to, const CUtensorMap *map, int y, unsigned long long *full) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(shared_address(full)),
                 "r"(WIDTH * ROWS * 4)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, %2}], "
        "[%3];" ::"r"(shared_address(to)),
        "l"(map), "r"(y), "r"(shared_address(full))
        : "memory");
}
static __device__ void column_load(void *to, const CUtensorMap *map, unsigned long long *full) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(shared_address(full)),
                 "r"(WIDTH * ROWS * 4)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {0, 0, 0, 0}], [%2], {0, 0};" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(full))
                 : "memory");
}
static __device__ void tensor_store(const CUtensorMap *map, int y, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {0, %1}], [%2];" ::"l"(map), "r"(y),
                 "r"(shared_address(from))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
static __device__ void tensor_add(const CUtensorMap *map, int y, const void *from) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {0, %1}], [%2];" ::"l"(map), "r"(y),
        "r"(shared_address(from))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
static __device__ void stored() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
static __device__ void begin(unsigned long long *full) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(full)) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}
static __device__ void loaded(unsigned long long *full) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(
                     shared_address(full))
                 : "memory");
}
/* `rows` of a box, by all threads. */
static __device__ void fill(int *s, int rows, int value) {
    for (int k = threadIdx.x; k < rows * WIDTH; k += T) s[k] = value + k;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

/* ---- races ---- */

__global__ void stores_to_one_place(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000 * (blockIdx.x + 1));
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, 0, s); // FAULT race
        stored();
    }
}
__global__ void ok_stores_apart(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000 * (blockIdx.x + 1));
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, ROWS * blockIdx.x, s);
        stored();
    }
}
/* As CUTLASS does. Of the same copies by lanes of one instruction the machine makes one... */
__global__ void ok_stored_by_a_whole_warp(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000);
    if (threadIdx.x < 32) {
        tensor_store(&map_of_g, 0, s);
        stored();
    }
    __syncthreads();
    s[threadIdx.x] = g[threadIdx.x];
}
/* ... but these are not the same. */
__global__ void stored_by_two_lanes(int *g, int n) {
    __shared__ __align__(128) int s[2 * WIDTH * ROWS];
    fill(s, 2 * ROWS, 5000);
    if (threadIdx.x < 2) {
        tensor_store(&map_of_g, 0, s + threadIdx.x * WIDTH * ROWS); // FAULT race
        stored();
    }
}
__global__ void ok_additions_to_one_place(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000 * (blockIdx.x + 1));
    if (threadIdx.x == 0) {
        tensor_add(&map_of_g, 0, s);
        stored();
    }
}
__global__ void added_and_stored(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000 * (blockIdx.x + 1));
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0)
        tensor_add(&map_of_g, 0, s); // FAULT race
    else
        tensor_store(&map_of_g, 8, s); // FAULT race
    stored();
}
__global__ void read_before_it_is_stored(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000);
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, 0, s); // FAULT race
        stored();
    }
    if (threadIdx.x >= 96) g[512 + threadIdx.x] = g[threadIdx.x]; // FAULT race
}
__global__ void ok_read_once_stored(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000);
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, 0, s);
        stored();
    }
    __syncthreads();
    g[512 + threadIdx.x] = g[threadIdx.x];
}
/* The tensor's rows end after 30 words, a store's after the 16 bytes that these end in. */
__global__ void stored_past_the_row(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000);
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, 0, s); // FAULT race
        stored();
    }
    if (threadIdx.x >= 32 && threadIdx.x < 32 + ROWS) g[(threadIdx.x - 32) * WIDTH + 31] = 7; // FAULT race
}
__global__ void loaded_while_it_is_written(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    __shared__ unsigned long long full;
    begin(&full);
    if (threadIdx.x == 0) tensor_load(s, &map_of_g, 0, &full); // FAULT race
    if (threadIdx.x == 64) g[0] = 5000;                        // FAULT race
    loaded(&full);
    g[512 + threadIdx.x] = s[threadIdx.x];
}
/* What lies beside the tensor is not read. */
__global__ void ok_written_beside_what_is_loaded(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    __shared__ unsigned long long full;
    begin(&full);
    if (threadIdx.x == 0) tensor_load(s, &map_of_g, 0, &full);
    if (threadIdx.x < ROWS) g[threadIdx.x * WIDTH + 30] = 5000;
    loaded(&full);
    g[512 + threadIdx.x] = s[threadIdx.x];
}
__global__ void column_loaded_while_it_is_written(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    __shared__ unsigned long long full;
    begin(&full);
    if (threadIdx.x == 0) column_load(s, &images_of_g, &full); // FAULT race
    if (threadIdx.x == 64) g[16 * WIDTH] = 5000;               // FAULT race
    loaded(&full);
    g[(threadIdx.x / 32 * 4 + 19) * WIDTH + threadIdx.x % 32] = s[threadIdx.x];
}
/* The corners leave a pixel of each row out. */
__global__ void ok_written_beside_the_column(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    __shared__ unsigned long long full;
    begin(&full);
    if (threadIdx.x == 0) column_load(s, &images_of_g, &full);
    if (threadIdx.x < 4) g[(threadIdx.x * 4 + 3) * WIDTH] = 5000;
    loaded(&full);
    g[(threadIdx.x / 32 * 4 + 19) * WIDTH + threadIdx.x % 32] = s[threadIdx.x];
}

/* ---- what nothing has written ---- */

__global__ void unwritten_tensor(int *fresh, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    __shared__ unsigned long long full;
    begin(&full);
    if (threadIdx.x == 0) tensor_load(s, &map_of_g, 0, &full); // FAULT uninitialised
    loaded(&full);
    fresh[512 + threadIdx.x] = s[threadIdx.x] + 1; // FAULT uninitialised
}
/* The second half of the box, which nobody looks at. Past the tensor's rows there are zeros. */
__global__ void ok_unwritten_part(int *fresh, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    __shared__ unsigned long long full;
    for (int k = threadIdx.x; k < 8 * WIDTH; k += T)
        if (k % WIDTH < 30) fresh[k] = k;
    begin(&full);
    if (threadIdx.x == 0) tensor_load(s, &map_of_g, 0, &full);
    loaded(&full);
    fresh[512 + threadIdx.x] = s[threadIdx.x] + s[128 + threadIdx.x] + 1;
}
__global__ void unwritten_rows(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS - 1, 5000);
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, 0, s); // FAULT uninitialised
        stored();
    }
}
/* The box's lower half lies outside of the tensor. */
__global__ void ok_rows_outside(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, 8, 5000);
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, 24, s);
        stored();
    }
}
__global__ void added_to_nothing(int *fresh, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000);
    if (threadIdx.x == 0) {
        tensor_add(&map_of_g, 0, s); // FAULT uninitialised
        stored();
    }
}
/* A store writes its rows, not what lies between them. */
__global__ void between_the_rows(int *fresh, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000);
    if (threadIdx.x == 0) {
        tensor_store(&map_of_g, 0, s);
        stored();
    }
    __syncthreads();
    fresh[512 + threadIdx.x] =
        fresh[threadIdx.x] + fresh[(threadIdx.x + 16 * WIDTH) % (16 * WIDTH + T)]; // FAULT uninitialised
}

/* ---- outside of the memory ---- */

__global__ void stored_past_the_memory(int *g, int n) {
    __shared__ __align__(128) int s[WIDTH * ROWS];
    fill(s, ROWS, 5000);
    if (threadIdx.x == 0) {
        tensor_store(&map_past_g, 24, s); // FAULT illegal address
        stored();
    }
}

static void make_maps(int *g) {
    typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                  const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                  CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *found = nullptr;
    cudaDriverEntryPointQueryResult query;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &query);
    for (int k = 0; k < 2; k++) {
        CUtensorMap map;
        const cuuint64_t size[] = {k == 0 ? 30u : 32u, k == 0 ? 32u : 64u}, stride[] = {WIDTH * 4};
        const cuuint32_t box[] = {WIDTH, ROWS}, steps[] = {1, 1};
        ((encode_tiled *)found)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, g, size, stride, box, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (k == 0) cudaMemcpyToSymbol(map_of_g, &map, sizeof map);
        if (k == 1) cudaMemcpyToSymbol(map_past_g, &map, sizeof map);
    }
    typedef CUresult encode_im2col(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                   const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
                                   const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                   CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &found, 12000, cudaEnableDefault, &query);
    CUtensorMap map;
    const cuuint64_t sides[] = {WIDTH, 4, 4, 2}, strides[] = {WIDTH * 4, WIDTH * 16, WIDTH * 64};
    const int lower[] = {0, 0}, upper[] = {-1, 0};
    const cuuint32_t steps[] = {1, 1, 1, 1};
    ((encode_im2col *)found)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, g, sides, strides, lower, upper, WIDTH, ROWS,
                             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    cudaMemcpyToSymbol(images_of_g, &map, sizeof map);
}

#define FRESH(name)                                                                                                    \
    { #name, name, 1, T, 0, true }
int main(int argc, char **argv) {
    static const faulty_case cases[] = {CASE(stores_to_one_place, 2, T),
                                        CASE(ok_stores_apart, 2, T),
                                        CASE(ok_stored_by_a_whole_warp, 1, T),
                                        CASE(stored_by_two_lanes, 1, T),
                                        CASE(ok_additions_to_one_place, 2, T),
                                        CASE(added_and_stored, 2, T),
                                        CASE(read_before_it_is_stored, 1, T),
                                        CASE(ok_read_once_stored, 1, T),
                                        CASE(stored_past_the_row, 1, T),
                                        CASE(loaded_while_it_is_written, 1, T),
                                        CASE(ok_written_beside_what_is_loaded, 1, T),
                                        CASE(column_loaded_while_it_is_written, 1, T),
                                        CASE(ok_written_beside_the_column, 1, T),
                                        FRESH(unwritten_tensor),
                                        FRESH(ok_unwritten_part),
                                        CASE(unwritten_rows, 1, T),
                                        CASE(ok_rows_outside, 1, T),
                                        FRESH(added_to_nothing),
                                        FRESH(between_the_rows),
                                        CASE(stored_past_the_memory, 1, T)};
    return faulty_main(argc, argv, cases, sizeof cases / sizeof *cases, make_maps);
}
