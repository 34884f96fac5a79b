#include "isa/decode.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/specials.h"
#include "machine/wgmma.h"

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

/* ---- refusing ---------------------------------------------------------------------------------------------------- */

static void where(const decoder *d, char *text, size_t size) {
    const ptx_function *s = d->source;
    text[0] = '\0';
    if (d->text == NULL || d->text->location < 0) return;
    const ptx_location *l = &s->locations[d->text->location];
    const char *file = function_file(d->f, l->file);
    if (file != NULL) snprintf(text, size, ", %s:%d", file, l->line);
}

decoded refuse(decoder *d, const char *format, ...) {
    if (d->failed) return REFUSED;
    d->failed = true;
    char reason[256], instruction[160], position[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    where(d, position, sizeof position);
    if (d->text != NULL)
        snprintf(d->error, d->error_size, "%s: \"%s\" (PTX line %d, %s %s%s)", reason,
                 ptx_format_instruction(d->source, d->index, instruction, sizeof instruction), d->text->line,
                 d->source->is_entry ? "kernel" : "function", d->source->name, position);
    else
        snprintf(d->error, d->error_size, "%s (%s %s)", reason, d->source->is_entry ? "kernel" : "function",
                 d->source->name);
    return REFUSED;
}

/* ---- opcodes ----------------------------------------------------------------------------------------------------- */

static bool split_opcode(decoder *d) {
    const char *at = d->text->opcode;
    d->part_count = 0;
    d->next_part = 1;
    for (;;) {
        if (d->part_count == MOST_PARTS) return refuse(d, "an opcode of more than %d parts", MOST_PARTS), false;
        size_t length = strcspn(at, ".");
        d->parts[d->part_count] = at;
        d->part_lengths[d->part_count++] = length;
        if (at[length] == '\0') return true;
        at += length + 1;
    }
}

static bool part_is(const decoder *d, int part, const char *word) {
    return part < d->part_count && strlen(word) == d->part_lengths[part] &&
           memcmp(d->parts[part], word, d->part_lengths[part]) == 0;
}

bool take(decoder *d, const char *word) {
    if (!part_is(d, d->next_part, word)) return false;
    d->next_part++;
    return true;
}

ptx_type take_type(decoder *d) {
    if (d->next_part >= d->part_count) return PTX_NO_TYPE;
    ptx_type type = ptx_type_named(d->parts[d->next_part], d->part_lengths[d->next_part]);
    if (type != PTX_NO_TYPE) d->next_part++;
    return type;
}

bool taken_all(decoder *d) {
    if (d->next_part >= d->part_count) return true;
    refuse(d, "the simulator does not know \".%.*s\" here", (int)d->part_lengths[d->next_part], d->parts[d->next_part]);
    return false;
}

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

/* ---- registers and constants ------------------------------------------------------------------------------------- */

uint32_t constant_slot(decoder *d, uint64_t value, unsigned bytes) {
    if (bytes < 4) {
        value &= (1ull << 8 * bytes) - 1;
        bytes = 4;
    }
    if (bytes == 4) value &= 0xffffffffu;
    constant_map *m = d->constants;
    for (int k = 0; k < m->count; k++)
        if (m->entries[k].value == value && m->entries[k].bytes == bytes) return m->entries[k].slot;
    if (m->count == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->entries = realloc(m->entries, (size_t)m->room * sizeof *m->entries);
    }
    m->entries[m->count] = (struct constant){value, bytes, d->constant_end};
    d->constant_end += bytes * LANES;
    return m->entries[m->count++].slot;
}

unsigned register_bytes(const decoder *d, const ptx_operand *o) {
    if (o->kind == PTX_OPERAND_REGISTER) return ptx_type_size(d->source->registers[o->reg].type);
    return 0;
}

static const char *kind_name(char kind) {
    switch (kind) {
    case 'p':
        return "a predicate";
    case 'h':
        return "a 16-bit register";
    case 'w':
    case 'f':
        return "a 32-bit register";
    case 'l':
    case 'g':
        return "a 64-bit register";
    case 'q':
        return "a 128-bit register";
    default:
        return "a register";
    }
}

static unsigned kind_bytes(char kind) {
    switch (kind) {
    case 'h':
        return 2;
    case 'w':
    case 'f':
        return 4;
    case 'l':
    case 'g':
        return 8;
    case 'q':
        return 16;
    default:
        return 0;
    }
}

static const struct {
    const char *name;
    unsigned bytes;
    bool fixed;
} special_names[SPECIAL_COUNT] = {
#define SPECIAL_FIXED(id, name, bytes)    {name, bytes, true},
#define SPECIAL_VOLATILE(id, name, bytes) {name, bytes, false},
    SPECIALS(SPECIAL_FIXED, SPECIAL_VOLATILE)};

int special_named(const char *name) {
    for (int s = 0; s < SPECIAL_COUNT; s++)
        if (strcmp(special_names[s].name, name) == 0) return s;
    return -1;
}

bool special_is_fixed(int s) {
    return special_names[s].fixed;
}

static uint32_t special_slot_of(decoder *d, int s, unsigned wanted, uint64_t addend) {
    function *f = d->f;
    /* In a place of its own even where it is wider than the register itself (mov.u64 of a 32-bit special register). */
    for (int k = 0; k < f->special_count; k++)
        if (f->specials[k].special == s && f->specials[k].bytes == wanted && f->specials[k].addend == addend)
            return f->specials[k].slot;
    f->specials = realloc(f->specials, (size_t)(f->special_count + 1) * sizeof *f->specials);
    uint32_t slot = d->constant_end;
    d->constant_end += wanted * LANES;
    f->specials[f->special_count++] = (special_slot){s, wanted, slot, addend};
    return slot;
}

static uint32_t special_register_slot(decoder *d, const ptx_operand *o, char kind) {
    int s = special_named(o->symbol);
    if (s < 0 || !special_names[s].fixed) {
        refuse(d, "the simulator does not know the special register %s here", o->symbol);
        return SLOT_SINK;
    }
    return special_slot_of(d, s, kind_bytes(kind) == 8 ? 8 : 4, 0);
}

uint32_t shared_address_slot(decoder *d, uint64_t offset, unsigned bytes) {
    return special_slot_of(d, SPECIAL_SHARED_BASE, bytes, offset);
}

/* A place for !p: the instruction's handler gets another in front of it (op_negate) that fills it. */
static uint32_t negated_slot(decoder *d, uint32_t predicate) {
    if (!d->in_table || d->negation_count == MOST_NEGATIONS) {
        refuse(d, "the simulator does not take a negated predicate here");
        return SLOT_SINK_P;
    }
    const uint32_t slot = d->constant_end;
    d->constant_end += 4 * LANES;
    d->negations[d->negation_count++] = (negation){predicate, slot};
    return slot;
}

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
    d->i->run = sim_handlers[ROW_op_negate];
    row_used[ROW_op_negate] = true;
}

