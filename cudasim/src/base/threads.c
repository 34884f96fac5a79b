#include "base/threads.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t offered = PTHREAD_COND_INITIALIZER, done;
static pool_job *offer;   /* that threads may still join */
static int threads, idle; /* of the pool */
static int begun;         /* threads of this library; atomic. None of them ends */

double pool_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_done(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&done, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* A child process has none of the threads, and none of them waits for anything any more. */
static void forget_threads(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&offered, NULL);
    make_done();
    offer = NULL;
    threads = idle = begun = 0;
}

static void initialise(void) {
    make_done();
    pthread_atfork(NULL, NULL, forget_threads);
}

bool pool_thread(void *(*run)(void *), void *argument) {
    /* What a mistake of this very thread raises must still reach whoever looks for it. */
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF};
    sigset_t most, before;
    sigfillset(&most);
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) sigdelset(&most, own[k]);
    pthread_sigmask(SIG_SETMASK, &most, &before);
    pthread_t id;
    const bool started = pthread_create(&id, NULL, run, argument) == 0;
    if (started) pthread_detach(id);
    if (started) __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

int pool_other_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) return 1;
    int all = 0;
    for (const struct dirent *e = readdir(tasks); e != NULL; e = readdir(tasks)) all += e->d_name[0] != '.';
    closedir(tasks);
    return all - __atomic_load_n(&begun, __ATOMIC_RELAXED);
}

static void *help(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (offer == NULL || offer->joined == offer->wanted) {
            idle++;
            pthread_cond_wait(&offered, &lock);
            idle--;
        }
        pool_job *job = offer;
        const int number = ++job->joined;
        job->busy++;
        pthread_mutex_unlock(&lock);
        job->work(job->argument, number);
        pthread_mutex_lock(&lock);
        if (--job->busy == 0) pthread_cond_broadcast(&done);
    }
    return unused;
}

void pool_begin(pool_job *job) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (job->wanted == 0) return;
    pthread_once(&once, initialise);
    pthread_mutex_lock(&lock);
    while (threads < job->wanted && pool_thread(help, NULL)) threads++;
    offer = job;
    for (int k = 0; k < job->wanted && k < idle; k++) pthread_cond_signal(&offered);
    pthread_mutex_unlock(&lock);
}

bool pool_end(pool_job *job, double until) {
    if (job->wanted == 0) return true;
    double seconds;
    const double part = modf(until, &seconds);
    const struct timespec limit = {(time_t)seconds, (long)(part * 1e9)};
    pthread_mutex_lock(&lock);
    if (offer == job) offer = NULL;
    int waited = 0;
    while (job->busy > 0 && waited == 0)
        waited = until > 0 ? pthread_cond_timedwait(&done, &lock, &limit) : pthread_cond_wait(&done, &lock);
    const bool over = job->busy == 0;
    pthread_mutex_unlock(&lock);
    return over;
}
