/* Random PTX programs, as a list of steps: what generate.h makes, model.h runs a thread at a time, and print.h writes
 * as PTX for the simulator.
 *
 * No two threads touch the same bytes but where a barrier lies between, by commuting atomics, or reading alone, and no
 * warp-wide instruction names lanes that do not come: so that every order of the threads gives the same results.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Registers, by the letters of forms. Those from DATA on are the generator's: masks, counters, addresses. A function
 * has its own, which in the model lie behind the kernel's. */
enum { CLASS_P, CLASS_H, CLASS_W, CLASS_L, CLASSES };
#define DATA      12
#define REGISTERS 64
#define THREADS   96 /* a block, at most */
#define BLOCKS    4
#define STEPS     1200

static const unsigned class_bits[CLASSES] = {1, 16, 32, 64};

typedef enum value_type { U8, S8, U16, S16, U32, S32, U64, S64, B16, B32, B64, F16, F32, F64, TYPES } value_type;
static const char *const type_names[TYPES] = {"u8",  "s8",  "u16", "s16", "u32", "s32", "u64",
                                              "s64", "b16", "b32", "b64", "f16", "f32", "f64"};
static const unsigned type_bits[TYPES] = {8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 64};
/* The class of register that holds it: 8 bits lie in one of 16. */
static const unsigned char type_class[TYPES] = {CLASS_H, CLASS_H, CLASS_H, CLASS_H, CLASS_W, CLASS_W, CLASS_L,
                                                CLASS_L, CLASS_H, CLASS_W, CLASS_L, CLASS_H, CLASS_W, CLASS_L};

static bool is_float(value_type type) {
    return type >= F16;
}
static bool is_signed(value_type type) {
    return type == S8 || type == S16 || type == S32 || type == S64;
}

typedef struct operand {
    enum { NONE, REGISTER, NUMBER, SPECIAL, PARAMETER } kind;
    unsigned char class;
    bool negated; /* a predicate */
    int index;    /* of the register; of the special one, in special_names */
    uint64_t number;
} operand;

enum { TID, NTID, CTAID, NCTAID, LANE, WARP, TID_Y, CLUSTER_RANK, CLUSTER_SIZE, CLUSTER, SPECIALS };
static const char *const special_names[SPECIALS] = {
    "%tid.x",  "%ntid.x", "%ctaid.x",         "%nctaid.x",         "%laneid",
    "%warpid", "%tid.y",  "%cluster_ctarank", "%cluster_nctarank", "%clusterid.x"};

/* Places in memory. The model has them at addresses of its own: no program looks at the bits of an address. */
typedef enum place { INPUT, OUTPUT, COUNTERS, SHARED, LOCAL, TABLE, PARAM, PLACES } place;
#define INPUT_BYTES    8192
#define SLOTS          72 /* of 8 bytes a thread has in OUTPUT: its registers at the end, then room to store to */
#define FIRST_OWN_SLOT 56
#define OUTPUT_BYTES   (BLOCKS * THREADS * SLOTS * 8)
#define COUNTER_BYTES  64
#define SHARED_BYTES   (THREADS * 32 + 64) /* 32 for each thread, then counters */
#define LOCAL_BYTES    64
#define TABLE_BYTES    128
#define PARAM_BYTES    24 /* arguments that are not addresses: one of each size */

struct step;
/* The result's bits, of all destinations one behind the other, from the sources'. *carry is CC.CF. */
typedef uint64_t compute(const struct step *s, const uint64_t *x, bool *carry);

typedef struct step {
    enum {
        STEP_COMPUTE,
        STEP_ADDRESS, /* d[0] = the address of a place */
        STEP_LOAD,    /* d[] from [s[0] + offset] */
        STEP_STORE,   /* s[1..] */
        STEP_ATOMIC,  /* atom, or red without d; how[0] type, how[1] which */
        STEP_LABEL,   /* label */
        STEP_BRANCH,  /* to label */
        STEP_INDEXED, /* brx.idx: to targets[s[0]] */
        STEP_CALL,    /* d[0] = f(s[0], s[1], s[2]) */
        STEP_RETURN,  /* s[0] */
        STEP_EXIT,
        STEP_SLEEP,
        STEP_ARRIVE,   /* at the mbarrier; or at that of the block with rank s[0]; or at the cluster's barrier */
        STEP_BARRIER,  /* from here on threads wait: bar.sync, or the wait of phase s[0] at the mbarrier */
        STEP_CLUSTER,  /* the wait at the cluster's barrier, or of phase s[0] at the mbarrier for other blocks */
        STEP_SHUFFLE,  /* d[0], d[1]; s: a, b, c, members; how[0] mode */
        STEP_VOTE,     /* s: p, members; how[0] mode */
        STEP_MATCH,    /* how[0] all */
        STEP_REDUCE,   /* how[0] type, how[1] which */
        STEP_LDMATRIX, /* from here on for whole warps; how[0] how many, how[1] transposed */
        STEP_STMATRIX, /* of s[1..] */
        STEP_MMA,      /* d[0..1] = s[0] * s[1] + s[2..3] */
    } kind;
    char opcode[48];
    compute *run;
    int how[5]; /* what `run` or the kind needs: types, rounding, ... */
    operand d[4], s[5];
    int d_count, s_count;
    char d_form, s_form; /* 'p': d|p; 'v': { }; else with commas */
    int guard;           /* a predicate, or -1 */
    bool guard_negated;
    place place;
    int64_t offset;
    int label, targets[4], target_count;
    bool fixed; /* the program is no program without it */
    bool off;   /* left out, by the reducer */
} step;

typedef struct program_steps {
    step steps[STEPS];
    int count, function; /* where the function begins: behind the kernel */
    int labels;
    unsigned threads, blocks; /* threads of a block, */
    unsigned width;           /* in rows of so many */
    unsigned cluster;         /* blocks of a cluster */
    uint8_t input[INPUT_BYTES], table[TABLE_BYTES], params[PARAM_BYTES];
} program_steps;

/* ---- chance ---- */

static uint64_t chance_state;

static uint32_t chance(uint32_t below) {
    chance_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = chance_state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

static bool one_in(uint32_t n) {
    return chance(n) == 0;
}

/* Numbers at which something happens, in any width. */
static uint64_t chance_number(void) {
    static const uint64_t special[] = {
        0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
        0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffffff0, 0xfffffff0,
        0xffffffe1,
        /* floats: 0.5, 1, -1, 1.5, least normal, its half, most, infinities, NaNs */
        0x3f000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x00800000, 0x00400000, 0x80400000, 0x00000001, 0x7f7fffff,
        0x7f800000, 0xff800000, 0x7fc00000, 0xffa00001, 0x4b000001, 0x3fe0000000000000, 0x3ff0000000000000,
        0xbff8000000000000, 0x0010000000000000, 0x0008000000000000, 0x8000000000000001, 0x7fefffffffffffff,
        0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff4000000000001, 0x41dfffffffe00000,
        0x36a0000000000000, 0x3810000000000000, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x0200, 0x7bff, 0xbc00};
    switch (chance(4)) {
    case 0:
        return special[chance(sizeof special / sizeof *special)];
    case 1:
        return chance(64);
    case 2: { /* floats near 1, in three formats */
        const uint64_t low = chance(UINT32_MAX);
        return one_in(2) ? 0x3f000000 + low % 0x1800000 : 0x3fd0000000000000 + (low << 22);
    }
    default:
        return (uint64_t)chance(UINT32_MAX) << 32 | chance(UINT32_MAX);
    }
}
