/* Tokens of PTX. */
#include "ptx/lex.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------------------------------------------------ */

void ptx_fail(ptx_lexer *lexer, int line, const char *format, ...) {
    if (lexer->error_size > 0) {
        const int start = snprintf(lexer->error, lexer->error_size, "PTX line %d: ", line);
        if ((size_t)start < lexer->error_size) {
            va_list arguments;
            va_start(arguments, format);
            vsnprintf(lexer->error + start, lexer->error_size - (size_t)start, format, arguments);
            va_end(arguments);
        }
    }
    longjmp(lexer->failed, 1);
}

void ptx_fail_memory(ptx_lexer *lexer) {
    ptx_fail(lexer, lexer->line, OUT_OF_MEMORY);
}

ptx_quote ptx_quote_text(const char *text, size_t length) {
    enum { SHOWN = 50 };
    ptx_quote quote;
    char *out = quote.text;
    *out++ = '"';
    for (size_t i = 0; i < length && i < SHOWN; i++) *out++ = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    if (length > SHOWN) out = stpcpy(out, "...");
    *out++ = '"';
    *out = '\0';
    return quote;
}

ptx_quote ptx_quote_token(const ptx_lexer *lexer) {
    const ptx_token *token = &lexer->token;
    if (token->kind == PTX_TOKEN_END) return (ptx_quote){"the end of the text"};
    return ptx_quote_text(token->text, token->length);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint32_t hash_text(const char *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void grow_buckets(ptx_lexer *lexer) {
    const size_t buckets = lexer->atom_buckets ? 2 * lexer->atom_buckets : 256;
    ptx_atom **atoms = calloc(buckets, sizeof *atoms);
    if (!atoms) ptx_fail_memory(lexer);
    for (size_t i = 0; i < lexer->atom_buckets; i++) {
        for (ptx_atom *atom = lexer->atoms[i], *next; atom; atom = next) {
            next = atom->next;
            atom->next = atoms[atom->hash & (buckets - 1)];
            atoms[atom->hash & (buckets - 1)] = atom;
        }
    }
    free(lexer->atoms);
    lexer->atoms = atoms;
    lexer->atom_buckets = buckets;
}

static ptx_atom *find_hashed(const ptx_lexer *lexer, const char *text, size_t length, uint32_t hash) {
    if (lexer->atom_buckets == 0) return NULL;
    ptx_atom *atom = lexer->atoms[hash & (lexer->atom_buckets - 1)];
    while (atom && !(atom->hash == hash && atom->length == length && memcmp(atom->text, text, length) == 0))
        atom = atom->next;
    return atom;
}

ptx_atom *ptx_find_atom(const ptx_lexer *lexer, const char *text, size_t length) {
    return find_hashed(lexer, text, length, hash_text(text, length));
}

ptx_atom *ptx_intern(ptx_lexer *lexer, const char *text, size_t length) {
    const uint32_t hash = hash_text(text, length);
    ptx_atom *atom = find_hashed(lexer, text, length, hash);
    if (atom) return atom;
    if (lexer->atom_count >= lexer->atom_buckets) grow_buckets(lexer);
    atom = arena_take(lexer->arena, sizeof *atom + length + 1);
    if (!atom) ptx_fail_memory(lexer);
    memcpy(atom->text, text, length);
    atom->hash = hash;
    atom->length = (uint32_t)length;
    ptx_atom **bucket = &lexer->atoms[hash & (lexer->atom_buckets - 1)];
    atom->next = *bucket;
    *bucket = atom;
    lexer->atom_count++;
    return atom;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* Is it a character of a word? Only those below 128 can be, whatever the locale says. */
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int digit_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

void ptx_lexer_open(ptx_lexer *lexer, arena *arena, const char *text, size_t length) {
    lexer->arena = arena;
    lexer->line = 1;
    while (length > 0 && text[length - 1] == '\0') length--;
    /* Lines and counts are ints. */
    if (length > (size_t)1 << 30) ptx_fail(lexer, 1, "the text is longer than 1 GiB");
    lexer->text = malloc(length + 1);
    if (!lexer->text) ptx_fail_memory(lexer);
    if (length > 0) memcpy(lexer->text, text, length);
    lexer->text[length] = '\0';
    lexer->position = lexer->text;
    lexer->end = lexer->text + length;
}

void ptx_lexer_close(ptx_lexer *lexer) {
    free(lexer->text);
    free(lexer->atoms);
    lexer->text = NULL;
    lexer->atoms = NULL;
}

static const char *skip_comment(ptx_lexer *lexer, const char *p) {
    if (p[1] == '/') {
        while (p < lexer->end && *p != '\n') p++;
        return p;
    }
    const int start = lexer->line;
    for (p += 2; p < lexer->end; p++) {
        if (p[0] == '*' && p[1] == '/') return p + 2;
        if (*p == '\n') lexer->line++;
    }
    ptx_fail(lexer, start, "the comment that starts here never ends");
}

static const char *skip_space(ptx_lexer *lexer, const char *p) {
    for (;;) {
        if (*p == '\n') {
            lexer->line++;
            p++;
        } else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\v') {
            p++;
        } else if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
            p = skip_comment(lexer, p);
        } else {
            return p;
        }
    }
}

_Noreturn static void fail_number(ptx_lexer *lexer, const char *start, const char *p) {
    while (is_word(*p)) p++;
    ptx_fail(lexer, lexer->line, "malformed number %s", ptx_quote_text(start, (size_t)(p - start)).text);
}

static const char *read_digits(ptx_lexer *lexer, const char *start, const char *p, unsigned base) {
    const char *first = p;
    uint64_t value = 0;
    bool overflow = false;
    for (; digit_value(*p) < (int)base; p++) {
        overflow |= __builtin_mul_overflow(value, base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit_value(*p), &value);
    }
    if (p == first) fail_number(lexer, start, p);
    if (overflow)
        ptx_fail(lexer, lexer->line, "number out of range: %s", ptx_quote_text(start, (size_t)(p - start)).text);
    lexer->token.bits = value;
    return p;
}

/* 0f and 0d: exactly the bits of the number. */
static const char *read_float_bits(ptx_lexer *lexer, const char *start, int digits) {
    const char *p = read_digits(lexer, start, start + 2, 16);
    if (p - start != 2 + digits) fail_number(lexer, start, p);
    lexer->token.kind = PTX_TOKEN_FLOAT;
    lexer->token.is_double = digits == 16;
    return p;
}

static const char *read_decimal_float(ptx_lexer *lexer, const char *start, const char *p) {
    enum { LONGEST = 100 };
    if (*p == '.')
        for (p++; is_digit(*p);) p++;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-') p++;
        if (!is_digit(*p)) fail_number(lexer, start, p);
        while (is_digit(*p)) p++;
    }
    char *stop;
    const double value = p - start > LONGEST ? 0 : strtod(start, &stop);
    if (p - start > LONGEST || stop != p) fail_number(lexer, start, p);
    if (value > 1.7976931348623157e308)
        ptx_fail(lexer, lexer->line, "number out of range: %s", ptx_quote_text(start, (size_t)(p - start)).text);
    memcpy(&lexer->token.bits, &value, sizeof value);
    lexer->token.kind = PTX_TOKEN_FLOAT;
    lexer->token.is_double = true;
    return p;
}

