/* A function's body: statements and the directives among them. */
#include "ptx/statements.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/expression.h"
#include "ptx/names.h"
#include "ptx/operands.h"

#define MAX_FILE         65535 /* the largest number of a .file */
#define CALL_SITE_SEARCH 64    /* how many .loc back an inlined_at is searched */

static void declare_label(parser *p, ptx_atom *atom, int line) {
    const int index = (int)part_count(p, INSTRUCTIONS, p->start.instructions);
    declare_name(p, atom, SYMBOL_LABEL, line)->index = index;
    const size_t labels = p->vectors[LABELS].count;
    if (labels > p->start.labels && *ITEM(p, LABELS, int, labels - 1) == index) return;
    *(int *)parser_push(p, LABELS) = index;
}

static void parse_target_names(parser *p, ptx_table *table, ptx_operand **operands) {
    const int line = TOKEN(p).line;
    const size_t first = p->vectors[OPERANDS].count;
    do {
        const ptx_token word = TOKEN(p);
        ptx_operand *operand = parser_push(p, OPERANDS);
        operand->kind = PTX_OPERAND_LABEL;
        operand->symbol = expect_word(p, "a target's name")->text;
        const ptx_symbol *symbol = find_module_symbol(word.atom);
        if (table->kind == PTX_CALL_TARGETS && (!symbol || symbol->kind != SYMBOL_FUNCTION))
            ptx_fail(&p->lexer, word.line, "%s is no function", ptx_quote_text(word.text, word.length).text);
    } while (accept_sign(p, ','));
    if (table->kind == PTX_BRANCH_TARGETS) {
        *operands = take_operands(p, first, &table->count, line);
        return;
    }
    table->count = (int)(p->vectors[OPERANDS].count - first);
    table->symbols = parser_take(p, (size_t)table->count * sizeof *table->symbols);
    for (int i = 0; i < table->count; i++)
        table->symbols[i] = ITEM(p, OPERANDS, ptx_operand, first + (size_t)i)->symbol;
    p->vectors[OPERANDS].count = first;
}

bool accept_plain_attribute(parser *p) {
    if (accept_directive(p, ".noreturn")) return true;
    if (!accept_directive(p, ".abi_preserve") && !accept_directive(p, ".abi_preserve_control")) return false;
    parse_number(p, UINT32_MAX, "number of registers");
    return true;
}

/* name: .branchtargets, .calltargets, .callprototype */
static void parse_table(parser *p, ptx_atom *atom, int line) {
    ptx_table table = {.kind = PTX_CALL_PROTOTYPE};
    ptx_operand *operands = NULL;
    table.name = unique_name(p, atom);
    declare_name(p, atom, SYMBOL_TABLE, line)->name = table.name;
    if (accept_directive(p, ".branchtargets")) {
        table.kind = PTX_BRANCH_TARGETS;
        parse_target_names(p, &table, &operands);
    } else if (accept_directive(p, ".calltargets")) {
        table.kind = PTX_CALL_TARGETS;
        parse_target_names(p, &table, &operands);
    } else {
        next(p);
        table.returns = parse_params(p, &table.return_count);
        expect_word(p, "\"_\"");
        table.params = parse_params(p, &table.param_count);
        while (accept_plain_attribute(p)) {}
    }
    expect_sign(p, ';', "behind the table");
    *(ptx_table *)parser_push(p, TABLES) = table;
    *(ptx_operand **)parser_push(p, TABLE_OPERANDS) = operands;
}

static bool at_table(const parser *p) {
    return at_directive(p, ".branchtargets") || at_directive(p, ".calltargets") || at_directive(p, ".callprototype");
}

static void parse_guard(parser *p, ptx_instruction *instruction) {
    instruction->guard = -1;
    if (!accept_sign(p, '@')) return;
    instruction->guard_negated = accept_sign(p, '!');
    const ptx_token word = TOKEN(p);
    ptx_atom *atom = expect_word(p, "a predicate");
    const ptx_symbol *symbol = look_up_name(p, atom);
    if (!symbol || symbol->kind != SYMBOL_REGISTER)
        ptx_fail(&p->lexer, word.line, "unknown register %s", ptx_quote_text(word.text, word.length).text);
    if (ITEM(p, REGISTERS, ptx_register, p->start.registers + (size_t)symbol->index)->type != PTX_PRED)
        ptx_fail(&p->lexer, word.line, "%s is no predicate", ptx_quote_text(word.text, word.length).text);
    instruction->guard = symbol->index;
}

