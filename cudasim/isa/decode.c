/* Decoding: which row of isa/ops.def an instruction is, and what a function needs. */
#include "isa/decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"

/* ---- the table --------------------------------------------------------------------------------------------------- */

typedef struct op_row {
    const char *name, *spelling;
    uint32_t modifiers;
    const char *operands;
    op_class class;
    decode_fn *decode;
} op_row;

static const op_row rows[ROW_COUNT] = {
#define OP(name, spelling, modifiers, operands, class, handler) {#name, spelling, modifiers, operands, class, NULL},
#define OP_DECODE(name, mnemonic, decoder, class)               {#name, mnemonic, 0, NULL, class, decoder},
#define HANDLER_ROW(name, class)                                {#name, NULL, 0, NULL, class, NULL},
#include "isa/ops.def"
#undef OP
#undef OP_DECODE
#undef HANDLER_ROW
};

const char *row_operands(int row) {
    return rows[row].operands;
}
bool row_is_float(int row) {
    const op_class class = rows[row].class;
    return class == CLASS_FP16 || class == CLASS_FP32 || class == CLASS_FP64 || class == CLASS_TENSOR;
}

/* Rows by mnemonic: a hash table of chains in the order of isa/ops.def. */
#define BUCKETS 512
static int first_row[BUCKETS], next_row[ROW_COUNT];

static unsigned hash_text(const char *text, size_t length) {
    unsigned h = 2166136261u;
    for (size_t k = 0; k < length; k++) h = (h ^ (unsigned char)text[k]) * 16777619u;
    return h;
}

static size_t mnemonic_length(const char *spelling) {
    return strcspn(spelling, ".");
}

__attribute__((constructor)) static void index_rows(void) {
    memset(first_row, -1, sizeof first_row);
    for (int decoders = 0; decoders <= 1; decoders++) { /* put last, so tried first */
        for (int r = ROW_COUNT - 1; r >= 0; r--) {
            if (rows[r].spelling == NULL || (rows[r].decode != NULL) != decoders) continue;
            unsigned bucket = hash_text(rows[r].spelling, mnemonic_length(rows[r].spelling)) % BUCKETS;
            next_row[r] = first_row[bucket];
            first_row[bucket] = r;
        }
    }
}

/* CUDASIM_ROWS=FILE: at the end of the program the rows that none of its kernels have used are written there. The
 * conformance cases must leave none. */
static bool row_used[ROW_COUNT];

__attribute__((destructor)) static void write_unused_rows(void) {
    const char *path = getenv("CUDASIM_ROWS");
    if (path == NULL || *path == '\0') return;
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        fprintf(stderr, "cudasim: CUDASIM_ROWS=%s: %s\n", path, strerror(errno));
        return;
    }
    for (int r = 0; r < ROW_COUNT; r++)
        if (!row_used[r]) fprintf(f, "%s\n", rows[r].name);
    fclose(f);
}

/* ---- opcodes ----------------------------------------------------------------------------------------------------- */

/* Is part `part` a modifier that the mask allows? Then its meaning goes into the instruction, and *used is how many
 * parts it took. */
