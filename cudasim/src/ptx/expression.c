/* Constant expressions. PTX ISA 9.0, section 4.5. */
#include "ptx/expression.h"

static constant parse_unary(parser *p, int depth) {
    if (depth > MAX_DEPTH) FAIL(p, "expression nested deeper than %d", MAX_DEPTH);
    if (TOKEN(p).kind == PTX_TOKEN_INTEGER) {
        const constant value = {TOKEN(p).bits, TOKEN(p).is_unsigned};
        next(p);
        return value;
    }
    if (at_word(p, "WARP_SZ")) {
        next(p);
        return (constant){32, false};
    }
    if (accept_sign(p, '(')) {
        const constant value = parse_expression(p, 1, depth + 1);
        expect_sign(p, ')', "at the end of the expression");
        return value;
    }
    if (accept_sign(p, '+')) return parse_unary(p, depth + 1);
    if (accept_sign(p, '-')) {
        constant value = parse_unary(p, depth + 1);
        value.bits = -value.bits;
        return value;
    }
    if (accept_sign(p, '~')) {
        constant value = parse_unary(p, depth + 1);
        value.bits = ~value.bits;
        return value;
    }
    fail_expected(p, "a number");
}

static int precedence(const parser *p) {
    if (TOKEN(p).kind != PTX_TOKEN_SIGN) return 0;
    switch (TOKEN(p).sign) {
    case '|':
        return 1;
    case '^':
        return 2;
    case '&':
        return 3;
    case PTX_SIGN2('<', '<'):
    case PTX_SIGN2('>', '>'):
        return 4;
    case '+':
    case '-':
        return 5;
    case '*':
    case '/':
    case '%':
        return 6;
    default:
        return 0;
    }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder) {
    if (is_unsigned) return remainder ? a % b : a / b;
    if (b == UINT64_MAX) return remainder ? 0 : -a; /* INT64_MIN / -1 would trap */
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t count, bool is_unsigned) {
    if (is_unsigned) return count > 63 ? 0 : a >> count;
    return (uint64_t)((int64_t)a >> (count > 63 ? 63 : count));
}

static constant apply(parser *p, int sign, constant a, constant b, int line) {
    const bool is_unsigned = a.is_unsigned || b.is_unsigned;
    if ((sign == '/' || sign == '%') && b.bits == 0) ptx_fail(&p->lexer, line, "division by zero");
    switch (sign) {
    case '|':
        return (constant){a.bits | b.bits, is_unsigned};
    case '^':
        return (constant){a.bits ^ b.bits, is_unsigned};
    case '&':
        return (constant){a.bits & b.bits, is_unsigned};
    case '+':
        return (constant){a.bits + b.bits, is_unsigned};
    case '-':
        return (constant){a.bits - b.bits, is_unsigned};
    case '*':
        return (constant){a.bits * b.bits, is_unsigned};
    case PTX_SIGN2('<', '<'):
        return (constant){b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned};
    case PTX_SIGN2('>', '>'):
        return (constant){shift_right(a.bits, b.bits, a.is_unsigned), a.is_unsigned};
    default:
        return (constant){divide(a.bits, b.bits, is_unsigned, sign == '%'), is_unsigned};
    }
}

constant parse_expression(parser *p, int lowest, int depth) {
    constant value = parse_unary(p, depth);
    for (;;) {
        const int level = precedence(p);
        if (level == 0 || level < lowest) return value;
        const int sign = TOKEN(p).sign, line = TOKEN(p).line;
        next(p);
        value = apply(p, sign, value, parse_expression(p, level + 1, depth + 1), line);
    }
}

uint64_t parse_number(parser *p, uint64_t most, const char *what) {
    const int line = TOKEN(p).line;
    const constant value = parse_expression(p, 1, 0);
    if (value.bits > most) ptx_fail(&p->lexer, line, "%s out of range (at most %llu)", what, (unsigned long long)most);
    return value.bits;
}

int64_t parse_addend(parser *p) {
    if (!at_sign(p, '+') && !at_sign(p, '-')) return 0;
    return (int64_t)parse_expression(p, 1, 0).bits;
}

bool accept_minus_of_float(parser *p) {
    if (!at_sign(p, '-')) return false;
    ptx_lexer *lexer = &p->lexer;
    const ptx_token minus = lexer->token;
    const char *position = lexer->position;
    const int line = lexer->line;
    next(p);
    if (TOKEN(p).kind == PTX_TOKEN_FLOAT) return true;
    lexer->token = minus;
    lexer->position = position;
    lexer->line = line;
    return false;
}
