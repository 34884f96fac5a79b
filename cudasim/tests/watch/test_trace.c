/* Traces of made-up kernels: exact waits, and what is left where a warp has too many slices. Whole ones:
 * tests/test_trace.sh.
 */
#include <unistd.h>

#include "sim_case.h"
#include "watch/trace.h"

/* Traces one launch of k(out) by two warps; the file, which has no name any more. */
static FILE *trace(const char *ptx) {
    char path[] = "/tmp/test_trace.XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(trace_begin(path, 1));
    observers_set(&trace_observer);
    run_well(ptx, 1, 64);
    observers_set(NULL);
    assert_true(trace_end());
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    unlink(path);
    return f;
}

typedef struct event {
    unsigned long long warp, begin, length;
    char name[64];
} event;

/* The next slice; false where there is none. */
static bool next_slice(FILE *f, event *e) {
    char line[400];
    do {
        if (fgets(line, sizeof line, f) == NULL) return false;
    } while (strstr(line, "{\"ph\":\"X\"") == NULL);
    assert_int_equal(
        sscanf(strchr(line, '{'),
               "{\"ph\":\"X\",\"pid\":1,\"tid\":%llu,\"ts\":%llu,\"dur\":%llu,\"cat\":\"%*[a-z]\",\"name\":\"%63[^\"]",
               &e->warp, &e->begin, &e->length, e->name),
        4);
    return true;
}

/* The first warp comes to the barrier 7 instructions later than the second, which has jumped over them. */
static void who_waits_waits_for_the_last(void **state) {
    FILE *f = trace(KERNEL("", "setp.gt.u32 %p1, %r1, 31; @%p1 bra meet;\n"
                               "add.u32 %r2, %r1, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;\n"
                               "add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;\n"
                               "meet: bar.sync 0; add.u32 %r2, %r1, 1;\n" STORE));
    unsigned long long end[2] = {0, 0};
    int waits = 0;
    for (event e; next_slice(f, &e);) {
        assert_true(e.warp < 2);
        assert_int_equal(e.begin, end[e.warp]); /* no gaps: nobody waits without saying so */
        end[e.warp] = e.begin + e.length;
        if (strcmp(e.name, "waits at barrier 0") != 0) continue;
        assert_int_equal(e.warp, 1);
        assert_int_equal(e.length, 7);
        waits++;
    }
    assert_int_equal(waits, 1);
    assert_int_equal(end[0], end[1]);
    fclose(f);
}

/* The first warp has too many slices where the second, of longer slices, has fewer: its later ones are left out, too,
 * and what comes after the barrier at which it waits for the first. */
#define ADDS                                                                                                           \
    "add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;\n"
static void too_many_slices_end_the_block(void **state) {
    FILE *f = trace(KERNEL("", "setp.gt.u32 %p2, %r1, 31; mov.u32 %r2, 0; @%p2 bra other;\n"
                               "loop: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200000; @%p1 bra loop; bra meet;\n"
                               "other: " ADDS ADDS ADDS "setp.lt.u32 %p1, %r2, 200000; @%p1 bra other;\n"
                               "meet: bar.sync 0; add.u32 %r2, %r1, 1;\n" STORE));
    unsigned long long end[2] = {0, 0};
    int slices = 0;
    char first[1000] = "";
    assert_non_null(fgets(first, sizeof first, f));
    assert_non_null(strstr(first, "\"left out\":\"of 1 block what came after 200000 slices"));
    for (event e; next_slice(f, &e); slices++) {
        assert_true(e.warp < 2);
        assert_true(e.length > 0);
        assert_int_equal(e.begin, end[e.warp]);
        end[e.warp] = e.begin + e.length;
    }
    assert_in_range(slices, 100000, 200000);
    assert_in_range(end[0], 100000, 300000);
    assert_in_range(end[1], end[0] - 20, end[0]);
    fclose(f);
}

int main(void) {
    set_environment("CUDASIM_THREADS", "1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_waits_for_the_last),
        cmocka_unit_test(too_many_slices_end_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
