#include "machine/bulk.h"

#include <stdlib.h>
#include <string.h>

#include "machine/access.h"
#include "machine/async.h"
#include "machine/async_fault.h"
#include "machine/bulk_operand.h"
#include "machine/cluster.h"
#include "machine/fault.h"
#include "machine/mbarrier.h"
#include "machine/modify.h"
#include "machine/observe.h"
#include "machine/proxy.h"

typedef enum bulk_kind {
    BULK_LOAD,  /* into shared memory, with an mbarrier */
    BULK_STORE, /* out of shared memory, with a bulk group */
    BULK_ARRIVE /* cp.async.mbarrier.arrive */
} bulk_kind;

/* One copy in flight, kept by the block whose mbarrier it reports to, or that has issued it. */
typedef struct bulk_copy {
    struct bulk_copy *next;
    bulk_kind kind;
    bool read; /* of a store: the source has been read, into data */
    uint8_t reduce, type;
    warp *w; /* that issued it, and where */
    const insn *i;
    const function *f;
    uint32_t lanes;
    uint32_t group; /* the number of groups the thread had committed then */
    uint64_t serial;
    uint64_t observed_serial; /* its number for observers */
    block *source_block;      /* of shared memory; NULL: `data` (st.async, red.async) or `global` is the source */
    uint32_t source, target, mbarrier;
    uint64_t global, bytes;
    tensor_map map; /* rank 0: a plain copy */
    tensor_at at;
    uint8_t *data;
} bulk_copy;

static uint64_t observed_copies;

struct bulk_copies {
    bulk_copy *first, **last;
    uint32_t committed[]; /* groups, a thread */
};

#define COPIES "bulk copies"

/* Bytes from the first to the last that it has in shared memory. */
static uint32_t extent_of(const bulk_copy *c) {
    return (uint32_t)(c->map.rank > 0 ? tensormap_extent(&c->map) : c->bytes);
}

static struct bulk_copies *copies_of(block *b) {
    if (b->bulk == NULL) {
        const size_t bytes = sizeof *b->bulk + (size_t)b->warp_count * LANES * sizeof *b->bulk->committed;
        b->bulk = allocated(b->worker, calloc(1, bytes), bytes, COPIES);
        b->bulk->last = &b->bulk->first;
    }
    return b->bulk;
}

/* `to` is the block that it goes to, or in whose shared memory it begins. */
static void call_hook(const bulk_copy *c, block *to, copy_stage stage) {
    if (c->w->launch->observer == NULL || c->kind == BULK_ARRIVE) return;
    const observed_bulk observed = {.stage = stage,
                                    .w = c->w,
                                    .function = c->f,
                                    .i = c->i,
                                    .lane = __builtin_ctz(c->lanes),
                                    .to_block = c->kind == BULK_LOAD ? to : NULL,
                                    .from_block = c->source_block,
                                    .to = c->target,
                                    .from = c->source,
                                    .mbarrier = c->mbarrier,
                                    .global = c->global,
                                    .bytes = c->bytes,
                                    .extent = extent_of(c),
                                    .map = c->map.rank > 0 ? &c->map : NULL,
                                    .at = &c->at,
                                    .reduces = c->reduce != ATOMIC_NONE,
                                    .serial = c->observed_serial};
    observe_bulk(&observed);
}

static bulk_copy *add(block *b, const bulk_copy *copy) {
    struct bulk_copies *s = copies_of(b);
    bulk_copy *c = allocated(b->worker, malloc(sizeof *c), sizeof *c, COPIES);
    *c = *copy;
    c->next = NULL;
    if (c->w->launch->observer != NULL) c->observed_serial = __atomic_fetch_add(&observed_copies, 1, __ATOMIC_RELAXED);
    *s->last = c;
    s->last = &c->next;
    if (c->kind != BULK_STORE) mbarrier_in_flight(b, c->mbarrier);
    call_hook(c, b, COPY_ISSUED);
    return c;
}

/* Takes *at out of the list. */
static void drop(struct bulk_copies *s, bulk_copy **at) {
    bulk_copy *c = *at;
    *at = c->next;
    if (s->last == &c->next) s->last = at;
    free(c->data);
    free(c);
}

void bulk_clear(block *b) {
    if (b->bulk == NULL) return;
    while (b->bulk->first != NULL) drop(b->bulk, &b->bulk->first);
    memset(b->bulk->committed, 0, (size_t)b->warp_count * LANES * sizeof *b->bulk->committed);
}

