/* One step of a read-modify-write, in bits: of atomic operations and of copies that reduce. */
#pragma once

#include "base/floats.h"
#include "isa/form.h"

static inline uint32_t f16_add(uint32_t a, uint32_t b) {
    return f32_to_f16(f32_bits(f32_of(f16_to_f32(a & 0xffff)) + f32_of(f16_to_f32(b & 0xffff))));
}

static inline uint32_t bf16_add(uint32_t a, uint32_t b) {
    return f32_to_bf16(f32_bits(f32_of(bf16_to_f32(a & 0xffff)) + f32_of(bf16_to_f32(b & 0xffff))));
}

static inline uint32_t f16_min_max(uint32_t a, uint32_t b, bool max) {
    return f32_to_f16(f32_min_max(f16_to_f32(a & 0xffff), f16_to_f32(b & 0xffff), max, false));
}

static inline uint32_t bf16_min_max(uint32_t a, uint32_t b, bool max) {
    return f32_to_bf16(f32_min_max(bf16_to_f32(a & 0xffff), bf16_to_f32(b & 0xffff), max, false));
}

static inline uint32_t f32_add(uint32_t a, uint32_t b) {
    return f32_canonical(f32_bits(f32_of(a) + f32_of(b)));
}

/* `old` -> new value. `flush`: f32 denormals are zeros. `at_memory`: the adders of global memory have their own way
 * with f64 NaNs. */
static inline uint64_t atomic_modify(atomic_op op, ptx_type type, uint64_t old, uint64_t a, bool flush,
                                     bool at_memory) {
    switch (op) {
    case ATOMIC_ADD:
        switch (type) {
        case PTX_F32:
            if (flush) return f32_ftz(f32_add(f32_ftz((uint32_t)old), f32_ftz((uint32_t)a)));
            return f32_add((uint32_t)old, (uint32_t)a);
        case PTX_F64:
            return at_memory ? f64_add_at_memory(old, a) : f64_add(a, old);
        case PTX_F16:
            return f16_add((uint32_t)old, (uint32_t)a);
        case PTX_BF16:
            return bf16_add((uint32_t)old, (uint32_t)a);
        case PTX_F16X2:
            return f16_add((uint32_t)old, (uint32_t)a) | f16_add((uint32_t)old >> 16, (uint32_t)a >> 16) << 16;
        case PTX_BF16X2:
            return bf16_add((uint32_t)old, (uint32_t)a) | bf16_add((uint32_t)old >> 16, (uint32_t)a >> 16) << 16;
        default:
            return old + a;
        }
    case ATOMIC_MIN:
    case ATOMIC_MAX: {
        bool less;
        switch (type) {
        case PTX_S32:
            less = (int32_t)a < (int32_t)old;
            break;
        case PTX_U32:
            less = (uint32_t)a < (uint32_t)old;
            break;
        case PTX_S64:
            less = (int64_t)a < (int64_t)old;
            break;
        case PTX_U64:
            less = a < old;
            break;
        case PTX_F16:
            return f16_min_max((uint32_t)old, (uint32_t)a, op == ATOMIC_MAX);
        case PTX_BF16:
            return bf16_min_max((uint32_t)old, (uint32_t)a, op == ATOMIC_MAX);
        case PTX_F16X2:
            return f16_min_max((uint32_t)old, (uint32_t)a, op == ATOMIC_MAX) |
                   f16_min_max((uint32_t)old >> 16, (uint32_t)a >> 16, op == ATOMIC_MAX) << 16;
        default:
            return bf16_min_max((uint32_t)old, (uint32_t)a, op == ATOMIC_MAX) |
                   bf16_min_max((uint32_t)old >> 16, (uint32_t)a >> 16, op == ATOMIC_MAX) << 16;
        }
        if (op == ATOMIC_MAX) return less ? old : a;
        return less ? a : old;
    }
    case ATOMIC_AND:
        return old & a;
    case ATOMIC_OR:
        return old | a;
    case ATOMIC_XOR:
        return old ^ a;
    case ATOMIC_INC: /* ((old >= a) ? 0 : old + 1) */
        return (uint32_t)old >= (uint32_t)a ? 0 : (uint32_t)old + 1;
    case ATOMIC_DEC: /* ((old == 0) || (old > a)) ? a : old - 1 */
        return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)a ? (uint32_t)a : (uint32_t)old - 1;
    default:
        return a;
    }
}
