/* What happens before what, by clocks; what has happened to shared memory, by cells; which array an address comes from;
 * and registers that hold what nothing has written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/cells.h"
#include "isa/arrays.h"

static clocks c;

static int make(void **state) {
    if (!clocks_make(&c, 3)) return -1;
    clocks_begin(&c);
    return 0;
}
static int drop(void **state) {
    clocks_free(&c);
    return 0;
}

static stamp now(uint32_t agent, uint32_t lane) {
    return stamp_of(c.of[agent].now, agent, lane, STRENGTH_WEAK);
}

static void a_meeting_orders_those_who_arrive_before_those_who_pass(void **state) {
    known_clocks at[3] = {0};
    const stamp before = now(0, 5);
    assert_false(clocks_before(&c, before, 1, 0));
    clocks_release(&c, 0, at);
    const stamp after = now(0, 5);
    assert_false(clocks_before(&c, before, 1, 0));
    clocks_acquire(&c, 1, at);
    assert_true(clocks_before(&c, before, 1, 0));
    assert_false(clocks_before(&c, after, 1, 0));
    assert_false(clocks_before(&c, before, 2, 0));
    clocks_release(&c, 1, at); /* and what it knows goes on with it */
    clocks_acquire(&c, 2, at);
    assert_true(clocks_before(&c, before, 2, 0));
}

static void lanes_wait_for_one_another(void **state) {
    const stamp first = now(0, 1), last = now(0, 31);
    assert_true(clocks_before(&c, first, 0, 1));
    assert_false(clocks_before(&c, first, 0, 2));
    clocks_lanes(&c, 0, 0xffff, UINT32_MAX);
    assert_true(clocks_before(&c, first, 0, 2));
    assert_false(clocks_before(&c, first, 0, 20));
    assert_false(clocks_before(&c, last, 0, 2));
    clocks_lanes(&c, 0, 0x00010004, UINT32_MAX); /* lane 2 has waited for lane 1: lane 16 learns of that */
    assert_true(clocks_before(&c, first, 0, 16));
    assert_false(clocks_before(&c, first, 0, 17));
    clocks_lanes(&c, 0, UINT32_MAX, UINT32_MAX);
    assert_true(clocks_before(&c, last, 0, 2));
}

static void relaxed_stores_publish_what_stands_before_a_fence(void **state) {
    known_clocks flag[3] = {0};
    const stamp data = now(0, 0);
    assert_false(clocks_has_fenced(&c, 0));
    clocks_publish(&c, 0, flag);
    clocks_see(&c, 1, flag);
    clocks_fence(&c, 1);
    assert_false(clocks_before(&c, data, 1, 0));
    clocks_fence(&c, 0);
    assert_true(clocks_has_fenced(&c, 0));
    clocks_publish(&c, 0, flag);
    clocks_see(&c, 1, flag);
    assert_false(clocks_before(&c, data, 1, 0)); /* not before its own fence */
    clocks_fence(&c, 1);
    assert_true(clocks_before(&c, data, 1, 0));
}

