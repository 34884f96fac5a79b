#include "machine/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/device_model.h"
#include "isa/specials.h"
#include "machine/cluster.h"
#include "machine/fault.h"
#include "machine/observe.h"

/* Where somebody watches, bytes of nobody between two frames, so that an index below an array is noticed. */
#define FRAME_GAP 64

/* What differs from lane to lane; false for other special registers. */
static bool special_lanes(const warp *w, int which, uint32_t *values) {
    switch ((special)which) {
    case SPECIAL_TID_X:
    case SPECIAL_TID_Y:
    case SPECIAL_TID_Z:
        memcpy(values, w->tid[which - SPECIAL_TID_X], sizeof w->tid[0]);
        return true;
    case SPECIAL_LANEID:
        for (uint32_t l = 0; l < LANES; l++) values[l] = l;
        return true;
    case SPECIAL_LANEMASK_EQ:
        for (uint32_t l = 0; l < LANES; l++) values[l] = 1u << l;
        return true;
    case SPECIAL_LANEMASK_LE:
        for (uint32_t l = 0; l < LANES; l++) values[l] = (2u << l) - 1;
        return true;
    case SPECIAL_LANEMASK_LT:
        for (uint32_t l = 0; l < LANES; l++) values[l] = (1u << l) - 1;
        return true;
    case SPECIAL_LANEMASK_GE:
        for (uint32_t l = 0; l < LANES; l++) values[l] = ~((1u << l) - 1);
        return true;
    case SPECIAL_LANEMASK_GT:
        for (uint32_t l = 0; l < LANES; l++) values[l] = ~((2u << l) - 1);
        return true;
    default:
        return false;
    }
}

