/* Which host memory an address means, and whether the access is allowed. */
#include <stdio.h>
#include <string.h>

#include "machine/access.h"
#include "machine/cluster.h"
#include "machine/fault.h"

static const char *verb(access_kind kind) {
    return kind == ACCESS_READ ? "reads" : kind == ACCESS_WRITE ? "writes" : "atomically changes";
}

/* How far off a bad global address is from the nearest thing that it may have meant. */
static void describe_global(uint64_t address, unsigned bytes, char *text, size_t size) {
    memory_allocation m;
    bool freed;
    text[0] = '\0';
    if (address < 4096) {
        snprintf(text, size, ": a null pointer");
        return;
    }
    const memory_allocation *live = memory_find(address);
    if (live != NULL && live->kind == MEMORY_CONSTANT && address + bytes <= live->base + live->size) {
        snprintf(text, size, ": %s is constant", live->name);
        return;
    }
    if (!memory_nearest(address, &m, &freed)) return;
    char what[160];
    if (m.name != NULL)
        snprintf(what, sizeof what, "%s (%llu bytes at 0x%llx)", m.name, (unsigned long long)m.size,
                 (unsigned long long)m.base);
    else
        snprintf(what, sizeof what, "the %s%llu-byte allocation at 0x%llx", freed ? "freed " : "",
                 (unsigned long long)m.size, (unsigned long long)m.base);
    if (address >= m.base + m.size)
        snprintf(text, size, ": %llu bytes past the end of %s", (unsigned long long)(address - (m.base + m.size)),
                 what);
    else if (address + bytes > m.base + m.size && address >= m.base)
        snprintf(text, size, ": it runs over the end of %s", what);
    else if (address < m.base)
        snprintf(text, size, ": %llu bytes before %s", (unsigned long long)(m.base - address), what);
    else
        snprintf(text, size, ": inside of %s", what);
}

static uint8_t *shared_pointer(const warp *w, uint64_t address, unsigned bytes) {
    const uint64_t offset = address - cluster_base(w->block);
    if (offset < SHARED_RESERVED || offset > w->block->shared_end - bytes) return NULL;
    return w->block->shared + offset;
}

static uint8_t *local_pointer(const warp *w, int lane, uint64_t offset, uint64_t bytes) {
    const uint64_t top = (uint64_t)w->frame->local_base + w->frame->function->frame_bytes;
    if (w->stack == NULL || offset > top || bytes > top - offset) return NULL;
    return w->stack + (uint64_t)lane * w->launch->stack_bytes + offset;
}

/* One lane's address in generic terms; NULL where nothing is there. */
static uint8_t *generic_pointer(warp *w, int lane, uint64_t address, uint64_t bytes, bool write) {
    const uint64_t offset = address - memory_arena();
    if (offset < WINDOW_END) {
        if (offset >= WINDOW_SHARED && offset < WINDOW_SHARED + WINDOW_SIZE)
            return cluster_pointer(w, offset - WINDOW_SHARED, bytes);
        if (offset >= WINDOW_LOCAL && offset < WINDOW_LOCAL + WINDOW_SIZE)
            return local_pointer(w, lane, offset - WINDOW_LOCAL, bytes);
        if (offset >= WINDOW_PARAM && !write && offset - WINDOW_PARAM <= w->launch->param_bytes &&
            bytes <= w->launch->param_bytes - (offset - WINDOW_PARAM))
            return w->launch->params + (offset - WINDOW_PARAM);
        return NULL;
    }
    const memory_allocation *m = memory_find(address);
    if (m == NULL || bytes > m->size - (address - m->base) || (write && m->kind == MEMORY_CONSTANT)) return NULL;
    return (uint8_t *)address;
}

#ifdef __x86_64__
__attribute__((target("cx16"))) /* every x86-64 processor since 2006 */
#endif
access_128
access_swap_128(void *address, access_128 expected, access_128 desired) {
    return __sync_val_compare_and_swap((access_128 *)address, expected, desired);
}

const uint8_t *access_peek(warp *w, int lane, uint64_t address, uint64_t bytes) {
    return generic_pointer(w, lane, address, bytes, false);
}