static void parse_operands(parser *p, ptx_instruction *instruction) {
    const size_t first = p->vectors[OPERANDS].count;
    const bool is_call = strncmp(instruction->opcode, "call", 4) == 0 &&
                         (instruction->opcode[4] == '\0' || instruction->opcode[4] == '.');
    if (!at_sign(p, ';')) {
        do {
            const ptx_operand operand = parse_operand(p, is_call);
            *push_operand(p, first, PTX_OPERAND_SINK) = operand;
        } while (accept_sign(p, ','));
    }
    expect_sign(p, ';', "or \",\"");
    instruction->operands = take_operands(p, first, &instruction->operand_count, instruction->line);
}

/* "label:", "label: .branchtargets ...;" or "@%p opcode operands;" */
static void parse_statement(parser *p) {
    ptx_instruction instruction = {.location = p->location, .used_bytes = p->used_bytes};
    parse_guard(p, &instruction);
    instruction.line = TOKEN(p).line;
    if (TOKEN(p).kind != PTX_TOKEN_WORD) fail_expected(p, "an instruction");
    ptx_atom *word = TOKEN(p).atom, *opcode = ptx_extend_opcode(&p->lexer);
    next(p);
    if (instruction.guard < 0 && opcode == word && accept_sign(p, ':')) {
        if (at_table(p))
            parse_table(p, word, instruction.line);
        else
            declare_label(p, word, instruction.line);
        return;
    }
    instruction.opcode = opcode->text;
    if (opcode->text[0] < 'a' || opcode->text[0] > 'z')
        ptx_fail(&p->lexer, instruction.line, "%s is no instruction",
                 ptx_quote_text(opcode->text, opcode->length).text);
    parse_operands(p, &instruction);
    p->used_bytes = 0;
    *(ptx_instruction *)parser_push(p, INSTRUCTIONS) = instruction;
}

static int add_location(parser *p, int file, int line, int column, int inlined_at) {
    const size_t index = p->vectors[LOCATIONS].count;
    *(ptx_location *)parser_push(p, LOCATIONS) = (ptx_location){file, line, inlined_at};
    *(int *)parser_push(p, COLUMNS) = column;
    return (int)(index - p->start.locations);
}

/* The call that a function was inlined at. nvcc describes it by a .loc of its own shortly before, which may have been
 * inlined itself. */
static int call_site(parser *p, int file, int line, int column) {
    const size_t count = p->vectors[LOCATIONS].count;
    for (size_t i = count; i > p->start.locations && count - i < CALL_SITE_SEARCH; i--) {
        const ptx_location *location = ITEM(p, LOCATIONS, ptx_location, i - 1);
        if (location->file == file && location->line == line && *ITEM(p, COLUMNS, int, i - 1) == column)
            return (int)(i - 1 - p->start.locations);
    }
    return add_location(p, file, line, column, -1);
}

/* .loc 1 139 5, function_name $L__info_string0 + 8, inlined_at 1 227 5 */
static void parse_location(parser *p) {
    int place[2][3] = {{0}}, inlined_at = -1;
    next(p);
    for (int i = 0; i < 3; i++) place[0][i] = (int)parse_number(p, INT_MAX, "location");
    while (accept_sign(p, ',')) {
        if (at_word(p, "function_name")) {
            next(p);
            expect_word(p, "a label");
            parse_addend(p);
        } else if (at_word(p, "inlined_at")) {
            next(p);
            for (int i = 0; i < 3; i++) place[1][i] = (int)parse_number(p, INT_MAX, "location");
            inlined_at = call_site(p, place[1][0], place[1][1], place[1][2]);
        } else {
            fail_expected(p, "\"function_name\" or \"inlined_at\"");
        }
    }
    p->location = add_location(p, place[0][0], place[0][1], place[0][2], inlined_at);
}

/* .pragma "nounroll"; of all that there are, "used_bytes_mask 0x0f" alone matters here. */
void parse_pragma(parser *p) {
    static const char used[] = "used_bytes_mask ";
    next(p);
    do {
        if (TOKEN(p).kind != PTX_TOKEN_STRING) fail_expected(p, "a string");
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)TOKEN(p).length, TOKEN(p).text);
        if (strncmp(text, used, sizeof used - 1) == 0)
            p->used_bytes = (uint32_t)strtoul(text + sizeof used - 1, NULL, 0);
        next(p);
    } while (accept_sign(p, ','));
    expect_sign(p, ';', "behind the pragma");
}

