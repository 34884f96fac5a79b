/* Declarations: registers, variables with their initial values, parameters. PTX ISA 9.0, section 5. */
#include "ptx/variables.h"

#include <string.h>

#include "ptx/expression.h"
#include "ptx/names.h"

#define MAX_SIZE ((uint64_t)1 << 40)
#define MAX_INIT ((uint64_t)64 << 20) /* bytes of all initial values */

/* ---- variables --------------------------------------------------------------------------------------------------- */

ptx_space space_named(const parser *p) {
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {{".reg", PTX_REG},       {".global", PTX_GLOBAL}, {".const", PTX_CONST},
                  {".shared", PTX_SHARED}, {".local", PTX_LOCAL},   {".param", PTX_PARAM}};
    for (size_t i = 0; i < COUNT(spaces); i++)
        if (at_directive(p, spaces[i].name)) return spaces[i].space;
    return PTX_NO_SPACE;
}

void skip_parentheses(parser *p) {
    if (!at_sign(p, '(')) fail_expected(p, "\"(\"");
    const int start = TOKEN(p).line;
    size_t depth = 0;
    do {
        if (TOKEN(p).kind == PTX_TOKEN_END) ptx_fail(&p->lexer, start, "the \"(\" that stands here is never closed");
        if (at_sign(p, '(')) depth++;
        if (at_sign(p, ')')) depth--;
        next(p);
    } while (depth > 0);
}

/* (.managed, .unified(1, 2)): whether .managed is among them. */
static bool parse_attributes(parser *p) {
    bool managed = false;
    expect_sign(p, '(', "behind .attribute");
    while (!at_sign(p, ')')) {
        managed |= at_directive(p, ".managed");
        if (at_sign(p, '('))
            skip_parentheses(p);
        else if (TOKEN(p).kind == PTX_TOKEN_END)
            fail_expected(p, "\")\"");
        else
            next(p);
    }
    next(p);
    return managed;
}

static unsigned parse_alignment(parser *p) {
    const int line = TOKEN(p).line;
    const uint64_t align = parse_number(p, 1 << 30, "alignment");
    if (align == 0 || (align & (align - 1)))
        ptx_fail(&p->lexer, line, "alignment %llu is no power of two", (unsigned long long)align);
    return (unsigned)align;
}

/* .ptr .global .align 16: what a pointer parameter points to. Nothing here uses it. */
static void skip_pointer_attributes(parser *p) {
    if (!accept_directive(p, ".ptr")) return;
    if (space_named(p) != PTX_NO_SPACE) next(p);
    if (accept_directive(p, ".align")) parse_alignment(p);
}

/* The part that the names of one declaration share: ".global .align 8 .v2 .f32". The space is the current token. */
static ptx_variable parse_variable_type(parser *p) {
    ptx_variable variable = {.space = space_named(p), .vector = 1, .line = TOKEN(p).line};
    unsigned align = 0;
    for (next(p); TOKEN(p).kind == PTX_TOKEN_DIRECTIVE;) {
        const ptx_type type = ptx_type_named(TOKEN(p).text + 1, TOKEN(p).length - 1);
        if (type != PTX_NO_TYPE) {
            if (variable.type != PTX_NO_TYPE) FAIL(p, "a second type: %s", ptx_quote_token(&p->lexer).text);
            variable.type = type;
            next(p);
            skip_pointer_attributes(p);
        } else if (accept_directive(p, ".align")) {
            align = parse_alignment(p);
        } else if (accept_directive(p, ".attribute")) {
            variable.is_managed |= parse_attributes(p);
        } else if (at_directive(p, ".v2") || at_directive(p, ".v4") || at_directive(p, ".v8")) {
            variable.vector = (unsigned)(TOKEN(p).text[2] - '0');
            next(p);
        } else {
            FAIL(p, "unknown type %s", ptx_quote_token(&p->lexer).text);
        }
    }
    if (variable.type == PTX_NO_TYPE) fail_expected(p, "a type");
    variable.align = align ? align : ptx_type_size(variable.type) * variable.vector;
    return variable;
}

typedef struct dimensions {
    uint64_t stride[MAX_DEPTH + 1]; /* bytes from one index of a level to the next */
    int levels;
} dimensions;