static const char *read_number(ptx_lexer *lexer, const char *start) {
    const char *p = start;
    lexer->token.kind = PTX_TOKEN_INTEGER;
    const char prefix = start[0] == '0' ? (char)(start[1] | 0x20) : '0';
    if (prefix == 'f' || prefix == 'd') {
        p = read_float_bits(lexer, start, prefix == 'f' ? 8 : 16);
    } else if (prefix == 'x' || prefix == 'b') {
        p = read_digits(lexer, start, start + 2, prefix == 'x' ? 16 : 2);
    } else {
        while (is_digit(*p)) p++;
        if (*p == '.' || *p == 'e' || *p == 'E')
            p = read_decimal_float(lexer, start, p);
        else
            p = read_digits(lexer, start, start, start[0] == '0' ? 8 : 10);
    }
    if (lexer->token.kind == PTX_TOKEN_INTEGER) {
        /* As in C, a number that does not fit the signed type is unsigned. */
        lexer->token.is_unsigned = lexer->token.bits > INT64_MAX;
        if (*p == 'U') {
            lexer->token.is_unsigned = true;
            p++;
        }
    }
    if (is_word(*p)) fail_number(lexer, start, p);
    return p;
}

static const char *read_string(ptx_lexer *lexer, const char *start) {
    const char *p = start + 1;
    while (p < lexer->end && *p != '"' && *p != '\n') p += p[0] == '\\' && p + 1 < lexer->end && p[1] != '\n' ? 2 : 1;
    if (p >= lexer->end || *p != '"') ptx_fail(lexer, lexer->line, "the string that starts here never ends");
    return p;
}

