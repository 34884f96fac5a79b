/* What the decoders of instructions share: refusals, the parts of an opcode, operands as places in a warp's registers.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/demangle.h"
#include "isa/decode.h"
#include "isa/specials.h"

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
    char reason[640], instruction[160], position[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    where(d, position, sizeof position);
    if (d->text != NULL)
        snprintf(d->error, d->error_size, "%s: \"%s\" (PTX line %d, %s %s%s)", reason,
                 ptx_format_instruction(d->source, d->index, instruction, sizeof instruction), d->text->line,
                 d->source->is_entry ? "kernel" : "function", READABLE(d->source->name), position);
    else
        snprintf(d->error, d->error_size, "%s (%s %s)", reason, d->source->is_entry ? "kernel" : "function",
                 READABLE(d->source->name));
    return REFUSED;
}

static void *taken(decoder *d, void *memory) {
    if (memory != NULL) return memory;
    d->failed = false; /* whatever else there was */
    refuse(d, OUT_OF_MEMORY);
    longjmp(d->no_memory, 1);
}

void *decode_take(decoder *d, size_t bytes) {
    return taken(d, arena_take(&d->f->memory, bytes));
}

void *decode_aligned(decoder *d, size_t bytes) {
    return (void *)align_up((uintptr_t)decode_take(d, bytes + 127), 128);
}

void *decode_scratch(decoder *d, size_t bytes) {
    return taken(d, arena_take(&d->scratch, bytes));
}

void *decode_grow(decoder *d, void *items, int count, size_t item_size) {
    if (count & (count - 1)) return items;
    void *more = decode_take(d, (count > 0 ? 2 * (size_t)count : 1) * item_size);
    return count > 0 ? memcpy(more, items, (size_t)count * item_size) : more;
}

decoded run_row(decoder *d, uint16_t row) {
    d->i->row = row;
    d->i->run = d->context->handlers[row];
    return d->failed ? REFUSED : DECODED;
}

void *put_form(decoder *d, form_kind kind, size_t bytes) {
    d->i->form = (uint8_t)kind;
    return d->i->any = decode_take(d, bytes);
}

/* ---- opcodes ----------------------------------------------------------------------------------------------------- */