static bool modifier(const decoder *d, int part, uint32_t allowed, insn *i, int *used) {
    static const struct {
        const char *word;
        uint32_t bit;
        uint8_t value;
    } words[] = {
        {"rn", ROUND | RN, ROUND_RN},  {"rz", ROUND | RZ, ROUND_RZ},  {"rm", ROUND, ROUND_RM},
        {"rp", ROUND, ROUND_RP},       {"rna", RNA, ROUND_RNA},       {"rni", ROUND_INT, ROUND_RNI},
        {"rzi", ROUND_INT, ROUND_RZI}, {"rmi", ROUND_INT, ROUND_RMI}, {"rpi", ROUND_INT, ROUND_RPI},
        {"eq", COMPARE, COMPARE_EQ},   {"ne", COMPARE, COMPARE_NE},   {"lt", COMPARE, COMPARE_LT},
        {"le", COMPARE, COMPARE_LE},   {"gt", COMPARE, COMPARE_GT},   {"ge", COMPARE, COMPARE_GE},
        {"lo", COMPARE, COMPARE_LO},   {"ls", COMPARE, COMPARE_LS},   {"hi", COMPARE, COMPARE_HI},
        {"hs", COMPARE, COMPARE_HS},   {"equ", COMPARE, COMPARE_EQU}, {"neu", COMPARE, COMPARE_NEU},
        {"ltu", COMPARE, COMPARE_LTU}, {"leu", COMPARE, COMPARE_LEU}, {"gtu", COMPARE, COMPARE_GTU},
        {"geu", COMPARE, COMPARE_GEU}, {"num", COMPARE, COMPARE_NUM}, {"nan", COMPARE, COMPARE_NAN},
        {"and", BOOLEAN, BOOLEAN_AND}, {"or", BOOLEAN, BOOLEAN_OR},   {"xor", BOOLEAN, BOOLEAN_XOR},
    };
    *used = 1;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (!(words[k].bit & allowed) || !part_is(d, part, words[k].word)) continue;
        if (words[k].bit & COMPARE)
            i->compare = words[k].value;
        else if (words[k].bit & BOOLEAN)
            i->boolean = words[k].value;
        else
            i->rounding = words[k].value;
        return true;
    }
    if (allowed & FTZ && part_is(d, part, "ftz")) return i->ftz = true;
    if (allowed & SAT && part_is(d, part, "sat")) return i->sat = true;
    if (allowed & OOB && part_is(d, part, "oob")) return i->oob = true;
    if (allowed & RELU && part_is(d, part, "relu")) return i->relu = true;
    if (allowed & NAN_ && part_is(d, part, "NaN")) return i->nan = true;
    if (allowed & SATFINITE && part_is(d, part, "satfinite")) return i->satfinite = true;
    if (allowed & XORSIGN && part_is(d, part, "xorsign") && part_is(d, part + 1, "abs")) {
        *used = 2;
        return i->xorsign = true;
    }
    return false;
}

/* Does the opcode match the row? Its parts are the spelling's, in order, with allowed modifiers between them. */
static bool row_matches(const decoder *d, const op_row *row, insn *i) {
    const char *key = row->spelling + mnemonic_length(row->spelling);
    for (int part = 1; part < d->part_count;) {
        size_t length = *key == '.' ? strcspn(key + 1, ".") : 0;
        if (length > 0 && length == d->part_lengths[part] && memcmp(key + 1, d->parts[part], length) == 0) {
            key += 1 + length;
            part++;
            continue;
        }
        int used;
        if (!modifier(d, part, row->modifiers, i, &used)) return false;
        part += used;
    }
    return *key == '\0';
}

/* ---- instructions ----------------------------------------------------------------------------------------------- */

/* insn.more of op_negate: the handler behind it, how many predicates, and from where to where each goes. */
static void put_negations(decoder *d) {
    uint32_t *more = calloc(3 + 2 * MOST_NEGATIONS, sizeof *more);
    memcpy(more, &d->i->run, sizeof d->i->run);
    more[2] = (uint32_t)d->negation_count;
    for (int k = 0; k < d->negation_count; k++) {
        more[3 + 2 * k] = d->negations[k].from;
        more[4 + 2 * k] = d->negations[k].to;
    }
    d->i->more = more;
    d->i->run = d->context->handlers[ROW_op_negate];
    row_used[ROW_op_negate] = true;
}

static char *next_letter(const char *operands, int *position, bool *optional) {
    const char *at = operands + *position;
    while (*at == '=' || *at == ' ') at++;
    if (*at == '\0') return NULL;
    *optional = at[1] == '?';
    *position = (int)(at - operands) + (*optional ? 2 : 1);
    return (char *)at;
}

