/* Copies of the asynchronous proxy: cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk, and the arrivals of
 * cp.async.mbarrier.arrive. Addresses are checked when a copy is issued; it is carried out as late as a GPU could:
 *
 *   to shared memory, with an mbarrier   when a wait for that mbarrier does not succeed at once, source included
 *   st.async, red.async                  the same
 *   out of shared memory, bulk groups    the source is read at a wait_group(.read) that covers it, memory is written at
 *                                        a wait_group without .read that does, or at the block's end
 *
 * so that a program that does not wait, or waits for the wrong phase, sees what was there before, every time. */
#pragma once

#include "isa/form.h"
#include "machine/machine.h"
#include "machine/tensormap.h"

/* Carries out what reports to that mbarrier. True where there was something. */
bool bulk_land(struct block *b, uint32_t mbarrier);

void bulk_issue(warp *w, const insn *i, uint32_t mask, const bulk_form *form);
/* Looks at what hardware looks at even for a prefetch: the source's alignment, or map and coordinates. */
void bulk_prefetch(warp *w, const insn *i, uint32_t mask, const bulk_form *form);
void bulk_store(warp *w, const insn *i, uint32_t mask, const store_form *form);
void bulk_commit(warp *w, uint32_t mask);
void bulk_wait(warp *w, const insn *i, uint32_t mask, uint32_t pending, bool read_only);

/* cp.async.mbarrier.arrive: arrives for the lanes once their cp.async so far are done. */
void bulk_arrive_later(warp *w, const insn *i, uint32_t lanes, uint32_t mbarrier);

/* Threads end; `last` with the block. */
void bulk_exit(warp *w, uint32_t lanes, bool last);
void bulk_clear(struct block *b);
void bulk_free(struct block *b);

/* Where any of the lanes means shared memory of another block, the others of the cluster run first: true, and the
 * instruction must do nothing (cluster_yields). */
bool bulk_yields(warp *w, uint32_t mask, const bulk_address *a);

/* An operand's address in lane l as block and offset in its shared memory, or a fault naming `what`. `bytes` from there
 * must lie in it. */
void bulk_shared_address(warp *w, const bulk_address *a, int lane, uint64_t bytes, const char *what, block **target,
                         uint32_t *offset);
