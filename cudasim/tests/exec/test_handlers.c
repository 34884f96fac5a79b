/* Which instruction set's handlers the simulator takes, and what it says where it has none for this processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#undef SIM_ISAS /* the sanitizers' builds have it */
#define SIM_ISAS ISA(v99) ISA(baseline)
#include "exec/handlers.c"

sim_handler *const sim_handlers_v99[ROW_COUNT], *const sim_handlers_baseline[ROW_COUNT];
const sim_other_handlers sim_others_v99[ROW_COUNT], sim_others_baseline[ROW_COUNT];

static const isa_set sets[] = {{"v99", sim_handlers_v99, sim_others_v99},
                               {"baseline", sim_handlers_baseline, sim_others_baseline}};
static char said[512];

/* The exit status of a child that chooses among the first `count`, what it says in said[]; 0: the baseline's handlers.
 */
static int status_of(size_t count, const char *wanted) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        _Exit(choose(sets, count, wanted)->handlers == sim_handlers_baseline ? 0 : 1);
    }
    close(ends[1]);
    const ssize_t size = read(ends[0], said, sizeof said - 1);
    said[size > 0 ? size : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void the_best_that_runs_here(void **state) {
    assert_int_equal(status_of(2, NULL), 0);
    assert_int_equal(status_of(2, ""), 0);
    assert_int_equal(status_of(2, "baseline"), 0);
    assert_string_equal(said, "");
}

static void one_that_does_not_run_here(void **state) {
    assert_int_equal(status_of(2, "v99"), 2);
    assert_string_equal(said, "cudasim: CUDASIM_ISA=v99: this processor does not have it\n");
}

static void one_that_was_not_built(void **state) {
    assert_int_equal(status_of(2, "v3"), 2);
    assert_string_equal(said, "cudasim: CUDASIM_ISA=v3: this simulator was built for v99, baseline (make lib-all: "
                              "baseline, v3, v4)\n");
}

static void a_library_from_another_machine(void **state) {
    assert_int_equal(status_of(1, NULL), 3);
    assert_string_equal(said, "cudasim: the simulator was built for a processor with v99, which this one lacks: make "
                              "sim\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_that_runs_here),
        cmocka_unit_test(one_that_does_not_run_here),
        cmocka_unit_test(one_that_was_not_built),
        cmocka_unit_test(a_library_from_another_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
