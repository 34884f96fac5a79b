/* Memory for the parsed module, and tokens that the syntax demands. */
#include "ptx/parser.h"

#include <stdlib.h>

void *parser_push(parser *p, int which) {
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

void *parser_take(parser *p, size_t size) {
    void *memory = arena_take(&p->storage->arena, size);
    if (!memory) ptx_fail_memory(&p->lexer);
    return memory;
}

_Noreturn void fail_expected(parser *p, const char *what) {
    FAIL(p, "expected %s, found %s", what, ptx_quote_token(&p->lexer).text);
}

void expect_sign(parser *p, char sign, const char *where) {
    if (accept_sign(p, sign)) return;
    FAIL(p, "expected \"%c\" %s, found %s", sign, where, ptx_quote_token(&p->lexer).text);
}

ptx_atom *expect_word(parser *p, const char *what) {
    if (TOKEN(p).kind != PTX_TOKEN_WORD) fail_expected(p, what);
    ptx_atom *atom = TOKEN(p).atom;
    next(p);
    return atom;
}
