/* Operands of instructions. PTX ISA 9.0, section 6. */
#include "ptx/operands.h"

#include <stdio.h>
#include <string.h>

#include "ptx/expression.h"
#include "ptx/instruction.h"
#include "ptx/names.h"

#define MAX_OPERANDS 1024 /* of an instruction, a { } or a ( ) */

ptx_operand *push_operand(parser *p, size_t first, ptx_operand_kind kind) {
    if (p->vectors[OPERANDS].count - first >= MAX_OPERANDS) FAIL(p, "more than %d operands", MAX_OPERANDS);
    ptx_operand *operand = parser_push(p, OPERANDS);
    operand->kind = kind;
    operand->reg = operand->element = -1;
    return operand;
}

ptx_operand *take_operands(parser *p, size_t first, int *count, int line) {
    *count = (int)(p->vectors[OPERANDS].count - first);
    if (*count == 0) return NULL;
    ptx_operand *operands = parser_take(p, (size_t)*count * sizeof *operands);
    memcpy(operands, ITEM(p, OPERANDS, ptx_operand, first), (size_t)*count * sizeof *operands);
    p->vectors[OPERANDS].count = first;
    for (int i = 0; i < *count; i++)
        if (operands[i].kind == PTX_OPERAND_LABEL) *(fixup *)parser_push(p, FIXUPS) = (fixup){&operands[i], line};
    return operands;
}

static bool is_special_vector(const char *name) {
    return opcode_is_of(name, "%tid %ntid %ctaid %nctaid %clusterid %nclusterid %cluster_ctaid %cluster_nctaid");
}

static bool is_special_scalar(const char *name) {
    static const char names[] =
        "%laneid %warpid %nwarpid %smid %nsmid %gridid %cluster_ctarank %cluster_nctarank "
        "%is_explicit_cluster %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock "
        "%clock_hi %clock64 %globaltimer %globaltimer_lo %globaltimer_hi %reserved_smem_offset_begin "
        "%reserved_smem_offset_end %reserved_smem_offset_cap %reserved_smem_offset_0 %reserved_smem_offset_1 "
        "%total_smem_size %aggr_smem_size %dynamic_smem_size %current_graph_exec";
    if (opcode_is_of(name, names)) return true;
    unsigned number;
    char rest[2];
    if (sscanf(name, "%%envreg%2u%1s", &number, rest) == 1) return number < 32;
    return strncmp(name, "%pm", 3) == 0 && name[3] >= '0' && name[3] <= '7' &&
           (name[4] == '\0' || strcmp(name + 4, "_64") == 0);
}

/* ".x" right after a word: 0 to 3; -1 where there is none. */
static int parse_component(parser *p, const ptx_token *word) {
    const ptx_token *token = &TOKEN(p);
    if (token->kind != PTX_TOKEN_DIRECTIVE || token->text != word->text + word->length) return -1;
    const char *position = token->length == 2 ? strchr("xrygzbwa", token->text[1]) : NULL;
    if (!position) FAIL(p, "unknown component %s", ptx_quote_token(&p->lexer).text);
    next(p);
    return (int)(position - "xrygzbwa") / 2;
}

static void parse_special(parser *p, ptx_operand *operand, const ptx_token *word) {
    const char *name = word->atom->text;
    const bool is_vector = is_special_vector(name);
    if (!is_vector && !is_special_scalar(name))
        ptx_fail(&p->lexer, word->line, "unknown register %s", ptx_quote_text(word->text, word->length).text);
    operand->kind = PTX_OPERAND_SPECIAL;
    operand->symbol = name;
    const int component = is_vector ? parse_component(p, word) : -1;
    if (component >= 0) {
        char full[40];
        const int length = snprintf(full, sizeof full, "%s.%c", name, "xyzw"[component]);
        operand->symbol = ptx_intern(&p->lexer, full, (size_t)length)->text;
    }
}

static void set_register(parser *p, ptx_operand *operand, const ptx_symbol *symbol, const ptx_token *word) {
    const ptx_register *reg = ITEM(p, REGISTERS, ptx_register, p->start.registers + (size_t)symbol->index);
    const unsigned vector = reg->vector;
    operand->kind = PTX_OPERAND_REGISTER;
    operand->reg = symbol->index;
    operand->element = parse_component(p, word);
    if (operand->element >= 0 && (vector < 2 || (unsigned)operand->element >= vector))
        ptx_fail(&p->lexer, word->line, "%s has no such component", ptx_quote_text(word->text, word->length).text);
}

static void parse_word_operand(parser *p, ptx_operand *operand) {
    const ptx_token word = TOKEN(p);
    const ptx_symbol *symbol = look_up_name(p, word.atom);
    next(p);
    if (symbol && symbol->kind == SYMBOL_REGISTER) {
        set_register(p, operand, symbol, &word);
    } else if (symbol && (symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_FUNCTION)) {
        operand->kind = PTX_OPERAND_SYMBOL;
        operand->symbol = symbol_name(symbol);
        operand->integer = parse_addend(p);
    } else if (!symbol && word.atom->length == 1 && word.atom->text[0] == '_') {
        operand->kind = PTX_OPERAND_SINK;
    } else if (!symbol && word.atom->text[0] == '%') {
        parse_special(p, operand, &word);
    } else {
        operand->kind = PTX_OPERAND_LABEL;
        operand->symbol = word.atom->text;
    }
}

