/* mbarriers, bulk copies, proxy fences. What they do is in machine/mbarrier.c, machine/bulk.c, machine/tensormap.c and
 * machine/proxy.c. */
#include <string.h>

#include "exec/lanes.h"
#include "machine/async_fault.h"
#include "machine/bulk.h"
#include "machine/groups.h"
#include "machine/mbarrier.h"
#include "machine/observe.h"
#include "machine/proxy.h"

/* Block and offset of the mbarrier that lane l means. */
static void mbarrier_of(warp *w, const insn *i, int l, block **target, uint32_t *offset) {
    async_site(w, i, NULL, 1u << l);
    bulk_shared_address(w, &i->mbarrier->address, l, 8, "an mbarrier", target, offset);
}

/* The same where only the thread's own block may be meant. */
static uint32_t own_mbarrier(warp *w, const insn *i, int l) {
    block *target;
    uint32_t offset;
    mbarrier_of(w, i, l, &target, &offset);
    if (target != w->block)
        async_fault(w->block, SIM_INVALID_ADDRESS_SPACE,
                    "this instruction takes mbarriers of the thread's own block only");
    return offset;
}

static void done(void) {
    async_site(NULL, NULL, NULL, 0);
}

/* mbarrier.init{.shared{::cta}}.b64 [addr], count; */
HANDLER(op_mbarrier_init) {
    const uint32_t *count = U32(1);
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        const uint32_t offset = own_mbarrier(w, i, l);
        mbarrier_init(w->block, offset, count[l]);
        observe_sync(SYNC_MBARRIER_INIT, w->block, w, 1u << l, offset);
    }
    done();
}

/* mbarrier.inval{.shared{::cta}}.b64 [addr]; */
HANDLER(op_mbarrier_inval) {
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1) mbarrier_inval(w->block, own_mbarrier(w, i, l));
    done();
}

/* mbarrier.arrive, arrive_drop{.noComplete}{.expect_tx}...: expects the bytes, then takes `count` off the arrivals
 * pending. The state is the one before. */
HANDLER(op_mbarrier_arrive) {
    if (bulk_yields(w, mask, &i->mbarrier->address)) return;
    const uint32_t *count = U32(1), *bytes = U32(2);
    uint64_t *d = U64(0);
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        block *target;
        uint32_t offset;
        uint64_t state;
        mbarrier_of(w, i, l, &target, &offset);
        if (i->mbarrier->no_complete) mbarrier_no_complete(target, offset, count[l]);
        if (i->mbarrier->drop) mbarrier_drop(target, offset, count[l]);
        observe_sync(SYNC_MBARRIER_ARRIVE, target, w, 1u << l, offset);
        mbarrier_arrive_at(target, offset, count[l], i->mbarrier->expect ? bytes[l] : 0, &state);
        if (i->mbarrier->wants_state) d[l] = state;
    }
    done();
}

/* mbarrier.expect_tx, mbarrier.complete_tx ... [addr], bytes; */
HANDLER(op_mbarrier_tx) {
    if (bulk_yields(w, mask, &i->mbarrier->address)) return;
    const uint32_t *bytes = U32(1);
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        block *target;
        uint32_t offset;
        mbarrier_of(w, i, l, &target, &offset);
        if (i->mbarrier->expect)
            mbarrier_expect_tx(target, offset, bytes[l]);
        else
            mbarrier_complete_tx(target, offset, bytes[l]);
    }
    done();
}

/* mbarrier.test_wait, try_wait{.parity}... p, [addr], state or parity{, hint}; try_wait lets the lanes wait until the
 * phase ends; only where no thread of the block could go on otherwise does it give up and answer no, as a GPU does
 * after its time limit. */
HANDLER(op_mbarrier_wait) {
    uint32_t offsets[LANES] = {0}, blocked;
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1) offsets[l] = own_mbarrier(w, i, l);
    const mbarrier_wait wait = {.offsets = offsets,
                                .states = i->mbarrier->parity ? NULL : U64(1),
                                .parities = i->mbarrier->parity ? U32(1) : NULL,
                                .blocking = i->mbarrier->blocking};
    const uint32_t ended = mbarrier_wait_lanes(w, mask, &wait, &blocked), answered = mask & ~blocked;
    PRED(0) = (PRED(0) & ~answered) | (ended & answered);
    if (blocked == 0) return;
    while (blocked != 0) {
        const uint32_t offset = offsets[__builtin_ctz(blocked)];
        uint32_t same = 0;
        for (int l = 0; l < LANES; l++) same |= (uint32_t)(offsets[l] == offset) << l;
        warp_park(w, same & blocked, offset);
        blocked &= ~same;
    }
    warp_select(w);
}

/* mbarrier.pending_count.b64 count, state; */
HANDLER(op_mbarrier_pending) {
    const uint64_t *state = U64(1);
    uint32_t *d = U32(0);
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1) d[l] = mbarrier_pending(state[l]);
}

/* cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [addr]; arrives once the thread's cp.async so far are done.
 * Without .noinc the phase awaits that arrival besides those it was initialised for. */
HANDLER(op_cp_mbarrier) {
    uint32_t offsets[LANES] = {0}, left = mask;
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        offsets[l] = own_mbarrier(w, i, l);
        mbarrier_check(w->block, offsets[l]);
        if (!i->mbarrier->no_increment) mbarrier_await_more(w->block, offsets[l], 1);
    }
    while (left != 0) {
        uint32_t same = 0;
        const uint32_t offset = offsets[__builtin_ctz(left)];
        for (int l = 0; l < LANES; l++) same |= (uint32_t)(offsets[l] == offset) << l;
        bulk_arrive_later(w, i, same & left, offset);
        left &= ~same;
    }
    done();
}

HANDLER(op_bulk_copy) {
    bulk_issue(w, i, mask, i->bulk);
}

/* cp.async.bulk.prefetch{.tensor}: there is no cache to bring anything into. */
HANDLER(op_bulk_prefetch) {
    bulk_prefetch(w, i, mask, i->bulk);
}

/* st.async, red.async: the values reach the cluster's shared memory later, and their bytes the mbarrier with them. */
HANDLER(op_store_async) {
    bulk_store(w, i, mask, i->store);
}

/* cp.async.bulk.commit_group; */
HANDLER(op_bulk_commit) {
    bulk_commit(w, mask);
}

/* cp.async.bulk.wait_group{.read} n; at most n of the thread's latest groups may still be under way. */
HANDLER(op_bulk_wait) {
    bulk_wait(w, i, mask, (uint32_t)i->imm, i->choice == BULK_WAIT_READ);
}

HANDLER(op_proxy_fence) {
    proxy_fence(w->block);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
