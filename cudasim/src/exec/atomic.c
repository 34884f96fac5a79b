/* Atomic operations: atom and red. Blocks run on several host threads, so those on global memory are the host's own. */
#include <string.h>

#include "base/floats.h"
#include "exec/address.h"
#include "machine/cluster.h"
#include "machine/groups.h"
#include "machine/modify.h"
#include "machine/proxy.h"

/* What to do, the same for all lanes. */
typedef struct operation {
    atomic_op op;
    ptx_type type;
    bool flush; /* in global memory, whose own adders take f32 denormals for zero */
    bool mine;  /* shared memory of the cluster: no other host thread comes there */
} operation;

#define READ_MODIFY_WRITE(word)                                                                                        \
    do {                                                                                                               \
        word *at = (word *)p, old = __atomic_load_n(at, __ATOMIC_RELAXED), new;                                        \
        do {                                                                                                           \
            if (o.op == ATOMIC_CAS)                                                                                    \
                new = old == (word)a ? (word)b : old;                                                                  \
            else                                                                                                       \
                new = (word)atomic_modify(o.op, o.type, old, a, o.flush, o.flush);                                     \
            if (o.mine) *at = new;                                                                                     \
        } while (!o.mine && !__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));   \
        *changed = *changed || new != old;                                                                             \
        return old;                                                                                                    \
    } while (0)

/* Its value before; whether that is another now. */
static inline __attribute__((always_inline)) uint64_t atomic_word(uint8_t *p, unsigned size, operation o, uint64_t a,
                                                                  uint64_t b, bool *changed) {
    if (size == 2) READ_MODIFY_WRITE(uint16_t);
    if (size == 4) READ_MODIFY_WRITE(uint32_t);
    READ_MODIFY_WRITE(uint64_t);
}

/* exch and cas of 128 bits. */
static access_128 atomic_128(uint8_t *p, atomic_op op, access_128 a, access_128 b, bool *changed) {
    access_128 old = access_swap_128(p, a, op == ATOMIC_CAS ? b : a), expected;
    if (op == ATOMIC_CAS) {
        *changed = old == a && old != b;
        return old;
    }
    do {
        expected = old;
        old = access_swap_128(p, expected, a);
    } while (old != expected);
    *changed = old != a;
    return old;
}

/* Lane l of an operand: 64 bits, or 32 for all that is narrower. */
static inline uint64_t word_of(const uint8_t *lanes, unsigned size, int l) {
    return size == 8 ? ((const uint64_t *)lanes)[l] : ((const uint32_t *)lanes)[l];
}
static inline void put_word(uint8_t *lanes, unsigned size, int l, uint64_t value) {
    if (size == 8)
        ((uint64_t *)lanes)[l] = value;
    else
        ((uint32_t *)lanes)[l] = (uint32_t)value;
}

static bool own_shared(const block *b, const uint8_t *p) {
    return p >= b->shared && p < b->shared + b->shared_end;
}

/* A loop may be waiting where an operation leaves memory as it was: a lock that is taken, a counter read by adding 0.
 */
static void look_for_progress(warp *w, const insn *i, uint32_t mask, uint32_t changed) {
    if (changed != 0) w->block->changed = true;
    if (!(i->flags & MODE_POLL) || (mask & ~changed) == 0) return;
    w->block->polled = true;
    w->budget -= POLL_COST;
}

/* One word a lane; lanes go in ascending order. Gives the lanes that changed something. */
static inline __attribute__((always_inline)) uint32_t each_word(warp *w, const insn *i, uint32_t mask, unsigned size,
                                                                uint8_t *const *pointer, operation o) {
    const uint8_t *a = w->registers + i->op[5], *b = w->registers + i->op[o.op == ATOMIC_CAS ? 6 : 5];
    uint8_t *d = w->registers + i->op[0];
    uint32_t changed = 0;
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        bool other = false;
        put_word(d, size, l, atomic_word(pointer[l], size, o, word_of(a, size, l), word_of(b, size, l), &other));
        changed |= (uint32_t)other << l;
    }
    return changed;
}

/* The same for additions of integers, where the processor has an instruction for it. */
#define EACH_SUM(word)                                                                                                 \
    static inline uint32_t each_sum_##word(warp *w, const insn *i, uint32_t mask, uint8_t *const *pointer,             \
                                           bool mine) {                                                                \
        const word *a = LANE_ARRAY(word, 5);                                                                           \
        word *d = LANE_ARRAY(word, 0);                                                                                 \
        uint32_t changed = 0;                                                                                          \
        for (int l = 0; l < LANES; l++) {                                                                              \
            if (!(mask >> l & 1)) continue;                                                                            \
            word *at = (word *)pointer[l];                                                                             \
            const word by = a[l], old = mine ? *at : __atomic_fetch_add(at, by, __ATOMIC_ACQ_REL);                     \
            if (mine) *at = old + by;                                                                                  \
            d[l] = old;                                                                                                \
            changed |= (uint32_t)(by != 0) << l;                                                                       \
        }                                                                                                              \
        return changed;                                                                                                \
    }
EACH_SUM(uint32_t)
EACH_SUM(uint64_t)

