/* Warp-wide instructions: lanes see one another's registers. Each names the lanes that take part (membermask); those
 * that have not come yet are waited for. */
#include <string.h>

#include "exec/lanes.h"
#include "machine/groups.h"
#include "machine/observe.h"

/* Lanes that may execute now. They all name the same members nearly always; tiles of a warp name theirs. */
static inline uint32_t converge(warp *w, const insn *i, uint32_t mask, const uint32_t *members) {
    if (mask == ALL_LANES) {
        uint32_t all = ALL_LANES;
        for (int l = 0; l < LANES; l++) all &= members[l];
        if (all == ALL_LANES) return mask;
    }
    return warp_converge(w, i, mask, members);
}

/* to[l] = from[source[l] % 32] */
static inline void gather_lanes(const uint32_t *from, const uint32_t *source, uint32_t *to) {
#ifdef __AVX512F__
    typedef uint32_t half __attribute__((vector_size(64)));
    half low, high, at, result; /* one permutation of both halves for each */
    memcpy(&low, from, sizeof low);
    memcpy(&high, from + 16, sizeof high);
    for (int k = 0; k < LANES; k += 16) {
        memcpy(&at, source + k, sizeof at);
        result = __builtin_shuffle(low, high, at);
        memcpy(to + k, &result, sizeof result);
    }
#else
    for (int l = 0; l < LANES; l++) to[l] = from[source[l] & 31];
#endif
}

/* shfl.sync.mode.b32 d|p, a, b, c, membermask;
 *   segment mask = c[12:8], clamp = c[4:0], lane of the lowest in the segment: laneid & segmask
 *   up:   j = laneid - b, p = j >= max;  down: j = laneid + b, p = j <= max;  bfly: j = laneid ^ b, p = j <= max;
 *   idx:  j = min | (b & ~segmask), p = j <= max;  where p is false, j = laneid.  (b is taken modulo 32.) */
#define SOURCES(j, in)                                                                                                 \
    EACH_LANE {                                                                                                        \
        const uint32_t segment = c[l] >> 8 & 31, min = (uint32_t)l & segment, by = b[l] & 31;                          \
        const int max = (int)(min | (c[l] & 31 & ~segment));                                                           \
        const int from = (j);                                                                                          \
        const bool is = (in);                                                                                          \
        source[l] = (uint32_t)(is ? from : l);                                                                         \
        inside[l] = is;                                                                                                \
    }

/* Some may be given what a lane holds that they do not name, or that is not there. */
static void tell_shuffle(warp *w, const insn *i, uint32_t run, const uint32_t *source, const uint32_t *members) {
    uint32_t absent = 0;
    for (int l = 0; l < LANES; l++) absent |= (uint32_t) !((members[l] & run) >> source[l] & 1) << l;
    absent &= run;
    if (absent != 0 || w->careful) observe_shuffle(w, i, run, absent, source);
}

HANDLER(op_shfl) {
    const uint32_t run = converge(w, i, mask, U32(5));
    if (run == 0) return;
    const uint32_t *a = U32(2), *b = U32(3), *c = U32(4);
    uint32_t *d = U32(0), result[LANES], source[LANES], inside[LANES], bits = 0;
    switch ((shuffle_kind)i->choice) {
    case SHUFFLE_UP:
        SOURCES(l - (int)by, from >= max);
        break;
    case SHUFFLE_DOWN:
        SOURCES(l + (int)by, from <= max);
        break;
    case SHUFFLE_BUTTERFLY:
        SOURCES(l ^ (int)by, from <= max);
        break;
    case SHUFFLE_INDEX:
        SOURCES((int)(min | (by & ~segment)), from <= max);
    }
    for (int l = 0; l < LANES; l++) bits |= inside[l] << l;
    if (w->launch->observer != NULL) tell_shuffle(w, i, run, source, U32(5));
    gather_lanes(a, source, result);
    mask = run;
    SET_LANES(d, result[l]);
    SET_PRED(1, bits);
}

