#include "machine/functions.h"

#include <pthread.h>

#include "base/memory.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static function *by_number[MOST_FUNCTIONS];
static int count;

bool function_add(function *f) {
    pthread_mutex_lock(&lock);
    int n = count;
    if (n == MOST_FUNCTIONS) /* those of modules that are gone are free again */
        for (n = 0; n < MOST_FUNCTIONS && by_number[n] != NULL; n++) continue;
    const bool room = n < MOST_FUNCTIONS;
    if (room) {
        f->address = memory_arena() + WINDOW_FUNCTION + 16 * (uint64_t)n;
        __atomic_store_n(&by_number[n], f, __ATOMIC_RELEASE);
        if (n == count) __atomic_store_n(&count, n + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return room;
}

static uint64_t number_of(uint64_t address) {
    const uint64_t offset = address - memory_arena() - WINDOW_FUNCTION;
    return offset % 16 == 0 ? offset / 16 : UINT64_MAX;
}

void function_remove(function *f) {
    const uint64_t n = number_of(f->address);
    pthread_mutex_lock(&lock);
    if (n < (uint64_t)count && by_number[n] == f) __atomic_store_n(&by_number[n], NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

const function *function_at(uint64_t address) {
    const uint64_t n = number_of(address);
    return n < (uint64_t)__atomic_load_n(&count, __ATOMIC_ACQUIRE) ? __atomic_load_n(&by_number[n], __ATOMIC_ACQUIRE)
                                                                   : NULL;
}
