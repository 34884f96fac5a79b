/* PTX text -> module.
 *
 * One pass. What a name means hangs on the name itself (ptx_atom.symbol, innermost scope first), so that looking it up
 * takes no second search; closing a scope takes its symbols off again. A label may be used before it stands: such
 * operands wait in `fixups` until their scope closes. `.reg .f32 %f<5000>` declares a range; a register of it exists
 * once it is used.
 *
 * Instructions, registers and so on of all functions lie in one growing array each. Their functions get their
 * addresses at the end, when nothing moves any more.
 */
#include "ptx/ptx.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/lex.h"

#define MAX_DEPTH        100   /* of scopes, parentheses, nested array dimensions */
#define MAX_OPERANDS     1024  /* of an instruction, a { } or a ( ) */
#define MAX_FILE         65535 /* the largest number of a .file */
#define MAX_SIZE         ((uint64_t)1 << 40)
#define MAX_INIT         ((uint64_t)64 << 20) /* bytes of all initial values */
#define CALL_SITE_SEARCH 64                   /* how many .loc back an inlined_at is searched */
#define COUNT(array)     (sizeof(array) / sizeof((array)[0]))

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
    struct ptx_symbol *shadowed; /* the same name, further out */
    struct ptx_symbol *next;     /* of the same scope */
    unsigned char kind, type, vector, depth;
    uint32_t count; /* of a range */
    union {
        int index;        /* register, function, label: within its function; variable of the module */
        const char *name; /* variable of a function, table: as operands call it */
    };
} ptx_symbol;

typedef struct scope {
    ptx_symbol *symbols;
    int range_depth; /* the innermost scope so far that declares a range of registers */
    size_t first_fixup;
    int line;
} scope;

/* An operand that names what was no register, variable or function when it was read. */
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
    ptx_arena arena;
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
    int function; /* the one whose body is read */
    extent start; /* of its parts */
    int location;
} parser;

/* ---- small things ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    ptx_type type;
    unsigned size;
} types[] = {{"pred", PTX_PRED, 1}, {"b8", PTX_B8, 1},         {"b16", PTX_B16, 2}, {"b32", PTX_B32, 4},
             {"b64", PTX_B64, 8},   {"b128", PTX_B128, 16},    {"u8", PTX_U8, 1},   {"u16", PTX_U16, 2},
             {"u32", PTX_U32, 4},   {"u64", PTX_U64, 8},       {"s8", PTX_S8, 1},   {"s16", PTX_S16, 2},
             {"s32", PTX_S32, 4},   {"s64", PTX_S64, 8},       {"f16", PTX_F16, 2}, {"f16x2", PTX_F16X2, 4},
             {"bf16", PTX_BF16, 2}, {"bf16x2", PTX_BF16X2, 4}, {"f32", PTX_F32, 4}, {"f64", PTX_F64, 8}};

unsigned ptx_type_size(ptx_type type) {
    for (size_t i = 0; i < COUNT(types); i++)
        if (types[i].type == type) return types[i].size;
    return 0;
}

ptx_type ptx_type_named(const char *name, size_t length) {
    for (size_t i = 0; i < COUNT(types); i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) return types[i].type;
    return PTX_NO_TYPE;
}

/* A new zeroed item. Pointers to earlier ones are void afterwards. */
static void *push(parser *p, int which) {
    vector *v = &p->vectors[which];
    if (v->count == v->capacity) {
        const size_t capacity = v->capacity + v->capacity / 2 + 16;
        void *items = realloc(v->items, capacity * v->item_size);
        if (!items) ptx_fail_memory(&p->lexer);
        v->items = items;
        v->capacity = capacity;
    }
    return memset((char *)v->items + v->count++ * v->item_size, 0, v->item_size);
}

static void *take(parser *p, size_t size) {
    void *memory = ptx_arena_take(&p->storage->arena, size);
    if (!memory) ptx_fail_memory(&p->lexer);
    return memory;
}

#define ITEM(p, which, type, index) (&((type *)(p)->vectors[which].items)[index])
#define TOKEN(p)                    ((p)->lexer.token)
#define FAIL(p, ...)                ptx_fail(&(p)->lexer, TOKEN(p).line, __VA_ARGS__)

