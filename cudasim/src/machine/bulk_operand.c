#include "machine/bulk_operand.h"

#include <string.h>

#include "machine/access.h"
#include "machine/async_fault.h"
#include "machine/bulk.h"
#include "machine/cluster.h"

uint64_t bulk_address_of(const warp *w, const bulk_address *a, int lane) {
    const uint8_t *lanes = w->registers + a->slot;
    if (a->wide) return ((const uint64_t *)lanes)[lane] + (uint64_t)a->offset;
    return (uint32_t)(((const uint32_t *)lanes)[lane] + (uint32_t)a->offset);
}

void bulk_shared_address(warp *w, const bulk_address *a, int lane, uint64_t bytes, const char *what, block **target,
                         uint32_t *offset) {
    uint64_t address = bulk_address_of(w, a, lane);
    block *b = w->block;
    bool cluster = a->space == BULK_CLUSTER;
    if (a->space == BULK_GENERIC) {
        const uint64_t window = address - memory_arena() - WINDOW_SHARED;
        if (window >= WINDOW_SIZE)
            async_fault(b, SIM_INVALID_ADDRESS_SPACE, "%s at 0x%llx, which is not in shared memory", what,
                        (unsigned long long)address);
        address = window;
        cluster = true;
    }
    const struct cluster *all = b->cluster;
    const uint64_t rank = address >> CLUSTER_RANK_SHIFT;
    if (rank != b->rank && rank < all->size) {
        if (!cluster)
            async_fault(b, SIM_ILLEGAL_ADDRESS,
                        "%s at 0x%llx, an address of rank %llu's shared memory, as its own: .shared::cluster or a "
                        "generic address is needed (this block has rank %u)",
                        what, (unsigned long long)address, (unsigned long long)rank, b->rank);
        const block *other = all->blocks[rank];
        if (other->live == 0)
            async_fault(b, SIM_LAUNCH_FAILURE,
                        "%s, at 0x%llx of block (%u,%u,%u), rank %llu of the cluster, which has ended: a block must "
                        "wait for those that use its shared memory (barrier.cluster)",
                        what, (unsigned long long)(address & CLUSTER_OFFSET), other->ctaid[0], other->ctaid[1],
                        other->ctaid[2], (unsigned long long)rank);
    }
    *target = b;
    *offset = (uint32_t)address;
    const bool found = address <= UINT32_MAX && cluster_resolve(b, (uint32_t)address, target, offset);
    if (!found || *offset < SHARED_RESERVED || *offset > (*target)->shared_end ||
        bytes > (*target)->shared_end - *offset)
        async_fault(b, SIM_ILLEGAL_ADDRESS,
                    "%s, %llu bytes of shared memory at 0x%llx; the block's shared memory is 0x%x to 0x%x", what,
                    (unsigned long long)bytes, (unsigned long long)(found ? *offset : address), SHARED_RESERVED,
                    b->shared_end);
}

bool bulk_means_others(const warp *w, uint32_t mask, const bulk_address *a) {
    const uint64_t window = a->space == BULK_GENERIC ? memory_arena() + WINDOW_SHARED : 0;
    if (a->space == BULK_GLOBAL) return false;
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        const uint64_t address = bulk_address_of(w, a, l) - window, rank = address >> CLUSTER_RANK_SHIFT;
        if (address < WINDOW_SIZE && rank != w->block->rank && rank < w->block->cluster->size) return true;
    }
    return false;
}

bool bulk_yields(warp *w, uint32_t mask, const bulk_address *a) {
    return w->block->cluster->size > 1 && bulk_means_others(w, mask, a) && cluster_yields(w, mask, true);
}

void bulk_aligned(block *b, uint64_t address, unsigned to, const char *what) {
    if (address % to != 0)
        async_fault(b, SIM_MISALIGNED_ADDRESS, "%s at 0x%llx, which is not aligned to %u", what,
                    (unsigned long long)address, to);
}

void bulk_global_range(block *b, uint64_t first, uint64_t end, bool write, const char *what) {
    const memory_allocation *m = memory_find(first);
    if (m != NULL && end - m->base <= m->size && !(write && m->kind == MEMORY_CONSTANT)) return;
    memory_allocation near;
    bool freed;
    if (m != NULL && m->kind == MEMORY_CONSTANT)
        async_fault(b, SIM_ILLEGAL_ADDRESS, "%s: %s is constant", what, m->name);
    if (!memory_nearest(first, &near, &freed))
        async_fault(b, SIM_ILLEGAL_ADDRESS, "%s, %llu bytes at 0x%llx: nothing is there", what,
                    (unsigned long long)(end - first), (unsigned long long)first);
    async_fault(b, SIM_ILLEGAL_ADDRESS, "%s, %llu bytes at 0x%llx, not inside of the %s%llu-byte allocation at 0x%llx",
                what, (unsigned long long)(end - first), (unsigned long long)first, freed ? "freed " : "",
                (unsigned long long)near.size, (unsigned long long)near.base);
}