void bulk_free(block *b) {
    bulk_clear(b);
    free(b->bulk);
    b->bulk = NULL;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Denormals of f32 are kept, unlike by atom.add.f32 in global memory, but with a tensor map of an FTZ type (`flush`).
 */
#define REDUCE_ALL(word)                                                                                               \
    for (uint64_t k = 0; k < bytes; k += sizeof(word)) {                                                               \
        word *p = (word *)(to + k), value, old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                            \
        memcpy(&value, from + k, sizeof value);                                                                        \
        do new = (word)atomic_modify(op, type, old, value, flush, true);                                               \
        while (!__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));                 \
    }

static void reduce(atomic_op op, ptx_type type, bool flush, uint8_t *to, const uint8_t *from, uint64_t bytes) {
    switch (ptx_type_size(type)) {
    case 2:
        REDUCE_ALL(uint16_t);
        return;
    case 4:
        REDUCE_ALL(uint32_t);
        return;
    default:
        REDUCE_ALL(uint64_t);
    }
}

/* ---- carrying out ------------------------------------------------------------------------------------------------ */

/* Faults from here on are reported at the instruction that issued the copy. */
static void fault_site(const bulk_copy *c) {
    async_site(c->w, c->i, c->f, c->lanes);
}

/* A kernel's own free() may have come in between. */
static void still_there(const bulk_copy *c, block *b, uint64_t first, uint64_t end) {
    const memory_allocation *m = memory_find(first);
    if (m == NULL || end - m->base > m->size)
        async_fault(b, SIM_ILLEGAL_ADDRESS, "the memory at 0x%llx was freed while a bulk copy of it was in flight",
                    (unsigned long long)first);
}

static void load(block *b, bulk_copy *c) {
    uint64_t first, end;
    fault_site(c);
    if (c->map.rank > 0) {
        if (tensormap_range(&c->map, &c->at, &first, &end)) still_there(c, b, first, end);
        tensormap_load(&c->map, &c->at, b->shared, c->target);
        return;
    }
    if (c->source_block == NULL && c->data == NULL) still_there(c, b, c->global, c->global + c->bytes);
    const uint8_t *from = c->data != NULL           ? c->data
                          : c->source_block != NULL ? c->source_block->shared + c->source
                                                    : (const uint8_t *)c->global;
    if (c->reduce != ATOMIC_NONE)
        reduce((atomic_op)c->reduce, (ptx_type)c->type, false, b->shared + c->target, from, c->bytes);
    else
        memmove(b->shared + c->target, from, c->bytes);
}

bool bulk_land(block *b, uint32_t mbarrier) {
    if (b->bulk == NULL) return false;
    uint64_t bytes = 0;
    uint32_t arrivals = 0;
    bool any = false;
    bulk_copy latest = {0};
    for (bulk_copy **at = &b->bulk->first; *at != NULL;) {
        bulk_copy *c = *at;
        if (c->kind == BULK_STORE || c->mbarrier != mbarrier) {
            at = &c->next;
            continue;
        }
        any = true;
        if (c->kind == BULK_ARRIVE) {
            fault_site(c);
            async_complete(c->w, c->lanes, c->serial);
            observe_sync(SYNC_MBARRIER_ARRIVE, b, c->w, c->lanes, mbarrier);
            arrivals += (uint32_t)__builtin_popcount(c->lanes);
        } else {
            load(b, c);
            call_hook(c, b, COPY_LANDED);
            bytes += c->bytes;
        }
        latest = *c;
        drop(b->bulk, at);
    }
    if (any) {
        fault_site(&latest);
        mbarrier_land(b, mbarrier, bytes, arrivals);
    }
    return any;
}

static void read_source(bulk_copy *c) {
    if (c->read) return;
    block *b = c->source_block;
    c->data = allocated(b->worker, malloc(c->bytes + 16), c->bytes + 16, "what a bulk copy has read");
    if (c->map.rank > 0)
        tensormap_gather(&c->map, b->shared, c->source, c->data);
    else
        memcpy(c->data, b->shared + c->source, c->bytes);
    c->read = true;
    call_hook(c, b, COPY_READ);
    proxy_source(b, c->source, extent_of(c), false);
    for (bulk_copy *other = b->bulk->first; other != NULL; other = other->next) /* others may read it, too */
        if (other->kind == BULK_STORE && !other->read) proxy_source(b, other->source, extent_of(other), true);
}

typedef struct destination {
    const bulk_copy *copy;
    uint64_t end; /* of the allocation: what a store writes past a tensor's last row may lie outside */
} destination;

