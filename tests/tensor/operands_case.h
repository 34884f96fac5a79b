/* One problem's operands in host memory, filled as operand_sets_verify fills a set, and the host's verification. */
#pragma once

#include "../unit.h"
#include "tensor/operands.h"

/* Not every test that includes this uses all of it. */
#pragma GCC diagnostic ignored "-Wunused-function"

static operand_sets o;
static void *memory;
static verify_case v;

static int tear_down(void **state) {
    operand_sets_destroy(&o);
    free(memory);
    memory = NULL;
    return 0;
}

/* In place of the last one's. Returns the set; `v` is its case, to be verified once there is a result in C. */
static operand_set *fill_operands(const operand_spec *spec, bool exact, uint64_t seed) {
    tear_down(NULL);
    memory = aligned_alloc(256, (size_t)operand_sets_bytes(spec, 1));
    assert_non_null(memory);
    operand_sets_place(&o, spec, 1, memory);
    operand_set *s = &o.set[0];
    const values_kind kind = exact ? VALUES_INTEGER : VALUES_UNIFORM, read = spec->alpha == 0.0f ? VALUES_NAN : kind;
    matrix_fill_host(&s->a, read, seed * 3);
    matrix_fill_host(&s->b, read, seed * 3 + 1);
    matrix_fill_host(&s->c, spec->beta == 0.0f ? VALUES_NAN : kind, seed * 3 + 2);
    if (s->d.elements != NULL) matrix_fill_host(&s->d, kind, seed * 3 + 3);
    v = operand_case(spec, s, spec->alpha, spec->beta, exact);
    return s;
}

static verify_result verify(void) {
    verify_result r;
    memset(&r, 0xAA, sizeof r);
    verify_host(&v, &r);
    return r;
}

/* How many words of `x` are not as they were filled, and where the first of them is. */
static uint64_t changed(const matrix *x, bool elements, int64_t *first) {
    uint64_t words = 99;
    *first = INT64_MIN;
    matrix_changed_host(x, elements, &words, first);
    return words;
}
