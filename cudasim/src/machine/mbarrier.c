#include "machine/mbarrier.h"

#include <stdlib.h>
#include <string.h>

#include "machine/async_fault.h"
#include "machine/fault.h"
#include "machine/groups.h"
#include "machine/observe.h"

typedef struct mbarrier {
    uint32_t offset;
    uint32_t expected, pending; /* arrivals: of a phase; still to come in this one */
    int64_t tx;                 /* bytes still to come; below 0: more have come than were expected */
    uint32_t phase;
    uint32_t in_flight; /* copies and arrivals that will report to it */
    bool asked;         /* somebody has tested it in vain */
} mbarrier;

struct mbarriers {
    mbarrier *list;
    int count, room, last;
};

/* ---- the objects ------------------------------------------------------------------------------------------------- */

/* What stands in shared memory: expected arrivals, pending ones, the low bits of the transaction count, the phase. */
static uint64_t encoded(const mbarrier *m) {
    return (uint64_t)m->expected | (uint64_t)m->pending << 20 | ((uint64_t)m->tx & 0x1fffff) << 40 |
           (uint64_t)(m->phase & 1) << 61 | 1ull << 62;
}

static uint64_t *word(const block *b, uint32_t offset) {
    return (uint64_t *)(b->shared + offset);
}

static void written(const block *b, const mbarrier *m) {
    *word(b, m->offset) = encoded(m);
}

static mbarrier *find(const block *b, uint32_t offset) {
    struct mbarriers *s = b->mbarriers;
    if (s == NULL) return NULL;
    if (s->last < s->count && s->list[s->last].offset == offset) return &s->list[s->last];
    for (int k = 0; k < s->count; k++)
        if (s->list[k].offset == offset) {
            s->last = k;
            return &s->list[k];
        }
    return NULL;
}

static void place(block *b, uint32_t offset) {
    if (offset % 8 != 0)
        async_fault(b, SIM_MISALIGNED_ADDRESS, "an mbarrier at shared address 0x%x, which is not aligned to 8", offset);
    if (offset < SHARED_RESERVED || offset > b->shared_end - 8)
        async_fault(b, SIM_ILLEGAL_ADDRESS,
                    "an mbarrier at shared address 0x%x; the block's shared memory is 0x%x to 0x%x", offset,
                    SHARED_RESERVED, b->shared_end);
}

static mbarrier *get(block *b, uint32_t offset) {
    place(b, offset);
    mbarrier *m = find(b, offset);
    if (m == NULL)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                    "there is no mbarrier at shared address 0x%x: it has not been initialised, or was invalidated",
                    offset);
    if (*word(b, offset) != encoded(m))
        async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                    "the mbarrier at shared address 0x%x has been overwritten since the last operation on it", offset);
    return m;
}

void mbarrier_check(block *b, uint32_t offset) {
    get(b, offset);
}

void mbarrier_init(block *b, uint32_t offset, uint32_t count) {
    place(b, offset);
    if (count < 1 || count > MBARRIER_MOST)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "an mbarrier for %u arrivals; 1 to %d are possible", count,
                    MBARRIER_MOST);
    mbarrier *m = find(b, offset);
    const bool in_use = m != NULL && *word(b, offset) == encoded(m);
    /* Programs have several threads do it (cuda-samples): while nothing has happened to it, that changes nothing. */
    const bool fresh = in_use && m->phase == 0 && m->expected == count && m->pending == count && m->tx == 0;
    if (fresh && m->in_flight == 0) return;
    if (in_use)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                    "mbarrier.init of the mbarrier at shared address 0x%x, which is in use: mbarrier.inval comes first",
                    offset);
    struct mbarriers *s = b->mbarriers;
    if (s == NULL) s = b->mbarriers = allocated(b->worker, calloc(1, sizeof *s), sizeof *s, "mbarriers");
    if (m == NULL) {
        s->list = with_room(b->worker, s->list, s->count, &s->room, 16, sizeof *s->list, "mbarriers");
        m = &s->list[s->count++];
    }
    *m = (mbarrier){.offset = offset, .expected = count, .pending = count};
    written(b, m);
}

void mbarrier_inval(block *b, uint32_t offset) {
    mbarrier *m = get(b, offset);
    if (m->in_flight > 0)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                    "mbarrier.inval of the mbarrier at shared address 0x%x, to which a copy in flight will report",
                    offset);
    *word(b, offset) = UINT64_MAX;
    *m = b->mbarriers->list[--b->mbarriers->count];
}

void mbarriers_clear(block *b) {
    if (b->mbarriers != NULL) b->mbarriers->count = 0;
    b->expiries = 0;
}

void mbarriers_free(block *b) {
    if (b->mbarriers != NULL) free(b->mbarriers->list);
    free(b->mbarriers);
    b->mbarriers = NULL;
}

