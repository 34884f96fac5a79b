/* Wavefronts and bank conflicts: of accesses with known counts, and of all that Nsight Compute has counted one by one
 * on an H200 (tests/counted/nvidia-h200/patterns_*.csv, which make golden records). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "banks.h"

enum { WARP = 32 };

/* Lane t's address: t * stride bytes. */
static void with_stride(unsigned addresses[WARP], unsigned stride) {
    for (unsigned t = 0; t < WARP; t++) addresses[t] = t * stride;
}

static void words(void **state) {
    /* The greatest common divisor of the stride in words and 32. */
    static const int expected[][2] = {{1, 1},  {2, 2},   {3, 1},  {4, 4},  {8, 8},  {16, 16},
                                      {31, 1}, {32, 32}, {33, 1}, {34, 2}, {48, 16}};
    unsigned a[WARP];
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        with_stride(a, 4 * (unsigned)expected[i][0]);
        assert_int_equal(banks_wavefronts(a, WARP, 4), expected[i][1]);
        assert_int_equal(banks_conflicts(a, WARP, 4), expected[i][1] - 1);
    }
    with_stride(a, 0); /* all want the same word */
    assert_int_equal(banks_wavefronts(a, WARP, 4), 1);
    for (int t = 0; t < WARP; t++) a[t] = t % 2 ? 128 : 0; /* two words of a bank */
    assert_int_equal(banks_wavefronts(a, WARP, 4), 2);
    for (unsigned t = 0; t < WARP; t++) a[t] = t / 2 * 4; /* half a line, each word twice */
    assert_int_equal(banks_wavefronts(a, WARP, 4), 1);
}

static void wide_accesses_go_in_parts(void **state) {
    unsigned a[WARP];
    with_stride(a, 8);
    assert_int_equal(banks_wavefronts(a, WARP, 8), 2);
    assert_int_equal(banks_conflicts(a, WARP, 8), 0);
    with_stride(a, 16);
    assert_int_equal(banks_wavefronts(a, WARP, 16), 4);
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
    with_stride(a, 32); /* every other chunk of 16 bytes */
    assert_int_equal(banks_wavefronts(a, WARP, 16), 8);
    with_stride(a, 128); /* a column of chunks */
    assert_int_equal(banks_wavefronts(a, WARP, 16), 32);
    assert_int_equal(banks_conflicts(a, WARP, 16), 28);
    with_stride(a, 144); /* the same with a chunk of padding */
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
    for (unsigned t = 0; t < WARP; t++) a[t] = 128 * t + 16 * (3 ^ t % 8); /* and with the XOR */
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
    for (unsigned t = 0; t < WARP; t++) a[t] = 128 * t + 16 * (3 ^ t % 4); /* with too small a one */
    assert_int_equal(banks_conflicts(a, WARP, 16), 4);
    for (unsigned t = 0; t < WARP; t++) a[t] = 128 * (t / 8); /* one chunk a part */
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
}

static void fewer_lanes(void **state) {
    unsigned a[WARP];
    with_stride(a, 128);
    assert_int_equal(banks_wavefronts(a, 8, 16), 8); /* ldmatrix.x1 */
    assert_int_equal(banks_conflicts(a, 8, 16), 7);
    assert_int_equal(banks_wavefronts(a, 1, 16), 1);
    assert_int_equal(banks_conflicts(a, 1, 16), 0);
    assert_int_equal(banks_wavefronts(a, 12, 16), 12);
    assert_int_equal(banks_conflicts(a, 12, 16), 10);
}

static void expect(const unsigned *a, unsigned lanes, int bytes, banks_kind kind, int wavefronts, int phases) {
    const banks_count count = banks_request(a, lanes, bytes, kind);
    assert_int_equal(count.wavefronts, wavefronts);
    assert_int_equal(count.phases, phases);
}