void ptx_next(ptx_lexer *lexer) {
    const char *p = skip_space(lexer, lexer->position);
    ptx_token *token = &lexer->token;
    token->line = lexer->line;
    token->text = p;
    if (is_letter(*p) || *p == '_' || ((*p == '%' || *p == '$') && is_word(p[1]))) {
        const char *start = p++;
        while (is_word(*p)) p++;
        token->kind = PTX_TOKEN_WORD;
        token->atom = ptx_intern(lexer, start, (size_t)(p - start));
    } else if (is_digit(*p)) {
        p = read_number(lexer, p);
    } else if (*p == '.' && is_word(p[1])) {
        for (p++; is_word(*p);) p++;
        token->kind = PTX_TOKEN_DIRECTIVE;
    } else if (*p == '"') {
        p = read_string(lexer, p);
        token->kind = PTX_TOKEN_STRING;
        token->text++;
        token->length = (size_t)(p - token->text);
        lexer->position = p + 1;
        return;
    } else if (*p == '\0' && p >= lexer->end) {
        token->kind = PTX_TOKEN_END;
    } else if ((*p == '<' || *p == '>') && p[1] == *p) {
        token->kind = PTX_TOKEN_SIGN;
        token->sign = PTX_SIGN2(*p, *p);
        p += 2;
    } else if (*p != '\0' && strchr("@!%^&*()-+={}[]|~:;<>,/", *p)) {
        token->kind = PTX_TOKEN_SIGN;
        token->sign = *p++;
    } else {
        ptx_fail(lexer, lexer->line, "unexpected character 0x%02x", (unsigned char)*p);
    }
    token->length = (size_t)(p - token->text);
    lexer->position = p;
}

ptx_atom *ptx_extend_opcode(ptx_lexer *lexer) {
    const char *start = lexer->token.text, *p = lexer->position;
    if (*p != '.' && !(p[0] == ':' && p[1] == ':')) return lexer->token.atom;
    for (;;) {
        const size_t separator = *p == '.' ? 1 : p[0] == ':' && p[1] == ':' ? 2 : 0;
        if (separator == 0) break;
        p += separator;
        if (!is_word(*p)) {
            const ptx_quote quote = ptx_quote_text(start, (size_t)(p - start));
            ptx_fail(lexer, lexer->token.line, "malformed opcode %s", quote.text);
        }
        while (is_word(*p)) p++;
    }
    lexer->position = p;
    return ptx_intern(lexer, start, (size_t)(p - start));
}

void ptx_skip_block(ptx_lexer *lexer, const char *what) {
    const int start = lexer->token.line;
    const char *p = lexer->position;
    size_t depth = 1;
    while (depth > 0) {
        p = skip_space(lexer, p);
        if (p >= lexer->end) ptx_fail(lexer, start, "the %s that starts here never ends", what);
        if (*p == '"') p = read_string(lexer, p);
        if (*p == '{') depth++;
        if (*p == '}') depth--;
        p++;
    }
    lexer->position = p;
    ptx_next(lexer);
}
