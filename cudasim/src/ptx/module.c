/* PTX text -> module.
 *
 * One pass. What a name means hangs on the name itself (ptx_atom.symbol, innermost scope first), so that looking it up
 * takes no second search; closing a scope takes its symbols off again. A label may be used before it stands: such
 * operands wait in `fixups` until their scope closes. `.reg .f32 %f<5000>` declares a range; a register of it exists
 * once it is used.
 */
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>

#include "ptx/expression.h"
#include "ptx/names.h"
#include "ptx/statements.h"

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void parse_three(parser *p, unsigned values[3]) {
    values[1] = values[2] = 1;
    for (int i = 0; i < 3; i++) {
        values[i] = (unsigned)parse_number(p, UINT32_MAX, "size");
        if (i == 2 || !accept_sign(p, ',')) return;
    }
}

/* The directives between the parameters and the body. */
static void parse_function_attributes(parser *p, ptx_function *f) {
    while (TOKEN(p).kind == PTX_TOKEN_DIRECTIVE) {
        if (accept_directive(p, ".maxntid"))
            parse_three(p, f->maxntid);
        else if (accept_directive(p, ".reqntid"))
            parse_three(p, f->reqntid);
        else if (accept_directive(p, ".reqnctapercluster"))
            parse_three(p, f->reqnctapercluster);
        else if (accept_directive(p, ".maxnreg"))
            f->maxnreg = (unsigned)parse_number(p, UINT32_MAX, "number of registers");
        else if (accept_directive(p, ".minnctapersm"))
            f->minnctapersm = (unsigned)parse_number(p, UINT32_MAX, "number of blocks");
        else if (accept_directive(p, ".maxnctapersm"))
            parse_number(p, UINT32_MAX, "number of blocks");
        else if (accept_directive(p, ".maxclusterrank"))
            f->maxclusterrank = (unsigned)parse_number(p, UINT32_MAX, "number of blocks");
        else if (accept_directive(p, ".explicitcluster"))
            f->explicitcluster = true;
        else if (at_directive(p, ".noreturn"))
            f->noreturn = accept_plain_attribute(p);
        else if (at_directive(p, ".pragma"))
            parse_pragma(p);
        else if (!accept_directive(p, ".blocksareclusters") && !accept_plain_attribute(p))
            fail_directive(p);
    }
}

/* The module's function of this name: the one that an earlier declaration made, or a new one. */
static int place_function(parser *p, ptx_function *function, ptx_atom *atom) {
    ptx_symbol *symbol = atom->symbol;
    if (!symbol || symbol->kind != SYMBOL_FUNCTION) {
        symbol = declare_name(p, atom, SYMBOL_FUNCTION, function->line);
        symbol->index = (int)p->vectors[FUNCTIONS].count;
        parser_push(p, EXTENTS);
        *(ptx_function *)parser_push(p, FUNCTIONS) = *function;
        return symbol->index;
    }
    ptx_function *known = ITEM(p, FUNCTIONS, ptx_function, symbol->index);
    if (known->has_body && function->has_body)
        ptx_fail(&p->lexer, function->line, "duplicate name %s", ptx_quote_text(atom->text, atom->length).text);
    if (known->is_entry != function->is_entry)
        ptx_fail(&p->lexer, function->line, "%s is declared both as .entry and as .func",
                 ptx_quote_text(atom->text, atom->length).text);
    if (!known->has_body) *known = *function;
    return symbol->index;
}

/* .entry name ( params ) or .func ( returns ) name ( params ), then a body or ; */
static void parse_function(parser *p, linkage linkage) {
    ptx_function function = {.is_entry = at_directive(p, ".entry"),
                             .is_extern = linkage.is_extern,
                             .is_visible = linkage.is_visible,
                             .is_weak = linkage.is_weak};
    next(p);
    while (accept_directive(p, ".attribute")) skip_parentheses(p);
    if (!function.is_entry) function.returns = parse_params(p, &function.return_count);
    function.line = TOKEN(p).line;
    ptx_atom *atom = expect_word(p, "a function's name");
    function.name = atom->text;
    function.params = parse_params(p, &function.param_count);
    parse_function_attributes(p, &function);
    function.has_body = at_sign(p, '{');
    if (!function.has_body && !at_sign(p, ';')) fail_expected(p, "\"{\" or \";\" behind the function's head");
    p->function = place_function(p, &function, atom);
    if (!function.has_body) {
        next(p);
        return;
    }
    static const int parts[] = {REGISTERS, LOCALS, INSTRUCTIONS, LABELS, TABLES, LOCATIONS};
    size_t *const starts[] = {&p->start.registers, &p->start.locals, &p->start.instructions,
                              &p->start.labels,    &p->start.tables, &p->start.locations};
    for (size_t i = 0; i < COUNT(parts); i++) *starts[i] = p->vectors[parts[i]].count;
    *ITEM(p, EXTENTS, extent, p->function) = p->start;
    parse_body(p);
    ptx_function *f = ITEM(p, FUNCTIONS, ptx_function, p->function);
    f->register_count = (int)part_count(p, REGISTERS, p->start.registers);
    f->local_count = (int)part_count(p, LOCALS, p->start.locals);
    f->instruction_count = (int)part_count(p, INSTRUCTIONS, p->start.instructions);
    f->label_count = (int)part_count(p, LABELS, p->start.labels);
    f->table_count = (int)part_count(p, TABLES, p->start.tables);
    f->location_count = (int)part_count(p, LOCATIONS, p->start.locations);
}