uint32_t operand_slot(decoder *d, const ptx_operand *o, char kind) {
    unsigned bytes = kind_bytes(kind);
    switch (o->kind) {
    case PTX_OPERAND_REGISTER: {
        const ptx_register *r = &d->source->registers[o->reg];
        unsigned size = ptx_type_size(r->type);
        if ((kind == 'p') != (r->type == PTX_PRED)) {
            refuse(d, "%s is not %s", r->name, kind_name(kind));
            return SLOT_SINK;
        }
        if (kind == 'p' && o->negated) return negated_slot(d, d->register_slots[o->reg]);
        /* Registers of 16 and 8 bits share 32-bit lanes. */
        if (bytes != 0 && size != bytes && !(bytes == 2 && size == 1)) {
            refuse(d, "%s has %u bits where the instruction takes %u", r->name, 8 * size, 8 * bytes);
            return SLOT_SINK;
        }
        uint32_t slot = d->register_slots[o->reg];
        if (o->element > 0) slot += (uint32_t)o->element * (size > 4 ? size : 4) * LANES;
        return slot;
    }
    case PTX_OPERAND_INTEGER:
        if (kind == 'p') return o->integer != 0 ? SLOT_TRUE : SLOT_FALSE;
        return constant_slot(d, (uint64_t)o->integer, bytes ? bytes : 8);
    case PTX_OPERAND_FLOAT: {
        uint64_t bits = (uint64_t)o->integer;
        if (kind == 'p' || kind == 'h') {
            refuse(d, "a floating-point constant cannot stand here");
            return SLOT_SINK;
        }
        if (o->is_double && bytes == 4) {
            double value;
            float narrow;
            uint32_t word;
            memcpy(&value, &bits, sizeof value);
            narrow = (float)value;
            memcpy(&word, &narrow, sizeof word);
            bits = word;
        } else if (!o->is_double && bytes == 8) {
            float narrow;
            double value;
            uint32_t word = (uint32_t)bits;
            memcpy(&narrow, &word, sizeof narrow);
            value = narrow;
            memcpy(&bits, &value, sizeof bits);
        }
        return constant_slot(d, bits, bytes ? bytes : (o->is_double ? 8 : 4));
    }
    case PTX_OPERAND_SPECIAL:
        return special_register_slot(d, o, kind);
    case PTX_OPERAND_SINK:
        return kind == 'p' ? SLOT_SINK_P : SLOT_SINK;
    case PTX_OPERAND_SYMBOL: {
        place p;
        if (!find_place(d, o->symbol, &p)) return SLOT_SINK;
        if (p.space == PTX_LOCAL || p.space == PTX_PARAM || (bytes != 8 && bytes != 4)) {
            refuse(d, "the address of %s cannot stand here: mov it to a register", o->symbol);
            return SLOT_SINK;
        }
        if (p.space == PTX_SHARED) return shared_address_slot(d, p.address + (uint64_t)o->integer, bytes);
        return constant_slot(d, p.address + (uint64_t)o->integer, bytes);
    }
    default:
        refuse(d, "the simulator does not know this operand");
        return SLOT_SINK;
    }
}