/* vote.sync.{all,any,uni}.pred d, {!}a, membermask;  vote.sync.ballot.b32 */
HANDLER(op_vote) {
    const uint32_t *members = U32(2);
    const uint32_t run = converge(w, i, mask, members);
    if (run == 0) return;
    const uint32_t a = PRED(1) ^ (i->boolean_negate ? ALL_LANES : 0);
    uint32_t bits = 0, ballots[LANES];
    for (int l = 0; l < LANES; l++) {
        const uint32_t who = members[l] & run, yes = a & who;
        const bool all = yes == who, any = yes != 0;
        const bool is = i->choice == VOTE_ALL ? all : i->choice == VOTE_ANY ? any : all || !any;
        bits |= (uint32_t)is << l;
        ballots[l] = yes;
    }
    mask = run;
    if (i->choice == VOTE_BALLOT) {
        uint32_t *d = U32(0);
        SET_LANES(d, ballots[l]);
    } else {
        SET_PRED(0, bits);
    }
}

/* match.any.sync.type d, a, membermask: the members that hold the same value.
 * match.all.sync.type d|p, a, membermask: all members (and p) where all hold the same value, else 0. */
HANDLER(op_match) {
    const uint32_t *members = U32(3);
    const uint32_t run = converge(w, i, mask, members);
    if (run == 0) return;
    uint32_t *d = U32(0), same[LANES], bits = 0;
    for (int l = 0; l < LANES; l++) {
        same[l] = 0;
        for (int k = 0; k < LANES; k++) {
            const bool equal = i->width == 8 ? U64(2)[k] == U64(2)[l] : U32(2)[k] == U32(2)[l];
            same[l] |= (uint32_t)equal << k;
        }
        same[l] &= members[l] & run;
        if (i->choice == MATCH_ALL) {
            const bool all = same[l] == (members[l] & run);
            if (!all) same[l] = 0;
            bits |= (uint32_t)all << l;
        }
    }
    mask = run;
    SET_LANES(d, same[l]);
    SET_PRED(1, bits);
}

/* redux.sync.op.type d, a, membermask; */
HANDLER(op_redux) {
    const uint32_t *members = U32(2), *a = U32(1);
    const uint32_t run = converge(w, i, mask, members);
    if (run == 0) return;
    uint32_t *d = U32(0), result[LANES];
    for (int l = 0; l < LANES; l++) {
        if (!(run >> l & 1)) continue;
        const uint32_t who = members[l] & run;
        uint32_t value = a[l];
        for (int k = 0; k < LANES; k++) {
            if (!(who >> k & 1) || k == l) continue;
            const uint32_t x = a[k];
            const bool less = i->type == PTX_S32 ? (int32_t)x < (int32_t)value : x < value;
            switch ((redux_kind)i->choice) {
            case REDUX_ADD:
                value += x;
                break;
            case REDUX_MIN:
                value = less ? x : value;
                break;
            case REDUX_MAX:
                value = less ? value : x;
                break;
            case REDUX_AND:
                value &= x;
                break;
            case REDUX_OR:
                value |= x;
                break;
            default:
                value ^= x;
            }
        }
        result[l] = value;
    }
    for (int l = 0; l < LANES; l++)
        if (run >> l & 1) d[l] = result[l];
}

/* activemask.b32 d; */
HANDLER(op_activemask) {
    uint32_t *d = U32(0);
    SET_LANES(d, mask);
}

/* elect.sync d|p, membermask: the lowest member leads. */
HANDLER(op_elect) {
    const uint32_t *members = U32(2);
    const uint32_t run = converge(w, i, mask, members);
    if (run == 0) return;
    uint32_t *d = U32(0), leader[LANES], bits = 0;
    for (int l = 0; l < LANES; l++) {
        const uint32_t who = members[l] & run;
        leader[l] = who != 0 ? (uint32_t)__builtin_ctz(who) : 0;
        bits |= (uint32_t)(leader[l] == (uint32_t)l) << l;
    }
    mask = run;
    SET_LANES(d, leader[l]);
    SET_PRED(1, bits);
}
