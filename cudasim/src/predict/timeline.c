/* The first block's time as a trace: the events of docs/traces.md that pipelines are drawn from, in microseconds. */
#include <stdio.h>

#include "predict/sm.h"

static bool traced(const sm *m, const sm_warp *w) {
    return m->spec->trace != NULL && w->block == 0 && w->wave == 0;
}

static void print(const sm *m, const sm_warp *w, const char *kind, char phase, double at) {
    fprintf(m->spec->trace, ",\n{\"ph\": \"%c\", \"pid\": 0, \"tid\": %d, \"cat\": \"%s\", \"ts\": %.3f", phase,
            (int)(w - m->warps), kind, at / m->spec->clock_mhz);
}

void timeline_wait(const sm *m, const sm_warp *w, const char *name) {
    if (!traced(m, w) || m->now <= w->since + 1) return;
    print(m, w, "wait", 'X', w->since);
    fprintf(m->spec->trace, ", \"name\": \"%s\", \"dur\": %.3f, \"args\": {}}", name,
            (m->now - w->since) / m->spec->clock_mhz);
}

void timeline_span(sm *m, const sm_warp *w, const char *kind, double begin, double end, const char *range,
                   unsigned offset, unsigned bytes, const mbarrier *word) {
    if (!traced(m, w)) return;
    print(m, w, kind, 'b', begin);
    fprintf(m->spec->trace, ", \"id\": %u, \"name\": \"%s\", \"args\": {\"%s\": \"0x%x to 0x%x\"", ++m->spans, kind,
            range, offset, offset + bytes);
    if (word != NULL) fprintf(m->spec->trace, ", \"mbarrier\": \"0x%x\", \"phase\": %u", word->offset, word->phase);
    fprintf(m->spec->trace, "}}");
    print(m, w, kind, 'e', end);
    fprintf(m->spec->trace, ", \"id\": %u}", m->spans);
}

/* Groups of cp.async that are done; at the warp's end all of them. */
void timeline_copies(sm *m, sm_warp *w, double until) {
    group_ring *r = &w->rings[RING_COPIES];
    for (; r->count > 0 && r->groups[r->first].done >= 0 && r->groups[r->first].done <= until; r->count--) {
        const unsigned at = r->first;
        if (r->groups[at].low < r->groups[at].high)
            timeline_span(m, w, "cp.async", r->groups[at].issued, r->groups[at].done, "to shared", r->groups[at].low,
                          r->groups[at].high - r->groups[at].low, NULL);
        r->first = (at + 1) % GROUPS;
    }
}

static void end_slice(sm *m, sm_warp *w) {
    slice *s = &w->slice;
    if (s->name == NULL) return;
    print(m, w, "pipe", 'X', s->begin);
    fprintf(m->spec->trace, ", \"name\": \"%s\", \"dur\": %.3f, \"args\": {", s->name,
            (s->end - s->begin) / m->spec->clock_mhz);
    if (s->low < s->high) fprintf(m->spec->trace, "\"shared\": \"0x%x to 0x%x\"", s->low, s->high);
    fprintf(m->spec->trace, "}}");
    s->name = NULL;
}

void timeline_issue(sm *m, sm_warp *w, const sass_insn *i, const lane_access *a) {
    if (!traced(m, w)) return;
    const bool load = i->op == SASS_LDS || i->op == SASS_LDSM, store = i->op == SASS_STS || i->op == SASS_STSM;
    const char *name = load                     ? "shared load"
                       : store                  ? "shared store"
                       : i->op == SASS_STG      ? "global store"
                       : i->op == SASS_LDGSTS   ? "copy issued"
                       : i->op == SASS_DEPBAR   ? "wait for cp.async"
                       : i->pipe == PIPE_TENSOR ? "tensor core"
                       : i->pipe == PIPE_FMA    ? "FP32"
                                                : NULL;
    if (i->op == SASS_EXIT || (name != NULL && name != w->slice.name)) end_slice(m, w);
    if (name == NULL) return;
    if (w->slice.name == NULL) w->slice = (slice){.name = name, .begin = m->now, .low = ~0u};
    w->slice.end = m->now + 1;
    const bool copy = i->op == SASS_LDGSTS;
    if (copy && w->copies_low >= w->copies_high) w->copies_low = ~0u, w->copies_issued = m->now;
    unsigned *low = copy ? &w->copies_low : &w->slice.low, *high = copy ? &w->copies_high : &w->slice.high;
    for (uint32_t left = load || store || copy ? a->mask : 0; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const unsigned at = copy ? a->target[lane] : (unsigned)a->address[lane] & SHARED_OFFSETS;
        if (at < *low) *low = at;
        if (at + a->bytes > *high) *high = at + a->bytes;
    }
}
