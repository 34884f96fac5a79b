/* What of the device's memory has been written, what the running kernel may still write, and the shadow memory that
 * the checks keep beside an allocation. The allocations themselves are in memory.c. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/memory.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* taken before memory.c's */

static memory_allocation *find(uint64_t address) {
    return (memory_allocation *)memory_find(address);
}

static void put_bits(uint8_t *bits, uint64_t from, uint64_t to) {
    for (; from < to && from % 8 != 0; from++)
        __atomic_fetch_or(&bits[from / 8], (uint8_t)(1u << from % 8), __ATOMIC_RELAXED);
    for (; to - from >= 8; from += 8) __atomic_store_n(&bits[from / 8], 0xff, __ATOMIC_RELAXED);
    for (; from < to; from++) __atomic_fetch_or(&bits[from / 8], (uint8_t)(1u << from % 8), __ATOMIC_RELAXED);
}

static void is_whole(memory_allocation *m) {
    m->whole = 0;
    m->whole_end = UINT64_MAX;
    m->incomplete = false;
}

/* Large copies keep the range that is known to be written as a whole, which accesses are compared with first. */
#define LARGE_WRITE 256

/* No reader may take the old end for the new beginning's. */
static void move_whole(memory_allocation *m, uint64_t first, uint64_t end) {
    m->whole_end = 0;
    m->whole = first;
    m->whole_end = end;
}

static void extend_whole(memory_allocation *m, uint64_t first, uint64_t end) {
    pthread_mutex_lock(&lock);
    if (first <= m->whole_end && end >= m->whole) {
        if (first < m->whole) m->whole = first;
        if (end > m->whole_end) m->whole_end = end;
    } else if (end - first > m->whole_end - m->whole) {
        move_whole(m, first, end);
    }
    pthread_mutex_unlock(&lock);
}

void memory_written(uint64_t address, uint64_t bytes) {
    if (!memory_tracks()) return;
    memory_allocation *m = find(address);
    if (m == NULL || !m->incomplete) return;
    const uint64_t from = address - m->base;
    const uint64_t to = bytes < m->size - from ? from + bytes : m->size;
    if (from == 0 && to == m->size && !m->heap) {
        is_whole(m);
        return;
    }
    put_bits(m->written, from, to);
    if (to - from >= LARGE_WRITE && !m->heap) extend_whole(m, address, m->base + to);
}

void memory_unwritten(uint64_t address, uint64_t bytes) {
    memory_allocation *m = find(address);
    if (m == NULL || !m->incomplete) return;
    for (uint64_t k = address - m->base; bytes > 0 && k < m->size; k++, bytes--)
        __atomic_fetch_and(&m->written[k / 8], (uint8_t) ~(1u << k % 8), __ATOMIC_RELAXED);
}

bool memory_is_written(const memory_allocation *m, uint64_t address, uint64_t bytes) {
    if (!m->incomplete || memory_is_whole(m, address, bytes)) return true;
    uint64_t k = address - m->base;
    const uint64_t end = k + bytes < m->size ? k + bytes : m->size;
    while (k < end) {
        const uint64_t here = 8 - k % 8 < end - k ? 8 - k % 8 : end - k;
        const uint8_t mask = (uint8_t)(((1u << here) - 1) << k % 8);
        if ((__atomic_load_n(&m->written[k / 8], __ATOMIC_RELAXED) & mask) != mask) return false;
        k += here;
    }
    return true;
}

/* ---- what the running kernel may write --------------------------------------------------------------------------- */

/* Under the lock: the range grows so that it holds this, too. */
static void mark(memory_allocation *m, uint64_t from, uint64_t end) {
    if (m->kind == MEMORY_CONSTANT) return;
    if (end > m->base + m->size) end = m->base + m->size;
    const bool none = m->changes_end == 0;
    if (none || from < m->changes) m->changes = from;
    if (none || end > m->changes_end) m->changes_end = end;
}

static void mark_whole(memory_allocation *m, void *changes) {
    m->changes = m->changes_end = 0;
    if (changes != NULL) mark(m, m->base, m->base + m->size);
}

void memory_changes(uint64_t address, uint64_t end) {
    pthread_mutex_lock(&lock);
    memory_allocation *m = address != 0 ? find(address) : NULL;
    if (address == 0) memory_each(mark_whole, &lock);
    if (m != NULL) mark(m, address, end);
    pthread_mutex_unlock(&lock);
}

void memory_unchanged(void) {
    pthread_mutex_lock(&lock);
    memory_each(mark_whole, NULL);
    pthread_mutex_unlock(&lock);
}

void *memory_shadow(const memory_allocation *m, size_t bytes) {
    void *known = __atomic_load_n(&m->shadow, __ATOMIC_ACQUIRE);
    if (known != NULL) return known;
    pthread_mutex_lock(&lock);
    memory_allocation *mine = find(m->base);
    if (mine != NULL && mine->shadow == NULL) {
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        mine->shadow_bytes = bytes;
        if (p != MAP_FAILED) __atomic_store_n(&mine->shadow, p, __ATOMIC_RELEASE);
    }
    known = mine != NULL ? mine->shadow : NULL;
    pthread_mutex_unlock(&lock);
    return known;
}

static void complete(memory_allocation *m, void *unused) {
    if (!m->incomplete || m->heap) return;
    uint64_t k = 0; /* the part from the beginning on */
    while (k < m->size / 8 && m->written[k] == 0xff) k++;
    if (k == m->size / 8 && m->written[k] == (1u << m->size % 8) - 1)
        is_whole(m);
    else if (8 * k > m->whole_end - m->whole)
        move_whole(m, m->base, m->base + 8 * k);
}

void memory_complete(void) {
    pthread_mutex_lock(&lock);
    memory_each(complete, NULL);
    pthread_mutex_unlock(&lock);
}