/* A number, or an expression of numbers. */
static void parse_constant_operand(parser *p, ptx_operand *operand) {
    const bool negative = accept_minus_of_float(p);
    if (TOKEN(p).kind == PTX_TOKEN_FLOAT) {
        operand->kind = PTX_OPERAND_FLOAT;
        operand->is_double = TOKEN(p).is_double;
        const uint64_t sign = negative ? (uint64_t)1 << (operand->is_double ? 63 : 31) : 0;
        operand->integer = (int64_t)(TOKEN(p).bits ^ sign);
        next(p);
        return;
    }
    operand->kind = PTX_OPERAND_INTEGER;
    operand->integer = (int64_t)parse_expression(p, 1, 0).bits;
}

/* A register, number, name or _, or a pair "d|p". */
static ptx_operand parse_simple_operand(parser *p) {
    ptx_operand operand = {.reg = -1, .element = -1};
    const bool negated = accept_sign(p, '!');
    if (TOKEN(p).kind == PTX_TOKEN_WORD && !at_word(p, "WARP_SZ"))
        parse_word_operand(p, &operand);
    else if (negated)
        fail_expected(p, "a register behind \"!\"");
    else
        parse_constant_operand(p, &operand);
    if (negated && operand.kind != PTX_OPERAND_REGISTER) FAIL(p, "\"!\" stands before what is no register");
    operand.negated = negated;
    return operand;
}

static ptx_operand parse_pair(parser *p) {
    const int line = TOKEN(p).line;
    const ptx_operand first = parse_simple_operand(p);
    const bool may_pair = first.kind == PTX_OPERAND_REGISTER || first.kind == PTX_OPERAND_SINK;
    if (!may_pair || !accept_sign(p, '|')) return first;
    const ptx_operand second = parse_simple_operand(p);
    if (second.kind != PTX_OPERAND_REGISTER && second.kind != PTX_OPERAND_SINK)
        ptx_fail(&p->lexer, line, "no register behind \"|\"");
    ptx_operand pair = {.kind = PTX_OPERAND_PAIR, .reg = -1, .element = -1, .element_count = 2};
    pair.elements = parser_take(p, 2 * sizeof *pair.elements);
    pair.elements[0] = first;
    pair.elements[1] = second;
    return pair;
}

/* { a, b } or ( a, b ) */
static ptx_operand parse_group(parser *p, ptx_operand_kind kind, char closing) {
    const int line = TOKEN(p).line;
    const size_t first = p->vectors[OPERANDS].count;
    next(p);
    if (!at_sign(p, closing)) {
        do {
            const ptx_operand element = parse_simple_operand(p);
            *push_operand(p, first, PTX_OPERAND_SINK) = element;
        } while (accept_sign(p, ','));
    }
    expect_sign(p, closing, "or \",\"");
    ptx_operand group = {.kind = kind, .reg = -1, .element = -1};
    group.elements = take_operands(p, first, &group.element_count, line);
    return group;
}

static ptx_operand parse_address(parser *p) {
    ptx_operand address = {.kind = PTX_OPERAND_ADDRESS, .reg = -1, .element = -1};
    if (TOKEN(p).kind != PTX_TOKEN_WORD || at_word(p, "WARP_SZ")) {
        address.integer = (int64_t)parse_expression(p, 1, 0).bits;
        return address;
    }
    const ptx_token word = TOKEN(p);
    const ptx_symbol *symbol = look_up_name(p, word.atom);
    next(p);
    if (symbol && symbol->kind == SYMBOL_REGISTER) {
        set_register(p, &address, symbol, &word);
        address.kind = PTX_OPERAND_ADDRESS;
    } else if (symbol && (symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_FUNCTION)) {
        address.symbol = symbol_name(symbol);
    } else {
        ptx_fail(&p->lexer, word.line, word.atom->text[0] == '%' ? "unknown register %s" : "unknown variable %s",
                 ptx_quote_text(word.text, word.length).text);
    }
    address.integer = parse_addend(p);
    return address;
}

static ptx_operand parse_bracket(parser *p) {
    const int line = TOKEN(p).line;
    next(p);
    const ptx_operand address = parse_address(p);
    if (accept_sign(p, ']')) return address;
    if (!at_sign(p, ',')) fail_expected(p, "\"]\" or \",\"");
    const size_t first = p->vectors[OPERANDS].count;
    *push_operand(p, first, PTX_OPERAND_ADDRESS) = address;
    while (accept_sign(p, ',')) {
        const ptx_operand element = at_sign(p, '{') ? parse_group(p, PTX_OPERAND_VECTOR, '}') : parse_simple_operand(p);
        *push_operand(p, first, PTX_OPERAND_SINK) = element;
    }
    expect_sign(p, ']', "or \",\"");
    ptx_operand tensor = {.kind = PTX_OPERAND_TENSOR, .reg = -1, .element = -1};
    tensor.elements = take_operands(p, first, &tensor.element_count, line);
    return tensor;
}

ptx_operand parse_operand(parser *p, bool is_call) {
    if (at_sign(p, '[')) return parse_bracket(p);
    if (at_sign(p, '{')) return parse_group(p, PTX_OPERAND_VECTOR, '}');
    if (is_call && at_sign(p, '(')) return parse_group(p, PTX_OPERAND_LIST, ')');
    return parse_pair(p);
}