static void put(void *context, uint8_t *to, const uint8_t *from, uint64_t bytes) {
    const destination *d = context;
    const bulk_copy *c = d->copy;
    if ((uint64_t)to >= d->end) return;
    if (bytes > d->end - (uint64_t)to) bytes = d->end - (uint64_t)to;
    if (c->reduce != ATOMIC_NONE)
        reduce((atomic_op)c->reduce, (ptx_type)c->type, c->map.type == TENSOR_F32_FTZ || c->map.type == TENSOR_TF32_FTZ,
               to, from, bytes);
    else
        memcpy(to, from, bytes);
}

static void store(bulk_copy *c) {
    uint64_t first = c->global, end = c->global + c->bytes;
    read_source(c);
    call_hook(c, c->source_block, COPY_LANDED);
    fault_site(c);
    if (c->map.rank == 0) {
        still_there(c, c->source_block, first, end);
        put(&(destination){c, end}, (uint8_t *)c->global, c->data, c->bytes);
        return;
    }
    if (tensormap_range(&c->map, &c->at, &first, &end))
        still_there(c, c->source_block, first, end);
    else
        first = c->map.address;
    const memory_allocation *m = memory_find(first);
    if (m != NULL) tensormap_scatter(&c->map, &c->at, c->data, put, &(destination){c, m->base + m->size});
}

/* ---- issuing ----------------------------------------------------------------------------------------------------- */

static void issue_load(warp *w, const bulk_form *form, int lane, bulk_copy *c) {
    block *b = w->block, *target, *at_block;
    const unsigned alignment = form->rank > 0 ? 128 : 16;
    const uint64_t extent = form->rank > 0 ? tensormap_extent(&c->map) : c->bytes;
    uint64_t first, end;
    bulk_shared_address(w, &form->to, lane, extent, "a bulk copy to shared memory", &target, &c->target);
    bulk_aligned(b, c->target, alignment, "a bulk copy to shared memory");
    bulk_shared_address(w, &form->mbarrier, lane, 8, "the mbarrier of a bulk copy", &at_block, &c->mbarrier);
    bulk_aligned(b, c->mbarrier, 8, "the mbarrier of a bulk copy");
    if (at_block != target)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "a bulk copy to one block of the cluster with the mbarrier of another");
    if (form->rank > 0) {
        if (tensormap_range(&c->map, &c->at, &first, &end))
            bulk_global_range(b, first, end, false, "a bulk copy reads a tensor");
    } else if (form->from.space == BULK_CTA) {
        block *own;
        bulk_shared_address(w, &form->from, lane, c->bytes, "a bulk copy from shared memory", &own, &c->source);
        bulk_aligned(b, c->source, 16, "a bulk copy from shared memory");
        proxy_check(w, own, c->source, (uint32_t)c->bytes, "read");
        c->source_block = own;
    } else {
        c->global = bulk_address_of(w, &form->from, lane);
        bulk_aligned(b, c->global, 16, "a bulk copy from global memory");
        if (c->bytes > 0) bulk_global_range(b, c->global, c->global + c->bytes, false, "a bulk copy reads");
    }
    uint32_t ranks = 1;
    if (form->multicast) {
        ranks = ((const uint32_t *)(w->registers + form->mask))[lane] & 0xffff;
        if (ranks == 0) async_fault(b, SIM_ILLEGAL_INSTRUCTION, "a multicast to no block");
    }
    for (uint32_t rank = 0; rank < 16; rank++) {
        if (!(ranks >> rank & 1)) continue;
        block *to = form->multicast ? cluster_block(b, rank) : target;
        if (to == NULL && rank >= b->cluster->size)
            async_fault(b, SIM_ILLEGAL_ADDRESS, "a multicast to block %u of the cluster, which is not there", rank);
        if (to == NULL)
            async_fault(b, SIM_LAUNCH_FAILURE,
                        "a multicast to block %u of the cluster, which has ended: a block must wait for those that use "
                        "its shared memory (barrier.cluster)",
                        rank);
        mbarrier_check(to, c->mbarrier);
        proxy_check(w, to, c->target, (uint32_t)extent, "overwritten");
        if (form->rank == 0 && c->bytes == 0) continue;
        add(to, c);
    }
}

/* A copy out of shared memory is carried out once for the lanes of an instruction that would all make the same, as
 * ptxas has it: it issues a store once for each value of its operands, but a load, which its mbarrier counts, and a
 * reduction once for each lane. Returns whether this lane has joined one of the instruction's, which begin at `own`. */
static bool joins(const bulk_copy *c, bulk_copy *own) {
    for (; own != NULL; own = own->next) {
        if (c->reduce != ATOMIC_NONE || own->source != c->source || own->source_block != c->source_block ||
            own->global != c->global || own->bytes != c->bytes || own->group != c->group ||
            memcmp(&own->map, &c->map, sizeof c->map) != 0 || memcmp(&own->at, &c->at, sizeof c->at) != 0)
            continue;
        own->lanes |= c->lanes;
        return true;
    }
    return false;
}

