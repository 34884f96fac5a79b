/* Races of two host threads that run two blocks at once. The first block's thread stands still between its comparison
 * with what others have noted and its own note: the other block's access may not slip through meanwhile. */
#include <time.h>

#define writing_begins writing_begins_at_once
#define run            cluster_run /* sim_case.h has another one */
#include "check/writing.c"
#undef writing_begins
#undef run

#include "check/check.h"
#include "sim_case.h"

static int arrived; /* atomic: blocks that are about to note their first access, or have done it */

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

/* The checks call it between the two. A lock may keep the other block from arriving: it is given 0.3 seconds. */
void writing_begins(const warp *w) {
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == 1) {
        for (int k = 0; k < 150 && __atomic_load_n(&arrived, __ATOMIC_ACQUIRE) == 1; k++) sleep_ms(2);
        sleep_ms(50); /* so that the other one has noted its access, if it may */
    }
    writing_begins_at_once(w);
}

static void block_begins(observer *o, block *b) {
    while (b->index != 0 && __atomic_load_n(&arrived, __ATOMIC_ACQUIRE) == 0) sleep_ms(1);
}
static observer second_waits = {.block_begin = block_begins};

/* Both blocks' lanes compute %rd2 and %r2 from their block's number %r3; %p1: it is the first block. */
static void run_both(const char *ptx) {
    arrived = 0;
    setenv("CUDASIM_THREADS", "2", 1);
    observers_set(checks_before(&second_waits));
    alarm(30);
    assert_int_equal(run(ptx, 2, 32), SIM_OK);
    alarm(0);
    observers_set(NULL);
    assert_true(arrived >= 2);
}
#define BLOCKS(body) KERNEL("", "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; mov.u32 %r2, 7;\n" body)

static void two_stores(void **state) {
    run_both(BLOCKS("mov.u32 %r2, %r3;" STORE));
    assert_said("cudasim: race: *");
    run_both(BLOCKS(STORE));
    assert_string_equal(said, "");
}

static void a_store_and_an_atomic(void **state) {
    run_both(BLOCKS("@%p1 st.global.u32 [%rd2], %r2; @!%p1 red.global.add.u32 [%rd2], %r2;"));
    assert_said("cudasim: race: *");
}

static void a_store_and_a_strong_one(void **state) {
    run_both(BLOCKS("@%p1 st.global.u32 [%rd2], %r2; @!%p1 st.relaxed.gpu.global.u32 [%rd2], %r3;"));
    assert_said("cudasim: race: *");
}

/* Each lane's word lies in another kilobyte, and the second block's lanes come in the opposite order. */
static void words_far_apart(void **state) {
    static const char far[] = BLOCKS("mul.lo.u32 %r4, %r3, 31; xor.b32 %r4, %r4, %r1;\n"
                                     "mad.wide.u32 %rd2, %r4, 1024, %rd1; mov.u32 %r2, %r3;" STORE);
    run_both(far);
    assert_said("cudasim: race: *");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_stores),
        cmocka_unit_test(a_store_and_an_atomic),
        cmocka_unit_test(a_store_and_a_strong_one),
        cmocka_unit_test(words_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
