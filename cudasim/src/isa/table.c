/* The table of what the simulator knows (isa/ops.def): which row an instruction is, and its operands. */
#include "isa/decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
op_class row_class(int row) {
    return rows[row].class;
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

void row_use(int row) {
    row_used[row] = true;
}

__attribute__((destructor)) static void write_unused_rows(void) {
    const char *path = getenv("CUDASIM_ROWS");
    if (path == NULL || *path == '\0') return;
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        fprintf(stderr, "cudasim: CUDASIM_ROWS=%s: %s\n", path, strerror(errno));
        return;
    }
    for (int r = 0; r < ROW_COUNT; r++)
        if (!row_used[r] && r != ROW_op_observe && r != ROW_op_dot_watched)
            fprintf(f, "%s\n", rows[r].name); /* no PTX decodes to these */
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

static void put_negations(decoder *d) {
    negations *n = put_form(d, FORM_NEGATIONS, sizeof *n);
    n->run = d->i->run;
    n->count = d->negation_count;
    memcpy(n->list, d->negations, sizeof n->list);
    d->i->run = d->context->handlers[ROW_op_negate];
    row_use(ROW_op_negate);
}

static char *next_letter(const char *operands, int *position, bool *optional) {
    const char *at = operands + *position;
    while (*at == '=' || *at == ' ') at++;
    if (*at == '\0') return NULL;
    *optional = at[1] == '?';
    *position = (int)(at - operands) + (*optional ? 2 : 1);
    return (char *)at;
}

/* The instruction's operands, with both of a pair "d|p"; how many, or -1. */
static int given_operands(decoder *d, const ptx_operand *given[INSN_OPERANDS + 2]) {
    int count = 0;
    const ptx_instruction *t = d->text;
    for (int k = 0; k < t->operand_count; k++) {
        const ptx_operand *o = &t->operands[k];
        if (count >= INSN_OPERANDS) {
            refuse(d, "too many operands");
            return -1;
        }
        if (o->kind == PTX_OPERAND_PAIR) {
            given[count++] = &o->elements[0];
            given[count++] = &o->elements[1];
        } else {
            given[count++] = o;
        }
    }
    return count;
}

/* Has the row as many letters as there are operands, but for optional ones? */
static bool count_fits(decoder *d, const op_row *row, int given_count) {
    int position = 0, letters = 0, optional_letters = 0;
    bool optional;
    while (next_letter(row->operands, &position, &optional) != NULL) {
        letters++;
        if (optional) optional_letters++;
    }
    if (given_count <= letters && given_count >= letters - optional_letters) return true;
    refuse(d, "%d operands where the instruction takes %d", given_count, letters - optional_letters);
    return false;
}

/* The operand of one letter into the next slot, or into `imm`. */
static bool decode_operand(decoder *d, const ptx_operand *o, char letter, bool source, int *slot) {
    insn *i = d->i;
    if (letter == 'i') {
        if (o->kind != PTX_OPERAND_INTEGER) refuse(d, "an integer constant is needed here");
        i->imm = o->integer;
        return o->kind == PTX_OPERAND_INTEGER;
    }
    if (letter == 'p' && source && o->kind == PTX_OPERAND_REGISTER && o->negated &&
        (i->boolean != BOOLEAN_NONE || part_is(d, 0, "lop3"))) {
        ptx_operand plain = *o;
        plain.negated = false;
        i->boolean_negate = true;
        i->op[(*slot)++] = operand_slot(d, &plain, 'p');
        return true;
    }
    if (letter == 'x') {
        unsigned bytes = register_bytes(d, o);
        if (!source) i->width = (uint8_t)bytes;
        if (source) i->source_bytes = (uint8_t)(bytes ? bytes : 8);
        if (o->kind == PTX_OPERAND_FLOAT) i->source_bytes = o->is_double ? 8 : 4;
        if (o->kind == PTX_OPERAND_SPECIAL) i->source_bytes = 4;
    }
    const char kind = letter == 'x' && o->kind == PTX_OPERAND_SPECIAL ? 'w' : letter;
    i->op[(*slot)++] = source ? operand_slot(d, o, kind) : destination_slot(d, o, kind);
    return !d->failed;
}

/* Operands of a row: destinations first, then sources. Optional letters are missing where fewer operands are given than
 * there are letters: destinations first where the first operand is no pair, then sources from the end. */
static bool decode_operands(decoder *d, const op_row *row) {
    const ptx_operand *given[INSN_OPERANDS + 2];
    const int given_count = given_operands(d, given);
    if (given_count < 0 || !count_fits(d, row, given_count)) return false;
    const bool pair = d->text->operand_count > 0 && d->text->operands[0].kind == PTX_OPERAND_PAIR;
    int position = 0, slot = 0, used = 0;
    bool optional, source = false;
    for (;;) {
        const char *before = row->operands + position;
        const char *letter = next_letter(row->operands, &position, &optional);
        if (letter == NULL) return true;
        if (memchr(before, '=', (size_t)(letter - before)) != NULL) source = true;
        if (slot >= INSN_OPERANDS) {
            refuse(d, "too many operands");
            return false;
        }
        if (optional && (source ? used >= given_count : !pair)) {
            d->i->op[slot++] = source ? SLOT_TRUE : (*letter == 'p' ? SLOT_SINK_P : SLOT_SINK);
            continue;
        }
        if (used >= given_count) {
            refuse(d, "an operand is missing");
            return false;
        }
        if (!decode_operand(d, given[used++], *letter, source, &slot)) return false;
    }
}

bool decode_instruction(decoder *d) {
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
                row_use(r);
                row_use(i->row);
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
        row_use(r);
        return ok;
    }
    if (mnemonic_known)
        refuse(d, "the simulator does not know this form of %.*s", (int)d->part_lengths[0], d->parts[0]);
    else
        refuse(d, "the simulator does not know the instruction %.*s", (int)d->part_lengths[0], d->parts[0]);
    return false;
}
