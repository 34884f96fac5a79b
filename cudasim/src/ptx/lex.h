/* PTX text -> tokens, and what the lexer and the parser share: memory that is freed all at once, one copy of each name,
 * and the way out on an error. PTX ISA 9.0, section 4. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A name, stored once for the whole text, so that equal names have equal addresses. `symbol` and the next two members
 * are the parser's. */
typedef struct ptx_atom {
    struct ptx_atom *next; /* with the same hash */
    struct ptx_symbol *symbol;
    int used_in, uses;
    uint32_t hash;
    uint32_t length;
    char text[];
} ptx_atom;

typedef enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,      /* atom */
    PTX_TOKEN_DIRECTIVE, /* .text */
    PTX_TOKEN_INTEGER,   /* bits, is_unsigned */
    PTX_TOKEN_FLOAT,     /* bits, is_double */
    PTX_TOKEN_STRING,    /* text between the quotes */
    PTX_TOKEN_SIGN       /* sign: one character, or two for << and >> */
} ptx_token_kind;

#define PTX_SIGN2(a, b) ((a) << 8 | (b))

typedef struct ptx_token {
    ptx_token_kind kind;
    int sign;
    int line;
    const char *text;
    size_t length;
    ptx_atom *atom;
    uint64_t bits;
    bool is_unsigned, is_double;
} ptx_token;

typedef struct ptx_lexer {
    ptx_token token;      /* the current one */
    const char *position; /* after it */
    const char *end;
    int line;
    char *text; /* a copy that ends with a NUL: looking one character ahead is always possible */
    ptx_atom **atoms;
    size_t atom_buckets, atom_count;
    arena *arena;
    char *error;
    size_t error_size;
    jmp_buf failed;
} ptx_lexer;

/* Sets up the lexer; the first token is not read yet. `failed` must have been set before: the lexer and everything
 * that uses it leave through ptx_fail. */
void ptx_lexer_open(ptx_lexer *lexer, arena *arena, const char *text, size_t length);
void ptx_lexer_close(ptx_lexer *lexer);

/* "PTX line 12: ..." goes to lexer->error, and control to lexer->failed. */
_Noreturn void ptx_fail(ptx_lexer *lexer, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void ptx_fail_memory(ptx_lexer *lexer);

/* Moves to the next token. */
void ptx_next(ptx_lexer *lexer);

/* The current word and what follows it without a space form an opcode: "ld" -> "ld.global.L2::128B.f32". */
ptx_atom *ptx_extend_opcode(ptx_lexer *lexer);

/* The current token is a {. Moves past the } that closes it, whatever is in between. */
void ptx_skip_block(ptx_lexer *lexer, const char *what);

ptx_atom *ptx_intern(ptx_lexer *lexer, const char *text, size_t length);
/* NULL if the text has not had this name so far. */
ptx_atom *ptx_find_atom(const ptx_lexer *lexer, const char *text, size_t length);

/* The token as messages show it: in quotes, cut if it is long, without characters that cannot be printed. */
typedef struct ptx_quote {
    char text[64];
} ptx_quote;

ptx_quote ptx_quote_text(const char *text, size_t length);
/* The current token: "\"add\"", or "the end of the text". */
ptx_quote ptx_quote_token(const ptx_lexer *lexer);
