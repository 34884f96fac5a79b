/* What the tests of handlers on whole registers share: random values, and a warp's registers with those expected. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/lanes.h"

#define DECLARE(name)    sim_handler SIM_JOIN(name, SIM_ISA);
#define HANDLER_OF(name) SIM_JOIN(name, SIM_ISA)

typedef __int128 big;
typedef unsigned __int128 ubig;

static big cut(big x, int bits) {
    return (big)((ubig)x & (((ubig)1 << bits) - 1));
}
static big sign(uint64_t x, int bits) {
    const big v = cut(x, bits);
    return v >> (bits - 1) & 1 ? v - ((big)1 << bits) : v;
}
static int bit(uint64_t x, int place) {
    return (int)(x >> place & 1);
}
static float as_float(uint64_t x) {
    const uint32_t bits = (uint32_t)x;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

#define SLOT_BYTES 256
static _Alignas(128) uint8_t registers[10 * SLOT_BYTES], expected[10 * SLOT_BYTES];
static frame the_frame;
static warp the_warp = {.registers = registers, .frame = &the_frame};
static uint64_t seed = 88172645463325252u;

_Noreturn void sim_fault(warp *w, const insn *i, uint32_t lanes, sim_status status, const char *format, ...) {
    fail_msg("unexpected fault: %s", format);
    abort();
}

static uint64_t random64(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}
/* Random numbers, small ones, the ends of all widths, floating-point corner cases of f16, bf16, f32 and f64. */
static uint64_t value(void) {
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       ~UINT64_C(0),
                                       0x7f,
                                       0x80,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x800000,
                                       0x7fffff,
                                       INT64_MAX,
                                       UINT64_C(1) << 63,
                                       0x80000001,
                                       0x00000001,
                                       0x807fffff,
                                       0x7f800000,
                                       0xff800000,
                                       0x7fc00000,
                                       0xffc00000,
                                       0x7f800001,
                                       0x3c003c00,
                                       0x7c007c00,
                                       0xfc007e00,
                                       0x80008000,
                                       0x03ff83ff,
                                       0x7f80ff80,
                                       0x7fc07f81,
                                       0x80000000ffffffff,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0x3ff0000000000000,
                                       0x000fffffffffffff,
                                       0x800fffffffffffff,
                                       16,
                                       31,
                                       32,
                                       33,
                                       63,
                                       64,
                                       65,
                                       255,
                                       256};
    const uint64_t r = random64();
    switch (r >> 60 & 7) {
    case 0:
    case 1:
        return special[r % (sizeof special / sizeof *special)];
    case 2:
        return r % 70;
    case 3:
        return 0 - r % 70;
    case 4:
        return (r & 0xffffffff) * 0x100000001;
    default:
        return random64();
    }
}
static uint32_t random_mask(int round) {
    return round % 3 == 0 ? ALL_LANES : round % 17 == 1 ? 0 : (uint32_t)random64();
}
static uint64_t lane(const uint8_t *block, int slot, char type, int l) {
    uint64_t x = 0;
    memcpy(&x, block + slot * SLOT_BYTES + l * (type == 'l' ? 8 : 4), type == 'l' ? 8 : 4);
    return x;
}
static void set_lane(uint8_t *block, int slot, char type, int l, uint64_t x) {
    memcpy(block + slot * SLOT_BYTES + l * (type == 'l' ? 8 : 4), &x, type == 'l' ? 8 : 4);
}
static void fill(int slot, char type) {
    for (int l = 0; l < LANES; l++) {
        const uint64_t x = value();
        set_lane(registers, slot, type, l, type == 'h' ? x & 0xffff : x);
    }
}
static uint32_t *predicate(uint8_t *block, int n) /* slot 0 holds predicates; even numbers from 16 on are free */
{
    return (uint32_t *)(block + 16 + 4 * n);
}