bool split_opcode(decoder *d) {
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

bool part_is(const decoder *d, int part, const char *word) {
    return part < d->part_count && strlen(word) == d->part_lengths[part] &&
           memcmp(d->parts[part], word, d->part_lengths[part]) == 0;
}

bool take(decoder *d, const char *word) {
    if (!part_is(d, d->next_part, word)) return false;
    d->next_part++;
    return true;
}

int take_one(decoder *d, const char *words) {
    for (int k = 0; d->next_part < d->part_count && *words != '\0'; k++) {
        const size_t length = strcspn(words, " ");
        if (length == d->part_lengths[d->next_part] && memcmp(words, d->parts[d->next_part], length) == 0) {
            d->next_part++;
            return k;
        }
        words += length + (words[length] == ' ');
    }
    return -1;
}

ptx_type take_type(decoder *d) {
    if (d->next_part >= d->part_count) return PTX_NO_TYPE;
    ptx_type type = ptx_type_named(d->parts[d->next_part], d->part_lengths[d->next_part]);
    if (type != PTX_NO_TYPE) d->next_part++;
    return type;
}

atomic_op take_atomic(decoder *d) {
    static const atomic_op ops[] = {ATOMIC_ADD, ATOMIC_MIN,  ATOMIC_MAX, ATOMIC_AND, ATOMIC_OR,
                                    ATOMIC_XOR, ATOMIC_EXCH, ATOMIC_CAS, ATOMIC_INC, ATOMIC_DEC};
    const int k = take_one(d, "add min max and or xor exch cas inc dec");
    return k < 0 ? ATOMIC_NONE : ops[k];
}

bool taken_all(decoder *d) {
    if (d->next_part >= d->part_count) return true;
    refuse(d, "the simulator does not know \".%.*s\" here", (int)d->part_lengths[d->next_part], d->parts[d->next_part]);
    return false;
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
        const int room = m->room ? 2 * m->room : 64;
        struct constant *entries = decode_scratch(d, (size_t)room * sizeof *entries);
        if (m->count > 0) memcpy(entries, m->entries, (size_t)m->count * sizeof *entries);
        m->entries = entries;
        m->room = room;
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
    f->specials = decode_grow(d, f->specials, f->special_count, sizeof *f->specials);
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
            refuse(d, "the address of %s cannot stand here: mov it to a register", READABLE(o->symbol));
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

bool operands_are(decoder *d, int least, int most) {
    if (d->text->operand_count >= least && d->text->operand_count <= most) return true;
    refuse(d, "wrong number of operands");
    return false;
}

bool vector_slots(decoder *d, const ptx_operand *o, unsigned count, char kind, elements_kind elements,
                  uint32_t *slots) {
    const bool braces = o->kind == PTX_OPERAND_VECTOR;
    if (braces ? o->element_count != (int)count : count != 1)
        return refuse(d, "a vector of %u registers is needed", count), false;
    for (unsigned k = 0; k < count; k++) {
        const ptx_operand *e = braces ? &o->elements[k] : o;
        if (elements == ELEMENTS_REGISTERS && e->kind != PTX_OPERAND_REGISTER)
            return refuse(d, "a register is needed, not a constant or _"), false;
        slots[k] = elements == ELEMENTS_WRITTEN ? destination_slot(d, e, kind) : operand_slot(d, e, kind);
        if (d->failed) return false;
    }
    return true;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static void note_array(decoder *d, const char *name, uint64_t offset, uint64_t bytes) {
    function *f = d->f;
    for (int k = 0; k < f->array_count; k++)
        if (strcmp(f->arrays[k].name, name) == 0) return;
    f->arrays = decode_grow(d, f->arrays, f->array_count, sizeof *f->arrays);
    f->arrays[f->array_count++] = (shared_array){name, (uint32_t)offset, (uint32_t)bytes};
}

bool find_place(decoder *d, const char *name, place *p) {
    const ptx_function *s = d->source;
    for (int k = 0; k < s->local_count; k++) {
        const ptx_variable *v = &s->locals[k];
        if (strcmp(v->name, name) != 0) continue;
        if (v->space == PTX_SHARED) {
            *p = (place){PTX_SHARED, d->locals[k].offset, v->size};
            note_array(d, v->name, p->address, v->size);
            return true;
        }
        if (v->space == PTX_LOCAL || v->space == PTX_PARAM) {
            *p = (place){PTX_LOCAL, d->locals[k].offset, v->size};
            return true;
        }
        break; /* static .global and .const: the module's */
    }
    for (int k = 0; k < s->return_count + s->param_count; k++) {
        const ptx_variable *v = k < s->return_count ? &s->returns[k] : &s->params[k - s->return_count];
        if (v->name == NULL || strcmp(v->name, name) != 0) continue;
        *p = (place){s->is_entry ? PTX_PARAM : PTX_LOCAL, d->f->formals[k], v->size};
        return true;
    }
    symbol symbol;
    if (!d->context->symbol(d->context->module, d->f, name, &symbol)) {
        refuse(d, "unknown symbol %s", READABLE(name));
        return false;
    }
    if (symbol.kind == SYMBOL_FUNCTION && symbol.function == NULL) {
        refuse(d, "the address of %s, which the program does not contain", READABLE(name));
        return false;
    }
    *p = (place){symbol.kind == SYMBOL_SHARED ? PTX_SHARED : symbol.space, symbol.address, 0};
    if (symbol.kind == SYMBOL_SHARED) note_array(d, name, symbol.address, symbol.bytes);
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
            refuse(d, "%s is not in the space the instruction names", READABLE(o->symbol));
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