static void next(parser *p) {
    ptx_next(&p->lexer);
}

static bool at_sign(const parser *p, int sign) {
    return TOKEN(p).kind == PTX_TOKEN_SIGN && TOKEN(p).sign == sign;
}

static bool at_word(const parser *p, const char *word) {
    return TOKEN(p).kind == PTX_TOKEN_WORD && strcmp(TOKEN(p).atom->text, word) == 0;
}

static bool at_directive(const parser *p, const char *name) {
    const ptx_token *token = &TOKEN(p);
    return token->kind == PTX_TOKEN_DIRECTIVE && strlen(name) == token->length &&
           memcmp(token->text, name, token->length) == 0;
}

static bool accept_sign(parser *p, int sign) {
    if (!at_sign(p, sign)) return false;
    next(p);
    return true;
}

static bool accept_directive(parser *p, const char *name) {
    if (!at_directive(p, name)) return false;
    next(p);
    return true;
}

_Noreturn static void fail_expected(parser *p, const char *what) {
    FAIL(p, "expected %s, found %s", what, ptx_quote_token(&p->lexer).text);
}

static void expect_sign(parser *p, char sign, const char *where) {
    if (accept_sign(p, sign)) return;
    FAIL(p, "expected \"%c\" %s, found %s", sign, where, ptx_quote_token(&p->lexer).text);
}

static ptx_atom *expect_word(parser *p, const char *what) {
    if (TOKEN(p).kind != PTX_TOKEN_WORD) fail_expected(p, what);
    ptx_atom *atom = TOKEN(p).atom;
    next(p);
    return atom;
}

/* ---- constant expressions ---------------------------------------------------------------------------------------- */

typedef struct constant {
    uint64_t bits;
    bool is_unsigned;
} constant;

static constant parse_expression(parser *p, int lowest, int depth);

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

static constant parse_expression(parser *p, int lowest, int depth) {
    constant value = parse_unary(p, depth);
    for (;;) {
        const int level = precedence(p);
        if (level == 0 || level < lowest) return value;
        const int sign = TOKEN(p).sign, line = TOKEN(p).line;
        next(p);
        value = apply(p, sign, value, parse_expression(p, level + 1, depth + 1), line);
    }
}