/* ---- phases ------------------------------------------------------------------------------------------------------ */

static void wake(block *b, group *g, warp *w) {
    g->state = GROUP_READY;
    w->event &= ~EVENT_BLOCKED;
    w->runnable = true;
    w->meet_pc = w->pc; /* it may be the running warp */
    b->progressed = true;
}

/* Has the phase ended? Then the next begins, and whoever waits looks again. */
static void settle(block *b, mbarrier *m) {
    if (m->pending == 0 && m->tx == 0) {
        m->pending = m->expected;
        m->phase++;
        b->progressed = true;
        observe_sync(SYNC_MBARRIER_DONE, b, NULL, 0, m->offset);
        for (int n = 0; n < b->warp_count; n++)
            for (int k = 0; k < b->warps[n].group_count; k++) {
                group *g = &b->warps[n].groups[k];
                if (g->state == GROUP_AT_MBARRIER && g->wanted == m->offset) wake(b, g, &b->warps[n]);
            }
    }
    written(b, m);
}

static void expect(block *b, mbarrier *m, uint32_t bytes) {
    m->tx += bytes;
    if (bytes > MBARRIER_MOST || m->tx > MBARRIER_MOST)
        async_fault(b, SIM_LAUNCH_FAILURE,
                    "the mbarrier at shared address 0x%x would await %lld bytes; %d are the most", m->offset,
                    (long long)m->tx, MBARRIER_MOST);
}

static void complete(block *b, mbarrier *m, uint64_t bytes) {
    m->tx -= (int64_t)bytes;
    if (m->tx < -MBARRIER_MOST)
        async_fault(b, SIM_LAUNCH_FAILURE,
                    "%lld bytes more than expected have come for the mbarrier at shared address 0x%x; %d are the most",
                    -(long long)m->tx, m->offset, MBARRIER_MOST);
}

static void arrive(block *b, mbarrier *m, uint32_t count) {
    if (count < 1 || count > MBARRIER_MOST)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "an arrival for %u; 1 to %d are possible", count, MBARRIER_MOST);
    if (count > m->pending)
        async_fault(
            b, SIM_LAUNCH_FAILURE,
            "more arrivals than expected at the mbarrier at shared address 0x%x: %u, but in phase %u only %u of "
            "%u are pending",
            m->offset, count, m->phase, m->pending, m->expected);
    m->pending -= count;
}

/* An opaque state: the phase and its pending arrivals. */
#define STATE_MARK 0x80000000u

static uint64_t state_of(const mbarrier *m) {
    return (uint64_t)m->phase << 32 | STATE_MARK | m->pending;
}

uint32_t mbarrier_pending(uint64_t state) {
    return (uint32_t)state & 0xfffff;
}

bool mbarrier_arrive_at(block *target, uint32_t offset, uint32_t count, uint32_t expect_tx, uint64_t *state) {
    mbarrier *m = get(target, offset);
    if (state != NULL) *state = state_of(m);
    expect(target, m, expect_tx);
    arrive(target, m, count);
    settle(target, m);
    return true;
}

bool mbarrier_complete_tx(block *target, uint32_t offset, uint32_t bytes) {
    mbarrier *m = get(target, offset);
    complete(target, m, bytes);
    settle(target, m);
    return true;
}

void mbarrier_expect_tx(block *target, uint32_t offset, uint32_t bytes) {
    mbarrier *m = get(target, offset);
    expect(target, m, bytes);
    written(target, m); /* expecting does not end a phase, not even expecting nothing */
}

void mbarrier_drop(block *target, uint32_t offset, uint32_t count) {
    mbarrier *m = get(target, offset);
    if (count > m->expected)
        async_fault(target, SIM_ILLEGAL_INSTRUCTION,
                    "%u arrivals are dropped from the mbarrier at shared address 0x%x, which expects %u", count, offset,
                    m->expected);
    m->expected -= count;
    written(target, m);
}

void mbarrier_no_complete(block *b, uint32_t offset, uint32_t count) {
    const mbarrier *m = get(b, offset);
    if (count >= m->pending)
        async_fault(
            b, SIM_ILLEGAL_INSTRUCTION,
            "noComplete, but the arrival of %u ends the phase of the mbarrier at shared address 0x%x: %u pending",
            count, offset, m->pending);
}

void mbarrier_await_more(block *b, uint32_t offset, uint32_t count) {
    mbarrier *m = get(b, offset);
    if (m->pending + count > MBARRIER_MOST)
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "the mbarrier at shared address 0x%x awaits too many arrivals", offset);
    m->pending += count;
    written(b, m);
}

void mbarrier_in_flight(block *b, uint32_t offset) {
    get(b, offset)->in_flight++;
}

