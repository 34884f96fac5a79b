/* Stores of the same value by blocks that run at the same time, which are no race, where a host thread loses its
 * processor between the note of a store and the store: an observer behind the checks takes it away. */
#include <time.h>

#include "check/check.h"
#include "check/findings.h"
#include "sim_case.h"

static int noted; /* atomic: a store has been noted and not executed */
static int taken; /* atomic: a thread has lost its processor */
static double pause_s;

static void sleep_for(double seconds) {
    const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* All blocks but the first wait until its store has been noted. */
static void block_begins(observer *o, block *b) {
    while (b->index != 0 && !__atomic_load_n(&noted, __ATOMIC_ACQUIRE)) sleep_for(0.001);
}
static void before_store(observer *o, const observed_access *a) {
    if (a->kind != ACCESS_WRITE || __atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL) != 0) return;
    __atomic_store_n(&noted, 1, __ATOMIC_RELEASE);
    sleep_for(pause_s);
}
static observer processor = {.block_begin = block_begins, .before = before_store};

static sim_status run_paused(const char *ptx, unsigned blocks, const char *threads, double seconds) {
    noted = taken = 0;
    pause_s = seconds;
    set_environment("CUDASIM_THREADS", threads);
    observers_set(checks_before(&processor));
    const sim_status status = run(ptx, blocks, 32);
    observers_set(NULL);
    assert_int_equal(taken, 1);
    return status;
}

static void the_same_value(void **state) {
    assert_int_equal(run_paused(KERNEL("", "mov.u32 %r2, 7;" STORE), 2, "2", 0.3), SIM_OK);
    assert_string_equal(said, "");
    for (int k = 0; k < 32; k++) assert_int_equal(out[k], 7);
}

static void the_same_value_by_many_threads(void **state) {
    assert_int_equal(run_paused(KERNEL("", "mov.u32 %r2, 7;" STORE), 200, "100", 0.3), SIM_OK);
    assert_string_equal(said, "");
}

static void another_value(void **state) {
    assert_int_equal(run_paused(KERNEL("", "mov.u32 %r2, %ctaid.x;" STORE), 2, "2", 0.1), SIM_OK);
    assert_said("cudasim: race: *");
}

/* A store that goes wrong leaves nobody waiting for it. The first block's lane 31 stores outside of all memory. */
static void a_store_that_faults(void **state) {
    static const char ptx[] =
        KERNEL("", "mov.u32 %r3, %ctaid.x; mov.u32 %r2, 7; setp.eq.u32 %p1, %r3, 0; setp.eq.and.u32 %p1, %r1, 31, %p1;"
                   "@%p1 mov.u64 %rd2, 16;" STORE);
    alarm(30);
    assert_int_equal(run_paused(ptx, 2, "2", 0.1), SIM_ILLEGAL_ADDRESS);
    alarm(0);
    assert_null(strstr(said, "race"));
}

/* Nobody waits for a thread that has stored and computes on without another access: here for seconds. */
#define LOOP                                                                                                           \
    "mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra END; mov.u32 %r4, 0;\n"                                  \
    "AGAIN: add.u32 %r4, %r4, 1; xor.b32 %r5, %r4, %r1; setp.lt.u32 %p2, %r4, 3000000; @%p2 bra AGAIN; END:"
static double ended[2];
static void block_ends(observer *o, block *b) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    ended[b->index] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void a_long_way_after_the_store(void **state) {
    processor.block_end = block_ends;
    assert_int_equal(run_paused(KERNEL("", "mov.u32 %r2, 7;" STORE LOOP), 2, "2", 0.01), SIM_OK);
    processor.block_end = NULL;
    assert_string_equal(said, "");
    assert_true(ended[1] < ended[0]);
}

/* A flag that an atomic operation raises, whose thread then loses its processor for a while. Another block sees the
 * flag meanwhile, and lowers it by a plain store when that thread has its processor back. */
static void after_flag(observer *o, const warp *w) {
    static int stores; /* of the first block, which writes what the flag is for, and then raises it */
    if (w->block->index != 0 || ++stores != 2) return;
    sleep_for(pause_s);
    taken = 1;
}
static void after_read(observer *o, const observed_access *a) {
    if (a->kind == ACCESS_READ) sleep_for(2 * pause_s);
}
static void a_flag_is_lowered(void **state) {
    static const char ptx[] =
        KERNEL("", "mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; mov.u32 %r2, 7;\n"
                   "setp.ne.u32 %p2, %r3, 0; @%p2 bra WAIT; st.global.u32 [%rd1+4], %r2; membar.gl;\n"
                   "atom.global.exch.b32 %r4, [%rd1], 1; bra END;\n"
                   "WAIT: atom.global.add.u32 %r4, [%rd1], 0; setp.eq.u32 %p3, %r4, 0; @%p3 bra WAIT; membar.gl;\n"
                   "ld.global.u32 %r5, [%rd1+4]; st.global.u32 [%rd1+8], %r5; mov.u32 %r2, 0;\n"
                   "st.global.u32 [%rd1], %r2;\nEND:");
    processor = (observer){.written = after_flag, .after = after_read};
    assert_int_equal(run_paused(ptx, 2, "2", 0.3), SIM_OK);
    assert_string_equal(said, "");
    assert_int_equal(out[2], 7);
    assert_int_equal(out[0], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_value),
        cmocka_unit_test(the_same_value_by_many_threads),
        cmocka_unit_test(another_value),
        cmocka_unit_test(a_store_that_faults),
        cmocka_unit_test(a_long_way_after_the_store),
        cmocka_unit_test(a_flag_is_lowered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