/* What is the same in all lanes. */
static uint32_t special_value(const warp *w, int which) {
    const launch *la = w->launch;
    const sim_launch_config *c = la->config;
    switch ((special)which) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return c->block[which - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return w->block->ctaid[which - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return c->grid[which - SPECIAL_NCTAID_X];
    case SPECIAL_WARPID:
        return w->index;
    case SPECIAL_NWARPID:
        return device_model_current()->max_threads_per_sm / LANES;
    case SPECIAL_SMID:
        return (uint32_t)(w->block->index % device_model_current()->sms);
    case SPECIAL_NSMID:
        return device_model_current()->sms;
    case SPECIAL_ENVREG1: /* cooperative groups: the grid's workspace, high half first */
        return (uint32_t)(la->grid_workspace >> 32);
    case SPECIAL_ENVREG2:
        return (uint32_t)la->grid_workspace;
    case SPECIAL_TOTAL_SMEM:
        return la->shared_end - SHARED_RESERVED;
    case SPECIAL_AGGR_SMEM:
        return la->shared_end;
    case SPECIAL_DYNAMIC_SMEM:
        return (uint32_t)c->dynamic_shared;
    case SPECIAL_RESERVED_END:
    case SPECIAL_RESERVED_CAP:
        return SHARED_RESERVED;
    case SPECIAL_SHARED_BASE:
        return cluster_base(w->block);
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
        return w->block->ctaid[which - SPECIAL_CLUSTERID_X] / c->cluster[which - SPECIAL_CLUSTERID_X];
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
        return c->grid[which - SPECIAL_NCLUSTERID_X] / c->cluster[which - SPECIAL_NCLUSTERID_X];
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
        return w->block->ctaid[which - SPECIAL_CLUSTER_CTAID_X] % c->cluster[which - SPECIAL_CLUSTER_CTAID_X];
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
        return c->cluster[which - SPECIAL_CLUSTER_NCTAID_X];
    case SPECIAL_CLUSTER_CTARANK:
        return w->block->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return la->cluster_size;
    default:
        return 0;
    }
}

/* The special registers that change when the next block begins in this one's place. */
static bool special_of_block(int which) {
    switch ((special)which) {
    case SPECIAL_SHARED_BASE:
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
    case SPECIAL_SMID:
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
    case SPECIAL_CLUSTER_CTARANK:
        return true;
    default:
        return false;
    }
}

static void fill_special(const warp *w, const function *f, const special_slot *s, uint8_t *registers) {
    uint32_t lanes[LANES], step = 0;
    uint64_t uneven = 0; /* not 0: the lanes are neither equal nor equally spaced */
    if (special_lanes(w, s->special, lanes)) {
        step = lanes[1] - lanes[0];
        for (uint32_t l = 0; l < LANES; l++) uneven |= lanes[l] ^ (lanes[0] + l * (uint64_t)step);
    } else {
        const uint32_t value = special_value(w, s->special);
        for (int l = 0; l < LANES; l++) lanes[l] = value;
    }
    if (s->bytes == 8) {
        uint64_t *wide = (uint64_t *)(registers + s->slot);
        for (int l = 0; l < LANES; l++) wide[l] = lanes[l] + s->addend;
    } else {
        uint32_t *word = (uint32_t *)(registers + s->slot);
        for (int l = 0; l < LANES; l++) word[l] = lanes[l] + (uint32_t)s->addend;
    }
    if (f->affine_constants == NULL) return;
    affine *a = (affine *)(registers + f->register_bytes) + s->slot / AFFINE_UNIT;
    const uint64_t base = lanes[0] + s->addend;
    *a = (affine){s->bytes == 8 ? base : (uint32_t)base, step, uneven == 0 ? AFFINE_AND_LANES : LANES_ONLY, s->bytes};
}

void frame_fill(warp *w, const function *f, uint8_t *registers, bool all) {
    if (all) {
        const uint32_t fixed[3] = {ALL_LANES, 0, 0}; /* SLOT_TRUE, SLOT_SINK_P, SLOT_FALSE */
        memcpy(registers, fixed, sizeof fixed);
        memcpy(registers + f->constant_offset, f->constants, f->constant_bytes);
        if (f->affine_constants != NULL) {
            affine *a = (affine *)(registers + f->register_bytes);
            const uint32_t first = f->constant_offset / AFFINE_UNIT;
            memset(a, 0, first * sizeof *a);
            memcpy(a + first, f->affine_constants, f->affine_bytes - first * sizeof *a);
        }
    }
    for (int k = 0; k < f->special_count; k++)
        if (all || special_of_block(f->specials[k].special)) fill_special(w, f, &f->specials[k], registers);
}

frame *frame_new(worker *k, const function *f) {
    const uint32_t bytes = (uint32_t)align_up(f->register_bytes + f->affine_bytes, 128);
    frame *new = calloc(1, sizeof *new);
    uint8_t *registers = new != NULL ? aligned_alloc(128, bytes) : NULL;
    if (registers == NULL) {
        free(new);
        fault_no_memory(k, bytes, "a warp's registers");
    }
    memset(registers, 0, bytes);
    *new = (frame){.function = f, .capacity = bytes, .registers = registers};
    if (k->launch->observer != NULL) new->counts = observe_counts(k, f);
    new->affine = (affine *)(registers + f->register_bytes);
    return new;
}

/* The frame of lanes that made the very same call and are still in it, or NULL: those that come later join them, so
 * that they can meet inside. */
static frame *live_frame(const warp *w, const function *callee, const call_site *site) {
    for (int g = 0; g < w->group_count; g++) {
        if (w->groups[g].lanes == 0) continue;
        for (frame *f = w->groups[g].frame; f != NULL && f->depth > w->frame->depth; f = f->caller)
            if (f->caller == w->frame && f->site == site && f->function == callee && f->return_pc == w->pc) return f;
    }
    return NULL;
}

frame *frame_enter(warp *w, const insn *i, const function *callee, const call_site *site, uint32_t lanes) {
    worker *k = w->worker;
    if (__atomic_load_n(&callee->code, __ATOMIC_ACQUIRE) == NULL) {
        const char *why = __atomic_load_n(&callee->refused, __ATOMIC_ACQUIRE);
        sim_fault(w, i, lanes, SIM_UNSUPPORTED, "%s",
                  why != NULL ? why : "a call of a function whose address nothing in its module takes");
    }
    if (w->launch->observer != NULL && callee->watched != NULL) callee = callee->watched;
    const frame *caller = w->frame;
    const uint32_t gap = w->launch->observer != NULL ? FRAME_GAP : 0;
    const uint64_t base = (uint64_t)caller->local_base + caller->function->frame_bytes + gap;
    if (base + callee->frame_bytes > w->launch->stack_bytes || caller->depth > 100000)
        sim_fault(
            w, i, lanes, SIM_STACK_ERROR,
            "the stack of %llu bytes per thread is used up, %d calls deep (cudaDeviceSetLimit(cudaLimitStackSize))",
            (unsigned long long)w->launch->stack_bytes, caller->depth);
    frame *f = live_frame(w, callee, site);
    const bool joins = f != NULL;
    for (frame **at = &k->free_frames; !joins && *at != NULL; at = &(*at)->caller)
        if ((*at)->capacity >= callee->register_bytes + callee->affine_bytes) {
            f = *at;
            *at = f->caller;
            break;
        }
    if (f == NULL) {
        f = frame_new(k, callee);
        f->next = k->frames;
        k->frames = f;
    }
    uint8_t *registers = f->registers;
    if (joins)
        f->lanes |= lanes;
    else
        *f = (frame){.caller = w->frame,
                     .function = callee,
                     .registers = registers,
                     .affine = (affine *)(registers + callee->register_bytes),
                     .capacity = f->capacity,
                     .next = f->next,
                     .local_base = (uint32_t)base,
                     .return_pc = w->pc,
                     .site = site,
                     .counts = w->launch->observer != NULL ? observe_counts(k, callee) : NULL,
                     .lanes = lanes,
                     .depth = caller->depth + 1};
    if (!joins) frame_fill(w, callee, registers, true);
    if (gap != 0) observe_enter(w, f, lanes);
    for (int l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        uint8_t *stack = stack_of(w, l);
        for (int p = 0; p < site->param_count; p++) {
            const ptx_variable *v = &callee->source->params[p];
            const uint32_t size = site->sizes[site->return_count + p];
            memcpy(stack + base + callee->formals[site->return_count + p],
                   stack + caller->local_base + site->offsets[site->return_count + p], size < v->size ? size : v->size);
        }
    }
    return f;
}

void frame_results(warp *w, const frame *f, uint32_t lanes) {
    const call_site *site = f->site;
    for (int l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        uint8_t *stack = stack_of(w, l);
        for (int r = 0; r < site->return_count; r++) {
            const ptx_variable *v = &f->function->source->returns[r];
            const uint32_t size = site->sizes[r];
            memcpy(stack + f->caller->local_base + site->offsets[r], stack + f->local_base + f->function->formals[r],
                   size < v->size ? size : v->size);
        }
    }
}

void frame_leave(warp *w, frame *f) {
    f->caller = w->worker->free_frames;
    w->worker->free_frames = f;
}