/* red{.sem}{.scope}{.space}.add{.u32,.s32} of all lanes at one place, as counters and reductions end: one addition. */
static uint32_t one_sum(warp *w, const insn *i, uint32_t mask, uint8_t *p) {
    const uint32_t *a = U32(5);
    uint32_t sum = 0;
    EACH_LANE sum += mask >> l & 1 ? a[l] : 0;
    __atomic_fetch_add((uint32_t *)p, sum, __ATOMIC_ACQ_REL);
    return sum != 0 ? mask : 0;
}

/* Vectors, and what lies here and there: a lane and component at a time. */
static uint32_t each_vector(warp *w, const insn *i, uint32_t mask, uint8_t *const *pointer) {
    operation o = {.op = (atomic_op)i->type2, .type = (ptx_type)i->type};
    const unsigned size = i->width;
    uint32_t changed = 0;
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        o.mine = cluster_holds(w->block, pointer[l]);
        o.flush = !o.mine;
        if ((o.type == PTX_F16X2 || o.type == PTX_BF16X2) && o.op == ATOMIC_ADD && o.mine &&
            !own_shared(w->block, pointer[l]))
            sim_fault(
                w, i, 1u << l, SIM_UNSUPPORTED,
                "an addition of f16x2 or bf16x2 in another block's shared memory: ptxas (13.0) makes an addition of "
                "integers of it, which is not atomic either");
        const uint8_t *third = w->registers + i->op[o.op == ATOMIC_CAS ? 6 : 5];
        uint64_t old[MOST_ATOMIC_VECTOR];
        bool other = false;
        for (unsigned v = 0; v < i->vector; v++) {
            const uint8_t *from = w->registers + (i->vector > 1 ? i->vectors->sources[v] : i->op[5]);
            old[v] =
                atomic_word(pointer[l] + v * size, size, o, word_of(from, size, l), word_of(third, size, l), &other);
        }
        changed |= (uint32_t)other << l;
        for (unsigned v = 0; v < i->vector; v++) /* only now: a result may go where a source was */
            put_word(w->registers + (i->vector > 1 ? i->vectors->results[v] : i->op[0]), size, l, old[v]);
    }
    return changed;
}

static uint32_t each_128(warp *w, const insn *i, uint32_t mask, uint8_t *const *pointer) {
    const atomic_op op = (atomic_op)i->type2;
    uint32_t changed = 0;
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        access_128 a, b, old;
        bool other;
        memcpy(&a, w->registers + i->op[5] + 16 * l, 16);
        memcpy(&b, w->registers + i->op[op == ATOMIC_CAS ? 6 : 5] + 16 * l, 16);
        old = atomic_128(pointer[l], op, a, b, &other);
        changed |= (uint32_t)other << l;
        memcpy(w->registers + i->op[0] + 16 * l, &old, 16);
    }
    return changed;
}

/* atom{.sem}{.scope}{.space}.op.type d, [a], b{, c};  red...: without d. Lanes go in ascending order. */
HANDLER(op_atomic) {
    const atomic_op op = (atomic_op)i->type2;
    const ptx_type type = (ptx_type)i->type;
    const unsigned bytes = i->width * i->vector;
    uint64_t address[LANES], low, high;
    uint8_t **pointer = (uint8_t **)address;
    const bool shared = i->space == PTX_SHARED || i->space == PTX_SHARED_CLUSTER;
    bool mine = false, global = false;
    lane_addresses(w, i, mask, address);
    if (shared && known_shared(w, address, bytes, &low, &high)) {
        mine = true;
        EACH_LANE address[l] += (uint64_t)w->block->shared;
    } else if (!shared && known_global(w, i, address, bytes, true, &low, &high)) {
        global = true;
    } else if (!access_resolve(w, i, mask, (ptx_space)i->space, address, bytes, ACCESS_ATOMIC, pointer)) {
        return;
    }
    if (w->block->dirty != NULL && !global) proxy_wrote_lanes(w, mask, pointer, bytes);

    const bool integer = type == PTX_U32 || type == PTX_S32 || type == PTX_U64;
    uint32_t changed;
    if (i->width == 16)
        changed = each_128(w, i, mask, pointer);
    else if (i->vector > 1 || i->width == 2 || !(mine || global))
        changed = each_vector(w, i, mask, pointer);
    else if (op == ATOMIC_ADD && integer && i->width == 4 && i->op[0] == SLOT_SINK && low == high)
        changed = one_sum(w, i, mask, pointer[0]);
    else if (op == ATOMIC_ADD && integer)
        changed =
            i->width == 4 ? each_sum_uint32_t(w, i, mask, pointer, mine) : each_sum_uint64_t(w, i, mask, pointer, mine);
    else if (op == ATOMIC_ADD && type == PTX_F32)
        changed = each_word(w, i, mask, 4, pointer, (operation){ATOMIC_ADD, PTX_F32, global, mine});
    else if (i->width == 4)
        changed = each_word(w, i, mask, 4, pointer, (operation){op, type, global, mine});
    else
        changed = each_word(w, i, mask, 8, pointer, (operation){op, type, global, mine});
    look_for_progress(w, i, mask, changed);
}
