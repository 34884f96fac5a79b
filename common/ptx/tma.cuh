/* The tensor memory accelerator: one thread starts the copy of a box of a matrix between global and shared memory (PTX
 * ISA, "Data Movement and Conversion Instructions: cp.async.bulk.tensor"; sm_90 and newer).
 *
 * The matrix is described by a tensor map that the host makes (tensor/tensor_map.h): address, sides, pitch, the box's
 * sides and the swizzle. x is the box's first column (the contiguous dimension), y its first row. What lies outside the
 * matrix is read as zero and not written. Even so, a load counts the bytes of the whole box at its mbarrier.
 *
 * With the 128-byte swizzle a row of the box is 128 bytes, and if the box begins at a multiple of 1024 bytes, the
 * 16-byte chunk c of row r lies where chunk c ^ (r % 8) would be (else r is the address / 128):
 *
 *   row 0   0 1 2 3 4 5 6 7        eight lanes that read one chunk of eight
 *   row 1   1 0 3 2 5 4 7 6        consecutive rows meet all 32 banks
 *   row 2   2 3 0 1 6 7 4 5
 *   ...
 */
#pragma once

#include <stdint.h>

#include "ptx/sm90.cuh"

/* Prefetches a tensor map into the cache that the copies read it from. */
__device__ __forceinline__ void tma_prefetch(const void *map) {
    KL_SM90("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* Global to this block's shared memory; the barrier is this block's too. */
__device__ __forceinline__ void tma_load(uint32_t to, const void *map, int x, int y, uint32_t barrier) {
    KL_SM90("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
            "[%4];" ::"r"(to),
            "l"(map), "r"(x), "r"(y), "r"(barrier)
            : "memory");
}

/* The same of an array of three dimensions. */
__device__ __forceinline__ void tma_load_3d(uint32_t to, const void *map, int x, int y, int z, uint32_t barrier) {
    KL_SM90("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%2, %3, %4}], [%5];" ::"r"(to),
            "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
            : "memory");
}

/* The same of an array of four dimensions. */
__device__ __forceinline__ void tma_load_4d(uint32_t to, const void *map, int x, int y, int z, int w,
                                            uint32_t barrier) {
    KL_SM90("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%2, %3, %4, %5}], [%6];" ::"r"(to),
            "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier)
            : "memory");
}

/* A column of pixels of images in n h w c (PTX ISA, "Tensors", im2col mode): as many rows as the map has pixels, each
 * the channels of one pixel from c on. (x, y) is the corner of the window of the first place, in image n; of the window
 * it is the pixel (tap_x, tap_y) further that is copied, at most 255. The next row is of the next place: along x, then
 * y, then the next image. The map has the stride, and where the corner goes from one row and image to the next. What
 * lies outside of an image is read as zero. */
__device__ __forceinline__ void tma_load_im2col(uint32_t to, const void *map, int c, int x, int y, int n, int tap_x,
                                                int tap_y, uint32_t barrier) {
    KL_SM90("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to),
            "l"(map), "r"(c), "r"(x), "r"(y), "r"(n), "r"(barrier), "h"((uint16_t)tap_x), "h"((uint16_t)tap_y)
            : "memory");
}

/* The same into every block of the cluster whose bit is set in `ranks`: to the same place, counted at the barrier at
 * the same place. Read from L2 once. (sm_90a: newer GPUs without the "a" may be slow at it.) */
__device__ __forceinline__ void tma_load_multicast(uint32_t to, const void *map, int x, int y, uint32_t barrier,
                                                   unsigned ranks) {
    KL_SM90A(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((uint16_t)ranks)
        : "memory");
}

/* The same of an array of three dimensions. */
__device__ __forceinline__ void tma_load_multicast_3d(uint32_t to, const void *map, int x, int y, int z,
                                                      uint32_t barrier, unsigned ranks) {
    KL_SM90A(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"((uint16_t)ranks)
        : "memory");
}

/* Shared to global memory. What threads have stored at `from` needs fence_proxy_async and a barrier first. */
__device__ __forceinline__ void tma_store(const void *map, int x, int y, uint32_t from) {
    KL_SM90("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
            "r"(y), "r"(from)
            : "memory");
}

/* The same of an array of four dimensions. */
__device__ __forceinline__ void tma_store_4d(const void *map, int x, int y, int z, int w, uint32_t from) {
    KL_SM90("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(map),
            "r"(x), "r"(y), "r"(z), "r"(w), "r"(from)
            : "memory");
}

/* Stores are counted in groups, by the thread that issued them. */
__device__ __forceinline__ void tma_store_commit() {
    KL_SM90("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until at most N of this thread's groups have yet to read their source; that of the others may be overwritten.
 */
template <int N> __device__ __forceinline__ void tma_store_wait_read() {
    KL_SM90("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
