/* What handlers are written with: loops over the lanes of a warp under a mask, which the compiler vectorises. */
#pragma once

#include "isa/form.h"
#include "machine/fault.h"
#include "machine/machine.h"

/* Handlers are compiled once an instruction set: HANDLER(add_u32) { ... } defines add_u32_v3, ... */
#define SIM_JOIN_(a, b) a##_##b
#define SIM_JOIN(a, b)  SIM_JOIN_(a, b)
#define HANDLER_ARGUMENTS                                                                                              \
    __attribute__((unused)) warp *w, __attribute__((unused)) const insn *i, __attribute__((unused)) uint32_t mask
#define HANDLER(name)                                                                                                  \
    void SIM_JOIN(name, SIM_ISA)(warp * w, const insn *i, uint32_t mask);                                              \
    void SIM_JOIN(name, SIM_ISA)(HANDLER_ARGUMENTS)

/* A handler whose usual case calls nothing. Its body says true where it has done the work, and what else to do stands
 * in `otherwise`. It defines add_u32_next_v3, too, which goes on with the next instruction's: so one jump, and no loop,
 * call and return, lies between two of them. */
#define QUICK_HANDLER(name, otherwise)                                                                                 \
    static inline __attribute__((always_inline)) bool name##_quick(warp *w, const insn *i, uint32_t mask);             \
    static __attribute__((noinline)) void name##_slow(HANDLER_ARGUMENTS) {                                             \
        otherwise;                                                                                                     \
    }                                                                                                                  \
    static __attribute__((noinline)) void name##_slow_next(warp *w, const insn *i, uint32_t mask) {                    \
        w->pc = i->pc + 1;                                                                                             \
        name##_slow(w, i, mask);                                                                                       \
        if (w->event == 0) i[1].next(w, i + 1, mask);                                                                  \
    }                                                                                                                  \
    void SIM_JOIN(name##_next, SIM_ISA)(warp * w, const insn *i, uint32_t mask);                                       \
    void SIM_JOIN(name##_next, SIM_ISA)(warp * w, const insn *i, uint32_t mask) {                                      \
        if (name##_quick(w, i, mask))                                                                                  \
            i[1].next(w, i + 1, mask);                                                                                 \
        else                                                                                                           \
            name##_slow_next(w, i, mask);                                                                              \
    }                                                                                                                  \
    HANDLER(name) {                                                                                                    \
        if (!name##_quick(w, i, mask)) name##_slow(w, i, mask);                                                        \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) bool name##_quick(HANDLER_ARGUMENTS)

/* Operand `n` as lanes. 8- and 16-bit registers hold their value zero-extended in 32-bit lanes. Destination and source
 * may be the same array, never overlapping ones. */
#define LANE_ARRAY(type, n) ((type *)__builtin_assume_aligned(w->registers + i->op[n], 128))
#define U32(n)              LANE_ARRAY(uint32_t, n)
#define S32(n)              LANE_ARRAY(int32_t, n)
#define U64(n)              LANE_ARRAY(uint64_t, n)
#define S64(n)              LANE_ARRAY(int64_t, n)
#define F32(n)              LANE_ARRAY(float, n)
#define F64(n)              LANE_ARRAY(double, n)
#define PRED(n)             (*(uint32_t *)(w->registers + i->op[n]))

typedef struct lane128 {
    uint64_t low, high;
} lane128;

#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)

/* d[l] = value for the lanes of the mask. `value` is computed for all of them, so it must not trap. Where the processor
 * has no masked stores worth the name, the other lanes are written with what they hold. */
#ifdef __AVX512F__
#define SET_SOME_LANES(d, value)                                                                                       \
    EACH_LANE {                                                                                                        \
        if (mask >> l & 1) (d)[l] = (value);                                                                           \
    }
#else
#define SET_SOME_LANES(d, value) EACH_LANE(d)[l] = mask >> l & 1 ? (value) : (d)[l];
#endif
#define SET_LANES(d, value)                                                                                            \
    do {                                                                                                               \
        if (mask == ALL_LANES) {                                                                                       \
            EACH_LANE(d)[l] = (value);                                                                                 \
        } else {                                                                                                       \
            SET_SOME_LANES(d, value)                                                                                   \
        }                                                                                                              \
    } while (0)

/* Predicate destination `n` = bits, for the lanes of the mask. */
#define SET_PRED(n, bits) (PRED(n) = (PRED(n) & ~mask) | ((bits)&mask))