/* [2][3] after a name; sizes in elements and bytes. */
static void parse_dimensions(parser *p, ptx_variable *variable, dimensions *d) {
    uint64_t sizes[MAX_DEPTH];
    int count = 0;
    const uint64_t element = (uint64_t)ptx_type_size(variable->type) * variable->vector;
    while (at_sign(p, '[')) {
        if (count == MAX_DEPTH - 1) FAIL(p, "more than %d dimensions", MAX_DEPTH - 1);
        next(p);
        variable->is_array = true;
        if (at_sign(p, ']') && count == 0)
            sizes[count++] = 0;
        else
            sizes[count++] = parse_number(p, MAX_SIZE, "array size");
        expect_sign(p, ']', "behind the array size");
    }
    uint64_t size = element;
    variable->count = 1;
    for (int i = count; i-- > 0;) {
        d->stride[i] = size;
        if (__builtin_mul_overflow(size, sizes[i], &size) || size > MAX_SIZE)
            ptx_fail(&p->lexer, variable->line, "the array %s is larger than 1 TiB",
                     ptx_quote_text(variable->name, strlen(variable->name)).text);
        variable->count *= sizes[i];
    }
    variable->size = size;
    d->levels = count;
    if (variable->vector > 1) d->stride[d->levels++] = ptx_type_size(variable->type);
}

/* ---- initial values ---------------------------------------------------------------------------------------------- */

static void put_bytes(parser *p, uint64_t offset, uint64_t bits, unsigned size) {
    vector *bytes = &p->vectors[BYTES];
    if (offset + size > MAX_INIT) FAIL(p, "more than 64 MiB of initial values");
    while (bytes->count < offset + size) *(uint8_t *)parser_push(p, BYTES) = 0;
    for (unsigned i = 0; i < size; i++) *ITEM(p, BYTES, uint8_t, offset + i) = (uint8_t)(i < 8 ? bits >> 8 * i : 0);
}

static double float_value(const ptx_token *token) {
    double value;
    float single;
    const uint32_t low = (uint32_t)token->bits;
    memcpy(&value, &token->bits, sizeof value);
    memcpy(&single, &low, sizeof single);
    return token->is_double ? value : (double)single;
}

static uint64_t float_bits(double value, ptx_type type) {
    uint64_t bits = 0;
    const float single = (float)value;
    if (type == PTX_F64)
        memcpy(&bits, &value, sizeof value);
    else
        memcpy(&bits, &single, sizeof single);
    return bits;
}

static void put_float(parser *p, const ptx_variable *variable, uint64_t offset, bool negative) {
    const unsigned size = ptx_type_size(variable->type);
    const bool is_float = variable->type == PTX_F32 || variable->type == PTX_F64;
    uint64_t bits = TOKEN(p).bits;
    if (!is_float && size != (TOKEN(p).is_double ? 8 : 4))
        FAIL(p, "%s does not fit the variable's type", ptx_quote_token(&p->lexer).text);
    if (negative) bits ^= (uint64_t)1 << (TOKEN(p).is_double ? 63 : 31);
    if (is_float && size != (TOKEN(p).is_double ? 8 : 4)) {
        const double value = float_value(&TOKEN(p));
        bits = float_bits(negative ? -value : value, variable->type);
    }
    put_bytes(p, offset, bits, size);
    next(p);
}

static void put_integer(parser *p, const ptx_variable *variable, uint64_t offset, constant value, int line) {
    const unsigned size = ptx_type_size(variable->type);
    if (variable->type == PTX_F32 || variable->type == PTX_F64) {
        const double number = value.is_unsigned ? (double)value.bits : (double)(int64_t)value.bits;
        put_bytes(p, offset, float_bits(number, variable->type), size);
        return;
    }
    if (size < 8) {
        const int64_t number = (int64_t)value.bits, limit = (int64_t)1 << 8 * size;
        if (number >= limit || number < -limit / 2)
            ptx_fail(&p->lexer, line, "initial value %lld does not fit the variable's type", (long long)number);
    }
    put_bytes(p, offset, value.bits, size);
}

/* name, name + 8, generic(name) + 8 */
static ptx_relocation parse_relocation(parser *p) {
    ptx_relocation relocation = {.generic = false};
    bool parenthesis = false;
    if (at_word(p, "generic")) {
        next(p);
        expect_sign(p, '(', "behind \"generic\"");
        relocation.generic = parenthesis = true;
    }
    const ptx_token word = TOKEN(p);
    const ptx_atom *atom = expect_word(p, "a name");
    const ptx_symbol *symbol = find_module_symbol(atom);
    const ptx_symbol *local = symbol ? symbol : atom->symbol;
    if (!local || (local->kind != SYMBOL_VARIABLE && local->kind != SYMBOL_FUNCTION))
        ptx_fail(&p->lexer, word.line, "%s is no variable or function", ptx_quote_text(word.text, word.length).text);
    relocation.symbol = symbol_name(local);
    if (parenthesis) expect_sign(p, ')', "behind the name");
    relocation.addend = parse_addend(p);
    return relocation;
}

