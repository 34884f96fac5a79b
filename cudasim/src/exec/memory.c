/* Loads, stores and cp.async. */
#include <string.h>

#include "exec/address.h"
#include "exec/affine.h"
#include "machine/async.h"
#include "machine/cluster.h"
#include "machine/groups.h"
#include "machine/proxy.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* False if the instruction is executed again (access_resolve). */
static inline bool pointers_of(warp *w, const insn *i, uint32_t mask, unsigned bytes, access_kind kind,
                               uint8_t **pointer) {
    uint64_t address[LANES], low, high;
    lane_addresses(w, i, mask, address);
    const bool shared = i->space == PTX_SHARED || i->space == PTX_SHARED_CLUSTER;
    if (shared && known_shared(w, address, bytes, &low, &high)) {
        EACH_LANE pointer[l] = w->block->shared + address[l];
    } else if (i->space == PTX_LOCAL && known_local(w, address, bytes, pointer)) {
        /* done */
    } else if (!shared && i->space != PTX_LOCAL &&
               known_global(w, i, address, bytes, kind != ACCESS_READ, &low, &high)) {
        EACH_LANE pointer[l] = (uint8_t *)address[l];
    } else if (!access_resolve(w, i, mask, (ptx_space)i->space, address, bytes, kind, pointer)) {
        return false;
    }
    if (i->flags & MODE_POLL) {
        w->block->polled = true;
        w->budget -= POLL_COST;
    }
    return true;
}

/* ---- all of a vector at one time ----------------------------------------------------------------------------------
 */