/* Operands of a row: destinations first, then sources. "d|p" is a pair of destinations. */
static bool decode_operands(decoder *d, const op_row *row) {
    const ptx_operand *given[INSN_OPERANDS + 2];
    int given_count = 0;
    const ptx_instruction *t = d->text;
    for (int k = 0; k < t->operand_count; k++) {
        const ptx_operand *o = &t->operands[k];
        if (given_count >= INSN_OPERANDS) {
            refuse(d, "too many operands");
            return false;
        }
        if (o->kind == PTX_OPERAND_PAIR) {
            given[given_count++] = &o->elements[0];
            given[given_count++] = &o->elements[1];
        } else {
            given[given_count++] = o;
        }
    }
    /* Optional letters are missing where fewer operands are given than there are letters: destinations first where the
     * first operand is no pair, then sources from the end. */
    bool pair = t->operand_count > 0 && t->operands[0].kind == PTX_OPERAND_PAIR;
    int position = 0, slot = 0, used = 0;
    bool optional, source = false;
    int letters = 0, optional_letters = 0;
    while (next_letter(row->operands, &position, &optional) != NULL) {
        letters++;
        if (optional) optional_letters++;
    }
    if (given_count > letters || given_count < letters - optional_letters) {
        refuse(d, "%d operands where the instruction takes %d", given_count, letters - optional_letters);
        return false;
    }
    position = 0;
    for (;;) {
        const char *before = row->operands + position;
        const char *letter = next_letter(row->operands, &position, &optional);
        if (letter == NULL) break;
        if (memchr(before, '=', (size_t)(letter - before)) != NULL) source = true;
        bool missing = optional && (source ? used >= given_count : !pair);
        if (slot >= INSN_OPERANDS) {
            refuse(d, "too many operands");
            return false;
        }
        if (missing) {
            d->i->op[slot++] = source ? SLOT_TRUE : (*letter == 'p' ? SLOT_SINK_P : SLOT_SINK);
            continue;
        }
        if (used >= given_count) {
            refuse(d, "an operand is missing");
            return false;
        }
        const ptx_operand *o = given[used++];
        if (*letter == 'i') {
            if (o->kind != PTX_OPERAND_INTEGER) {
                refuse(d, "an integer constant is needed here");
                return false;
            }
            d->i->imm = o->integer;
            continue;
        }
        if (*letter == 'p' && source && o->kind == PTX_OPERAND_REGISTER && o->negated &&
            (d->i->boolean != BOOLEAN_NONE || part_is(d, 0, "lop3"))) {
            ptx_operand plain = *o;
            plain.negated = false;
            d->i->boolean_negate = true;
            d->i->op[slot++] = operand_slot(d, &plain, 'p');
            continue;
        }
        if (*letter == 'x') {
            unsigned bytes = register_bytes(d, o);
            if (!source) d->i->width = (uint8_t)bytes;
            if (source) d->i->mode = (uint8_t)(bytes ? bytes : 8);
            if (o->kind == PTX_OPERAND_FLOAT) d->i->mode = o->is_double ? 8 : 4;
            if (o->kind == PTX_OPERAND_SPECIAL) d->i->mode = 4;
        }
        char kind = *letter;
        if (kind == 'x' && o->kind == PTX_OPERAND_SPECIAL) kind = 'w';
        d->i->op[slot++] = source ? operand_slot(d, o, kind) : destination_slot(d, o, kind);
        if (d->failed) return false;
    }
    return true;
}