static void issue_store(warp *w, const bulk_form *form, int lane, bulk_copy *c, bulk_copy **own) {
    block *b = w->block;
    const unsigned alignment = form->rank > 0 ? 128 : 16;
    const uint64_t extent = form->rank > 0 ? tensormap_extent(&c->map) : c->bytes;
    uint64_t first, end;
    bulk_shared_address(w, &form->from, lane, extent, "a bulk copy from shared memory", &c->source_block, &c->source);
    bulk_aligned(b, c->source, alignment, "a bulk copy from shared memory");
    if (form->rank > 0) {
        for (unsigned k = 0; k < form->rank; k++)
            if (c->at.coordinates[k] < 0)
                async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                            "a tensor store or reduction from coordinate %d of dimension %u: only loads take negative "
                            "ones",
                            c->at.coordinates[k], k);
        if (tensormap_range(&c->map, &c->at, &first, &end))
            bulk_global_range(b, first, end, true, "a bulk copy writes a tensor");
        if (form->reduce != ATOMIC_NONE) {
            c->type = (uint8_t)bulk_reduction_type(&c->map, (atomic_op)form->reduce);
            if (c->type == PTX_NO_TYPE)
                async_fault(b, SIM_ILLEGAL_INSTRUCTION, "this reduction does not go with the tensor map's type");
        }
    } else {
        c->global = bulk_address_of(w, &form->to, lane);
        bulk_aligned(b, c->global, 16, "a bulk copy to global memory");
        if (c->bytes > 0) bulk_global_range(b, c->global, c->global + c->bytes, true, "a bulk copy writes");
    }
    proxy_check(w, b, c->source, (uint32_t)extent, "read");
    if (c->bytes == 0) return;
    c->group = copies_of(b)->committed[w->index * LANES + (uint32_t)lane];
    if (joins(c, *own)) return;
    proxy_source(b, c->source, (uint32_t)extent, true);
    add(b, c);
}

/* Other blocks of the cluster that a copy goes to run first. */
static bool copy_yields(warp *w, uint32_t mask, const bulk_form *form) {
    const block *b = w->block;
    const bool load = form->to.space == BULK_CTA || form->to.space == BULK_CLUSTER;
    if (b->cluster->size == 1) return false;
    bool others = bulk_means_others(w, mask, load ? &form->to : &form->from) ||
                  (load && bulk_means_others(w, mask, &form->mbarrier));
    for (int l = 0; l < LANES && load && form->multicast; l++)
        if (mask >> l & 1)
            others |= (((const uint32_t *)(w->registers + form->mask))[l] & 0xffff & ~(1u << b->rank)) != 0;
    return others && cluster_yields(w, mask, true);
}

void bulk_issue(warp *w, const insn *i, uint32_t mask, const bulk_form *form) {
    if (copy_yields(w, mask, form)) return;
    bulk_copy **own = copies_of(w->block)->last; /* where this instruction's will begin */
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        async_site(w, i, NULL, 1u << l);
        bulk_copy c = {.w = w, .i = i, .f = w->frame->function, .lanes = 1u << l};
        c.reduce = form->reduce;
        c.type = form->type;
        if (form->rank > 0) {
            bulk_read_tensor(w, form, l, &c.map, &c.at);
            c.bytes = tensormap_bytes(&c.map);
        } else {
            c.bytes = ((const uint32_t *)(w->registers + form->size))[l];
            if (c.bytes % 16 != 0)
                async_fault(w->block, SIM_ILLEGAL_INSTRUCTION, "a bulk copy of %llu bytes, not a multiple of 16",
                            (unsigned long long)c.bytes);
        }
        c.kind = form->to.space == BULK_CTA || form->to.space == BULK_CLUSTER ? BULK_LOAD : BULK_STORE;
        if (c.kind == BULK_LOAD)
            issue_load(w, form, l, &c);
        else
            issue_store(w, form, l, &c, own);
    }
    async_site(NULL, NULL, NULL, 0);
}

void bulk_prefetch(warp *w, const insn *i, uint32_t mask, const bulk_form *form) {
    for (int l = 0; l < LANES; l++) {
        tensor_map map;
        tensor_at at;
        if (!(mask >> l & 1)) continue;
        async_site(w, i, NULL, 1u << l);
        if (form->rank > 0)
            bulk_read_tensor(w, form, l, &map, &at);
        else
            bulk_aligned(w->block, bulk_address_of(w, &form->from, l), 16, "a bulk prefetch of global memory");
    }
    async_site(NULL, NULL, NULL, 0);
}

