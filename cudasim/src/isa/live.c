#include "isa/live.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"
#include "ptx/instruction.h"

typedef struct block {
    int first, end; /* its instructions */
    uint64_t *in;   /* registers that are live where it begins */
} block;

typedef struct liveness {
    const ptx_function *s;
    int words;       /* of a set */
    uint8_t *weight; /* by register: 32-bit words */
    bool *result;    /* by instruction: its first operand is the result */
    int *block_of;   /* by instruction; that behind the last is in an empty block */
    block *blocks;
    int count;
    uint64_t *sets, *live;
    int *next, room;
    unsigned now; /* the weight of `live`, where it is walked */
} liveness;

static void set_live(liveness *l, int reg, bool is) {
    uint64_t *word = &l->live[reg / 64];
    const uint64_t bit = (uint64_t)1 << reg % 64;
    if (((*word & bit) != 0) == is) return;
    *word ^= bit;
    l->now += is ? l->weight[reg] : -(unsigned)l->weight[reg];
}

static void set_operand(liveness *l, const ptx_operand *o, bool is) {
    if (o->reg >= 0 && (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS)) set_live(l, o->reg, is);
    for (int k = 0; k < o->element_count; k++) set_operand(l, &o->elements[k], is);
}

/* From what is live behind the instruction to what is before it. */
static void step_back(liveness *l, int pc) {
    const ptx_instruction *t = &l->s->instructions[pc];
    if (l->result[pc] && t->guard < 0) set_operand(l, &t->operands[0], false);
    for (int k = l->result[pc] ? 1 : 0; k < t->operand_count; k++) set_operand(l, &t->operands[k], true);
    if (t->guard >= 0) set_live(l, t->guard, true);
}

static void weigh(liveness *l) {
    const ptx_register *r = l->s->registers;
    for (int k = 0; k < l->s->register_count; k++) {
        const unsigned bytes = r[k].type == PTX_PRED ? 0 : ptx_type_size(r[k].type);
        l->weight[k] = (uint8_t)((bytes + 3) / 4 * (r[k].vector > 1 ? r[k].vector : 1));
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool ends_block(const ptx_instruction *t) {
    return opcode_is_of(t->opcode, "bra brx ret exit trap");
}

static bool make_blocks(liveness *l) {
    const ptx_function *s = l->s;
    const int count = s->instruction_count;
    for (int k = 0; k < s->label_count; k++) l->block_of[s->labels[k]] = 1;
    for (int k = 0; k < count; k++) {
        const ptx_instruction *t = &s->instructions[k];
        l->result[k] = instruction_has_result(t) && !opcode_is(t->opcode, "wgmma.mma_async"); /* which adds to it */
        if (ends_block(t)) l->block_of[k + 1] = 1;
    }
    l->block_of[0] = l->block_of[count] = 1;
    for (int k = 0; k <= count; k++) l->block_of[k] = l->count += l->block_of[k];
    l->blocks = calloc((size_t)l->count, sizeof *l->blocks);
    l->sets = calloc((size_t)l->count + 1, (size_t)l->words * sizeof *l->sets);
    if (l->blocks == NULL || l->sets == NULL) return false;
    l->live = l->sets + (size_t)l->count * (size_t)l->words;
    for (int k = count; k >= 0; k--) {
        block *b = &l->blocks[--l->block_of[k]];
        b->first = k;
        if (b->end == 0) b->end = k < count ? k + 1 : count;
        b->in = l->sets + (size_t)l->block_of[k] * (size_t)l->words;
    }
    return true;
}

/* `live` becomes what is live at the block's end. */
static bool begin_at_end(liveness *l, const block *b) {
    memset(l->live, 0, (size_t)l->words * sizeof *l->live);
    l->now = 0;
    if (b->first == b->end) return true;
    if (!flow_successors(l->s, b->end - 1, &l->next, &l->room)) return false;
    for (int k = 0; l->next[k] >= 0; k++)
        for (int w = 0; w < l->words; w++) l->live[w] |= l->blocks[l->block_of[l->next[k]]].in[w];
    for (int w = 0; w < l->words; w++)
        for (uint64_t set = l->live[w]; set != 0; set &= set - 1) l->now += l->weight[w * 64 + __builtin_ctzll(set)];
    return true;
}

static bool flow_back(liveness *l) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = l->count - 1; n >= 0; n--) {
            const block *b = &l->blocks[n];
            if (!begin_at_end(l, b)) return false;
            for (int k = b->end - 1; k >= b->first; k--) step_back(l, k);
            changed = changed || memcmp(b->in, l->live, (size_t)l->words * sizeof *l->live) != 0;
            memcpy(b->in, l->live, (size_t)l->words * sizeof *l->live);
        }
    }
    return true;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* By function of the module: what it needs and 1, or 0: not known, or it is being looked at (recursion). */
typedef struct callees {
    const ptx_module *p;
    unsigned *known;
} callees;

static unsigned words_of(callees *c, const ptx_function *s);

static unsigned words_of_call(callees *c, const ptx_instruction *t) {
    unsigned most = 0;
    for (int k = 0; k < t->operand_count; k++)
        for (int f = 0; t->operands[k].kind == PTX_OPERAND_SYMBOL && f < c->p->function_count; f++)
            if (strcmp(c->p->functions[f].name, t->operands[k].symbol) == 0) {
                const unsigned words = words_of(c, &c->p->functions[f]);
                if (words > most) most = words;
            }
    return most;
}

static unsigned most_live(liveness *l, callees *c) {
    unsigned most = 0;
    for (int n = 0; n < l->count; n++) {
        if (!begin_at_end(l, &l->blocks[n])) return 0;
        for (int k = l->blocks[n].end - 1; k >= l->blocks[n].first; k--) {
            const ptx_instruction *t = &l->s->instructions[k];
            step_back(l, k);
            const unsigned here = l->now + (opcode_is(t->opcode, "call") ? words_of_call(c, t) : 0);
            if (here > most) most = here;
        }
    }
    return most;
}

static unsigned words_of(callees *c, const ptx_function *s) {
    unsigned *known = &c->known[s - c->p->functions];
    if (*known != 0 || !s->has_body) return *known > 0 ? *known - 1 : 0;
    *known = 1;
    liveness l = {.s = s, .words = s->register_count / 64 + 1};
    l.weight = calloc((size_t)l.words, 64);
    l.result = calloc((size_t)s->instruction_count + 1, sizeof *l.result);
    l.block_of = calloc((size_t)s->instruction_count + 1, sizeof *l.block_of);
    unsigned most = 0;
    if (l.weight != NULL && l.result != NULL && l.block_of != NULL) {
        weigh(&l);
        if (make_blocks(&l) && flow_back(&l)) most = most_live(&l, c);
    }
    free(l.weight);
    free(l.result);
    free(l.block_of);
    free(l.blocks);
    free(l.sets);
    free(l.next);
    *known = most + 1;
    return most;
}

unsigned live_words(const ptx_module *p, const ptx_function *s) {
    callees c = {p, calloc((size_t)p->function_count + 1, sizeof(unsigned))};
    const unsigned words = c.known != NULL ? words_of(&c, s) : 0;
    free(c.known);
    return words;
}