static bool decode_instruction(decoder *d) {
    insn *i = d->i;
    const ptx_instruction *t = d->text;
    memset(i, 0, sizeof *i);
    if (!split_opcode(d)) return false;
    i->guard = t->guard >= 0 ? d->register_slots[t->guard] : SLOT_TRUE;
    i->guard_invert = t->guard_negated ? ALL_LANES : 0;
    unsigned bucket = hash_text(d->parts[0], d->part_lengths[0]) % BUCKETS;
    bool mnemonic_known = false;
    insn blank = *i;
    for (int r = first_row[bucket]; r >= 0; r = next_row[r]) {
        const op_row *row = &rows[r];
        size_t length = mnemonic_length(row->spelling);
        if (length != d->part_lengths[0] || memcmp(row->spelling, d->parts[0], length) != 0) continue;
        mnemonic_known = true;
        *i = blank;
        if (row->decode != NULL) {
            d->next_part = 1;
            i->row = (uint16_t)r;
            decoded result = row->decode(d);
            if (d->failed || result == REFUSED) return false;
            if (result == DECODED) {
                row_used[r] = row_used[i->row] = true;
                return true;
            }
            continue;
        }
        if (!row_matches(d, row, i)) continue;
        i->row = (uint16_t)r;
        i->run = d->context->handlers[r];
        d->in_table = true;
        d->negation_count = 0;
        const bool ok = decode_operands(d, row);
        d->in_table = false;
        if (ok && d->negation_count > 0) put_negations(d);
        row_used[r] = true;
        return ok;
    }
    if (mnemonic_known)
        refuse(d, "the simulator does not know this form of %.*s", (int)d->part_lengths[0], d->parts[0]);
    else
        refuse(d, "the simulator does not know the instruction %.*s", (int)d->part_lengths[0], d->parts[0]);
    return false;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

uint32_t function_shared_end(const ptx_function *s, uint32_t start) {
    uint64_t shared = SHARED_RESERVED + start;
    for (int k = 0; k < s->local_count; k++) {
        const ptx_variable *v = &s->locals[k];
        if (v->space != PTX_SHARED) continue;
        shared = align_up(shared, v->align < 16 ? 16 : v->align) + v->size;
        if (shared > 1u << 28) return 1u << 28;
    }
    return (uint32_t)(shared - SHARED_RESERVED);
}

/* Frame: the return values and parameters (of a function), then .local and .param variables. Shared arrays follow one
 * another from SHARED_RESERVED on, 16-byte aligned at least: demoted arrays are read by wider loads than they say. */
static bool place_variables(decoder *d) {
    function *f = d->f;
    const ptx_function *s = d->source;
    uint64_t frame = 0, shared = SHARED_RESERVED + f->shared_bytes, params = 0;
    int formals = s->return_count + s->param_count;
    f->formals = calloc((size_t)formals + 1, sizeof *f->formals);
    for (int k = 0; k < formals; k++) {
        const ptx_variable *v = k < s->return_count ? &s->returns[k] : &s->params[k - s->return_count];
        uint64_t *end = s->is_entry ? &params : &frame;
        *end = align_up(*end, v->align ? v->align : 1);
        f->formals[k] = (uint32_t)*end;
        *end += v->size;
        if (*end > 1u << 20) return refuse(d, "parameters of more than a megabyte"), false;
    }
    f->param_bytes = (uint32_t)params;
    d->locals = calloc((size_t)s->local_count + 1, sizeof *d->locals);
    for (int k = 0; k < s->local_count; k++) {
        const ptx_variable *v = &s->locals[k];
        uint64_t *end = v->space == PTX_SHARED ? &shared : &frame;
        if (v->space != PTX_SHARED && v->space != PTX_LOCAL && v->space != PTX_PARAM) continue;
        if (v->is_extern && v->space == PTX_SHARED)
            return refuse(d, "extern shared %s inside a function", v->name), false;
        uint64_t align = v->space == PTX_SHARED && v->align < 16 ? 16 : v->align ? v->align : 1;
        *end = align_up(*end, align);
        d->locals[k].offset = *end;
        *end += v->size;
        if (*end > 1u << 28) return refuse(d, "variables of more than 256 MB"), false;
    }
    f->frame_bytes = (uint32_t)align_up(frame, 16);
    f->shared_bytes = (uint32_t)(shared - SHARED_RESERVED);
    return true;
}

/* Lane arrays: predicates first, then 32-, 64- and 128-bit ones, each as aligned as it is long. */
static bool place_registers(decoder *d) {
    const ptx_function *s = d->source;
    static const unsigned lane_bytes[] = {4, 8, 16};
    uint64_t end = SLOT_SINK + 16 * LANES;
    d->register_slots = calloc((size_t)s->register_count + 1, sizeof *d->register_slots);
    for (int r = 0; r < s->register_count; r++) {
        if (s->registers[r].type != PTX_PRED) continue;
        d->register_slots[r] = (uint32_t)end;
        end += 4;
    }
    for (int c = 2; c >= 0; c--) {
        end = align_up(end, lane_bytes[c] * LANES);
        for (int r = 0; r < s->register_count; r++) {
            unsigned size = ptx_type_size(s->registers[r].type);
            unsigned vector = s->registers[r].vector > 1 ? s->registers[r].vector : 1;
            if (s->registers[r].type == PTX_PRED || (size > 4 ? size : 4) != lane_bytes[c]) continue;
            d->register_slots[r] = (uint32_t)end;
            end += (uint64_t)lane_bytes[c] * LANES * vector;
        }
        if (end > 1u << 30) return refuse(d, "more registers than fit a gigabyte"), false;
    }
    d->constant_end = (uint32_t)end;
    return true;
}

static void fill_constants(decoder *d, uint32_t from) {
    function *f = d->f;
    f->constant_offset = from;
    f->constant_bytes = d->constant_end - from;
    f->constants = aligned_alloc(128, align_up(f->constant_bytes + 1, 128));
    memset(f->constants, 0, f->constant_bytes);
    for (int k = 0; k < d->constants->count; k++) {
        const struct constant *c = &d->constants->entries[k];
        for (int l = 0; l < LANES; l++) {
            uint8_t *to = f->constants + (c->slot - from) + (size_t)l * c->bytes;
            if (c->bytes == 4) {
                uint32_t word = (uint32_t)c->value;
                memcpy(to, &word, 4);
            } else {
                uint64_t high = c->bytes == 16 && (int64_t)c->value < 0 ? UINT64_MAX : 0;
                memcpy(to, &c->value, 8);
                if (c->bytes == 16) memcpy(to + 8, &high, 8);
            }
        }
    }
    f->register_bytes = (uint32_t)align_up(d->constant_end, 128);
}

static void free_function(function *f, insn *code) {
    for (int k = 0; k < f->call_count; k++) {
        free(f->calls[k].offsets);
        free(f->calls[k].sizes);
    }
    if (code != NULL)
        for (int k = 0; k < f->source->instruction_count; k++) free((void *)code[k].more);
    free(f->calls);
    free(code);
    free(f->constants);
    free(f->specials);
    free(f->affine_constants);
    for (int k = 0; f->spreads != NULL && k < f->source->instruction_count; k++) free(f->spreads[k]);
    free(f->spreads);
    f->affine_constants = NULL;
    f->spreads = NULL;
    f->affine_bytes = 0;
    free(f->formals);
    wgmma_function_free(f->wgmma);
    f->wgmma = NULL;
    f->calls = NULL;
    f->code = NULL;
    f->constants = NULL;
    f->specials = NULL;
    f->formals = NULL;
    f->call_count = f->special_count = 0;
}

/* Does the instruction only compute, load or store? */
static bool is_plain(const insn *i) {
    const op_class class = rows[i->row].class;
    return i->guard == SLOT_TRUE && i->guard_invert == 0 && (class <= CLASS_MOVE || class == CLASS_MEMORY);
}

/* A run's length is bounded: where the compiler makes calls of the jumps between its instructions, so is the stack. */
#define LONGEST_STRAIGHT 256

static sim_handler *next_of(const decode_context *c, const insn *i) {
    const sim_other_handlers *o = &c->others[i->row];
    if (i->run == c->handlers[i->row] && o->next != NULL) return o->next;
    if (i->run == o->affine && o->affine_next != NULL) return o->affine_next;
    return c->handlers[ROW_op_next];
}

static void link_straight(const decode_context *c, insn *code, int count) {
    uint32_t straight = 0;
    for (int k = count; k >= 0; k--) {
        insn *i = &code[k];
        i->pc = (uint32_t)k;
        i->straight = straight = k < count && is_plain(i) && straight < LONGEST_STRAIGHT ? straight + 1 : 0;
        i->next = straight > 0 ? next_of(c, i) : c->handlers[ROW_op_stop];
    }
    row_used[ROW_op_next] = row_used[ROW_op_stop] = true;
}

bool decode_function(function *f, const decode_context *context, char *error, size_t error_size) {
    constant_map constants = {0};
    decoder d = {.context = context,
                 .f = f,
                 .source = f->source,
                 .constants = &constants,
                 .error = error,
                 .error_size = error_size};
    const ptx_function *s = f->source;
    bool ok = !d.failed && place_variables(&d) && place_registers(&d);
    uint32_t constants_from = d.constant_end;
    insn *code = NULL;
    if (ok) {
        code = calloc((size_t)s->instruction_count + 1, sizeof *code);
        for (int k = 0; ok && k < s->instruction_count; k++) {
            d.index = k;
            d.text = &s->instructions[k];
            d.i = &code[k];
            ok = decode_instruction(&d) && !d.failed;
            if (d.constant_end > 1u << 30) ok = (refuse(&d, "more constants than fit a gigabyte"), false);
        }
    }
    if (ok) {
        insn *last = &code[s->instruction_count];
        last->row = s->is_entry ? ROW_op_exit : ROW_op_ret;
        last->run = context->handlers[last->row];
        fill_constants(&d, constants_from);
        if (affine_function(&d, code)) row_used[ROW_op_spread] = true;
        if (wgmma_guard_function(&d, code)) row_used[ROW_op_wgmma_guard] = true;
        link_straight(context, code, s->instruction_count);
        f->uses_stack = f->frame_bytes > 0 || f->call_count > 0;
    }
    free(constants.entries);
    free(d.register_slots);
    free(d.locals);
    /* Other threads may be waiting to call it: it is there once all of it is. */
    if (ok)
        __atomic_store_n(&f->code, code, __ATOMIC_RELEASE);
    else
        free_function(f, code);
    return ok;
}

void decode_free(function *f) {
    watch_free(f);
    free_function(f, f->code);
}