static void put_address(parser *p, const ptx_variable *variable, uint64_t offset) {
    const int line = TOKEN(p).line;
    ptx_relocation relocation = parse_relocation(p);
    relocation.size = ptx_type_size(variable->type);
    relocation.offset = offset;
    if (relocation.size != 4 && relocation.size != 8)
        ptx_fail(&p->lexer, line, "an address does not fit the variable's type");
    put_bytes(p, offset, 0, relocation.size);
    *(ptx_relocation *)parser_push(p, RELOCATIONS) = relocation;
}

/* 0xFF00(name): byte 1 of an address, as nvcc writes a pointer inside of a struct. The bytes of one address follow one
 * another from 0xFF on and become one relocation. */
static void put_address_byte(parser *p, const ptx_variable *variable, uint64_t offset, uint64_t mask, int line) {
    if (ptx_type_size(variable->type) != 1) ptx_fail(&p->lexer, line, "bytes of an address in what is no byte array");
    unsigned byte = 0;
    while (byte < 8 && mask != (uint64_t)0xff << 8 * byte) byte++;
    if (byte == 8) ptx_fail(&p->lexer, line, "a mask that is not one byte of an address");
    next(p);
    ptx_relocation relocation = parse_relocation(p);
    expect_sign(p, ')', "behind the address");
    put_bytes(p, offset, 0, 1);
    relocation.offset = offset - byte;
    relocation.size = 1;
    if (byte == 0) {
        *(ptx_relocation *)parser_push(p, RELOCATIONS) = relocation;
        return;
    }
    const size_t count = p->vectors[RELOCATIONS].count;
    ptx_relocation *last = count > 0 ? ITEM(p, RELOCATIONS, ptx_relocation, count - 1) : NULL;
    if (!last || last->offset != relocation.offset || last->size != byte || last->symbol != relocation.symbol ||
        last->addend != relocation.addend || last->generic != relocation.generic)
        ptx_fail(&p->lexer, line, "byte %u of an address does not follow byte %u", byte, byte - 1);
    last->size++;
}

static void put_value(parser *p, const ptx_variable *variable, uint64_t offset) {
    const int line = TOKEN(p).line;
    if (TOKEN(p).kind == PTX_TOKEN_WORD && !at_word(p, "WARP_SZ")) {
        put_address(p, variable, offset);
        return;
    }
    const bool negative = accept_minus_of_float(p);
    if (TOKEN(p).kind == PTX_TOKEN_FLOAT) {
        put_float(p, variable, offset, negative);
        return;
    }
    if (TOKEN(p).kind == PTX_TOKEN_INTEGER && *p->lexer.position == '(') {
        const uint64_t mask = TOKEN(p).bits;
        next(p);
        put_address_byte(p, variable, offset, mask, line);
        return;
    }
    put_integer(p, variable, offset, parse_expression(p, 1, 0), line);
}

/* { ... } of one level of the array, from byte `offset` on; `limit` is where its last element ends. Returns where the
 * values end. */
static uint64_t parse_values(parser *p, const ptx_variable *variable, const dimensions *d, int level, uint64_t offset,
                             uint64_t limit) {
    expect_sign(p, '{', "before the initial values");
    const bool scalars = level + 1 >= d->levels;
    const uint64_t stride = d->stride[level];
    if (accept_sign(p, '}')) return offset;
    do {
        if (limit - offset < stride) FAIL(p, "more initial values than the variable has elements");
        if (scalars)
            put_value(p, variable, offset);
        else
            parse_values(p, variable, d, level + 1, offset, offset + stride);
        offset += stride;
    } while (accept_sign(p, ','));
    expect_sign(p, '}', "or \",\"");
    return offset;
}

static void check_relocations(parser *p, const ptx_variable *variable) {
    for (int i = 0; i < variable->relocation_count; i++) {
        const unsigned size = variable->relocations[i].size;
        if (size != 4 && size != 8)
            ptx_fail(&p->lexer, variable->line, "%u bytes of an address, neither 4 nor 8", size);
    }
}