/* A number that directives give: a size, an alignment, a line. */
static uint64_t parse_number(parser *p, uint64_t most, const char *what) {
    const int line = TOKEN(p).line;
    const constant value = parse_expression(p, 1, 0);
    if (value.bits > most) ptx_fail(&p->lexer, line, "%s out of range (at most %llu)", what, (unsigned long long)most);
    return value.bits;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static ptx_symbol *declare_at(parser *p, ptx_atom *atom, symbol_kind kind, int depth) {
    ptx_symbol *symbol = p->free_symbols;
    if (symbol)
        p->free_symbols = symbol->next;
    else
        symbol = take(p, sizeof *symbol);
    *symbol = (ptx_symbol){.atom = atom, .shadowed = atom->symbol, .kind = (unsigned char)kind};
    symbol->depth = (unsigned char)depth;
    symbol->next = p->scopes[depth].symbols;
    p->scopes[depth].symbols = symbol;
    atom->symbol = symbol;
    return symbol;
}

static ptx_symbol *declare(parser *p, ptx_atom *atom, symbol_kind kind, int line) {
    if (atom->symbol && atom->symbol->depth == p->depth)
        ptx_fail(&p->lexer, line, "duplicate name %s", ptx_quote_text(atom->text, atom->length).text);
    return declare_at(p, atom, kind, p->depth);
}

static void open_scope(parser *p) {
    if (p->depth == MAX_DEPTH) FAIL(p, "blocks nested deeper than %d", MAX_DEPTH - 1);
    scope *outer = &p->scopes[p->depth++];
    p->scopes[p->depth] =
        (scope){.range_depth = outer->range_depth, .first_fixup = p->vectors[FIXUPS].count, .line = TOKEN(p).line};
}

static ptx_atom *atom_of(const char *text) {
    return (ptx_atom *)(text - offsetof(ptx_atom, text));
}

/* Gives labels to the operands that waited for them; what names no label of this scope waits on. */
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

static void close_scope(parser *p) {
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

/* A name for something of a function, told apart from what the function calls so already. */
static const char *unique_name(parser *p, ptx_atom *atom) {
    const int function = p->function + 1;
    if (atom->used_in != function) {
        atom->used_in = function;
        atom->uses = 0;
    }
    if (atom->uses++ == 0 && !atom->symbol) return atom->text;
    char number[16];
    const size_t digits = (size_t)snprintf(number, sizeof number, "@%d", atom->uses);
    char *name = take(p, atom->length + digits + 1);
    memcpy(name, atom->text, atom->length);
    memcpy(name + atom->length, number, digits + 1);
    return name;
}

static int add_register(parser *p, const char *name, unsigned type, unsigned vector) {
    const size_t index = p->vectors[REGISTERS].count - p->start.registers;
    *(ptx_register *)push(p, REGISTERS) = (ptx_register){name, (ptx_type)type, vector};
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

/* What the name means here, or NULL. */
static const ptx_symbol *look_up(parser *p, ptx_atom *atom) {
    const ptx_symbol *symbol = atom->symbol;
    while (symbol && symbol->kind == SYMBOL_RANGE) symbol = symbol->shadowed;
    const int depth = symbol ? symbol->depth : 0;
    if (depth >= p->scopes[p->depth].range_depth) return symbol;
    const ptx_symbol *range = find_range(p, atom, depth);
    if (!range) return symbol;
    const int index = add_register(p, atom->text, range->type, range->vector);
    ptx_symbol *created = declare_at(p, atom, SYMBOL_REGISTER, range->depth);
    created->index = index;
    return created;
}

/* Of the module: what a name means outside of functions. */
static const ptx_symbol *find_module_symbol(const ptx_atom *atom) {
    const ptx_symbol *symbol = atom->symbol;
    while (symbol && symbol->depth > 0) symbol = symbol->shadowed;
    return symbol;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static ptx_operand *push_operand(parser *p, size_t first, ptx_operand_kind kind) {
    if (p->vectors[OPERANDS].count - first >= MAX_OPERANDS) FAIL(p, "more than %d operands", MAX_OPERANDS);
    ptx_operand *operand = push(p, OPERANDS);
    operand->kind = kind;
    operand->reg = operand->element = -1;
    return operand;
}

/* Moves the operands from `first` on to where they stay. */
static ptx_operand *take_operands(parser *p, size_t first, int *count, int line) {
    *count = (int)(p->vectors[OPERANDS].count - first);
    if (*count == 0) return NULL;
    ptx_operand *operands = take(p, (size_t)*count * sizeof *operands);
    memcpy(operands, ITEM(p, OPERANDS, ptx_operand, first), (size_t)*count * sizeof *operands);
    p->vectors[OPERANDS].count = first;
    for (int i = 0; i < *count; i++)
        if (operands[i].kind == PTX_OPERAND_LABEL) *(fixup *)push(p, FIXUPS) = (fixup){&operands[i], line};
    return operands;
}

static const char *const special_vectors[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                              "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};

static const char *const special_scalars[] = {"%laneid",
                                              "%warpid",
                                              "%nwarpid",
                                              "%smid",
                                              "%nsmid",
                                              "%gridid",
                                              "%cluster_ctarank",
                                              "%cluster_nctarank",
                                              "%is_explicit_cluster",
                                              "%lanemask_eq",
                                              "%lanemask_le",
                                              "%lanemask_lt",
                                              "%lanemask_ge",
                                              "%lanemask_gt",
                                              "%clock",
                                              "%clock_hi",
                                              "%clock64",
                                              "%globaltimer",
                                              "%globaltimer_lo",
                                              "%globaltimer_hi",
                                              "%reserved_smem_offset_begin",
                                              "%reserved_smem_offset_end",
                                              "%reserved_smem_offset_cap",
                                              "%reserved_smem_offset_0",
                                              "%reserved_smem_offset_1",
                                              "%total_smem_size",
                                              "%aggr_smem_size",
                                              "%dynamic_smem_size",
                                              "%current_graph_exec"};

static bool is_special_vector(const char *name) {
    for (size_t i = 0; i < COUNT(special_vectors); i++)
        if (strcmp(special_vectors[i], name) == 0) return true;
    return false;
}

static bool is_special_scalar(const char *name) {
    for (size_t i = 0; i < COUNT(special_scalars); i++)
        if (strcmp(special_scalars[i], name) == 0) return true;
    unsigned number;
    char rest[2];
    if (sscanf(name, "%%envreg%2u%1s", &number, rest) == 1) return number < 32;
    return strncmp(name, "%pm", 3) == 0 && name[3] >= '0' && name[3] <= '7' &&
           (name[4] == '\0' || strcmp(name + 4, "_64") == 0);
}

/* ".x" right behind a word: 0 to 3; -1 where there is none. */
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

/* "+ 8", "+ -8", "- 8 + 4" behind a name; 0 where nothing follows. */
static int64_t parse_addend(parser *p) {
    if (!at_sign(p, '+') && !at_sign(p, '-')) return 0;
    return (int64_t)parse_expression(p, 1, 0).bits;
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

static const char *symbol_name(const ptx_symbol *symbol) {
    return symbol->depth > 0 ? symbol->name : symbol->atom->text;
}

static void parse_word_operand(parser *p, ptx_operand *operand) {
    const ptx_token word = TOKEN(p);
    const ptx_symbol *symbol = look_up(p, word.atom);
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

/* Only a float takes its sign here: an integer expression reads the - itself. */
static bool accept_minus_of_float(parser *p) {
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

/* A number, or what is calculated of numbers. */
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

/* A register, number, name or _; "d|p" of two. */
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
    pair.elements = take(p, 2 * sizeof *pair.elements);
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
    const ptx_symbol *symbol = look_up(p, word.atom);
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

static ptx_operand parse_operand(parser *p, bool is_call) {
    if (at_sign(p, '[')) return parse_bracket(p);
    if (at_sign(p, '{')) return parse_group(p, PTX_OPERAND_VECTOR, '}');
    if (is_call && at_sign(p, '(')) return parse_group(p, PTX_OPERAND_LIST, ')');
    return parse_pair(p);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static ptx_space space_named(const parser *p) {
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {{".reg", PTX_REG},       {".global", PTX_GLOBAL}, {".const", PTX_CONST},
                  {".shared", PTX_SHARED}, {".local", PTX_LOCAL},   {".param", PTX_PARAM}};
    for (size_t i = 0; i < COUNT(spaces); i++)
        if (at_directive(p, spaces[i].name)) return spaces[i].space;
    return PTX_NO_SPACE;
}

static void skip_parentheses(parser *p) {
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
            skip_parentheses(p);
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
    uint64_t stride[MAX_DEPTH + 1]; /* bytes of what one index of a level steps over */
    int levels;
} dimensions;

/* [2][3] behind a name; sizes in elements and bytes. */
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
    while (bytes->count < offset + size) *(uint8_t *)push(p, BYTES) = 0;
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
    *(ptx_relocation *)push(p, RELOCATIONS) = relocation;
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
        *(ptx_relocation *)push(p, RELOCATIONS) = relocation;
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
    variable->init = take(p, variable->size);
    if (p->vectors[BYTES].count > 0) memcpy(variable->init, p->vectors[BYTES].items, p->vectors[BYTES].count);
    const size_t count = p->vectors[RELOCATIONS].count;
    if (count == 0) return;
    variable->relocations = take(p, count * sizeof *variable->relocations);
    memcpy(variable->relocations, p->vectors[RELOCATIONS].items, count * sizeof *variable->relocations);
    variable->relocation_count = (int)count;
    check_relocations(p, variable);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

typedef struct linkage {
    bool is_extern, is_visible, is_weak;
} linkage;

static void parse_registers(parser *p) {
    const ptx_variable variable = parse_variable_type(p);
    do {
        const int line = TOKEN(p).line;
        ptx_atom *atom = expect_word(p, "a register's name");
        if (accept_sign(p, '<')) {
            const uint64_t count = parse_number(p, UINT32_MAX, "number of registers");
            expect_sign(p, '>', "behind the number of registers");
            ptx_symbol *range = declare(p, atom, SYMBOL_RANGE, line);
            range->type = (unsigned char)variable.type;
            range->vector = (unsigned char)variable.vector;
            range->count = (uint32_t)count;
            p->scopes[p->depth].range_depth = p->depth;
        } else {
            ptx_symbol *symbol = declare(p, atom, SYMBOL_REGISTER, line);
            symbol->index = add_register(p, atom->text, variable.type, variable.vector);
        }
    } while (accept_sign(p, ','));
    expect_sign(p, ';', "behind the registers");
}

/* A variable of the module, or of the function that is being read. */
static void add_variable(parser *p, const ptx_variable *variable, ptx_atom *atom) {
    if (p->depth > 0) {
        const char *name = unique_name(p, atom);
        declare(p, atom, SYMBOL_VARIABLE, variable->line)->name = name;
        ptx_variable *local = push(p, LOCALS);
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
    symbol = declare(p, atom, SYMBOL_VARIABLE, variable->line);
    symbol->index = (int)p->vectors[VARIABLES].count;
    *(ptx_variable *)push(p, VARIABLES) = *variable;
}

static void parse_variables(parser *p, linkage linkage) {
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

/* ( .param .b32 a, .reg .b32 %b ) */
static ptx_variable *parse_params(parser *p, int *count) {
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
        *(ptx_variable *)push(p, PARAMS) = variable;
        ++*count;
    }
    next(p);
    if (*count == 0) return NULL;
    ptx_variable *params = take(p, (size_t)*count * sizeof *params);
    memcpy(params, p->vectors[PARAMS].items, (size_t)*count * sizeof *params);
    return params;
}

/* ---- statements of a function ------------------------------------------------------------------------------------ */

static size_t part_count(const parser *p, int which, size_t start) {
    return p->vectors[which].count - start;
}

static void declare_label(parser *p, ptx_atom *atom, int line) {
    const int index = (int)part_count(p, INSTRUCTIONS, p->start.instructions);
    declare(p, atom, SYMBOL_LABEL, line)->index = index;
    const size_t labels = p->vectors[LABELS].count;
    if (labels > p->start.labels && *ITEM(p, LABELS, int, labels - 1) == index) return;
    *(int *)push(p, LABELS) = index;
}

static void parse_target_names(parser *p, ptx_table *table, ptx_operand **operands) {
    const int line = TOKEN(p).line;
    const size_t first = p->vectors[OPERANDS].count;
    do {
        const ptx_token word = TOKEN(p);
        ptx_operand *operand = push(p, OPERANDS);
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
    table->symbols = take(p, (size_t)table->count * sizeof *table->symbols);
    for (int i = 0; i < table->count; i++)
        table->symbols[i] = ITEM(p, OPERANDS, ptx_operand, first + (size_t)i)->symbol;
    p->vectors[OPERANDS].count = first;
}

static bool accept_plain_attribute(parser *p) {
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
    declare(p, atom, SYMBOL_TABLE, line)->name = table.name;
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
    *(ptx_table *)push(p, TABLES) = table;
    *(ptx_operand **)push(p, TABLE_OPERANDS) = operands;
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
    const ptx_symbol *symbol = look_up(p, atom);
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
    ptx_instruction instruction = {.location = p->location};
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
    *(ptx_instruction *)push(p, INSTRUCTIONS) = instruction;
}

static int add_location(parser *p, int file, int line, int column, int inlined_at) {
    const size_t index = p->vectors[LOCATIONS].count;
    *(ptx_location *)push(p, LOCATIONS) = (ptx_location){file, line, inlined_at};
    *(int *)push(p, COLUMNS) = column;
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

static void parse_pragma(parser *p) {
    next(p);
    do {
        if (TOKEN(p).kind != PTX_TOKEN_STRING) fail_expected(p, "a string");
        next(p);
    } while (accept_sign(p, ','));
    expect_sign(p, ';', "behind the pragma");
}

/* .file 1 "kernel.cu", 0, 0 */
static void parse_file(parser *p) {
    next(p);
    const uint64_t number = parse_number(p, MAX_FILE, "file number");
    if (TOKEN(p).kind != PTX_TOKEN_STRING) fail_expected(p, "a file's name in quotes");
    while (p->vectors[FILES].count <= number) push(p, FILES);
    *ITEM(p, FILES, const char *, number) = ptx_intern(&p->lexer, TOKEN(p).text, TOKEN(p).length)->text;
    next(p);
    while (accept_sign(p, ',')) parse_number(p, UINT64_MAX, "number");
}

/* Debugging data: { } behind a name. */
static void skip_section(parser *p) {
    next(p);
    if (TOKEN(p).kind != PTX_TOKEN_DIRECTIVE && TOKEN(p).kind != PTX_TOKEN_WORD) fail_expected(p, "a section's name");
    next(p);
    if (!at_sign(p, '{')) fail_expected(p, "\"{\" behind the section's name");
    ptx_skip_block(&p->lexer, "section");
}

static linkage parse_linkage(parser *p) {
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

_Noreturn static void fail_directive(parser *p) {
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

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void declare_params(parser *p, const ptx_variable *params, int count) {
    for (int i = 0; i < count; i++) {
        ptx_atom *atom = atom_of(params[i].name);
        if (strcmp(params[i].name, "_") == 0) continue;
        if (params[i].space == PTX_REG) {
            ptx_symbol *symbol = declare(p, atom, SYMBOL_REGISTER, params[i].line);
            symbol->index = add_register(p, atom->text, params[i].type, params[i].vector);
        } else {
            declare(p, atom, SYMBOL_VARIABLE, params[i].line)->name = atom->text;
        }
    }
}

/* Labels are known now: .branchtargets lists become numbers. */
static void finish_tables(parser *p) {
    for (size_t i = p->start.tables; i < p->vectors[TABLES].count; i++) {
        ptx_table *table = ITEM(p, TABLES, ptx_table, i);
        if (table->kind != PTX_BRANCH_TARGETS) continue;
        const ptx_operand *operands = *ITEM(p, TABLE_OPERANDS, ptx_operand *, i);
        table->targets = take(p, (size_t)table->count * sizeof *table->targets);
        for (int j = 0; j < table->count; j++) {
            if (operands[j].kind != PTX_OPERAND_LABEL)
                FAIL(p, "a .branchtargets names %s",
                     ptx_quote_text(operands[j].symbol, strlen(operands[j].symbol)).text);
            table->targets[j] = (int)operands[j].integer;
        }
    }
}

static void parse_body(parser *p) {
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

static void parse_three(parser *p, unsigned values[3]) {
    values[1] = values[2] = 1;
    for (int i = 0; i < 3; i++) {
        values[i] = (unsigned)parse_number(p, UINT32_MAX, "size");
        if (i == 2 || !accept_sign(p, ',')) return;
    }
}

/* What stands between the parameters and the body. */
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

/* The entry of the module for a function of this name: the one that an earlier declaration made, or a new one. */
static int place_function(parser *p, ptx_function *function, ptx_atom *atom) {
    ptx_symbol *symbol = atom->symbol;
    if (!symbol || symbol->kind != SYMBOL_FUNCTION) {
        symbol = declare(p, atom, SYMBOL_FUNCTION, function->line);
        symbol->index = (int)p->vectors[FUNCTIONS].count;
        push(p, EXTENTS);
        *(ptx_function *)push(p, FUNCTIONS) = *function;
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
    *(alias *)push(p, ALIASES) = (alias){symbol->index, target, line};
}

/* An alias may stand before the body of what it names. */
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

/* .file may stand behind the .loc that use its number. */
static void check_locations(parser *p) {
    const size_t files = p->vectors[FILES].count;
    for (size_t i = 0; i < p->vectors[LOCATIONS].count; i++) {
        ptx_location *location = ITEM(p, LOCATIONS, ptx_location, i);
        if ((size_t)location->file >= files || !*ITEM(p, FILES, const char *, location->file)) location->file = -1;
    }
}

/* Nothing moves any more: gives the module and its functions the addresses of their parts. */
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
    ptx_arena_free(&storage->arena);
    free(storage);
}

/* False where the lexer or the parser has given up. */
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
        snprintf(error, error_size, "PTX line 1: out of memory");
        free(p);
        free(storage);
        return NULL;
    }
    for (int i = 0; i < VECTORS; i++) p->vectors[i].item_size = item_sizes[i];
    p->storage = storage;
    p->lexer.error = error;
    p->lexer.error_size = error_size;
    const bool ok = parse_text(p, text, length);
    if (!ok) { /* whatever was read so far hangs on p and storage */
        free_vectors(p->vectors, 0, KEPT);
        ptx_arena_free(&storage->arena);
    }
    free_vectors(p->vectors, KEPT, VECTORS);
    ptx_lexer_close(&p->lexer);
    free(p);
    if (!ok) free(storage);
    return ok ? &storage->module : NULL;
}

/* ---- instructions as text ---------------------------------------------------------------------------------------- */

typedef struct writer {
    char *text;
    size_t size, length;
} writer;

__attribute__((format(printf, 2, 3))) static void write_text(writer *w, const char *format, ...) {
    if (w->length + 1 >= w->size) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(w->text + w->length, w->size - w->length, format, arguments);
    va_end(arguments);
    w->length += (size_t)length;
    if (w->length >= w->size) w->length = w->size - 1;
}

static void write_operand(writer *w, const ptx_function *function, const ptx_operand *operand);

static void write_operands(writer *w, const ptx_function *function, const ptx_operand *operands, int count,
                           const char *separator) {
    for (int i = 0; i < count; i++) {
        if (i > 0) write_text(w, "%s", separator);
        write_operand(w, function, &operands[i]);
    }
}

static void write_register(writer *w, const ptx_function *function, const ptx_operand *operand) {
    write_text(w, "%s%s", operand->negated ? "!" : "", function->registers[operand->reg].name);
    if (operand->element >= 0) write_text(w, ".%c", "xyzw"[operand->element & 3]);
}

/* [base + offset] without the brackets */
static void write_address(writer *w, const ptx_function *function, const ptx_operand *operand) {
    if (operand->reg >= 0)
        write_register(w, function, operand);
    else if (operand->symbol)
        write_text(w, "%s", operand->symbol);
    const bool has_base = operand->reg >= 0 || operand->symbol;
    if (!has_base || operand->integer != 0)
        write_text(w, has_base && operand->integer > 0 ? "+%lld" : "%lld", (long long)operand->integer);
}

static void write_operand(writer *w, const ptx_function *function, const ptx_operand *operand) {
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        write_register(w, function, operand);
        break;
    case PTX_OPERAND_INTEGER:
        write_text(w, "%lld", (long long)operand->integer);
        break;
    case PTX_OPERAND_FLOAT:
        if (operand->is_double)
            write_text(w, "0d%016llX", (unsigned long long)operand->integer);
        else
            write_text(w, "0f%08X", (unsigned)operand->integer);
        break;
    case PTX_OPERAND_ADDRESS:
        write_text(w, "[");
        write_address(w, function, operand);
        write_text(w, "]");
        break;
    case PTX_OPERAND_SYMBOL:
        write_address(w, function, operand);
        break;
    case PTX_OPERAND_LABEL:
    case PTX_OPERAND_SPECIAL:
        write_text(w, "%s", operand->symbol);
        break;
    case PTX_OPERAND_SINK:
        write_text(w, "_");
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST: {
        const bool vector = operand->kind == PTX_OPERAND_VECTOR;
        write_text(w, vector ? "{" : "(");
        write_operands(w, function, operand->elements, operand->element_count, ", ");
        write_text(w, vector ? "}" : ")");
        break;
    }
    case PTX_OPERAND_PAIR:
        write_operands(w, function, operand->elements, 2, "|");
        break;
    case PTX_OPERAND_TENSOR:
        write_text(w, "[");
        write_address(w, function, operand->elements);
        write_text(w, ", ");
        write_operands(w, function, operand->elements + 1, operand->element_count - 1, ", ");
        write_text(w, "]");
        break;
    }
}

char *ptx_format_instruction(const ptx_function *function, int index, char *text, size_t size) {
    writer w = {text, size, 0};
    if (size == 0) return text;
    text[0] = '\0';
    const ptx_instruction *instruction = &function->instructions[index];
    if (instruction->guard >= 0)
        write_text(&w, "@%s%s ", instruction->guard_negated ? "!" : "", function->registers[instruction->guard].name);
    write_text(&w, "%s%s", instruction->opcode, instruction->operand_count > 0 ? " " : "");
    write_operands(&w, function, instruction->operands, instruction->operand_count, ", ");
    return text;
}
