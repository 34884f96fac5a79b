#include "check/clocks.h"

#include <stdlib.h>
#include <string.h>

bool clocks_make(clocks *c, uint32_t agents) {
    *c = (clocks){.agents = agents};
    c->of = calloc(agents, sizeof *c->of);
    c->words = calloc((size_t)agents * agents * 3, sizeof *c->words);
    if (c->of == NULL || c->words == NULL) {
        clocks_free(c);
        return false;
    }
    for (uint32_t k = 0; k < agents; k++) {
        c->of[k].known = c->words + (size_t)agents * (3 * k);
        c->of[k].fenced = c->of[k].known + agents;
        c->of[k].seen = c->of[k].fenced + agents;
    }
    return true;
}

void clocks_free(clocks *c) {
    for (uint32_t k = 0; c->of != NULL && k < c->agents; k++) {
        free(c->of[k].apart);
        lane_flags_free(c->of[k].flags);
    }
    free(c->of);
    free(c->words);
    *c = (clocks){0};
}

void clocks_begin(clocks *c) {
    uint32_t latest = 0;
    for (uint32_t k = 0; k < c->agents; k++) latest = c->of[k].now > latest ? c->of[k].now : latest;
    c->begun = latest + 1;
    for (uint32_t k = 0; k < c->agents; k++) {
        agent_clocks *a = &c->of[k];
        a->now = a->together = c->begun;
        free(a->apart);
        a->apart = NULL;
        a->has_seen = false;
        for (uint32_t n = 0; n < 3 * c->agents; n++) a->known[n] = c->begun;
    }
}

bool clocks_before_lane(const clocks *c, stamp s, uint32_t lanes, uint32_t agent, uint32_t lane) {
    const uint32_t clock = stamp_clock(s), who = stamp_lane(s);
    const agent_clocks *a = &c->of[agent];
    if (lane >= CLOCK_LANES) return false;
    if (who < CLOCK_LANES) return a->apart != NULL && clock < a->apart->known[lane][who];
    for (uint32_t left = lanes & ~(1u << lane); left != 0; left &= left - 1)
        if (a->apart == NULL || clock >= a->apart->known[lane][__builtin_ctz(left)]) return false;
    return true;
}

void clocks_release(clocks *c, uint32_t agent, known_clocks *at) {
    agent_clocks *a = &c->of[agent];
    known_join(at, a->known, c->agents);
    at[agent] = ++a->now; /* no other stands there that is later */
}

void clocks_acquire(clocks *c, uint32_t agent, const known_clocks *at) {
    known_join(c->of[agent].known, at, c->agents);
    c->of[agent].version++;
}

void clocks_know(clocks *c, uint32_t agent, uint32_t other, uint32_t clock) {
    agent_clocks *a = &c->of[agent], *o = &c->of[other];
    if (a->known[other] < clock) a->known[other] = clock;
    if (o->now < clock) o->now = clock;
    a->version++;
}

void clocks_follow(clocks *c, uint32_t to, uint32_t agent) {
    known_join(c->of[to].known, c->of[agent].known, c->agents);
    c->of[to].known[agent] = ++c->of[agent].now;
    c->of[to].version++;
}

void clocks_lanes(clocks *c, uint32_t agent, uint32_t lanes, uint32_t all) {
    agent_clocks *a = &c->of[agent];
    a->now++;
    if ((lanes & all) == all) {
        a->together = a->now;
        free(a->apart);
        a->apart = NULL;
        return;
    }
    if (a->apart == NULL) a->apart = calloc(1, sizeof *a->apart);
    if (a->apart == NULL) return;
    uint32_t joined[CLOCK_LANES] = {0};
    for (int l = 0; l < CLOCK_LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        for (int k = 0; k < CLOCK_LANES; k++)
            if (a->apart->known[l][k] > joined[k]) joined[k] = a->apart->known[l][k];
    }
    for (int l = 0; l < CLOCK_LANES; l++)
        if (lanes >> l & 1) joined[l] = a->now;
    for (int l = 0; l < CLOCK_LANES; l++)
        if (lanes >> l & 1) memcpy(a->apart->known[l], joined, sizeof joined);
}

void clocks_learn(clocks *c, uint32_t agent, uint32_t lanes, uint32_t all, uint32_t clock) {
    agent_clocks *a = &c->of[agent];
    if (clock <= a->together) return;
    if ((lanes & all) == all) {
        a->together = clock;
        return;
    }
    if (a->apart == NULL) a->apart = calloc(1, sizeof *a->apart);
    for (int l = 0; a->apart != NULL && l < CLOCK_LANES; l++)
        for (int k = 0; lanes >> l & 1 && k < CLOCK_LANES; k++)
            if (a->apart->known[l][k] < clock) a->apart->known[l][k] = clock;
}

void clocks_fence(clocks *c, uint32_t agent) {
    agent_clocks *a = &c->of[agent];
    if (a->has_seen) {
        known_join(a->known, a->seen, c->agents);
        a->version++;
        a->has_seen = false;
    }
    memcpy(a->fenced, a->known, c->agents * sizeof *a->fenced);
    a->fenced[agent] = ++a->now;
}

void clocks_publish(clocks *c, uint32_t agent, known_clocks *at) {
    known_join(at, c->of[agent].fenced, c->agents);
}

void clocks_see(clocks *c, uint32_t agent, const known_clocks *at) {
    known_join(c->of[agent].seen, at, c->agents);
    c->of[agent].has_seen = true;
}