static void loads_in_pairs(void **state) {
    unsigned a[WARP];
    for (unsigned t = 0; t < WARP; t++) a[t] = t / 2 * 8; /* as lane ^ 1 */
    expect(a, ~0u, 8, BANKS_LOAD, 1, 1);
    expect(a, ~0u, 8, BANKS_STORE, 2, 2);
    expect(a, ~0u >> 1, 8, BANKS_LOAD, 1, 1);                 /* those that are there */
    for (unsigned t = 0; t < WARP; t++) a[t] = (t & 29) * 16; /* as lane ^ 2 */
    expect(a, ~0u, 16, BANKS_LOAD, 4, 2);
    expect(a, ~0u, 16, BANKS_ROWS, 4, 4);
    for (unsigned t = 0; t < WARP; t++) a[t] = (t & 27) * 16; /* as lane ^ 4 is no pair */
    expect(a, ~0u, 16, BANKS_LOAD, 4, 4);
    with_stride(a, 0);
    expect(a, ~0u, 16, BANKS_LOAD, 2, 2);
    expect(a, ~0u, 4, BANKS_LOAD, 1, 1);
}

static void lanes_that_are_missing(void **state) {
    unsigned a[WARP];
    with_stride(a, 128);
    expect(a, 0x80000001u, 4, BANKS_LOAD, 2, 1);
    expect(a, 0x0000ff00u, 16, BANKS_LOAD, 8, 1);
    expect(a, 0x01000001u, 16, BANKS_STORE, 2, 2);
    for (unsigned t = 0; t < WARP; t++) a[t] = t; /* bytes: four to a word */
    expect(a, ~0u, 1, BANKS_LOAD, 1, 1);
}

/* ---- recorded ---- */

enum { COLUMNS = 24, LINE = 2048 };
typedef struct {
    char names[LINE], line[LINE];
    char *name[COLUMNS], *field[COLUMNS];
    int count;
} table_row;

/* Cuts a line of CSV into fields, in place. */
static int cut(char *line, char **field) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; count < COLUMNS; at++) {
        const bool quoted = *at == '"';
        field[count++] = at += quoted;
        at += strcspn(at, quoted ? "\"" : ",");
        if (quoted) *at++ = '\0';
        if (*at == '\0') break;
        *at = '\0';
    }
    return count;
}

static const char *field_of(const table_row *r, const char *name) {
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->name[i], name) == 0) return r->field[i];
    fail_msg("there is no column %s", name);
    return NULL;
}

static void offsets_of(const table_row *r, const char *name, unsigned offsets[WARP]) {
    char *at = (char *)field_of(r, name);
    for (int t = 0; t < WARP; t++) offsets[t] = (unsigned)strtoul(at, &at, 10);
}

/* Calls `each` for every row of the file; how many it has taken (true). */
static int rows_of(const char *path, bool (*each)(const table_row *)) {
    static table_row r;
    int taken = 0;
    FILE *f = fopen(path, "r");
    if (f == NULL) fail_msg("%s cannot be read; the test runs in the repository's root", path);
    assert_non_null(fgets(r.names, LINE, f));
    r.count = cut(r.names, r.name);
    while (fgets(r.line, LINE, f) != NULL) {
        assert_int_equal(cut(r.line, r.field), r.count);
        taken += each(&r);
    }
    fclose(f);
    return taken;
}

#define SHARED "tests/counted/nvidia-h200/patterns_shared.csv"
#define COPIES "tests/counted/nvidia-h200/patterns_copies.csv"

/* The kinds of tests/counted/shared.cu and what Nsight Compute counts them as. */
static const struct {
    const char *kind, *op;
    int bytes;
    unsigned lanes; /* those that give addresses, of ldmatrix and stmatrix */
    banks_kind as;
} kinds[] = {
    {"load_1", "ld", 1, ~0u, BANKS_LOAD},         {"load_2", "ld", 2, ~0u, BANKS_LOAD},
    {"load_4", "ld", 4, ~0u, BANKS_LOAD},         {"load_8", "ld", 8, ~0u, BANKS_LOAD},
    {"load_16", "ld", 16, ~0u, BANKS_LOAD},       {"store_1", "st", 1, ~0u, BANKS_STORE},
    {"store_2", "st", 2, ~0u, BANKS_STORE},       {"store_4", "st", 4, ~0u, BANKS_STORE},
    {"store_8", "st", 8, ~0u, BANKS_STORE},       {"store_16", "st", 16, ~0u, BANKS_STORE},
    {"atomic_add", "atom", 4, ~0u, BANKS_ATOMIC}, {"atomic_exch", "atom", 4, ~0u, BANKS_ATOMIC},
    {"atomic_red", "atom", 4, ~0u, BANKS_ATOMIC}, {"atomic_one", "atom", 4, ~0u, BANKS_STORE},
    {"atomic_cas", "atom", 4, ~0u, BANKS_SWAP},   {"atomic_cas64", "atom", 8, ~0u, BANKS_SWAP},
    {"ldmatrix_1", "ld", 16, 0xff, BANKS_ROWS},   {"ldmatrix_2", "ld", 16, 0xffff, BANKS_ROWS},
    {"ldmatrix_4", "ld", 16, ~0u, BANKS_ROWS},    {"ldmatrix_trans_4", "ld", 16, ~0u, BANKS_ROWS},
    {"stmatrix_1", "st", 16, 0xff, BANKS_ROWS},   {"stmatrix_2", "st", 16, 0xffff, BANKS_ROWS},
    {"stmatrix_4", "st", 16, ~0u, BANKS_ROWS},
};