_Noreturn static void bad_address(warp *w, const insn *i, uint32_t lanes, ptx_space space, uint64_t address,
                                  unsigned bytes, access_kind kind) {
    const block *b = w->block;
    const uint64_t window = address - memory_arena();
    if (space == PTX_NO_SPACE && window >= WINDOW_SHARED && window < WINDOW_SHARED + WINDOW_SIZE) {
        space = PTX_SHARED_CLUSTER;
        address = window - WINDOW_SHARED;
    } else if (space == PTX_NO_SPACE && window >= WINDOW_LOCAL && window < WINDOW_LOCAL + WINDOW_SIZE) {
        space = PTX_LOCAL;
        address = window - WINDOW_LOCAL;
    }
    const uint64_t rank = address >> CLUSTER_RANK_SHIFT;
    if (space == PTX_SHARED_CLUSTER && rank != b->rank) cluster_bad_address(w, i, lanes, address, bytes, verb(kind));
    if (space == PTX_SHARED && rank != b->rank && rank < b->cluster->size)
        sim_fault(w, i, lanes, SIM_ILLEGAL_ADDRESS,
                  "%s %u bytes at 0x%llx, an address of rank %llu's shared memory, as its own: .shared::cluster or a "
                  "generic address is needed (this block has rank %u)",
                  verb(kind), bytes, (unsigned long long)address, (unsigned long long)rank, b->rank);
    if (space == PTX_SHARED || space == PTX_SHARED_CLUSTER) {
        address -= cluster_base(b);
        sim_fault(w, i, lanes, SIM_ILLEGAL_ADDRESS,
                  "%s %u bytes of shared memory at 0x%llx; the block's shared memory is 0x%x to 0x%x", verb(kind),
                  bytes, (unsigned long long)address, SHARED_RESERVED, b->shared_end);
    } else if (space == PTX_LOCAL) {
        sim_fault(w, i, lanes, SIM_ILLEGAL_ADDRESS, "%s %u bytes of local memory at 0x%llx; the thread has %u",
                  verb(kind), bytes, (unsigned long long)address,
                  w->frame->local_base + w->frame->function->frame_bytes);
    } else {
        char where[256];
        describe_global(address, bytes, where, sizeof where);
        sim_fault(w, i, lanes, SIM_ILLEGAL_ADDRESS, "%s %u bytes at 0x%llx%s", verb(kind), bytes,
                  (unsigned long long)address, where);
    }
}

/* Is another block's shared memory meant, and must those run first? */
static bool yields(warp *w, uint32_t mask, ptx_space space, const uint64_t *addresses) {
    const cluster *c = w->block->cluster;
    const uint64_t window = space == PTX_NO_SPACE ? memory_arena() + WINDOW_SHARED : 0;
    if (c->size == 1 || (space != PTX_SHARED_CLUSTER && space != PTX_NO_SPACE)) return false;
    bool others = false;
    for (int l = 0; l < LANES && !others; l++) {
        const uint64_t address = addresses[l] - window;
        others = mask >> l & 1 && address < WINDOW_SIZE && address >> CLUSTER_RANK_SHIFT != w->block->rank;
    }
    return others && cluster_yields(w, mask, false);
}

bool access_resolve(warp *w, const insn *i, uint32_t mask, ptx_space space, const uint64_t *addresses, unsigned bytes,
                    access_kind kind, uint8_t **pointers) {
    if (yields(w, mask, space, addresses)) return false;
    uint8_t *result[LANES]; /* `pointers` may be the addresses' own place */
    const bool write = kind != ACCESS_READ;
    uint32_t misaligned = 0, bad = 0;
    const memory_allocation *m = NULL;
    for (int l = 0; l < LANES; l++) {
        result[l] = NULL;
        if (!(mask >> l & 1)) continue;
        const uint64_t address = addresses[l];
        if (address & (bytes - 1)) {
            misaligned |= 1u << l;
            continue;
        }
        switch (space) {
        case PTX_SHARED:
            result[l] = shared_pointer(w, address, bytes);
            break;
        case PTX_SHARED_CLUSTER:
            result[l] = cluster_pointer(w, address, bytes);
            break;
        case PTX_LOCAL:
            result[l] = local_pointer(w, l, address, bytes);
            break;
        default:
            if (m == NULL || address < m->base || address - m->base >= m->size)
                m = address - memory_arena() >= WINDOW_END ? memory_find(address) : NULL;
            if (m != NULL && bytes <= m->size - (address - m->base) && !(write && m->kind == MEMORY_CONSTANT))
                result[l] = (uint8_t *)address;
            else if (space == PTX_NO_SPACE)
                result[l] = generic_pointer(w, l, address, bytes, write);
        }
        if (result[l] == NULL) bad |= 1u << l;
    }
    if (misaligned != 0) {
        const int l = __builtin_ctz(misaligned);
        sim_fault(w, i, misaligned, SIM_MISALIGNED_ADDRESS, "%s %u bytes at 0x%llx, which is not aligned to %u",
                  verb(kind), bytes, (unsigned long long)addresses[l], bytes);
    }
    if (bad != 0) {
        const int l = __builtin_ctz(bad);
        bad_address(w, i, bad, space, addresses[l], bytes, kind);
    }
    if (m != NULL) *recent_allocation(w, i) = m;
    uint8_t *some = result[__builtin_ctz(mask)];
    for (int l = 0; l < LANES; l++) pointers[l] = result[l] != NULL ? result[l] : some;
    return true;
}