/* A kernel's parameter (__grid_constant__), or in constant or global memory. */
static void read_map(warp *w, const bulk_form *form, int lane, tensor_map *map) {
    block *b = w->block;
    const uint64_t address = bulk_address_of(w, &form->map, lane), window = address - memory_arena();
    bulk_aligned(b, address, 64, "a tensor map");
    if (window >= WINDOW_LOCAL && window < WINDOW_LOCAL + WINDOW_SIZE)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                    "a tensor map in local memory: as a kernel's parameter it must be const __grid_constant__");
    if (window >= WINDOW_SHARED && window < WINDOW_SHARED + WINDOW_SIZE)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "a tensor map in shared memory");
    const uint8_t *bytes = access_peek(w, lane, address, 128);
    if (bytes == NULL)
        async_fault(b, SIM_ILLEGAL_ADDRESS, "a tensor map at 0x%llx, where no 128 bytes are",
                    (unsigned long long)address);
    memcpy(map, bytes, sizeof *map);
    if (!tensormap_valid(map))
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "what is at 0x%llx is no tensor map", (unsigned long long)address);
    if (map->rank != form->rank)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "a copy of %u dimensions with a tensor map of %u", form->rank,
                    map->rank);
    if (map->im2col != form->im2col)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "%s copy with a tensor map of %s",
                    form->im2col ? "an im2col" : "a tiled",
                    map->im2col ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled");
}

/* The base of the filter must lie within the box, and offsets have few bits: what a GPU does otherwise is not
 * documented. Stores take no part of a box outside of the tensor. */
static void check_im2col(warp *w, const bulk_form *form, const tensor_map *map, const tensor_at *at) {
    static const char names[] = "WHD";
    for (unsigned k = 1; k + 1 < map->rank; k++) {
        int64_t from, to;
        tensormap_box(map, k, &from, &to);
        if (at->coordinates[k] < from || at->coordinates[k] >= to)
            async_fault(w->block, SIM_ILLEGAL_INSTRUCTION,
                        "an im2col copy from %c = %d; the map's corners leave %lld to %lld for the filter's base",
                        names[k - 1], at->coordinates[k], (long long)from, (long long)to - 1);
        if (at->offsets[k - 1] > tensormap_most_offset(map))
            async_fault(w->block, SIM_ILLEGAL_INSTRUCTION,
                        "an im2col offset of %u in %c: of a tensor of %u dimensions it is at most %u",
                        at->offsets[k - 1], names[k - 1], map->rank, tensormap_most_offset(map));
        if (form->to.space == BULK_GLOBAL && (map->lower[k - 1] < 0 || map->upper[k - 1] > 0))
            async_fault(
                w->block, SIM_ILLEGAL_INSTRUCTION,
                "an im2col store or reduction by a map whose corners, %d and %d in %c, lie outside of the tensor",
                map->lower[k - 1], map->upper[k - 1], names[k - 1]);
    }
}

void bulk_read_tensor(warp *w, const bulk_form *form, int lane, tensor_map *map, tensor_at *at) {
    read_map(w, form, lane, map);
    memset(at, 0, sizeof *at);
    for (unsigned k = 0; k < form->rank; k++)
        at->coordinates[k] = ((const int32_t *)(w->registers + form->coordinates[k]))[lane];
    if (form->im2col && form->to.space != BULK_GLOBAL)
        for (unsigned k = 0; k + 2 < form->rank; k++)
            at->offsets[k] = (uint16_t)((const uint32_t *)(w->registers + form->offsets[k]))[lane];
    if (form->im2col) check_im2col(w, form, map, at);
    if (!tensormap_aligned(map, at))
        async_fault(w->block, SIM_ILLEGAL_INSTRUCTION,
                    "a tensor copy from coordinate %d of elements of %u bytes: the innermost one must be a multiple of "
                    "16 bytes",
                    at->coordinates[0], tensormap_element(map));
}

ptx_type bulk_reduction_type(const tensor_map *map, atomic_op op) {
    static const ptx_type types[TENSOR_TYPES] = {
        [TENSOR_U32] = PTX_U32,     [TENSOR_S32] = PTX_S32,  [TENSOR_U64] = PTX_U64,     [TENSOR_S64] = PTX_S64,
        [TENSOR_F16] = PTX_F16,     [TENSOR_F32] = PTX_F32,  [TENSOR_BF16] = PTX_BF16,   [TENSOR_F64] = PTX_F64,
        [TENSOR_F32_FTZ] = PTX_F32, [TENSOR_TF32] = PTX_F32, [TENSOR_TF32_FTZ] = PTX_F32};
    const ptx_type type = types[map->type];
    const bool floating = map->type >= TENSOR_F16, wide = type == PTX_F32 || type == PTX_F64;
    if (floating && (op > ATOMIC_MAX || (wide && op != ATOMIC_ADD))) return PTX_NO_TYPE;
    if ((op == ATOMIC_INC || op == ATOMIC_DEC) && type != PTX_U32) return PTX_NO_TYPE;
    return type;
}
