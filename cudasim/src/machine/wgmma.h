/* wgmma: what its decoder, its bookkeeping (machine/wgmma.c) and its arithmetic (exec/wgmma.c) agree on.
 *
 * wgmma.mma_async is executed by a warpgroup: warps 4i to 4i+3 of a block. Each thread holds a part of D (and of A
 * where that is in registers); what is in shared memory is named by a 64-bit descriptor. Nothing happens when it is
 * issued: all of it is done when the first of the four warps waits for it, from what shared memory holds then. Until a
 * warp has waited itself, its D and A registers are in flight, and an instruction that touches D or writes A stops the
 * launch. PTX ISA 9.7.15.
 */
#pragma once

#include "isa/form.h"
#include "machine/machine.h"

#define WARPGROUP 4 /* warps */
#define WGMMA_M   64
#define WGMMA_K   32 /* the most */

/* A matrix in shared memory consists of chunks of 16 bytes, T elements (8 of 16 bits). In a K-major matrix a chunk
 * holds T neighbours along K, in an MN-major one T neighbours along M or N; eight chunks at equal distance are a core
 * matrix. The descriptor: bits 0-13 start address / 16, bits 16-29 leading byte offset (LBO) / 16, bits 32-45 stride
 * byte offset (SBO) / 16, bits 49-51 base offset, bits 62-63 swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes. With
 * W the bytes and S = W / 16 the chunks of a swizzled row, a chunk's place from the start address on is
 *
 *   K-major (row i of A or column i of B, chunk c along K: an instruction takes 32 bytes, so c is 0 or 1)
 *     none       16 (i % 8) + SBO (i / 8) + LBO c
 *     swizzled    W (i % 8) + SBO (i / 8) +  16 c                     LBO plays no part
 *   MN-major (chunk j along M or N, row k along K); 16-bit types only
 *     none       16 (k % 8) + SBO j + LBO (k / 8)
 *     swizzled   16 (j % S) + LBO (j / S) + W (k % 8) + SBO (k / 8)
 *
 * so: which offset steps     K-major none   K-major swizzled   MN-major none   MN-major swizzled
 *       along M, N by        SBO: 8 rows    SBO: 8 rows        SBO: T rows     LBO: S T rows
 *       along K by           LBO: a chunk   (next chunk)       LBO: 8 rows     SBO: 8 rows
 *
 * Swizzling then exchanges chunks within W bytes: of the shared-memory address, bits 4-6 are XORed with bits 7-9 (128
 * bytes), bits 4-5 with 7-8 (64), bit 4 with 7 (32). As it is the address that counts, a start address may be moved
 * along K inside of the W bytes. Where the pattern does not start at a multiple of 8 W bytes, the base offset is bits
 * 7-9 of the address where it does, and is taken off. */
#define WGMMA_CHUNK 16
static inline uint32_t wgmma_address(uint64_t descriptor, bool mn_major, uint32_t outer, uint32_t inner) {
    static const uint8_t chunks[4] = {1, 8, 4, 2};
    const uint32_t start = (uint32_t)(descriptor & 0x3fff) << 4, lbo = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                   sbo = (uint32_t)(descriptor >> 32 & 0x3fff) << 4, base = (uint32_t)(descriptor >> 49 & 7),
                   mode = (uint32_t)(descriptor >> 62), s = chunks[mode];
    uint32_t address = start;
    if (!mn_major) /* row, chunk along K */
        address += 16 * s * (outer % 8) + sbo * (outer / 8) + (mode == 0 ? lbo : 16) * inner;
    else if (mode == 0) /* chunk along M or N, row along K */
        address += 16 * (inner % 8) + sbo * outer + lbo * (inner / 8);
    else
        address += 16 * (outer % s) + lbo * (outer / s) + 16 * s * (inner % 8) + sbo * (inner / 8);
    return mode == 0 ? address : address ^ (((address >> 7) - base) & (s - 1u)) << 4;
}

/* An instruction on its way. */
typedef struct wgmma_operation {
    const insn *i;
    const function *function;
    uint64_t a, b; /* descriptors */
    bool scale_d;
    uint32_t arrived;              /* the warps that have issued it, a bit each */
    frame *frames[WARPGROUP];      /* whose registers */
    uint8_t *registers[WARPGROUP]; /* the lane arrays of these frames */
    uint32_t group[WARPGROUP];     /* groups that the warp had committed before */
} wgmma_operation;

/* Calls `each` for every chunk of the matrices in shared memory that it reads, until that says false. */
typedef bool wgmma_chunk(void *context, uint32_t address);
void wgmma_chunks(const insn *i, uint64_t a, uint64_t b, wgmma_chunk *each, void *context);

/* `count` operations one after the other, on all of D. `shared` is the block's memory. */
/* False where there is no memory. */
typedef bool wgmma_multiply(const uint8_t *shared, const wgmma_operation *operations, int count);

/* For the handlers. Each waits for all lanes of the warp. */
void wgmma_issue(warp *w, const insn *i, uint32_t mask);
void wgmma_fence(warp *w, const insn *i, uint32_t mask);
void wgmma_commit(warp *w, const insn *i, uint32_t mask);
void wgmma_wait(warp *w, const insn *i, uint32_t mask, wgmma_multiply *multiply);
void setmaxnreg(warp *w, const insn *i, uint32_t mask);

/* Before an instruction that touches registers of a wgmma, or returns: is it allowed now? Returns its own handler. */
sim_handler *wgmma_guard(warp *w, const insn *i, uint32_t mask);

/* All lanes of the warp are about to have exited. */
void wgmma_leave(warp *w);

/* Of a block: nothing is on its way; and its memory goes. */
void wgmma_reset(block *b);
void wgmma_free(block *b);
