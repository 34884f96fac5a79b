/* The host threads that help with launches, in a process that another one forked. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/threads.h"

static int entered, leave;

/* Works until it may leave. */
static void work(void *unused, int number) {
    __atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&leave, __ATOMIC_ACQUIRE)) sched_yield();
}

static void begin(pool_job *job) {
    *job = (pool_job){.work = work, .wanted = 1};
    entered = leave = 0;
    pool_begin(job);
    while (!__atomic_load_n(&entered, __ATOMIC_ACQUIRE)) sched_yield();
}

static void *leave_soon(void *unused) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    __atomic_store_n(&leave, 1, __ATOMIC_RELEASE);
    return unused;
}

/* What the child finds wrong; 0: nothing. */
static int use_in_child(void) {
    alarm(20);
    for (int k = 0; k < 5; k++) {
        pool_job job;
        begin(&job);
        const double start = pool_now();
        if (pool_end(&job, start + 0.05)) return 1; /* it still works */
        if (pool_now() < start + 0.05) return 2;    /* nobody has waited */
        pthread_t id;
        if (pthread_create(&id, NULL, leave_soon, NULL) != 0) return 3;
        if (!pool_end(&job, 0)) return 4;
        pthread_join(id, NULL);
    }
    return 0;
}

static void *wait_for_job(void *job) {
    pool_end(job, 0);
    return NULL;
}

/* The parent forks while one of its threads waits for a job's end. */
static void after_fork(void **state) {
    pool_job job;
    pthread_t waiter;
    begin(&job);
    assert_int_equal(pthread_create(&waiter, NULL, wait_for_job, &job), 0);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    const pid_t child = fork();
    if (child == 0) _Exit(use_in_child());
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    __atomic_store_n(&leave, 1, __ATOMIC_RELEASE);
    pthread_join(waiter, NULL);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(after_fork)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
