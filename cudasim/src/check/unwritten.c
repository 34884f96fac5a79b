#include "check/unwritten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/message.h"
#include "isa/arrays.h"
#include "isa/loose.h"
#include "machine/groups.h"

static void say_absent(const warp *w, const unwritten_read *r, site use) {
    const site at = {r->function, r->pc};
    char who[96], what[400];
    if (finding_repeats(ABSENT_LANE, at, (site){0})) return;
    snprintf(what, sizeof what,
             "%s takes the value of lane %u of its warp, which is not there or not among the lanes named",
             thread_name(w, r->lane, who), (unsigned)r->address);
    finding_add(&(finding){ABSENT_LANE, w->launch->entry->source->name, at, use, what, "and goes by it: "});
}

void say_unwritten(const warp *w, const unwritten_read *r, const char *verb, site use) {
    const bool brought = r->copy.function != NULL;
    const site at = brought ? r->copy : (site){r->function, r->pc};
    if (brought && use.function == NULL) use = (site){r->function, r->pc};
    char who[96], where[320], what[800];
    if (r->space == PTX_REG) {
        say_absent(w, r, use);
        return;
    }
    if (finding_repeats(UNINITIALISED, at, (site){0})) return;
    if (r->space == PTX_SHARED)
        shared_name(r->function, ARRAY_UNKNOWN, r->where, (uint32_t)r->address, r->bytes, where);
    else if (r->space == PTX_LOCAL)
        local_name(r->frame, r->address, r->bytes, where);
    else
        global_name(r->address, r->bytes, where);
    snprintf(what, sizeof what, "%s %s %s, %s", thread_name(w, r->lane, who), verb, where,
             brought ? "where this copy has put what nothing had written" : "which nothing has written");
    finding_add(&(finding){UNINITIALISED, w->launch->entry->source->name, at, use, what, "and computes with it: "});
}

#define MOST_READS 4096

/* The read's number in the warp's list, or -1 if there are too many. */
static int note(checked_warp *c, const unwritten_read *r) {
    if (c->read_count >= MOST_READS) return -1;
    if (c->read_count == c->read_room) {
        const int room = c->read_room ? 2 * c->read_room : 16;
        unwritten_read *list = realloc(c->reads, (size_t)room * sizeof *list);
        if (list == NULL) return -1;
        c->reads = list;
        c->read_room = room;
    }
    c->reads[c->read_count] = *r;
    return c->read_count++;
}

static void look_closely(warp *w) {
    w->careful |= CAREFUL_CHECK;
    w->event |= EVENT_REGROUPED; /* the straight run ends here */
}

void unwritten_load(warp *w, const unwritten_read *r) {
    checked_warp *c = &checked(w->block)->warps[w->index];
    const int number = note(c, r);
    if (number < 0) return;
    if (poison_read(&c->poisons, w->frame, r->pc, r->lane, (uint32_t)number, r->missing))
        look_closely(w);
    else
        c->read_count--;
}

void unwritten_shuffle(observer *o, warp *w, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from) {
    checked_warp *c = &checked(w->block)->warps[w->index];
    const function *f = w->frame->function;
    int number = 0;
    if (absent != 0) {
        while (number < c->read_count &&
               !(c->reads[number].space == PTX_REG && c->reads[number].pc == i->pc && c->reads[number].function == f))
            number++;
        const uint32_t first = (uint32_t)__builtin_ctz(absent);
        const unwritten_read r = {
            .function = f, .space = PTX_REG, .pc = i->pc, .lane = first, .address = from[first] % LANES};
        if (number == c->read_count) number = note(c, &r);
        if (number < 0) return;
        look_closely(w);
    }
    poison_shuffle(&c->poisons, w->frame, i, lanes, absent, from, (uint32_t)number);
}

/* Moves may carry along what nobody needs, such as the upper half of a pair. */
static bool only_moves(const char *opcode) {
    static const char *const words[] = {"mov.", "selp.", "prmt.", "st.", "cvt.", "shfl.", "wgmma."};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strncmp(opcode, words[k], strlen(words[k])) == 0) return true;
    return false;
}

void unwritten_register(observer *o, warp *w, const insn *i, uint32_t mask) {
    const function *f = w->frame->function;
    const ptx_function *s = f->source;
    const ptx_instruction *t = &s->instructions[i->pc];
    uint32_t *assigned = checked(w->block)->warps[w->index].assigned;
    if (f != w->launch->entry) return;
    for (int r = 0; r < s->register_count; r++) {
        if (f->loose[r] == 0) continue;
        uint32_t *its = &assigned[f->loose[r]];
        const uint32_t missing = mask & ~*its;
        if (missing != 0 && loose_reads(t, r) && !only_moves(t->opcode)) {
            const site at = {f, i->pc};
            char who[96], what[400];
            snprintf(what, sizeof what, "%s computes with register %s, to which nothing has been assigned",
                     thread_name(w, (uint32_t)__builtin_ctz(missing), who), s->registers[r].name);
            if (!finding_repeats(UNINITIALISED, at, (site){0}))
                finding_add(&(finding){UNINITIALISED, s->name, at, {0}, what, NULL});
        }
        if (loose_assigns(t, r)) *its |= mask;
    }
}

void unwritten_step(observer *o, warp *w, const insn *i, uint32_t mask) {
    checked_warp *c = &checked(w->block)->warps[w->index];
    uint32_t origin;
    if (mask == 0) return;
    if (poison_step(&c->poisons, w, i, mask, &origin))
        say_unwritten(w, &c->reads[origin], "reads", (site){w->frame->function, i->pc});
    if (c->poisons.count > 0) return;
    c->read_count = 0;
    w->careful &= ~CAREFUL_CHECK;
}