/* .file 1 "kernel.cu", 0, 0 */
void parse_file(parser *p) {
    next(p);
    const uint64_t number = parse_number(p, MAX_FILE, "file number");
    if (TOKEN(p).kind != PTX_TOKEN_STRING) fail_expected(p, "a file's name in quotes");
    while (p->vectors[FILES].count <= number) parser_push(p, FILES);
    *ITEM(p, FILES, const char *, number) = ptx_intern(&p->lexer, TOKEN(p).text, TOKEN(p).length)->text;
    next(p);
    while (accept_sign(p, ',')) parse_number(p, UINT64_MAX, "number");
}

/* Debugging data: a name and { }. */
void skip_section(parser *p) {
    next(p);
    if (TOKEN(p).kind != PTX_TOKEN_DIRECTIVE && TOKEN(p).kind != PTX_TOKEN_WORD) fail_expected(p, "a section's name");
    next(p);
    if (!at_sign(p, '{')) fail_expected(p, "\"{\" behind the section's name");
    ptx_skip_block(&p->lexer, "section");
}

linkage parse_linkage(parser *p) {
    linkage linkage = {0};
    for (;;) {
        if (accept_directive(p, ".extern"))
            linkage.is_extern = true;
        else if (accept_directive(p, ".visible"))
            linkage.is_visible = true;
        else if (accept_directive(p, ".weak") || accept_directive(p, ".common"))
            linkage.is_weak = true;
        else
            return linkage;
    }
}

_Noreturn void fail_directive(parser *p) {
    FAIL(p, "unknown directive %s", ptx_quote_token(&p->lexer).text);
}

static void parse_body_directive(parser *p) {
    if (at_directive(p, ".loc")) {
        parse_location(p);
    } else if (at_directive(p, ".pragma")) {
        parse_pragma(p);
    } else if (at_directive(p, ".file")) {
        parse_file(p);
    } else if (at_directive(p, ".section")) {
        skip_section(p);
    } else {
        const linkage linkage = parse_linkage(p);
        const ptx_space space = space_named(p);
        if (space == PTX_REG)
            parse_registers(p);
        else if (space != PTX_NO_SPACE)
            parse_variables(p, linkage);
        else
            fail_directive(p);
    }
}

/* ---- the body ---- */

static void declare_params(parser *p, const ptx_variable *params, int count) {
    for (int i = 0; i < count; i++) {
        ptx_atom *atom = atom_of(params[i].name);
        if (strcmp(params[i].name, "_") == 0) continue;
        if (params[i].space == PTX_REG) {
            ptx_symbol *symbol = declare_name(p, atom, SYMBOL_REGISTER, params[i].line);
            symbol->index = add_register(p, atom->text, params[i].type, params[i].vector);
        } else {
            declare_name(p, atom, SYMBOL_VARIABLE, params[i].line)->name = atom->text;
        }
    }
}

/* Turns .branchtargets lists into numbers, now that all labels are known. */
static void finish_tables(parser *p) {
    for (size_t i = p->start.tables; i < p->vectors[TABLES].count; i++) {
        ptx_table *table = ITEM(p, TABLES, ptx_table, i);
        if (table->kind != PTX_BRANCH_TARGETS) continue;
        const ptx_operand *operands = *ITEM(p, TABLE_OPERANDS, ptx_operand *, i);
        table->targets = parser_take(p, (size_t)table->count * sizeof *table->targets);
        for (int j = 0; j < table->count; j++) {
            if (operands[j].kind != PTX_OPERAND_LABEL)
                FAIL(p, "a .branchtargets names %s",
                     ptx_quote_text(operands[j].symbol, strlen(operands[j].symbol)).text);
            table->targets[j] = (int)operands[j].integer;
        }
    }
}

void parse_body(parser *p) {
    const ptx_function *function = ITEM(p, FUNCTIONS, ptx_function, p->function);
    const ptx_variable *const lists[] = {function->returns, function->params};
    const int counts[] = {function->return_count, function->param_count};
    const char *name = function->name;
    open_scope(p);
    for (int i = 0; i < 2; i++) declare_params(p, lists[i], counts[i]);
    const int start = TOKEN(p).line;
    next(p);
    p->location = -1;
    while (p->depth > 0) {
        if (TOKEN(p).kind == PTX_TOKEN_END)
            FAIL(p, "the text ends within %s, which starts at line %d", ptx_quote_text(name, strlen(name)).text, start);
        if (TOKEN(p).kind == PTX_TOKEN_DIRECTIVE) {
            parse_body_directive(p);
        } else if (at_sign(p, '{')) {
            open_scope(p);
            next(p);
        } else if (at_sign(p, '}')) {
            close_scope(p);
            next(p);
        } else if (!accept_sign(p, ';')) {
            parse_statement(p);
        }
    }
    finish_tables(p);
}