void mbarrier_land(block *b, uint32_t offset, uint64_t bytes, uint32_t arrivals) {
    mbarrier *m = get(b, offset);
    m->in_flight = 0;
    complete(b, m, bytes);
    if (arrivals > 0) arrive(b, m, arrivals);
    settle(b, m);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static bool ended(warp *w, int lane, const mbarrier_wait *wait) {
    block *b = w->block;
    const mbarrier *m = get(b, wait->offsets[lane]);
    if (wait->states == NULL) {
        if (wait->parities[lane] > 1)
            async_fault(b, SIM_ILLEGAL_INSTRUCTION, "a phase parity of %u; it is 0 or 1", wait->parities[lane]);
        return (m->phase & 1) != wait->parities[lane];
    }
    const uint64_t state = wait->states[lane];
    const uint32_t phase = (uint32_t)(state >> 32);
    if (!(state & STATE_MARK))
        async_fault(b, SIM_ILLEGAL_INSTRUCTION, "0x%llx is no state that mbarrier.arrive has given",
                    (unsigned long long)state);
    if (phase != m->phase && phase + 1 != m->phase)
        async_fault(
            b, SIM_ILLEGAL_INSTRUCTION,
            "a state of phase %u, but the mbarrier at shared address 0x%x is in phase %u: only the current phase "
            "and the one before can be waited for",
            phase, m->offset, m->phase);
    return phase != m->phase;
}

static uint32_t all_ended(warp *w, const insn *i, uint32_t mask, const mbarrier_wait *wait) {
    uint32_t done = 0, left = mask;
    while (left != 0) { /* once, where all lanes ask the same */
        const int first = __builtin_ctz(left);
        uint32_t same = 0;
        for (int l = 0; l < LANES; l++) {
            const bool asks = wait->states != NULL ? wait->states[l] == wait->states[first]
                                                   : wait->parities[l] == wait->parities[first];
            same |= (uint32_t)(asks && wait->offsets[l] == wait->offsets[first]) << l;
        }
        same &= left;
        left &= ~same;
        async_site(w, i, NULL, same);
        if (!ended(w, first, wait)) continue;
        done |= same;
        observe_sync(SYNC_MBARRIER_PASS, w->block, w, same, wait->offsets[first]);
    }
    return done;
}

uint32_t mbarrier_wait_lanes(warp *w, uint32_t mask, const mbarrier_wait *wait, uint32_t *blocked) {
    const insn *i = &w->code[w->pc - 1];
    const uint32_t done = all_ended(w, i, mask, wait), failing = mask & ~done;
    if (!wait->blocking)
        for (int l = 0; l < LANES; l++)
            if (failing >> l & 1) find(w->block, wait->offsets[l])->asked = true;
    *blocked = wait->blocking ? failing & ~w->wait_expired : 0;
    w->wait_expired &= ~mask;
    if (failing != *blocked && !wait->blocking) {
        w->block->polled = true;
        w->budget -= POLL_COST;
    }
    async_site(NULL, NULL, NULL, 0);
    return done;
}

bool mbarrier_tested(block *b, int *at, uint32_t *offset) {
    struct mbarriers *s = b->mbarriers;
    for (; s != NULL && *at < s->count; ++*at) {
        mbarrier *m = &s->list[*at];
        if (!m->asked) continue;
        m->asked = false;
        *offset = m->offset;
        return true;
    }
    return false;
}

/* ---- for reports ------------------------------------------------------------------------------------------------- */

static void describe(const mbarrier *m, char *text, size_t size) {
    int length = snprintf(text, size, "phase %u of the mbarrier at 0x%x (%u of %u arrivals pending", m->phase,
                          m->offset, m->pending, m->expected);
    if (length < 0 || (size_t)length >= size) return;
    if (m->tx > 0)
        snprintf(text + length, size - (size_t)length, ", %lld bytes pending)", (long long)m->tx);
    else if (m->tx < 0)
        snprintf(text + length, size - (size_t)length, ", %lld bytes more than expected have come)", -(long long)m->tx);
    else
        snprintf(text + length, size - (size_t)length, ", no bytes pending)");
}

void mbarrier_describe(const block *b, uint32_t offset, char *text, size_t size) {
    const mbarrier *m = find(b, offset);
    if (m != NULL)
        describe(m, text, size);
    else
        snprintf(text, size, "an mbarrier at 0x%x that is no more", offset);
}

/* The mbarriers in the middle of a phase: a program may poll one that it does not wait at. */
void mbarrier_list(const block *b, FILE *to) {
    if (b->mbarriers == NULL) return;
    int shown = 0;
    for (int k = 0; k < b->mbarriers->count && shown < 16; k++) {
        const mbarrier *m = &b->mbarriers->list[k];
        char text[200];
        if (m->pending == m->expected && m->tx == 0) continue;
        describe(m, text, sizeof text);
        fprintf(to, "    %s\n", text);
        shown++;
    }
}