void bulk_store(warp *w, const insn *i, uint32_t mask, const store_form *form) {
    block *b = w->block;
    const char *what = form->reduce != ATOMIC_NONE ? "red.async" : "st.async";
    if (bulk_yields(w, mask, &form->to)) return;
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        async_site(w, i, NULL, 1u << l);
        bulk_copy c = {.kind = BULK_LOAD, .w = w, .i = i, .f = w->frame->function, .lanes = 1u << l};
        c.reduce = form->reduce;
        c.type = form->type;
        c.bytes = (uint64_t)form->count * form->size;
        block *target, *at_block;
        bulk_shared_address(w, &form->to, l, c.bytes, what, &target, &c.target);
        bulk_aligned(b, c.target, (unsigned)c.bytes, what);
        bulk_shared_address(w, &form->mbarrier, l, 8, "an mbarrier", &at_block, &c.mbarrier);
        if (at_block != target)
            async_fault(b, SIM_ILLEGAL_INSTRUCTION, "%s to one block of the cluster with the mbarrier of another",
                        what);
        mbarrier_check(target, c.mbarrier);
        bulk_copy *added = add(target, &c);
        added->data = allocated(w->worker, malloc(c.bytes), c.bytes, COPIES);
        for (unsigned v = 0; v < form->count; v++)
            memcpy(added->data + v * form->size, w->registers + form->values[v] + (unsigned)l * form->size, form->size);
    }
    async_site(NULL, NULL, NULL, 0);
}

void bulk_arrive_later(warp *w, const insn *i, uint32_t lanes, uint32_t mbarrier) {
    const bulk_copy c = {.kind = BULK_ARRIVE,
                         .w = w,
                         .i = i,
                         .f = w->frame->function,
                         .lanes = lanes,
                         .serial = async_serial(w),
                         .mbarrier = mbarrier};
    add(w->block, &c);
}

/* ---- bulk groups ------------------------------------------------------------------------------------------------- */

void bulk_commit(warp *w, uint32_t mask) {
    uint32_t *committed = copies_of(w->block)->committed + w->index * LANES;
    for (int l = 0; l < LANES; l++) committed[l] += mask >> l & 1;
}

void bulk_wait(warp *w, const insn *i, uint32_t mask, uint32_t pending, bool read_only) {
    struct bulk_copies *s = w->block->bulk;
    if (s == NULL) return;
    for (bulk_copy **at = &s->first; *at != NULL;) {
        bulk_copy *c = *at;
        const bool due =
            c->kind == BULK_STORE && c->w == w && (c->lanes & mask) != 0 &&
            (uint64_t)c->group + pending < s->committed[w->index * LANES + (uint32_t)__builtin_ctz(c->lanes & mask)];
        if (!due) {
            at = &c->next;
        } else if (read_only) {
            read_source(c);
            at = &c->next;
        } else {
            store(c);
            drop(s, at);
        }
    }
    async_site(NULL, NULL, NULL, 0);
}

/* ---- the end of threads ------------------------------------------------------------------------------------------ */

void bulk_exit(warp *w, uint32_t lanes, bool last) {
    block *b = w->block;
    struct bulk_copies *s = b->bulk;
    if (last && w->launch->async_proxy)
        for (uint32_t rank = 0; rank < 16; rank++) {
            const block *other = cluster_block(b, rank);
            if (other == NULL || other == b || other->bulk == NULL) continue;
            for (const bulk_copy *c = other->bulk->first; c != NULL; c = c->next)
                if (c->source_block == b) {
                    fault_site(c);
                    async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                                "the block ends while this bulk copy from its shared memory is in flight");
                }
        }
    if (s == NULL) return;
    for (bulk_copy **at = &s->first; *at != NULL;) {
        bulk_copy *c = *at;
        if (c->kind == BULK_STORE && c->w == w && (c->lanes & lanes) != 0 && !c->read) {
            fault_site(c);
            async_fault(
                b, SIM_ILLEGAL_INSTRUCTION,
                "the thread ends before this bulk copy has read shared memory: cp.async.bulk.wait_group is missing");
        }
        if (c->kind == BULK_LOAD && last) {
            fault_site(c);
            async_fault(
                b, SIM_ILLEGAL_INSTRUCTION,
                "the block ends while this bulk copy to its shared memory is in flight: nobody has waited for it");
        }
        if (last && c->kind == BULK_STORE) {
            store(c);
            drop(s, at);
        } else {
            at = &c->next;
        }
    }
    async_site(NULL, NULL, NULL, 0);
}
