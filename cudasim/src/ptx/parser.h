/* What the parts of the parser share: the module as it grows, and the current token.
 *
 * Instructions, registers and so on of all functions lie in one growing array each. Their functions get their
 * addresses at the end, when nothing moves any more (module.c).
 */
#pragma once

#include <string.h>

#include "ptx/lex.h"
#include "ptx/ptx.h"

#define MAX_DEPTH    100 /* of scopes, parentheses, nested array dimensions */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef enum symbol_kind {
    SYMBOL_REGISTER,
    SYMBOL_RANGE,
    SYMBOL_VARIABLE,
    SYMBOL_FUNCTION,
    SYMBOL_LABEL,
    SYMBOL_TABLE
} symbol_kind;

typedef struct ptx_symbol {
    ptx_atom *atom;
    struct ptx_symbol *shadowed; /* the same name in an outer scope */
    struct ptx_symbol *next;     /* the next one in the same scope */
    unsigned char kind, type, vector, depth;
    uint32_t count; /* of a range */
    union {
        int index;        /* register, function, label: within its function; variable of the module */
        const char *name; /* variable of a function, table: the name that operands use */
    };
} ptx_symbol;

typedef struct scope {
    ptx_symbol *symbols;
    int range_depth; /* the innermost scope so far that declares a range of registers */
    size_t first_fixup;
    int line;
} scope;

/* An operand whose name was no register, variable or function when it was read. */
typedef struct fixup {
    ptx_operand *operand;
    int line;
} fixup;

typedef struct alias {
    int function;
    ptx_atom *target;
    int line;
} alias;

/* Where a function's parts start in the arrays of the module. */
typedef struct extent {
    size_t registers, locals, instructions, labels, tables, locations;
} extent;

typedef struct vector {
    void *items;
    size_t count, capacity, item_size;
} vector;

/* These stay with the module ... */
enum { VARIABLES, FUNCTIONS, REGISTERS, LOCALS, INSTRUCTIONS, LABELS, TABLES, LOCATIONS, FILES, KEPT };
/* ... and these serve the parser. */
enum { EXTENTS = KEPT, OPERANDS, FIXUPS, TABLE_OPERANDS, COLUMNS, PARAMS, BYTES, RELOCATIONS, ALIASES, VECTORS };

typedef struct storage {
    ptx_module module;
    arena arena;
    vector vectors[KEPT];
} storage;

typedef struct parser {
    ptx_lexer lexer;
    storage *storage;
    vector vectors[VECTORS];
    scope scopes[MAX_DEPTH + 1]; /* 0: the module, 1: a function and its parameters */
    int depth;
    ptx_symbol *free_symbols;
    uint64_t init_bytes;
    int function; /* the function whose body is being read */
    extent start; /* of its parts */
    int location;
    uint32_t used_bytes; /* of the next instruction */
} parser;

/* A new zeroed item of a vector. Pointers to earlier items become invalid. */
void *parser_push(parser *p, int which);

/* Zeroed memory that stays with the module. */
void *parser_take(parser *p, size_t size);

#define ITEM(p, which, type, index) (&((type *)(p)->vectors[which].items)[index])
#define TOKEN(p)                    ((p)->lexer.token)
#define FAIL(p, ...)                ptx_fail(&(p)->lexer, TOKEN(p).line, __VA_ARGS__)

static inline void next(parser *p) {
    ptx_next(&p->lexer);
}

static inline bool at_sign(const parser *p, int sign) {
    return TOKEN(p).kind == PTX_TOKEN_SIGN && TOKEN(p).sign == sign;
}

static inline bool at_word(const parser *p, const char *word) {
    return TOKEN(p).kind == PTX_TOKEN_WORD && strcmp(TOKEN(p).atom->text, word) == 0;
}

static inline bool at_directive(const parser *p, const char *name) {
    const ptx_token *token = &TOKEN(p);
    return token->kind == PTX_TOKEN_DIRECTIVE && strlen(name) == token->length &&
           memcmp(token->text, name, token->length) == 0;
}

static inline bool accept_sign(parser *p, int sign) {
    if (!at_sign(p, sign)) return false;
    next(p);
    return true;
}

static inline bool accept_directive(parser *p, const char *name) {
    if (!at_directive(p, name)) return false;
    next(p);
    return true;
}

/* How many items of the vector belong to the current function: those from `start` on. */
static inline size_t part_count(const parser *p, int which, size_t start) {
    return p->vectors[which].count - start;
}

/* "expected ..., found ..." */
_Noreturn void fail_expected(parser *p, const char *what);
void expect_sign(parser *p, char sign, const char *where);
ptx_atom *expect_word(parser *p, const char *what);