static bool one_recorded(const table_row *r) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char wavefronts[100], conflicts[100];
        unsigned offsets[WARP];
        if (strcmp(field_of(r, "kind"), kinds[k].kind) != 0) continue;
        snprintf(wavefronts, sizeof wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum", kinds[k].op);
        snprintf(conflicts, sizeof conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s.sum", kinds[k].op);
        offsets_of(r, "offsets", offsets);
        const unsigned mask = (unsigned)strtoul(field_of(r, "mask"), NULL, 16) & kinds[k].lanes;
        const banks_count count = banks_request(offsets, mask, kinds[k].bytes, kinds[k].as);
        const int beyond = (count.wavefronts - count.phases) / (kinds[k].as == BANKS_SWAP ? 2 : 1);
        if (count.wavefronts != atoi(field_of(r, wavefronts)) || beyond != atoi(field_of(r, conflicts)))
            fail_msg("pattern %s (%s, %s): %d wavefronts, %d conflicts; recorded %s, %s", field_of(r, "pattern"),
                     kinds[k].kind, field_of(r, "name"), count.wavefronts, beyond, field_of(r, wavefronts),
                     field_of(r, conflicts));
        return true;
    }
    return false;
}

static void all_that_is_recorded(void **state) {
    assert_int_equal(rows_of(SHARED, one_recorded), 706);
}

static int farthest; /* from what is recorded, of copies */

/* Is it a copy, of this sort, that the rule meets? In shared.cu they come from 16 bytes per lane. */
static bool copy_met(const table_row *r, bool past_l1) {
    const char *kind = field_of(r, "kind");
    unsigned to[WARP], from[WARP];
    if (strncmp(kind, "copy_", 5) != 0 || (strstr(kind, "cg") != NULL) != past_l1) return false;
    const unsigned mask = (unsigned)strtoul(field_of(r, "mask"), NULL, 16);
    const int bytes = atoi(strrchr(kind, '_') + 1);
    offsets_of(r, "offsets", to);
    with_stride(from, 16);
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->name[i], "from") == 0) offsets_of(r, "from", from);
    const int want = atoi(field_of(r, "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"));
    const int got = past_l1 ? banks_copy_past_l1(to, from, mask) : banks_copy(to, from, mask, bytes).wavefronts;
    if (abs(got - want) > farthest) farthest = abs(got - want);
    return got == want;
}
static bool copy_through_l1(const table_row *r) {
    return copy_met(r, false);
}
static bool copy_past_l1(const table_row *r) {
    return copy_met(r, true);
}

static void copies_that_are_recorded(void **state) {
    assert_int_equal(rows_of(SHARED, copy_through_l1) + rows_of(COPIES, copy_through_l1), 235); /* of 253 */
    assert_int_equal(rows_of(SHARED, copy_past_l1) + rows_of(COPIES, copy_past_l1), 122);       /* of 125 */
    assert_int_equal(farthest, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(wide_accesses_go_in_parts),
        cmocka_unit_test(fewer_lanes),
        cmocka_unit_test(loads_in_pairs),
        cmocka_unit_test(lanes_that_are_missing),
        cmocka_unit_test(all_that_is_recorded),
        cmocka_unit_test(copies_that_are_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
