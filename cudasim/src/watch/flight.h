/* The spans of copies and wgmmas in a trace: from their issue until a warp has waited for them. */
#pragma once

#include "watch/traced.h"

/* Hooks of the trace's observer. */
void flight_async(observer *o, const observed_async *c);
void flight_bulk(observer *o, const observed_bulk *c);
void flight_wgmma(observer *o, const observed_wgmma *c);

/* The warp commits its cp.asyncs so far as a group. */
void flight_commit(traced_block *t, uint32_t warp);

/* The span ends: then, or one step after it began. */
void flight_end(traced_block *t, span *s, uint64_t end);