/* .alias name, function; */
static void parse_alias(parser *p) {
    next(p);
    const ptx_token name = TOKEN(p);
    expect_word(p, "a function's name");
    expect_sign(p, ',', "behind the alias");
    const int line = TOKEN(p).line;
    ptx_atom *target = expect_word(p, "a function's name");
    expect_sign(p, ';', "behind the alias");
    const ptx_symbol *symbol = name.atom->symbol;
    if (!symbol || symbol->kind != SYMBOL_FUNCTION)
        ptx_fail(&p->lexer, name.line, "%s is no function", ptx_quote_text(name.text, name.length).text);
    *(alias *)parser_push(p, ALIASES) = (alias){symbol->index, target, line};
}

/* An alias may precede the body of the function that it names. */
static void finish_aliases(parser *p) {
    for (size_t i = 0; i < p->vectors[ALIASES].count; i++) {
        const alias a = *ITEM(p, ALIASES, alias, i);
        const ptx_symbol *symbol = a.target->symbol;
        const ptx_function *target =
            symbol && symbol->kind == SYMBOL_FUNCTION ? ITEM(p, FUNCTIONS, ptx_function, symbol->index) : NULL;
        ptx_function *function = ITEM(p, FUNCTIONS, ptx_function, a.function);
        if (!target || !target->has_body)
            ptx_fail(&p->lexer, a.line, "%s is no function with a body",
                     ptx_quote_text(a.target->text, a.target->length).text);
        if (function->has_body)
            ptx_fail(&p->lexer, a.line, "the alias %s has a body of its own",
                     ptx_quote_text(function->name, strlen(function->name)).text);
        const char *name = function->name;
        *function = *target;
        function->name = name;
        *ITEM(p, EXTENTS, extent, a.function) = *ITEM(p, EXTENTS, extent, symbol->index);
    }
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void parse_version(parser *p) {
    if (!accept_directive(p, ".version")) fail_expected(p, "\".version\"");
    unsigned major, minor;
    char digits[16], rest;
    if (TOKEN(p).kind != PTX_TOKEN_FLOAT || TOKEN(p).length >= sizeof digits) fail_expected(p, "a PTX version");
    memcpy(digits, TOKEN(p).text, TOKEN(p).length);
    digits[TOKEN(p).length] = '\0';
    if (sscanf(digits, "%u.%u%c", &major, &minor, &rest) != 2) fail_expected(p, "a PTX version");
    if (major > 9 || minor > 9) FAIL(p, "PTX version %s is newer than 9.9", ptx_quote_token(&p->lexer).text);
    p->storage->module.version_major = major;
    p->storage->module.version_minor = minor;
    next(p);
}

static void parse_target(parser *p) {
    ptx_module *module = &p->storage->module;
    if (!accept_directive(p, ".target")) fail_expected(p, "\".target\"");
    const ptx_token word = TOKEN(p);
    expect_word(p, "a target");
    if (word.length >= sizeof module->target)
        ptx_fail(&p->lexer, word.line, "unknown target %s", ptx_quote_text(word.text, word.length).text);
    memcpy(module->target, word.text, word.length);
    while (accept_sign(p, ',')) expect_word(p, "an option of the target");
}

static void parse_address_size(parser *p) {
    next(p);
    const int line = TOKEN(p).line;
    const uint64_t size = parse_number(p, UINT32_MAX, "address size");
    if (size != 64) ptx_fail(&p->lexer, line, "address size %llu: only 64 is known", (unsigned long long)size);
}

static void parse_module_directive(parser *p) {
    if (at_directive(p, ".address_size")) {
        parse_address_size(p);
    } else if (at_directive(p, ".file")) {
        parse_file(p);
    } else if (at_directive(p, ".section")) {
        skip_section(p);
    } else if (at_directive(p, ".pragma")) {
        parse_pragma(p);
    } else if (at_directive(p, ".alias")) {
        parse_alias(p);
    } else {
        const linkage linkage = parse_linkage(p);
        const ptx_space space = space_named(p);
        if (at_directive(p, ".entry") || at_directive(p, ".func"))
            parse_function(p, linkage);
        else if (space != PTX_NO_SPACE && space != PTX_REG && space != PTX_PARAM)
            parse_variables(p, linkage);
        else if (TOKEN(p).kind == PTX_TOKEN_DIRECTIVE)
            fail_directive(p);
        else
            fail_expected(p, "a directive");
    }
}

static void parse_module(parser *p) {
    next(p);
    parse_version(p);
    parse_target(p);
    p->storage->module.address_size = 64;
    while (TOKEN(p).kind != PTX_TOKEN_END)
        if (!accept_sign(p, ';')) parse_module_directive(p);
    finish_aliases(p);
}

/* A .file may follow the .loc directives that use its number. */
static void check_locations(parser *p) {
    const size_t files = p->vectors[FILES].count;
    for (size_t i = 0; i < p->vectors[LOCATIONS].count; i++) {
        ptx_location *location = ITEM(p, LOCATIONS, ptx_location, i);
        if ((size_t)location->file >= files || !*ITEM(p, FILES, const char *, location->file)) location->file = -1;
    }
}

/* Gives the module and its functions the addresses of their parts, which no longer move. */
static void finish_module(parser *p) {
    check_locations(p);
    for (int i = 0; i < KEPT; i++) {
        vector *v = &p->vectors[i];
        void *items = v->count > 0 ? realloc(v->items, v->count * v->item_size) : NULL;
        if (items) v->items = items;
    }
    ptx_module *module = &p->storage->module;
    module->storage = p->storage;
    module->files = p->vectors[FILES].items;
    module->file_count = (int)p->vectors[FILES].count;
    module->variables = p->vectors[VARIABLES].items;
    module->variable_count = (int)p->vectors[VARIABLES].count;
    module->functions = p->vectors[FUNCTIONS].items;
    module->function_count = (int)p->vectors[FUNCTIONS].count;
    for (int i = 0; i < module->function_count; i++) {
        ptx_function *f = &module->functions[i];
        if (!f->has_body) continue;
        const extent *start = ITEM(p, EXTENTS, extent, i);
        if (f->register_count > 0) f->registers = ITEM(p, REGISTERS, ptx_register, start->registers);
        if (f->local_count > 0) f->locals = ITEM(p, LOCALS, ptx_variable, start->locals);
        if (f->instruction_count > 0) f->instructions = ITEM(p, INSTRUCTIONS, ptx_instruction, start->instructions);
        if (f->label_count > 0) f->labels = ITEM(p, LABELS, int, start->labels);
        if (f->table_count > 0) f->tables = ITEM(p, TABLES, ptx_table, start->tables);
        if (f->location_count > 0) f->locations = ITEM(p, LOCATIONS, ptx_location, start->locations);
    }
    memcpy(p->storage->vectors, p->vectors, sizeof p->storage->vectors);
}

static void free_vectors(vector *vectors, int first, int end) {
    for (int i = first; i < end; i++) free(vectors[i].items);
}

void ptx_free(ptx_module *module) {
    if (!module) return;
    storage *storage = module->storage;
    free_vectors(storage->vectors, 0, KEPT);
    arena_free(&storage->arena);
    free(storage);
}

/* False if the lexer or the parser has failed. */
static bool parse_text(parser *p, const char *text, size_t length) {
    if (setjmp(p->lexer.failed) != 0) return false;
    ptx_lexer_open(&p->lexer, &p->storage->arena, text, length);
    parse_module(p);
    finish_module(p);
    return true;
}

ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size) {
    static const size_t item_sizes[VECTORS] = {[VARIABLES] = sizeof(ptx_variable),
                                               [FUNCTIONS] = sizeof(ptx_function),
                                               [REGISTERS] = sizeof(ptx_register),
                                               [LOCALS] = sizeof(ptx_variable),
                                               [INSTRUCTIONS] = sizeof(ptx_instruction),
                                               [LABELS] = sizeof(int),
                                               [TABLES] = sizeof(ptx_table),
                                               [LOCATIONS] = sizeof(ptx_location),
                                               [FILES] = sizeof(const char *),
                                               [EXTENTS] = sizeof(extent),
                                               [OPERANDS] = sizeof(ptx_operand),
                                               [FIXUPS] = sizeof(fixup),
                                               [TABLE_OPERANDS] = sizeof(ptx_operand *),
                                               [COLUMNS] = sizeof(int),
                                               [PARAMS] = sizeof(ptx_variable),
                                               [BYTES] = sizeof(uint8_t),
                                               [RELOCATIONS] = sizeof(ptx_relocation),
                                               [ALIASES] = sizeof(alias)};
    parser *p = calloc(1, sizeof *p);
    storage *storage = calloc(1, sizeof *storage);
    if (!p || !storage) {
        snprintf(error, error_size, "PTX line 1: " OUT_OF_MEMORY);
        free(p);
        free(storage);
        return NULL;
    }
    for (int i = 0; i < VECTORS; i++) p->vectors[i].item_size = item_sizes[i];
    p->storage = storage;
    p->lexer.error = error;
    p->lexer.error_size = error_size;
    const bool ok = parse_text(p, text, length);
    if (!ok) { /* p and storage hold all that has been read so far */
        free_vectors(p->vectors, 0, KEPT);
        arena_free(&storage->arena);
    }
    free_vectors(p->vectors, KEPT, VECTORS);
    ptx_lexer_close(&p->lexer);
    free(p);
    if (!ok) free(storage);
    return ok ? &storage->module : NULL;
}
