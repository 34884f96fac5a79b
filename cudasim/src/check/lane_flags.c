/* Order among the lanes of one warp by flags: what a lane knew at its latest fence goes to the flag that it then writes,
 * and from there to the lanes that read the flag and fence. All of a warp runs on one host thread at a time. */
#include <stdlib.h>
#include <string.h>

#include "check/clocks.h"

/* What lanes have released at a flag: a clock for each lane. */
typedef struct lane_flag {
    uint64_t key;
    uint32_t known[CLOCK_LANES];
} lane_flag;

#define MOST_FLAGS 4096u /* then those before are forgotten, and what they order would be found as races */

struct lane_flags {
    uint32_t begun; /* of which block it all is */
    uint32_t fenced, seen; /* lanes that have had a fence, and those that have seen a flag since */
    uint32_t at_fence[CLOCK_LANES][CLOCK_LANES], from_flags[CLOCK_LANES][CLOCK_LANES]; /* by lane, of whom */
    lane_flag *table; /* by hash of the key */
    uint32_t count, room;
};

void lane_flags_free(lane_flags *f) {
    if (f != NULL) free(f->table);
    free(f);
}

/* Those of the block that runs. NULL: no memory. */
static lane_flags *flags_of(clocks *c, uint32_t agent) {
    agent_clocks *a = &c->of[agent];
    if (a->flags == NULL) a->flags = calloc(1, sizeof *a->flags);
    lane_flags *f = a->flags;
    if (f == NULL || f->begun == c->begun) return f;
    f->begun = c->begun;
    f->fenced = f->seen = f->count = 0;
    if (f->room > 0) memset(f->table, 0, f->room * sizeof *f->table);
    return f;
}

static lane_flag *slot_of(lane_flag *table, uint32_t room, uint64_t key) {
    uint32_t k = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & (room - 1);
    while (table[k].key != 0 && table[k].key != key) k = (k + 1) & (room - 1);
    return &table[k];
}

static lane_flag *flag_find(const lane_flags *f, uint64_t key) {
    lane_flag *found = f->count > 0 ? slot_of(f->table, f->room, key) : NULL;
    return found != NULL && found->key != 0 ? found : NULL;
}

/* NULL: no memory. */
static lane_flag *flag_make(lane_flags *f, uint64_t key) {
    if (f->count == MOST_FLAGS) {
        memset(f->table, 0, f->room * sizeof *f->table);
        f->count = 0;
    }
    if (2 * f->count >= f->room) {
        const uint32_t room = f->room > 0 ? 2 * f->room : 8;
        lane_flag *table = calloc(room, sizeof *table);
        if (table == NULL) return NULL;
        for (uint32_t k = 0; k < f->room; k++)
            if (f->table[k].key != 0) *slot_of(table, room, f->table[k].key) = f->table[k];
        free(f->table);
        f->table = table;
        f->room = room;
    }
    lane_flag *found = slot_of(f->table, f->room, key);
    if (found->key == 0) f->count++;
    found->key = key;
    return found;
}

static void acquire(clocks *c, uint32_t agent, lane_flags *f, uint32_t lane) {
    agent_clocks *a = &c->of[agent];
    if (!(f->seen >> lane & 1)) return;
    f->seen &= ~(1u << lane);
    if (a->apart == NULL) a->apart = calloc(1, sizeof *a->apart);
    if (a->apart != NULL) known_join(a->apart->known[lane], f->from_flags[lane], CLOCK_LANES);
}

static void release(clocks *c, uint32_t agent, lane_flags *f, uint32_t lane) {
    const agent_clocks *a = &c->of[agent];
    for (uint32_t k = 0; k < CLOCK_LANES; k++) {
        const uint32_t known = a->apart != NULL ? a->apart->known[lane][k] : 0;
        f->at_fence[lane][k] = known > a->together ? known : a->together;
    }
    f->at_fence[lane][lane] = a->now;
    f->fenced |= 1u << lane;
}

void clocks_lane_fence(clocks *c, uint32_t agent, uint32_t lanes) {
    lane_flags *f = flags_of(c, agent);
    if (f == NULL) return;
    c->of[agent].now++;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        acquire(c, agent, f, lane);
        release(c, agent, f, lane);
    }
}

void clocks_lane_flag(clocks *c, uint32_t agent, uint32_t lane, const flag_access *a) {
    if (c->of[agent].flags == NULL && !a->releases) return;
    lane_flags *f = flags_of(c, agent);
    if (f == NULL) return;
    if (a->releases) {
        c->of[agent].now++;
        release(c, agent, f, lane);
    }
    const lane_flag *found = a->reads ? flag_find(f, a->key) : NULL;
    if (found != NULL) {
        if (!(f->seen >> lane & 1)) memset(f->from_flags[lane], 0, sizeof f->from_flags[lane]);
        f->seen |= 1u << lane;
        known_join(f->from_flags[lane], found->known, CLOCK_LANES);
    }
    if (a->acquires) acquire(c, agent, f, lane);
    lane_flag *to = a->writes && f->fenced >> lane & 1 ? flag_make(f, a->key) : NULL;
    if (to != NULL) known_join(to->known, f->at_fence[lane], CLOCK_LANES);
}
