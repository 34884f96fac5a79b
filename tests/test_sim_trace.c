/* Traces of made-up kernels: exact waits, and what is left where a warp has too many slices. Whole ones:
 * test_sim_trace.sh.
 */
#include <unistd.h>

#include "sim_case.h"
#include "watch/trace.h"

/* Traces one launch of k(out) by two warps; the file's text, to be freed. */
static char *trace(const char *ptx) {
    char path[] = "/tmp/test_sim_trace.XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(trace_begin(path, 1));
    observers_set(&trace_observer);
    run_well(ptx, 1, 64);
    observers_set(NULL);
    assert_true(trace_end());
    FILE *f = fopen(path, "r"); /* a new file is there */
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long size = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    close(fd);
    unlink(path);
    return text;
}

typedef struct event {
    unsigned long long warp, begin, length;
    char name[64];
} event;

/* The next slice from *at on; false where there is none. */
static bool next_slice(const char **at, event *e) {
    *at = strstr(*at, "{\"ph\":\"X\"");
    if (*at == NULL) return false;
    char line[200] = ""; /* sscanf would measure all of the text */
    strncpy(line, *at, sizeof line - 1);
    assert_int_equal(
        sscanf(line,
               "{\"ph\":\"X\",\"pid\":1,\"tid\":%llu,\"ts\":%llu,\"dur\":%llu,\"cat\":\"%*[a-z]\",\"name\":\"%63[^\"]",
               &e->warp, &e->begin, &e->length, e->name),
        4);
    ++*at;
    return true;
}

/* The first warp comes to the barrier 7 instructions later than the second, which has jumped over them. */
static void who_waits_waits_for_the_last(void **state) {
    (void)state;
    char *text =
        trace(KERNEL("", "setp.gt.u32 %p1, %r1, 31; @%p1 bra meet;\n"
                         "add.u32 %r2, %r1, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;\n"
                         "add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;\n"
                         "meet: bar.sync 0; add.u32 %r2, %r1, 1;\n" STORE));
    const char *at = text;
    unsigned long long end[2] = {0, 0};
    int waits = 0;
    for (event e; next_slice(&at, &e);) {
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
    free(text);
}

/* The first warp has too many slices where the second, of longer slices, has fewer: its later ones are left out, too,
 * and what comes after the barrier at which it waits for the first. */
#define ADDS                                                                                                           \
    "add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;\n"
static void too_many_slices_end_the_block(void **state) {
    (void)state;
    char *text = trace(KERNEL("", "setp.gt.u32 %p2, %r1, 31; mov.u32 %r2, 0; @%p2 bra other;\n"
                                  "loop: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200000; @%p1 bra loop; bra meet;\n"
                                  "other: " ADDS ADDS ADDS "setp.lt.u32 %p1, %r2, 200000; @%p1 bra other;\n"
                                  "meet: bar.sync 0; add.u32 %r2, %r1, 1;\n" STORE));
    const char *at = text;
    unsigned long long end[2] = {0, 0};
    int slices = 0;
    for (event e; next_slice(&at, &e); slices++) {
        assert_true(e.warp < 2);
        assert_true(e.length > 0);
        assert_int_equal(e.begin, end[e.warp]);
        end[e.warp] = e.begin + e.length;
    }
    assert_in_range(slices, 100000, 200000);
    assert_in_range(end[0], 100000, 300000);
    assert_in_range(end[1], end[0] - 20, end[0]);
    assert_non_null(strstr(text, "\"left out\":\"of 1 blocks what came after 200000 slices"));
    free(text);
}

int main(void) {
    set_environment("CUDASIM_THREADS", "1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_waits_for_the_last),
        cmocka_unit_test(too_many_slices_end_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