/* 2 to 16 bytes, aligned to their number. */
static access_128 load_together(uint8_t *p, unsigned bytes) {
    switch (bytes) {
    case 2:
        return __atomic_load_n((uint16_t *)p, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((uint32_t *)p, __ATOMIC_ACQUIRE);
    case 8:
        return __atomic_load_n((uint64_t *)p, __ATOMIC_ACQUIRE);
    default:
        return access_swap_128(p, 0, 0);
    }
}

static void store_together(uint8_t *p, access_128 value, unsigned bytes) {
    access_128 old = value, expected;
    switch (bytes) {
    case 2:
        __atomic_store_n((uint16_t *)p, (uint16_t)value, __ATOMIC_RELEASE);
        return;
    case 4:
        __atomic_store_n((uint32_t *)p, (uint32_t)value, __ATOMIC_RELEASE);
        return;
    case 8:
        __atomic_store_n((uint64_t *)p, (uint64_t)value, __ATOMIC_RELEASE);
        return;
    default:
        do {
            expected = old;
            old = access_swap_128(p, expected, value);
        } while (old != expected);
    }
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* One element a lane and vector component, extended to the register's width. */
#define LOAD(element, reg, extend)                                                                                     \
    do {                                                                                                               \
        for (int v = 0; v < i->vector; v++) {                                                                          \
            reg *d = (reg *)(w->registers + i->op[v]);                                                                 \
            for (int l = 0; l < LANES; l++) {                                                                          \
                if (!(mask >> l & 1)) continue;                                                                        \
                const element *p = (const element *)pointer[l] + v;                                                    \
                element value = i->flags & MODE_STRONG ? __atomic_load_n(p, __ATOMIC_ACQUIRE) : *p;                    \
                d[l] = (reg)extend(value);                                                                             \
            }                                                                                                          \
        }                                                                                                              \
        return;                                                                                                        \
    } while (0)
#define PLAIN(value) value
#define TO_16(value) ((uint16_t)(value))

/* ld.space.type d, [a]: the register may be wider than the type; it is then sign- or zero-extended. */
HANDLER(op_load) {
    uint8_t *pointer[LANES];
    const unsigned size = ptx_type_size((ptx_type)i->type);
    if (!pointers_of(w, i, mask, size * i->vector, ACCESS_READ, pointer)) return;
    const bool is_signed = i->type >= PTX_S8 && i->type <= PTX_S64, wide = i->width == 8;
    uint8_t copies[LANES][16];
    if (i->flags & MODE_STRONG && (i->vector > 1 || size == 16)) {
        /* All of a vector at one time: programs count on it for 16 bytes (CUB's look-back). */
        for (int l = 0; l < LANES; l++) {
            if (!(mask >> l & 1)) continue;
            const access_128 whole = load_together(pointer[l], size * i->vector);
            memcpy(copies[l], &whole, sizeof whole);
            pointer[l] = copies[l];
        }
    }
    if (i->width == 16) {
        for (int l = 0; l < LANES; l++) {
            if (!(mask >> l & 1)) continue;
            uint8_t whole[16] = {0};
            memcpy(whole, pointer[l], size);
            memcpy(w->registers + i->op[0] + 16 * l, whole, 16);
        }
        return;
    }
    switch (size) {
    case 1:
        if (is_signed && wide) LOAD(int8_t, int64_t, PLAIN);
        if (is_signed && i->width == 4) LOAD(int8_t, int32_t, PLAIN);
        if (is_signed) LOAD(int8_t, uint32_t, TO_16);
        if (wide) LOAD(uint8_t, uint64_t, PLAIN);
        LOAD(uint8_t, uint32_t, PLAIN);
    case 2:
        if (is_signed && wide) LOAD(int16_t, int64_t, PLAIN);
        if (is_signed && i->width == 4) LOAD(int16_t, int32_t, PLAIN);
        if (wide) LOAD(uint16_t, uint64_t, PLAIN);
        LOAD(uint16_t, uint32_t, PLAIN);
    case 4:
        if (is_signed && wide) LOAD(int32_t, int64_t, PLAIN);
        if (wide) LOAD(uint32_t, uint64_t, PLAIN);
        LOAD(uint32_t, uint32_t, PLAIN);
    default:
        LOAD(uint64_t, uint64_t, PLAIN);
    }
}

/* ld.param of a kernel: the same for all lanes. This is element v of a vector, of 8 bytes at most. */
static uint64_t param_value(const warp *w, const insn *i, int v) {
    const unsigned size = ptx_type_size((ptx_type)i->type);
    const bool is_signed = i->type >= PTX_S8 && i->type <= PTX_S64;
    uint64_t value = 0;
    memcpy(&value, w->launch->params + i->imm + (unsigned)v * size, size < 8 ? size : 8);
    if (is_signed && size < 8) value = (uint64_t)((int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
    return i->width == 2 ? value & 0xffff : value;
}

HANDLER(op_load_param) {
    for (int v = 0; v < i->vector; v++) {
        const uint64_t value = param_value(w, i, v);
        if (i->width == 16) {
            lane128 *d = LANE_ARRAY(lane128, v), whole = {value, 0};
            if (ptx_type_size((ptx_type)i->type) == 16) memcpy(&whole, w->launch->params + i->imm, 16);
            SET_LANES(d, whole);
        } else if (i->width == 8) {
            uint64_t *d = U64(v);
            SET_LANES(d, value);
        } else {
            uint32_t *d = U32(v);
            SET_LANES(d, (uint32_t)value);
        }
    }
}
HANDLER(op_load_param_affine) {
    if (mask == ALL_LANES) {
        for (int v = 0; v < i->vector; v++) affine_set(AFFINE(v), param_value(w, i, v), 0, i->width == 8 ? 8 : 4);
    } else {
        for (int v = 0; v < i->vector; v++) {
            affine_spread(w, i->op[v]);
            AFFINE(v)->kept = LANES_ONLY;
        }
        SIM_JOIN(op_load_param, SIM_ISA)(w, i, mask);
    }
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

#define STORE(element, reg)                                                                                            \
    do {                                                                                                               \
        for (int v = 0; v < i->vector; v++) {                                                                          \
            const reg *a = (const reg *)(w->registers + i->op[v]);                                                     \
            for (int l = 0; l < LANES; l++) {                                                                          \
                if (!(mask >> l & 1)) continue;                                                                        \
                element *p = (element *)pointer[l] + v;                                                                \
                if (i->flags & MODE_STRONG)                                                                            \
                    __atomic_store_n(p, (element)a[l], __ATOMIC_RELEASE);                                              \
                else                                                                                                   \
                    *p = (element)a[l];                                                                                \
            }                                                                                                          \
        }                                                                                                              \
        return;                                                                                                        \
    } while (0)

/* st.space.type [a], b: the low bits of the register. Lanes that store to one place: the last lane's value stays. */
HANDLER(op_store) {
    uint8_t *pointer[LANES];
    const unsigned size = ptx_type_size((ptx_type)i->type);
    if (!pointers_of(w, i, mask, size * i->vector, ACCESS_WRITE, pointer)) return;
    if (w->block->dirty != NULL) proxy_wrote_lanes(w, mask, pointer, size * i->vector);
    const bool wide = i->width == 8;
    if (i->flags & MODE_STRONG && (i->vector > 1 || size == 16)) {
        const unsigned lane = i->width < 4 ? 4 : i->width;
        for (int l = 0; l < LANES; l++) {
            if (!(mask >> l & 1)) continue;
            access_128 whole = 0;
            for (unsigned v = 0; v < i->vector; v++)
                memcpy((uint8_t *)&whole + v * size, w->registers + i->op[v] + lane * (unsigned)l, size);
            store_together(pointer[l], whole, size * i->vector);
        }
        return;
    }
    if (i->width == 16) {
        for (int l = 0; l < LANES; l++)
            if (mask >> l & 1) memcpy(pointer[l], w->registers + i->op[0] + 16 * l, size);
        return;
    }
    switch (size) {
    case 1:
        if (wide) STORE(uint8_t, uint64_t);
        STORE(uint8_t, uint32_t);
    case 2:
        if (wide) STORE(uint16_t, uint64_t);
        STORE(uint16_t, uint32_t);
    case 4:
        if (wide) STORE(uint32_t, uint64_t);
        STORE(uint32_t, uint32_t);
    default:
        STORE(uint64_t, uint64_t);
    }
}

/* ---- plain loads and stores ---------------------------------------------------------------------------------------
 */

/* What nearly every kernel does nearly always: neither volatile nor atomic, not on the stack, a register of the type's
 * width (or one that it is extended to 32 bits for). A handler for each type and space, picked by the decoder. */

/* Host pointers of an access to global memory, or to a generic address; their span. False: the instruction comes again
 * (access_resolve). */
static inline __attribute__((always_inline)) bool global_pointers(warp *w, const insn *i, uint32_t mask, unsigned bytes,
                                                                  access_kind kind, uint64_t *pointer, uint64_t *low,
                                                                  uint64_t *high) {
    lane_addresses(w, i, mask, pointer);
    if (known_global(w, i, pointer, bytes, kind != ACCESS_READ, low, high)) return true;
    uint64_t bits;
    if (!access_resolve(w, i, mask, (ptx_space)i->space, pointer, bytes, kind, (uint8_t **)pointer)) return false;
    span(pointer, low, high, &bits);
    if (kind != ACCESS_READ && w->block->dirty != NULL && i->space == PTX_NO_SPACE)
        proxy_wrote_lanes(w, mask, (uint8_t **)pointer, bytes);
    return true;
}

/* The same for shared memory. */
static inline __attribute__((always_inline)) bool shared_pointers(warp *w, const insn *i, uint32_t mask, unsigned bytes,
                                                                  access_kind kind, uint64_t *pointer, uint64_t *low,
                                                                  uint64_t *high) {
    lane_addresses(w, i, mask, pointer);
    if (!known_shared(w, pointer, bytes, low, high)) {
        uint8_t *none[LANES]; /* it stops the launch */
        access_resolve(w, i, mask, PTX_SHARED, pointer, bytes, kind, none);
    }
    const uint64_t base = (uint64_t)w->block->shared;
    EACH_LANE pointer[l] += base;
    *low += base;
    *high += base;
    if (kind != ACCESS_READ && w->block->dirty != NULL) proxy_wrote_lanes(w, mask, (uint8_t **)pointer, bytes);
    return true;
}

#define ELEMENT(k) ((k) < i->vector ? (k) : 0)
#define EACH_ACTIVE_LANE(...)                                                                                          \
    do {                                                                                                               \
        if (mask == ALL_LANES)                                                                                         \
            for (int l = 0; l < LANES; l++) __VA_ARGS__                                                                \
        else                                                                                                           \
            for (int l = 0; l < LANES; l++)                                                                            \
                if (mask >> l & 1) __VA_ARGS__                                                                         \
    } while (0)

/* The handler, with the vector's length a constant; and the one for an address that may be kept as base + lane * step
 * (affine.h), with a short way for single elements at one place, or one after another. */
#define BY_VECTOR(name, access)                                                                                        \
    static __attribute__((noinline)) void name##_vector(warp *w, const insn *i, uint32_t mask) {                       \
        if (i->vector == 2)                                                                                            \
            access(w, i, mask, 2);                                                                                     \
        else                                                                                                           \
            access(w, i, mask, 4);                                                                                     \
    }                                                                                                                  \
    HANDLER(name) {                                                                                                    \
        if (i->vector == 1)                                                                                            \
            access(w, i, mask, 1);                                                                                     \
        else                                                                                                           \
            name##_vector(w, i, mask);                                                                                 \
    }

/* affine_global, affine_shared where they lie farther apart, or backwards. */
#define AFFINE_STEPS(space)                                                                                            \
    static uint8_t *affine_##space##_steps(warp *w, const insn *i, uint32_t mask, unsigned each, bool write,           \
                                           int64_t *step) {                                                            \
        uint64_t first;                                                                                                \
        const int64_t farthest = 1 << 20;                                                                              \
        if (!affine_address(w, i, mask, step, &first)) return NULL;                                                    \
        if (*step > farthest || *step < -farthest || *step % each != 0) return NULL;                                   \
        const int64_t span = (LANES - 1) * *step, back = span < 0 ? span : 0;                                          \
        uint8_t *low =                                                                                                 \
            known_##space##_range(w, i, first + (uint64_t)back, (unsigned)(span - 2 * back) + each, each, write);      \
        return low != NULL ? low - back : NULL;                                                                        \
    }
AFFINE_STEPS(global)
AFFINE_STEPS(shared)

static __attribute__((noinline)) void affine_access(warp *w, const insn *i, uint32_t mask, bool store,
                                                    sim_handler *plain) {
    affine_spread(w, i->op[4]);
    for (int v = 0; store && v < i->vector; v++) affine_spread(w, i->op[v]);
    plain(w, i, mask);
}

/* ld{.v2,.v4}: elements in memory to registers. Lanes that lie here and there go one by one, out of line. */
#define LOADS(space, name, element, reg)                                                                               \
    static __attribute__((noinline)) void load_##space##_##name(warp *w, const insn *i, uint32_t mask) {               \
        uint64_t pointer[LANES], low, high;                                                                            \
        if (!space##_pointers(w, i, mask, sizeof(element) * i->vector, ACCESS_READ, pointer, &low, &high)) return;     \
        reg *d0 = LANE_ARRAY(reg, 0), *d1 = LANE_ARRAY(reg, ELEMENT(1));                                               \
        reg *d2 = LANE_ARRAY(reg, ELEMENT(2)), *d3 = LANE_ARRAY(reg, ELEMENT(3));                                      \
        if (low == high)                                                                                               \
            for (int v = 0; v < i->vector; v++) {                                                                      \
                reg *d = LANE_ARRAY(reg, v);                                                                           \
                const reg value = (reg)((const element *)low)[v];                                                      \
                SET_LANES(d, value);                                                                                   \
            }                                                                                                          \
        else if (i->vector == 1)                                                                                       \
            EACH_ACTIVE_LANE(d0[l] = (reg) * (const element *)pointer[l];);                                            \
        else if (i->vector == 2)                                                                                       \
            EACH_ACTIVE_LANE({                                                                                         \
                const element *at = (const element *)pointer[l];                                                       \
                d0[l] = (reg)at[0], d1[l] = (reg)at[1];                                                                \
            });                                                                                                        \
        else                                                                                                           \
            EACH_ACTIVE_LANE({                                                                                         \
                const element *at = (const element *)pointer[l];                                                       \
                d0[l] = (reg)at[0], d1[l] = (reg)at[1], d2[l] = (reg)at[2], d3[l] = (reg)at[3];                        \
            });                                                                                                        \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void load_##space##_##name##_in(warp *w, const insn *i,               \
                                                                                 uint32_t mask, unsigned vector) {     \
        uint64_t first;                                                                                                \
        const unsigned each = (unsigned)sizeof(element) * vector;                                                      \
        const layout how = lanes_layout(w, i, mask, each, &first);                                                     \
        const element *p = NULL;                                                                                       \
        reg *d0 = LANE_ARRAY(reg, 0), *d1 = LANE_ARRAY(reg, vector > 1 ? 1 : 0);                                       \
        reg *d2 = LANE_ARRAY(reg, vector > 2 ? 2 : 0), *d3 = LANE_ARRAY(reg, vector > 2 ? 3 : 0);                      \
        if (how == LAYOUT_ONE) p = (const element *)known_##space##_range(w, i, first, each, each, false);             \
        if (how == LAYOUT_ROW) p = (const element *)known_##space##_range(w, i, first, LANES * each, each, false);     \
        if (p == NULL)                                                                                                 \
            load_##space##_##name(w, i, mask);                                                                         \
        else if (how == LAYOUT_ONE)                                                                                    \
            for (unsigned v = 0; v < vector; v++) {                                                                    \
                reg *d = LANE_ARRAY(reg, v);                                                                           \
                const reg value = (reg)p[v];                                                                           \
                EACH_LANE d[l] = value;                                                                                \
            }                                                                                                          \
        else if (vector == 1)                                                                                          \
            EACH_LANE d0[l] = (reg)p[l];                                                                               \
        else if (vector == 2)                                                                                          \
            EACH_LANE d0[l] = (reg)p[2 * l], d1[l] = (reg)p[2 * l + 1];                                                \
        else                                                                                                           \
            EACH_LANE {                                                                                                \
                d0[l] = (reg)p[4 * l], d1[l] = (reg)p[4 * l + 1];                                                      \
                d2[l] = (reg)p[4 * l + 2], d3[l] = (reg)p[4 * l + 3];                                                  \
            }                                                                                                          \
    }                                                                                                                  \
    BY_VECTOR(op_load_##space##_##name, load_##space##_##name##_in)                                                    \
    static void load_##space##_##name##_steps(warp *w, const insn *i, uint32_t mask) {                                 \
        int64_t step;                                                                                                  \
        const uint8_t *p = affine_##space##_steps(w, i, mask, sizeof(element), false, &step);                          \
        reg *d = LANE_ARRAY(reg, 0);                                                                                   \
        if (p != NULL)                                                                                                 \
            for (int l = 0; l < LANES; l++) d[l] = (reg) * (const element *)(p + l * step);                            \
        else                                                                                                           \
            affine_access(w, i, mask, false, SIM_JOIN(op_load_##space##_##name, SIM_ISA));                             \
    }                                                                                                                  \
    QUICK_HANDLER(op_load_##space##_##name##_affine, load_##space##_##name##_steps(w, i, mask)) {                      \
        int64_t step;                                                                                                  \
        const element *p = (const element *)affine_##space(w, i, mask, sizeof(element), false, &step);                 \
        reg *d = LANE_ARRAY(reg, 0);                                                                                   \
        if (p == NULL) return false;                                                                                   \
        if (step == 0) {                                                                                               \
            EACH_LANE d[l] = (reg)*p;                                                                                  \
        } else {                                                                                                       \
            EACH_LANE d[l] = (reg)p[l];                                                                                \
        }                                                                                                              \
        return true;                                                                                                   \
    }

/* st{.v2,.v4}. Of lanes that store to one place the last one's value stays. */
#define STORES(space, name, element, reg)                                                                              \
    static __attribute__((noinline)) void store_##space##_##name(warp *w, const insn *i, uint32_t mask) {              \
        uint64_t pointer[LANES], low, high;                                                                            \
        if (!space##_pointers(w, i, mask, sizeof(element) * i->vector, ACCESS_WRITE, pointer, &low, &high)) return;    \
        const reg *a0 = LANE_ARRAY(reg, 0), *a1 = LANE_ARRAY(reg, ELEMENT(1));                                         \
        const reg *a2 = LANE_ARRAY(reg, ELEMENT(2)), *a3 = LANE_ARRAY(reg, ELEMENT(3));                                \
        if (i->vector == 1)                                                                                            \
            EACH_ACTIVE_LANE(*(element *)pointer[l] = (element)a0[l];);                                                \
        else if (i->vector == 2)                                                                                       \
            EACH_ACTIVE_LANE({                                                                                         \
                element *at = (element *)pointer[l];                                                                   \
                at[0] = (element)a0[l], at[1] = (element)a1[l];                                                        \
            });                                                                                                        \
        else                                                                                                           \
            EACH_ACTIVE_LANE({                                                                                         \
                element *at = (element *)pointer[l];                                                                   \
                at[0] = (element)a0[l], at[1] = (element)a1[l], at[2] = (element)a2[l], at[3] = (element)a3[l];        \
            });                                                                                                        \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void store_##space##_##name##_in(warp *w, const insn *i,              \
                                                                                  uint32_t mask, unsigned vector) {    \
        uint64_t first;                                                                                                \
        const unsigned each = (unsigned)sizeof(element) * vector;                                                      \
        const layout how = lanes_layout(w, i, mask, each, &first);                                                     \
        const reg *a0 = LANE_ARRAY(reg, 0), *a1 = LANE_ARRAY(reg, vector > 1 ? 1 : 0);                                 \
        const reg *a2 = LANE_ARRAY(reg, vector > 2 ? 2 : 0), *a3 = LANE_ARRAY(reg, vector > 2 ? 3 : 0);                \
        element *p = NULL;                                                                                             \
        if (how == LAYOUT_ROW) p = (element *)known_##space##_range(w, i, first, LANES * each, each, true);            \
        if (p == NULL)                                                                                                 \
            store_##space##_##name(w, i, mask);                                                                        \
        else if (vector == 1)                                                                                          \
            EACH_LANE p[l] = (element)a0[l];                                                                           \
        else if (vector == 2)                                                                                          \
            EACH_LANE p[2 * l] = (element)a0[l], p[2 * l + 1] = (element)a1[l];                                        \
        else                                                                                                           \
            EACH_LANE {                                                                                                \
                p[4 * l] = (element)a0[l], p[4 * l + 1] = (element)a1[l];                                              \
                p[4 * l + 2] = (element)a2[l], p[4 * l + 3] = (element)a3[l];                                          \
            }                                                                                                          \
    }                                                                                                                  \
    BY_VECTOR(op_store_##space##_##name, store_##space##_##name##_in)                                                  \
    static void store_##space##_##name##_steps(warp *w, const insn *i, uint32_t mask) {                                \
        int64_t step;                                                                                                  \
        affine_spread(w, i->op[0]);                                                                                    \
        uint8_t *p = affine_##space##_steps(w, i, mask, sizeof(element), true, &step);                                 \
        const reg *a = LANE_ARRAY(reg, 0);                                                                             \
        if (p != NULL)                                                                                                 \
            for (int l = 0; l < LANES; l++) *(element *)(p + l * step) = (element)a[l];                                \
        else                                                                                                           \
            affine_access(w, i, mask, true, SIM_JOIN(op_store_##space##_##name, SIM_ISA));                             \
    }                                                                                                                  \
    QUICK_HANDLER(op_store_##space##_##name##_affine, store_##space##_##name##_steps(w, i, mask)) {                    \
        int64_t step;                                                                                                  \
        element *p = (element *)affine_##space(w, i, mask, sizeof(element), true, &step);                              \
        const reg *a = LANE_ARRAY(reg, 0);                                                                             \
        if (p == NULL || step == 0 || !affine_has_lanes(AFFINE(0))) return false;                                      \
        EACH_LANE p[l] = (element)a[l];                                                                                \
        return true;                                                                                                   \
    }

LOADS(global, u8, uint8_t, uint32_t)
LOADS(global, s8, int8_t, int32_t)
LOADS(global, u16, uint16_t, uint32_t)
LOADS(global, s16, int16_t, int32_t)
LOADS(global, u32, uint32_t, uint32_t)
LOADS(global, u64, uint64_t, uint64_t)
LOADS(shared, u8, uint8_t, uint32_t)
LOADS(shared, s8, int8_t, int32_t)
LOADS(shared, u16, uint16_t, uint32_t)
LOADS(shared, s16, int16_t, int32_t)
LOADS(shared, u32, uint32_t, uint32_t)
LOADS(shared, u64, uint64_t, uint64_t)
STORES(global, u8, uint8_t, uint32_t)
STORES(global, u16, uint16_t, uint32_t)
STORES(global, u32, uint32_t, uint32_t)
STORES(global, u64, uint64_t, uint64_t)
STORES(shared, u8, uint8_t, uint32_t)
STORES(shared, u16, uint16_t, uint32_t)
STORES(shared, u32, uint32_t, uint32_t)
STORES(shared, u64, uint64_t, uint64_t)

/* ---- cp.async ---------------------------------------------------------------------------------------------------- */

static void addresses_of(const uint8_t *lanes, bool narrow, uint64_t offset, uint64_t *address) {
    if (narrow) {
        const uint32_t *a = (const uint32_t *)lanes;
        EACH_LANE address[l] = (uint32_t)(a[l] + (uint32_t)offset);
    } else {
        const uint64_t *a = (const uint64_t *)lanes;
        EACH_LANE address[l] = a[l] + offset;
    }
}

/* cp.async [dst], [src], cp-size, src-size: src-size bytes are copied, the rest of cp-size is filled with zeros. */
HANDLER(op_cp_async) {
    uint64_t to[LANES], from[LANES], low, high;
    uint32_t bytes[LANES];
    uint8_t *to_pointer[LANES], *from_pointer[LANES];
    addresses_of(w->registers + i->op[0], i->flags & MODE_NARROW, (uint64_t)i->offsets->to, to);
    addresses_of(w->registers + i->op[1], i->flags & MODE_NARROW_SOURCE, (uint64_t)i->offsets->from, from);
    const uint32_t *size = U32(2);
    const uint32_t ignored = PRED(3);
    uint32_t reading = 0, too_many = 0;
    for (int l = 0; l < LANES; l++) {
        bytes[l] = ignored >> l & 1 ? 0 : size[l];
        reading |= (uint32_t)(bytes[l] != 0) << l;
        too_many |= (uint32_t)(bytes[l] > i->width) << l;
        from_pointer[l] = NULL;
    }
    reading &= mask;
    if ((too_many & mask) != 0)
        sim_fault(w, i, too_many & mask, SIM_ILLEGAL_INSTRUCTION, "cp.async: a source size above the copy's %u bytes",
                  i->width);
    for (int l = 0; l < LANES; l++)
        if (!(mask >> l & 1)) to[l] = to[__builtin_ctz(mask)];
    if (known_shared(w, to, i->width, &low, &high))
        EACH_LANE to_pointer[l] = w->block->shared + to[l];
    else
        access_resolve(w, i, mask, PTX_SHARED, to, i->width, ACCESS_WRITE, to_pointer);
    if (reading != 0) {
        /* The source is aligned to the copy's size, though less may be read. */
        bool whole = true;
        for (int l = 0; l < LANES; l++) {
            if (!(reading >> l & 1)) from[l] = from[__builtin_ctz(reading)];
            if (reading >> l & 1 && bytes[l] != i->width) whole = false;
        }
        if (whole && known_global(w, i, from, i->width, false, &low, &high))
            EACH_LANE from_pointer[l] = (uint8_t *)from[l];
        else if (whole)
            access_resolve(w, i, reading, PTX_GLOBAL, from, i->width, ACCESS_READ, from_pointer);
        else
            for (int l = 0; l < LANES; l++) {
                uint8_t *one[LANES];
                if (!(reading >> l & 1)) continue;
                if (from[l] % i->width != 0)
                    sim_fault(w, i, 1u << l, SIM_MISALIGNED_ADDRESS,
                              "cp.async: source 0x%llx is not aligned to %u bytes", (unsigned long long)from[l],
                              i->width);
                uint64_t first[LANES], last[LANES];
                for (int k = 0; k < LANES; k++) first[k] = from[l], last[k] = from[l] + bytes[l] - 1;
                access_resolve(w, i, 1u << l, PTX_GLOBAL, last, 1, ACCESS_READ, one);
                access_resolve(w, i, 1u << l, PTX_GLOBAL, first, 1, ACCESS_READ, one);
                from_pointer[l] = one[l];
            }
    }
    async_copy(w, i, mask, to_pointer, from_pointer, bytes);
}

HANDLER(op_cp_commit) {
    async_commit(w, mask);
}
HANDLER(op_cp_wait) {
    async_wait(w, mask, i->imm);
}
