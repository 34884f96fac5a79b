/* Work that goes on while the host does.
 *
 * An operation runs at the call, in the calling thread, and a kernel too, as long as it is done in a moment. One that
 * is not goes on in a thread of the simulator's own, and whatever has to come after it waits in a queue: one for all
 * streams, in the order of the calls, which is an order that every set of streams permits. So a program's results do
 * not depend on how long its kernels take, unless it reads what it has not waited for.
 *
 * The queue's entries are numbered, and are done in the order of their numbers: "done up to n" is all that streams and
 * events have to remember. A kernel gets its number when it begins, in case that it has to join the queue: then at its
 * front, for whatever other threads have put there meanwhile comes after it. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/threads.h"
#include "cuda/graph.h"
#include "predict/predict.h"

/* Seconds that a launch may keep its caller. */
#define A_MOMENT 0.01

typedef struct entry {
    operation op;
    sim_running *running; /* a kernel that has begun, and has the machine */
    struct entry *next;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static entry *first, **last = &first;
static uint64_t newest, done; /* the number last given; all up to there are done */
static int waiting;           /* threads of the host's that wait for the queue */
static bool has_thread;
static _Thread_local bool in_queue; /* the thread that runs the queue */

/* The thread that runs kernels, frees memory or unloads modules. */
static struct {
    pthread_t thread;
    int depth;
    bool queues; /* the queue's thread, or the one that it has yet to continue for */
} machine;

static bool machine_mine(void) {
    return machine.depth > 0 && (machine.queues ? in_queue : pthread_equal(machine.thread, pthread_self()));
}

static void machine_take(void) {
    machine.thread = pthread_self();
    machine.queues = in_queue;
    machine.depth++;
}

static void machine_release(void) {
    if (--machine.depth == 0) pthread_cond_broadcast(&changed);
}

/* Waits for a change, and lets the watchdog know that the host can do nothing else meanwhile. */
static void wait_for_change(void) {
    sim_host_waits(++waiting);
    pthread_cond_wait(&changed, &lock);
    sim_host_waits(--waiting);
}

void machine_lock(void) {
    pthread_mutex_lock(&lock);
    while (!machine_mine() && (machine.depth > 0 || (first != NULL && !in_queue))) wait_for_change();
    machine_take();
    pthread_mutex_unlock(&lock);
}

bool machine_try_lock(void) {
    pthread_mutex_lock(&lock);
    const bool got = machine_mine() || (machine.depth == 0 && first == NULL);
    if (got) machine_take();
    pthread_mutex_unlock(&lock);
    return got;
}

void machine_unlock(void) {
    pthread_mutex_lock(&lock);
    machine_release();
    pthread_mutex_unlock(&lock);
}

bool queue_done(uint64_t number) {
    pthread_mutex_lock(&lock);
    const bool is = done >= number;
    pthread_mutex_unlock(&lock);
    if (!is) sched_yield(); /* whoever asks in a loop leaves the kernel a processor */
    return is;
}

void queue_wait(uint64_t number) {
    pthread_mutex_lock(&lock);
    while (!in_queue && done < number) wait_for_change();
    pthread_mutex_unlock(&lock);
}

void queue_wait_all(void) {
    pthread_mutex_lock(&lock);
    const uint64_t number = newest;
    pthread_mutex_unlock(&lock);
    queue_wait(number);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* The machine's owner, after a launch. */
static cudaError_t kernel_over(sim_status status) {
    memory_access_end();
    runtime_lock(); /* other calls hold it while they look at an allocation */
    memory_quiesce();
    runtime_unlock();
    /* A lack of host memory is the launch's own error; later calls return the others. */
    if (status == SIM_NO_MEMORY) return cudaErrorMemoryAllocation;
    if (status != SIM_OK) runtime_set_sticky(operation_error(status));
    return cudaSuccess;
}

static sim_running *kernel_begin(const kernel_operation *k, sim_status *status) {
    memory_access_begin(); /* until kernel_over */
    *status = SIM_OK;
    if (runtime_sticky()) return NULL;
    predict_launch(k->function->kernel, &k->config, k->params, k->params_size);
    if (predict_replaces()) return NULL;
    *status = SIM_NO_MEMORY; /* if it does not begin */
    return sim_launch_begin(k->function->kernel, &k->config, k->params);
}

/* Works on it to its end. After a moment it is one that goes on while the host does. */
static sim_status kernel_finish(sim_running *running) {
    sim_status status;
    double until = pool_now() + A_MOMENT;
    sim_launch_work(running, 0, until);
    if (sim_launch_end(running, until, &status)) return status;
    sim_launch_work(running, 0, 0);
    sim_launch_end(running, 0, &status);
    return status;
}

/* ---- the queue's thread ------------------------------------------------------------------------------------------ */

static void run(entry *e) {
    sim_status status = SIM_OK;
    if (e->op.type != cudaGraphNodeTypeKernel) {
        operation_run(&e->op);
        return;
    }
    if (e->running == NULL) e->running = kernel_begin(&e->op.kernel, &status);
    if (e->running != NULL) status = kernel_finish(e->running);
    const cudaError_t error = kernel_over(status);
    if (error) runtime_set_sticky(error); /* its call has long returned */
}

static void *run_queue(void *unused) {
    in_queue = true;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (first == NULL || (first->running == NULL && machine.depth > 0)) pthread_cond_wait(&changed, &lock);
        entry *e = first; /* and stays it while the queue has the machine */
        if (e->running == NULL) machine_take();
        pthread_mutex_unlock(&lock);
        run(e);
        operation_free(&e->op);
        pthread_mutex_lock(&lock);
        first = e->next;
        if (first == NULL) last = &first;
        free(e);
        done++;
        machine_release();
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

/* A child process has neither the thread nor what it did. */
static void forget(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&changed, NULL);
    first = NULL;
    last = &first;
    done = newest;
    machine.depth = waiting = 0;
    has_thread = false;
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, forget);
}

/* Under the lock; false where there is no thread for it. */
static bool insert(entry *e, entry **at) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (!has_thread) has_thread = pool_thread(run_queue, NULL);
    if (!has_thread) return false;
    e->next = *at;
    *at = e;
    if (e->next == NULL) last = &e->next;
    pthread_cond_broadcast(&changed);
    return true;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* A kernel that ran at its launch has ended: the machine is free. */
static cudaError_t launch_over(launching *l, sim_status status) {
    const cudaError_t error = kernel_over(status);
    pthread_mutex_lock(&lock);
    done = l->number;
    machine_release();
    pthread_mutex_unlock(&lock);
    l->number = 0;
    return error;
}

cudaError_t queue_end(launching *l) {
    sim_status status;
    if (sim_launch_end(l->running, l->until, &status)) return launch_over(l, status);
    entry *e = calloc(1, sizeof *e);
    pthread_mutex_lock(&lock);
    if (e != NULL) *e = (entry){.op = {.type = cudaGraphNodeTypeKernel}, .running = l->running};
    const bool queued = e != NULL && insert(e, &first);
    if (queued) machine.queues = true;
    pthread_mutex_unlock(&lock);
    if (queued) return cudaSuccess;
    free(e);
    return launch_over(l, kernel_finish(l->running));
}

static cudaError_t enqueue(const operation *op, uint64_t *number) {
    entry *e = calloc(1, sizeof *e);
    if (e == NULL) return cudaErrorMemoryAllocation;
    cudaError_t error = operation_clone(&e->op, op);
    if (!error) {
        pthread_mutex_lock(&lock);
        if (insert(e, last))
            *number = ++newest;
        else
            error = cudaErrorMemoryAllocation;
        pthread_mutex_unlock(&lock);
        if (error) operation_free(&e->op);
    }
    if (error) free(e);
    return error;
}

/* Runs it now, or begins it, or puts it in the queue. */
static cudaError_t begin_or_enqueue(const operation *op, uint64_t after, launching *l) {
    const bool kernel = op->type == cudaGraphNodeTypeKernel;
    if (in_queue) { /* a host function's call */
        if (kernel) run(&(entry){.op = *op});
        return kernel ? cudaSuccess : operation_run(op);
    }
    pthread_mutex_lock(&lock);
    /* A kernel that another thread launches is over in a moment, or in the queue. */
    while (kernel && first == NULL && machine.depth > 0 && !machine_mine()) pthread_cond_wait(&changed, &lock);
    const bool now = kernel ? first == NULL : done >= after;
    if (now && kernel) {
        machine_take();
        l->number = ++newest;
    }
    pthread_mutex_unlock(&lock);
    if (!now) return enqueue(op, &l->number);
    if (!kernel) return operation_run(op);
    sim_status status;
    l->running = kernel_begin(&op->kernel, &status);
    l->until = pool_now() + A_MOMENT;
    return l->running != NULL ? cudaSuccess : launch_over(l, status);
}

/* A graph's nodes in order, after the work of number `after`. */
static cudaError_t run_graph(cudaGraph_t graph, uint64_t after, uint64_t *number) {
    cudaGraphNode_t *order;
    runtime_lock();
    cudaError_t error = graph_sort(graph, &order);
    runtime_unlock();
    for (size_t i = 0; !error && i < graph->count; i++) {
        uint64_t own;
        error = queue_run(&order[i]->op, after, &own);
        if (own > after) after = *number = own;
    }
    free(order);
    return error;
}

cudaError_t queue_begin(const operation *op, uint64_t after, launching *l) {
    l->running = NULL;
    l->number = 0;
    if (runtime_sticky() && !(op->type == cudaGraphNodeTypeHost && op->host.callback)) return runtime_sticky();
    if (op->type == cudaGraphNodeTypeGraph) return run_graph(op->graph, after, &l->number);
    if (op->type == cudaGraphNodeTypeWaitEvent) {
        l->number = event_number(op->event);
        return cudaSuccess;
    }
    cudaError_t error = begin_or_enqueue(op, after, l);
    if (op->type == cudaGraphNodeTypeEventRecord && !error) event_recorded(op->event, l->number);
    return error;
}

cudaError_t queue_run(const operation *op, uint64_t after, uint64_t *number) {
    launching l;
    cudaError_t error = queue_begin(op, after, &l);
    if (l.running != NULL) {
        sim_launch_work(l.running, 0, l.until);
        error = queue_end(&l);
    }
    *number = l.number;
    return error;
}
