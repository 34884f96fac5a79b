/* Handlers of integer instructions as lines: where the operands lie (U32, S64, ...), and the value of a lane in terms
 * of a[l], b[l], c[l]. BINARY and the like also make the handler for registers kept as base and step, where all lanes
 * are equal; LINEAR_BINARY and the like say when the result has a step, and which. */
#pragma once

#include "exec/affine.h"
#include "exec/lanes.h"

#define LANES_UNARY(name, D, A, value)                                                                                 \
    QUICK_HANDLER(name, ) {                                                                                            \
        const __auto_type a = A(1);                                                                                    \
        __auto_type d = D(0);                                                                                          \
        SET_LANES(d, value);                                                                                           \
        return true;                                                                                                   \
    }
#define LANES_BINARY(name, D, A, B, value)                                                                             \
    QUICK_HANDLER(name, ) {                                                                                            \
        const __auto_type a = A(1);                                                                                    \
        const __auto_type b = B(2);                                                                                    \
        __auto_type d = D(0);                                                                                          \
        SET_LANES(d, value);                                                                                           \
        return true;                                                                                                   \
    }
#define LANES_TERNARY(name, D, A, B, C, value)                                                                         \
    QUICK_HANDLER(name, ) {                                                                                            \
        const __auto_type a = A(1);                                                                                    \
        const __auto_type b = B(2);                                                                                    \
        const __auto_type c = C(3);                                                                                    \
        __auto_type d = D(0);                                                                                          \
        SET_LANES(d, value);                                                                                           \
        return true;                                                                                                   \
    }

/* The same on registers kept as base + lane * step (affine.h): the value of lane 0, from the sources' bases, and the
 * result's step in terms of the sources', as, bs, cs, under the condition that it has one. */
#define AFFINE_RESULT(D, value, step)                                                                                  \
    do {                                                                                                               \
        const uint64_t apart = step;                                                                                   \
        const __typeof__(*D(0)) first = value;                                                                         \
        affine_set(AFFINE(0), (uint64_t)first, apart, sizeof first);                                                   \
    } while (0)
#define AFFINE_SOURCE(f, LANES_OF) ((const __typeof__(*LANES_OF(0)) *)&(f)->base)
#define AFFINE_UNARY(name, D, A, value, when, step_of_d)                                                               \
    QUICK_HANDLER(name##_affine, affine_give_up(w, i, mask, 1, SIM_JOIN(name, SIM_ISA))) {                             \
        const affine *fa = AFFINE(1);                                                                                  \
        __attribute__((unused)) const uint64_t as = fa->step;                                                          \
        __attribute__((unused)) const __auto_type a = AFFINE_SOURCE(fa, A);                                            \
        enum { l = 0 };                                                                                                \
        if (mask != ALL_LANES) return false;                                                                           \
        if (fa->kept && (when)) {                                                                                      \
            AFFINE_RESULT(D, value, step_of_d);                                                                        \
            return true;                                                                                               \
        }                                                                                                              \
        if (!(affine_has_lanes(fa))) return false;                                                                     \
        AFFINE(0)->kept = LANES_ONLY;                                                                                  \
        return name##_quick(w, i, mask);                                                                               \
    }
#define AFFINE_BINARY(name, D, A, B, value, when, step_of_d)                                                           \
    QUICK_HANDLER(name##_affine, affine_give_up(w, i, mask, 2, SIM_JOIN(name, SIM_ISA))) {                             \
        const affine *fa = AFFINE(1), *fb = AFFINE(2);                                                                 \
        __attribute__((unused)) const uint64_t as = fa->step, bs = fb->step;                                           \
        const __auto_type a = AFFINE_SOURCE(fa, A);                                                                    \
        const __auto_type b = AFFINE_SOURCE(fb, B);                                                                    \
        enum { l = 0 };                                                                                                \
        if (mask != ALL_LANES) return false;                                                                           \
        if ((fa->kept & fb->kept) && (when)) {                                                                         \
            AFFINE_RESULT(D, value, step_of_d);                                                                        \
            return true;                                                                                               \
        }                                                                                                              \
        if (!(affine_has_lanes(fa) && affine_has_lanes(fb))) return false;                                             \
        AFFINE(0)->kept = LANES_ONLY;                                                                                  \
        return name##_quick(w, i, mask);                                                                               \
    }
#define AFFINE_TERNARY(name, D, A, B, C, value, when, step_of_d)                                                       \
    QUICK_HANDLER(name##_affine, affine_give_up(w, i, mask, 3, SIM_JOIN(name, SIM_ISA))) {                             \
        const affine *fa = AFFINE(1), *fb = AFFINE(2), *fc = AFFINE(3);                                                \
        __attribute__((unused)) const uint64_t as = fa->step, bs = fb->step, cs = fc->step;                            \
        const __auto_type a = AFFINE_SOURCE(fa, A);                                                                    \
        const __auto_type b = AFFINE_SOURCE(fb, B);                                                                    \
        const __auto_type c = AFFINE_SOURCE(fc, C);                                                                    \
        enum { l = 0 };                                                                                                \
        if (mask != ALL_LANES) return false;                                                                           \
        if ((fa->kept & fb->kept & fc->kept) && (when)) {                                                              \
            AFFINE_RESULT(D, value, step_of_d);                                                                        \
            return true;                                                                                               \
        }                                                                                                              \
        if (!(affine_has_lanes(fa) && affine_has_lanes(fb) && affine_has_lanes(fc))) return false;                     \
        AFFINE(0)->kept = LANES_ONLY;                                                                                  \
        return name##_quick(w, i, mask);                                                                               \
    }

/* Whatever an instruction does, of equal sources it makes equal results. */
#define UNARY(name, D, A, value) LANES_UNARY(name, D, A, value) AFFINE_UNARY(name, D, A, value, as == 0, 0)
#define BINARY(name, D, A, B, value)                                                                                   \
    LANES_BINARY(name, D, A, B, value) AFFINE_BINARY(name, D, A, B, value, (as | bs) == 0, 0)
#define TERNARY(name, D, A, B, C, value)                                                                               \
    LANES_TERNARY(name, D, A, B, C, value) AFFINE_TERNARY(name, D, A, B, C, value, (as | bs | cs) == 0, 0)

/* And these make affine results of affine sources. */
#define LINEAR_UNARY(name, D, A, value, step) LANES_UNARY(name, D, A, value) AFFINE_UNARY(name, D, A, value, true, step)
#define LINEAR_BINARY(name, D, A, B, value, when, step)                                                                \
    LANES_BINARY(name, D, A, B, value) AFFINE_BINARY(name, D, A, B, value, when, step)
#define LINEAR_TERNARY(name, D, A, B, C, value, when, step)                                                            \
    LANES_TERNARY(name, D, A, B, C, value) AFFINE_TERNARY(name, D, A, B, C, value, when, step)

#define LOW16(x)    ((uint16_t)(x))
#define SIGNED16(x) ((int16_t)(x))
#define HIGH16(x)   ((x) >> 16)
/* Two 16-bit results in one lane; 16x2 instructions work on each half alone. */
#define PACK16(low, high) ((uint32_t)LOW16(low) | (uint32_t)LOW16(high) << 16)
#define SMALLER(x, y)     ((x) < (y) ? (x) : (y))
#define LARGER(x, y)      ((x) > (y) ? (x) : (y))