static void what_an_earlier_block_did_is_past(void **state) {
    const stamp old = now(0, 0);
    clocks_begin(&c);
    assert_true(clocks_before(&c, old, 1, 1));
    assert_false(clocks_before(&c, now(0, 0), 1, 1));
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static struct {
    int count;
    trouble last;
    uint32_t lane, number, site;
} met;

static void meet(void *context, trouble t, uint32_t lane, uint32_t number, stamp other, uint32_t site) {
    met.count++;
    met.last = t;
    met.lane = lane;
    met.number = number;
    met.site = site;
}

/* Lane l of the agent at `first` + 4 * l. */
static trouble row(cells *s, uint32_t agent, cell_action action, strength how, uint32_t mask, uint64_t first,
                   uint32_t site) {
    uint64_t offset[CLOCK_LANES];
    const cell_access a = {.clocks = &c, .agent = agent, .site = site, .how = how, .action = action, .trouble = meet};
    for (unsigned l = 0; l < CLOCK_LANES; l++) offset[l] = first + 4 * l;
    memset(&met, 0, sizeof met);
    cells_access(s, &a, mask, offset, 4);
    return met.last;
}

static void block_barrier(cells *s) {
    known_clocks at[3] = {0};
    for (uint32_t k = 0; k < 3; k++) clocks_release(&c, k, at);
    for (uint32_t k = 0; k < 3; k++) {
        clocks_acquire(&c, k, at);
        clocks_lanes(&c, k, UINT32_MAX, UINT32_MAX);
    }
    s->epoch++;
}

static void cells_tell_races(void **state) {
    cells s;
    assert_true(cells_make(&s, 1024, 4));
    assert_int_equal(row(&s, 0, CELL_READ, STRENGTH_WEAK, 2, 0, 1), TROUBLE_UNWRITTEN);
    assert_int_equal(met.lane, 1);
    assert_int_equal(met.number, 1);
    block_barrier(&s);
    assert_int_equal(row(&s, 0, CELL_WRITE, STRENGTH_WEAK, UINT32_MAX, 0, 2), TROUBLE_NONE);
    assert_int_equal(row(&s, 0, CELL_READ, STRENGTH_WEAK, UINT32_MAX, 0, 3), TROUBLE_NONE); /* each its own */
    assert_int_equal(row(&s, 1, CELL_READ, STRENGTH_WEAK, UINT32_MAX, 0, 4), TROUBLE_AFTER_WRITE);
    assert_int_equal(met.site, 2);
    block_barrier(&s);
    assert_int_equal(row(&s, 1, CELL_READ, STRENGTH_WEAK, UINT32_MAX, 0, 5), TROUBLE_NONE);
    assert_int_equal(row(&s, 2, CELL_READ, STRENGTH_WEAK, 1, 0, 6), TROUBLE_NONE);
    assert_int_equal(row(&s, 1, CELL_WRITE, STRENGTH_WEAK, 2, 0, 7), TROUBLE_NONE); /* lane 1 has read what it writes */
    assert_int_equal(row(&s, 1, CELL_WRITE, STRENGTH_WEAK, 1, 0, 8), TROUBLE_AFTER_READ);
    assert_int_equal(met.site, 6);
    assert_int_equal(row(&s, 1, CELL_WRITE, STRENGTH_WEAK, 1, 4 * 7, 9), TROUBLE_AFTER_READ); /* lane 7 has read that */
    assert_int_equal(met.site, 5);
    block_barrier(&s);
    assert_int_equal(row(&s, 1, CELL_WRITE, STRENGTH_WEAK, UINT32_MAX, 0, 10), TROUBLE_NONE);
    cells_free(&s);
}

static void strong_and_atomic_accesses_do_not_race(void **state) {
    cells s;
    assert_true(cells_make(&s, 1024, 4));
    assert_int_equal(row(&s, 0, CELL_WRITE, STRENGTH_STRONG, UINT32_MAX, 128, 1), TROUBLE_NONE);
    assert_int_equal(row(&s, 1, CELL_UPDATE, STRENGTH_ATOMIC, UINT32_MAX, 128, 2), TROUBLE_NONE);
    assert_int_equal(row(&s, 2, CELL_READ, STRENGTH_STRONG, UINT32_MAX, 128, 3), TROUBLE_NONE);
    assert_int_equal(row(&s, 2, CELL_READ, STRENGTH_WEAK, UINT32_MAX, 128, 4), TROUBLE_AFTER_WRITE);
    cells_free(&s);
}

static void copies_are_pending_until_they_arrive(void **state) {
    cells s;
    assert_true(cells_make(&s, 1024, 4));
    row(&s, 0, CELL_WRITE, STRENGTH_WEAK, UINT32_MAX, 0, 1);
    cells_pending(&s, 0, 128, 1);
    block_barrier(&s);
    assert_int_equal(row(&s, 0, CELL_READ, STRENGTH_WEAK, UINT32_MAX, 0, 2), TROUBLE_PENDING);
    assert_int_equal(met.site, 1);
    cells_arrived(&s, &c, 0, 3, 0, 128, 1, false);
    assert_int_equal(row(&s, 0, CELL_READ, STRENGTH_WEAK, 1u << 3, 0, 3), TROUBLE_NONE);
    assert_int_equal(row(&s, 1, CELL_READ, STRENGTH_WEAK, UINT32_MAX, 0, 4), TROUBLE_AFTER_WRITE);
    block_barrier(&s);
    assert_int_equal(row(&s, 1, CELL_READ, STRENGTH_WEAK, UINT32_MAX, 0, 5), TROUBLE_NONE);
    cells_free(&s);
}

static void rows_are_read_at_once_where_they_are_settled(void **state) {
    cells s;
    assert_true(cells_make(&s, 1024, 4));
    const cell_access a = {.clocks = &c, .agent = 1, .site = 9, .action = CELL_READ, .trouble = meet};
    row(&s, 0, CELL_WRITE, STRENGTH_WEAK, UINT32_MAX, 64, 1);
    assert_false(cells_read_row(&s, &a, 64, 4, 4));
    block_barrier(&s);
    assert_true(cells_read_row(&s, &a, 64, 4, 4));
    assert_true(cells_read_row(&s, &a, 64, 0, 16));
    assert_false(cells_read_row(&s, &a, 60, 4, 4)); /* word 15 has not been written */
    assert_int_equal(row(&s, 0, CELL_WRITE, STRENGTH_WEAK, 1u << 31, 64, 2), TROUBLE_AFTER_READ);
    assert_int_equal(met.site, 9);
    cells_free(&s);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static void addresses_are_followed(void **state) {
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k() {\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n.shared .b8 a[64];\n.shared .b8 b[64];\n"
        "mov.u32 %r1, a;\nadd.s32 %r2, %r1, 4;\nld.shared.u32 %r3, [%r2+8];\n"
        "mov.u32 %r4, b;\nselp.b32 %r5, %r2, %r4, %p1;\nst.shared.u32 [%r5], %r3;\n"
        "ld.shared.u32 %r6, [b+4];\nld.shared.u32 %r7, [%r6];\nret;\n}\n";
    static const char *const names[] = {"a", "b"};
    char error[200];
    ptx_module *m = ptx_parse(text, sizeof text, error, sizeof error);
    assert_non_null(m);
    uint8_t *arrays = arrays_follow(&m->functions[0], names, 2);
    assert_non_null(arrays);
    assert_int_equal(arrays[2], 1);
    assert_int_equal(arrays[5], ARRAY_MANY);
    assert_int_equal(arrays[6], 2);
    assert_int_equal(arrays[7], ARRAY_UNKNOWN);
    free(arrays);
    ptx_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_meeting_orders_those_who_arrive_before_those_who_pass, make, drop),
        cmocka_unit_test_setup_teardown(lanes_wait_for_one_another, make, drop),
        cmocka_unit_test_setup_teardown(relaxed_stores_publish_what_stands_before_a_fence, make, drop),
        cmocka_unit_test_setup_teardown(what_an_earlier_block_did_is_past, make, drop),
        cmocka_unit_test_setup_teardown(cells_tell_races, make, drop),
        cmocka_unit_test_setup_teardown(strong_and_atomic_accesses_do_not_race, make, drop),
        cmocka_unit_test_setup_teardown(copies_are_pending_until_they_arrive, make, drop),
        cmocka_unit_test_setup_teardown(rows_are_read_at_once_where_they_are_settled, make, drop),
        cmocka_unit_test(addresses_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