uint32_t destination_slot(decoder *d, const ptx_operand *o, char kind) {
    if ((o->kind != PTX_OPERAND_REGISTER && o->kind != PTX_OPERAND_SINK) || o->negated) {
        refuse(d, "the destination must be a register");
        return SLOT_SINK;
    }
    return operand_slot(d, o, kind);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

struct local_slot {
    uint64_t offset;
};

static uint64_t align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) & ~(align - 1);
}

bool find_place(decoder *d, const char *name, place *p) {
    const ptx_function *s = d->source;
    for (int k = 0; k < s->local_count; k++) {
        const ptx_variable *v = &s->locals[k];
        if (strcmp(v->name, name) != 0) continue;
        if (v->space == PTX_SHARED) {
            *p = (place){PTX_SHARED, d->locals[k].offset, v->size, false};
            return true;
        }
        if (v->space == PTX_LOCAL || v->space == PTX_PARAM) {
            *p = (place){PTX_LOCAL, d->locals[k].offset, v->size, v->space == PTX_PARAM};
            return true;
        }
        break; /* static .global and .const: the module's */
    }
    for (int k = 0; k < s->return_count + s->param_count; k++) {
        const ptx_variable *v = k < s->return_count ? &s->returns[k] : &s->params[k - s->return_count];
        if (v->name == NULL || strcmp(v->name, name) != 0) continue;
        *p = (place){s->is_entry ? PTX_PARAM : PTX_LOCAL, d->f->formals[k], v->size, true};
        return true;
    }
    symbol symbol;
    if (!module_symbol(d->f->module, d->f, name, &symbol)) {
        refuse(d, "unknown symbol %s", name);
        return false;
    }
    if (symbol.kind == SYMBOL_FUNCTION && symbol.function == NULL) {
        refuse(d, "the address of %s, which the program does not contain", name);
        return false;
    }
    *p = (place){symbol.kind == SYMBOL_SHARED ? PTX_SHARED : symbol.space, symbol.address, 0, false};
    return true;
}

bool operand_address(decoder *d, const ptx_operand *o, ptx_space space, address *a) {
    *a = (address){.offset = o->integer};
    if (o->kind != PTX_OPERAND_ADDRESS) {
        refuse(d, "an address in brackets is needed here");
        return false;
    }
    if (o->reg >= 0) {
        unsigned bytes = ptx_type_size(d->source->registers[o->reg].type);
        if (bytes != 4 && bytes != 8) {
            refuse(d, "an address must be in a 32- or 64-bit register");
            return false;
        }
        a->wide = bytes == 8;
        a->slot = d->register_slots[o->reg];
        return true;
    }
    if (o->symbol != NULL) {
        place p;
        if (!find_place(d, o->symbol, &p)) return false;
        bool fits = space == PTX_NO_SPACE || space == p.space || (space == PTX_PARAM && p.space == PTX_LOCAL) ||
                    (space == PTX_SHARED_CLUSTER && p.space == PTX_SHARED);
        if (!fits) {
            refuse(d, "%s is not in the space the instruction names", o->symbol);
            return false;
        }
        a->offset += (int64_t)p.address;
        a->frame = p.space == PTX_LOCAL;
        a->param = p.space == PTX_PARAM;
        if (p.space == PTX_SHARED && space == PTX_NO_SPACE) a->offset += (int64_t)(memory_arena() + WINDOW_SHARED);
        if (p.space == PTX_SHARED) {
            a->wide = true;
            a->slot = shared_address_slot(d, 0, 8);
            return true;
        }
    }
    a->wide = true;
    a->slot = constant_slot(d, 0, 8);
    return true;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

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
        i->run = sim_handlers[r];
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

static sim_handler *next_of(const insn *i) {
    const sim_other_handlers *o = &sim_others[i->row];
    if (i->run == sim_handlers[i->row] && o->next != NULL) return o->next;
    if (i->run == o->affine && o->affine_next != NULL) return o->affine_next;
    return sim_handlers[ROW_op_next];
}

static void link_straight(insn *code, int count) {
    uint32_t straight = 0;
    for (int k = count; k >= 0; k--) {
        insn *i = &code[k];
        i->pc = (uint32_t)k;
        i->straight = straight = k < count && is_plain(i) && straight < LONGEST_STRAIGHT ? straight + 1 : 0;
        i->next = straight > 0 ? next_of(i) : sim_handlers[ROW_op_stop];
    }
}

bool decode_function(function *f, char *error, size_t error_size) {
    constant_map constants = {0};
    decoder d = {.f = f, .source = f->source, .constants = &constants, .error = error, .error_size = error_size};
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
        last->run = sim_handlers[last->row];
        fill_constants(&d, constants_from);
        affine_function(&d, code);
        if (wgmma_guard_function(&d, code)) row_used[ROW_op_wgmma_guard] = true;
        link_straight(code, s->instruction_count);
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
    free_function(f, f->code);
}
