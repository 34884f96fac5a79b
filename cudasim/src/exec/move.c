/* The special forms of mov, cvta and isspacep. */
#include <time.h>

#include "base/memory.h"
#include "exec/affine.h"
#include "exec/lanes.h"
#include "isa/specials.h"
#include "machine/access.h"
#include "machine/cluster.h"

HANDLER(op_mov_16) {
    const uint32_t *a = U32(1);
    uint32_t *d = U32(0);
    SET_LANES(d, a[l] & 0xffff);
}

HANDLER(op_mov_128) {
    const lane128 *a = LANE_ARRAY(lane128, 1);
    lane128 *d = LANE_ARRAY(lane128, 0);
    SET_LANES(d, a[l]);
}

/* cvta, where a window's base is to be added or taken away. */
HANDLER(op_add_imm) {
    const uint64_t *a = U64(1);
    uint64_t *d = U64(0);
    const uint64_t imm = (uint64_t)i->imm;
    SET_LANES(d, a[l] + imm);
}

HANDLER(op_add_imm_affine) {
    const affine *f = AFFINE(1);
    if (mask == ALL_LANES && f->kept) {
        affine_set(AFFINE(0), f->base + (uint64_t)i->imm, f->step, 8);
    } else {
        affine_give_up(w, i, mask, 1, SIM_JOIN(op_add_imm, SIM_ISA));
    }
}

/* The address of a variable in the function's frame. */
HANDLER(op_mov_frame) {
    const uint64_t address = (uint64_t)i->imm + w->frame->local_base;
    if (i->width == 4) {
        uint32_t *d = U32(0);
        SET_LANES(d, (uint32_t)address);
    } else {
        uint64_t *d = U64(0);
        SET_LANES(d, address);
    }
}

/* %clock, %globaltimer: host time, as if the clock ran at 1 GHz. */
HANDLER(op_mov_special) {
    struct timespec now;
    const special which = (special)i->imm;
    const bool global =
        which == SPECIAL_GLOBALTIMER || which == SPECIAL_GLOBALTIMER_LO || which == SPECIAL_GLOBALTIMER_HI;
    clock_gettime(global ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    uint64_t value = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (which == SPECIAL_CLOCK_HI || which == SPECIAL_GLOBALTIMER_HI) value >>= 32;
    if (i->width == 8) {
        uint64_t *d = U64(0);
        SET_LANES(d, value);
    } else {
        uint32_t *d = U32(0);
        SET_LANES(d, (uint32_t)value);
    }
}

/* mov.b64 d, {a, b}: the first part is the lowest. mov.b64 {d, e}, a. Parts have 32-bit lanes up to 4 bytes, 64-bit
 * lanes at 8; a whole of 2 bytes has 32-bit lanes, too. */
#define PACK_LANES(part, lane, whole, whole_lane, count)                                                               \
    do {                                                                                                               \
        whole_lane *d = LANE_ARRAY(whole_lane, 4);                                                                     \
        const lane *a = LANE_ARRAY(lane, 0), *b = LANE_ARRAY(lane, 1);                                                 \
        const lane *c = LANE_ARRAY(lane, (count) == 4 ? 2 : 0), *e = LANE_ARRAY(lane, (count) == 4 ? 3 : 0);           \
        enum { BITS = 8 * sizeof(part), LAST = (count) == 4 ? 3 * BITS : 0, THIRD = (count) == 4 ? 2 * BITS : 0 };     \
        SET_LANES(d, (whole_lane)((whole)(part)a[l] | (whole)(part)b[l] << BITS | (whole)(part)c[l] << THIRD |         \
                                  (whole)(part)e[l] << LAST));                                                         \
        return;                                                                                                        \
    } while (0)
#define UNPACK_LANES(part, lane, whole, whole_lane, count)                                                             \
    do {                                                                                                               \
        const whole_lane *a = LANE_ARRAY(whole_lane, 4);                                                               \
        for (int k = 0; k < (count); k++) {                                                                            \
            lane *d = LANE_ARRAY(lane, k);                                                                             \
            const unsigned shift = 8 * sizeof(part) * (unsigned)k;                                                     \
            SET_LANES(d, (lane)(part)((whole)a[l] >> shift));                                                          \
        }                                                                                                              \
        return;                                                                                                        \
    } while (0)
#define EACH_FORM(LANES_OF)                                                                                            \
    do {                                                                                                               \
        switch (i->width * 8 + i->vector) {                                                                            \
        case 2 * 8 + 2:                                                                                                \
            LANES_OF(uint8_t, uint32_t, uint16_t, uint32_t, 2);                                                        \
        case 4 * 8 + 2:                                                                                                \
            LANES_OF(uint16_t, uint32_t, uint32_t, uint32_t, 2);                                                       \
        case 4 * 8 + 4:                                                                                                \
            LANES_OF(uint8_t, uint32_t, uint32_t, uint32_t, 4);                                                        \
        case 8 * 8 + 2:                                                                                                \
            LANES_OF(uint32_t, uint32_t, uint64_t, uint64_t, 2);                                                       \
        case 8 * 8 + 4:                                                                                                \
            LANES_OF(uint16_t, uint32_t, uint64_t, uint64_t, 4);                                                       \
        case 16 * 8 + 2:                                                                                               \
            LANES_OF(uint64_t, uint64_t, access_128, access_128, 2);                                                   \
        default:                                                                                                       \
            LANES_OF(uint32_t, uint32_t, access_128, access_128, 4);                                                   \
        }                                                                                                              \
    } while (0)

HANDLER(op_pack) {
    EACH_FORM(PACK_LANES);
}

HANDLER(op_unpack) {
    EACH_FORM(UNPACK_LANES);
}

/* isspacep.space p, a; */
HANDLER(op_isspacep) {
    const uint64_t *a = U64(1);
    const uint64_t arena = memory_arena();
    uint32_t bits = 0;
    for (int l = 0; l < LANES; l++) {
        uint64_t offset = a[l] - arena;
        bool shared = offset >= WINDOW_SHARED && offset < WINDOW_SHARED + WINDOW_SIZE;
        bool own = shared && (offset - WINDOW_SHARED) >> CLUSTER_RANK_SHIFT == w->block->rank;
        bool local = offset >= WINDOW_LOCAL && offset < WINDOW_LOCAL + WINDOW_SIZE;
        bool param = offset >= WINDOW_PARAM && offset < WINDOW_PARAM + WINDOW_SIZE;
        bool is;
        switch (i->space) {
        case PTX_SHARED:
            is = own;
            break;
        case PTX_SHARED_CLUSTER:
            is = shared;
            break;
        case PTX_LOCAL:
            is = local;
            break;
        case PTX_PARAM:
            is = param;
            break;
        case PTX_CONST: {
            const memory_allocation *m = memory_find(a[l]);
            is = m != NULL && m->kind == MEMORY_CONSTANT;
            break;
        }
        default: {
            const memory_allocation *m = memory_find(a[l]);
            is = !shared && !local && !param && (m == NULL || m->kind != MEMORY_CONSTANT);
        }
        }
        bits |= (uint32_t)is << l;
    }
    SET_PRED(0, bits);
}