/* = value or = { values } */
static void parse_initial_values(parser *p, ptx_variable *variable, const dimensions *d) {
    p->vectors[BYTES].count = p->vectors[RELOCATIONS].count = 0;
    if (d->levels == 0) {
        put_value(p, variable, 0);
    } else {
        const bool open = variable->is_array && variable->count == 0;
        const uint64_t end = parse_values(p, variable, d, 0, 0, open ? MAX_SIZE : variable->size);
        if (open) {
            variable->size = end;
            variable->count = end / (ptx_type_size(variable->type) * variable->vector);
        }
    }
    if (variable->size > MAX_INIT - p->init_bytes) FAIL(p, "more than 64 MiB of initial values");
    p->init_bytes += variable->size;
    variable->init = parser_take(p, variable->size);
    if (p->vectors[BYTES].count > 0) memcpy(variable->init, p->vectors[BYTES].items, p->vectors[BYTES].count);
    const size_t count = p->vectors[RELOCATIONS].count;
    if (count == 0) return;
    variable->relocations = parser_take(p, count * sizeof *variable->relocations);
    memcpy(variable->relocations, p->vectors[RELOCATIONS].items, count * sizeof *variable->relocations);
    variable->relocation_count = (int)count;
    check_relocations(p, variable);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

void parse_registers(parser *p) {
    const ptx_variable variable = parse_variable_type(p);
    do {
        const int line = TOKEN(p).line;
        ptx_atom *atom = expect_word(p, "a register's name");
        if (accept_sign(p, '<')) {
            const uint64_t count = parse_number(p, UINT32_MAX, "number of registers");
            expect_sign(p, '>', "behind the number of registers");
            ptx_symbol *range = declare_name(p, atom, SYMBOL_RANGE, line);
            range->type = (unsigned char)variable.type;
            range->vector = (unsigned char)variable.vector;
            range->count = (uint32_t)count;
            p->scopes[p->depth].range_depth = p->depth;
        } else {
            ptx_symbol *symbol = declare_name(p, atom, SYMBOL_REGISTER, line);
            symbol->index = add_register(p, atom->text, variable.type, variable.vector);
        }
    } while (accept_sign(p, ','));
    expect_sign(p, ';', "behind the registers");
}

/* A variable of the module, or of the function that is being read. */
static void add_variable(parser *p, const ptx_variable *variable, ptx_atom *atom) {
    if (p->depth > 0) {
        const char *name = unique_name(p, atom);
        declare_name(p, atom, SYMBOL_VARIABLE, variable->line)->name = name;
        ptx_variable *local = parser_push(p, LOCALS);
        *local = *variable;
        local->name = name;
        return;
    }
    ptx_symbol *symbol = atom->symbol;
    if (symbol && symbol->kind == SYMBOL_VARIABLE) {
        /* .extern announces what the same text may define later. */
        ptx_variable *known = ITEM(p, VARIABLES, ptx_variable, symbol->index);
        if (known->is_extern || variable->is_extern) {
            if (known->is_extern) *known = *variable;
            return;
        }
    }
    symbol = declare_name(p, atom, SYMBOL_VARIABLE, variable->line);
    symbol->index = (int)p->vectors[VARIABLES].count;
    *(ptx_variable *)parser_push(p, VARIABLES) = *variable;
}

void parse_variables(parser *p, linkage linkage) {
    const ptx_variable shared = parse_variable_type(p);
    do {
        ptx_variable variable = shared;
        dimensions d;
        variable.line = TOKEN(p).line;
        variable.is_extern = linkage.is_extern;
        variable.is_visible = linkage.is_visible;
        variable.is_weak = linkage.is_weak;
        ptx_atom *atom = expect_word(p, "a variable's name");
        variable.name = atom->text;
        parse_dimensions(p, &variable, &d);
        if (accept_sign(p, '=')) parse_initial_values(p, &variable, &d);
        add_variable(p, &variable, atom);
    } while (accept_sign(p, ','));
    expect_sign(p, ';', "behind the variable");
}

ptx_variable *parse_params(parser *p, int *count) {
    *count = 0;
    if (!accept_sign(p, '(')) return NULL;
    p->vectors[PARAMS].count = 0;
    while (!at_sign(p, ')')) {
        if (*count > 0) expect_sign(p, ',', "or \")\" behind the parameter");
        const ptx_space space = space_named(p);
        if (space != PTX_PARAM && space != PTX_REG) fail_expected(p, "a parameter");
        ptx_variable variable = parse_variable_type(p);
        dimensions d;
        variable.line = TOKEN(p).line;
        variable.name = expect_word(p, "a parameter's name")->text;
        parse_dimensions(p, &variable, &d);
        *(ptx_variable *)parser_push(p, PARAMS) = variable;
        ++*count;
    }
    next(p);
    if (*count == 0) return NULL;
    ptx_variable *params = parser_take(p, (size_t)*count * sizeof *params);
    memcpy(params, p->vectors[PARAMS].items, (size_t)*count * sizeof *params);
    return params;
}
