/* Names, their scopes, and the operands that wait until a scope closes. */
#include "ptx/names.h"

#include <stdio.h>
#include <string.h>

static ptx_symbol *declare_name_at(parser *p, ptx_atom *atom, symbol_kind kind, int depth) {
    ptx_symbol *symbol = p->free_symbols;
    if (symbol)
        p->free_symbols = symbol->next;
    else
        symbol = parser_take(p, sizeof *symbol);
    *symbol = (ptx_symbol){.atom = atom, .shadowed = atom->symbol, .kind = (unsigned char)kind};
    symbol->depth = (unsigned char)depth;
    symbol->next = p->scopes[depth].symbols;
    p->scopes[depth].symbols = symbol;
    atom->symbol = symbol;
    return symbol;
}

ptx_symbol *declare_name(parser *p, ptx_atom *atom, symbol_kind kind, int line) {
    if (atom->symbol && atom->symbol->depth == p->depth)
        ptx_fail(&p->lexer, line, "duplicate name %s", ptx_quote_text(atom->text, atom->length).text);
    return declare_name_at(p, atom, kind, p->depth);
}

void open_scope(parser *p) {
    if (p->depth == MAX_DEPTH) FAIL(p, "blocks nested deeper than %d", MAX_DEPTH - 1);
    scope *outer = &p->scopes[p->depth++];
    p->scopes[p->depth] =
        (scope){.range_depth = outer->range_depth, .first_fixup = p->vectors[FIXUPS].count, .line = TOKEN(p).line};
}

ptx_atom *atom_of(const char *text) {
    return (ptx_atom *)(text - offsetof(ptx_atom, text));
}

/* Resolves the operands that waited for labels of this scope. Those that name no label of it keep waiting. */
static void resolve_labels(parser *p) {
    vector *fixups = &p->vectors[FIXUPS];
    size_t kept = p->scopes[p->depth].first_fixup;
    for (size_t i = kept; i < fixups->count; i++) {
        const fixup f = *ITEM(p, FIXUPS, fixup, i);
        const ptx_symbol *symbol = atom_of(f.operand->symbol)->symbol;
        if (symbol && symbol->depth == p->depth && symbol->kind == SYMBOL_LABEL) {
            f.operand->integer = symbol->index;
        } else if (symbol && symbol->depth == p->depth && symbol->kind == SYMBOL_TABLE) {
            f.operand->kind = PTX_OPERAND_SYMBOL;
            f.operand->symbol = symbol->name;
        } else if (p->depth == 1) {
            ptx_fail(&p->lexer, f.line, "%s is no register, label, variable or function here",
                     ptx_quote_text(f.operand->symbol, strlen(f.operand->symbol)).text);
        } else {
            *ITEM(p, FIXUPS, fixup, kept++) = f;
        }
    }
    fixups->count = p->depth == 1 ? 0 : kept;
}

void close_scope(parser *p) {
    resolve_labels(p);
    ptx_symbol *symbol = p->scopes[p->depth].symbols;
    while (symbol) {
        ptx_symbol *following = symbol->next;
        symbol->atom->symbol = symbol->shadowed;
        symbol->next = p->free_symbols;
        p->free_symbols = symbol;
        symbol = following;
    }
    p->depth--;
}

const char *unique_name(parser *p, ptx_atom *atom) {
    const int function = p->function + 1;
    if (atom->used_in != function) {
        atom->used_in = function;
        atom->uses = 0;
    }
    if (atom->uses++ == 0 && !atom->symbol) return atom->text;
    char number[16];
    const size_t digits = (size_t)snprintf(number, sizeof number, "@%d", atom->uses);
    char *name = parser_take(p, atom->length + digits + 1);
    memcpy(name, atom->text, atom->length);
    memcpy(name + atom->length, number, digits + 1);
    return name;
}

int add_register(parser *p, const char *name, unsigned type, unsigned vector) {
    const size_t index = p->vectors[REGISTERS].count - p->start.registers;
    *(ptx_register *)parser_push(p, REGISTERS) = (ptx_register){name, (ptx_type)type, vector};
    return (int)index;
}

/* The range that "%r12" belongs to: "%r" with a number below its count, in a scope deeper than `above`. */
static const ptx_symbol *find_range(const parser *p, const ptx_atom *atom, int above) {
    const ptx_symbol *found = NULL;
    uint64_t number = 0, power = 1;
    for (size_t digits = 1; digits <= 10 && digits < atom->length; digits++, power *= 10) {
        const size_t prefix = atom->length - digits;
        const char digit = atom->text[prefix];
        if (digit < '0' || digit > '9') break;
        number += (uint64_t)(digit - '0') * power;
        if (digit == '0' && digits > 1) continue; /* %r01 is not %r1 */
        const ptx_atom *name = ptx_find_atom(&p->lexer, atom->text, prefix);
        const ptx_symbol *symbol = name ? name->symbol : NULL;
        while (symbol && !(symbol->kind == SYMBOL_RANGE && number < symbol->count)) symbol = symbol->shadowed;
        if (symbol && symbol->depth > above) {
            above = symbol->depth;
            found = symbol;
        }
    }
    return found;
}

const ptx_symbol *look_up_name(parser *p, ptx_atom *atom) {
    const ptx_symbol *symbol = atom->symbol;
    while (symbol && symbol->kind == SYMBOL_RANGE) symbol = symbol->shadowed;
    const int depth = symbol ? symbol->depth : 0;
    if (depth >= p->scopes[p->depth].range_depth) return symbol;
    const ptx_symbol *range = find_range(p, atom, depth);
    if (!range) return symbol;
    const int index = add_register(p, atom->text, range->type, range->vector);
    ptx_symbol *created = declare_name_at(p, atom, SYMBOL_REGISTER, range->depth);
    created->index = index;
    return created;
}

const ptx_symbol *find_module_symbol(const ptx_atom *atom) {
    const ptx_symbol *symbol = atom->symbol;
    while (symbol && symbol->depth > 0) symbol = symbol->shadowed;
    return symbol;
}

const char *symbol_name(const ptx_symbol *symbol) {
    return symbol->depth > 0 ? symbol->name : symbol->atom->text;
}
