/* The device's memory: every allocation a program can point at, and how addresses are told apart.
 *
 * One range of virtual addresses (the arena, reserved once, committed as it is used) holds all of it, so that a device
 * pointer is a plain host pointer and no address can be mistaken for host memory:
 *   arena + 0           4 GB of windows: the generic addresses of shared, local and parameter memory and of functions
 *   arena + 4 GB ...    large allocations (from 1 MB), with nothing mapped around them, or in their place once freed
 *   its last quarter    small ones, the device's own and those that the host may touch, each in one mapping, since the
 *                       host's kernel has a limit on mappings (vm.max_map_count) that a program with many allocations
 *                       would meet
 * Each allocation has pages of its own, and the page after it is no one's.
 * Pinned and managed memory is allocated here, too; memory of the program's own that it registers (cudaHostRegister)
 * stays where it is (unified addressing).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Windows of the generic address space, bytes from memory_arena(). A 32-bit shared address is an offset into its
 * window; offset 0..1023 is reserved, as on sm_90. */
#define WINDOW_SHARED   0x10000000u /* 256 MB: [cluster rank 0..15] x 16 MB */
#define WINDOW_LOCAL    0x40000000u /* the running thread's own */
#define WINDOW_PARAM    0x60000000u /* the kernel's parameters */
#define WINDOW_FUNCTION 0x70000000u /* 16 bytes a function */
#define WINDOW_END      0x80000000u
#define WINDOW_SIZE     0x10000000u
#define SHARED_RESERVED 1024u

typedef enum memory_kind {
    MEMORY_DEVICE,   /* cudaMalloc and its relatives, and the device's own malloc */
    MEMORY_VARIABLE, /* a __device__ variable */
    MEMORY_CONSTANT, /* a __constant__ variable: kernels may not write it (on a GPU, through a pointer, they can) */
    MEMORY_HOST,     /* pinned or registered host memory */
    MEMORY_MANAGED   /* of both: cudaMallocManaged, a __managed__ variable */
} memory_kind;

typedef struct memory_allocation {
    uint64_t base;
    uint64_t size; /* bytes asked for: access is checked against this, not against pages */
    memory_kind kind;
    int device;
    unsigned flags;          /* for the runtime: cudaHostAlloc's */
    bool heap;               /* of the kernels' malloc */
    uint64_t serial;         /* 1, 2, 3 ... in order of allocation */
    const char *name;        /* of a variable; else NULL */
    uint8_t *written;        /* a bit a byte, for memory_track; NULL: nobody asks */
    _Atomic bool incomplete; /* not all of it has been written, but all from here to here: memory_is_whole */
    _Atomic uint64_t whole, whole_end;
    _Atomic uint64_t changes, changes_end; /* the running kernel may write from here to here: memory_changes */
    void *shadow;                          /* memory_shadow */
    size_t shadow_bytes;                   /* its size, 0 without one */
    const struct memory_part *parts;       /* all that kernels may touch (base/parts.h); NULL: all of it */
} memory_allocation;

/* From now on the bytes of device memory that is allocated are known as written or not: by memory_written, which copies
 * and stores call. What is reserved otherwise counts as written. */
void memory_track(bool on);
bool memory_tracks(void);
void memory_written(uint64_t address, uint64_t bytes);
/* Objects of the kernels' malloc begin anew: nothing has written them. */
void memory_unwritten(uint64_t address, uint64_t bytes);
bool memory_is_written(const memory_allocation *m, uint64_t address, uint64_t bytes);
/* Does it lie within the range that is written as a whole? Another thread may be moving that: then its end is another.
 */
static inline bool memory_is_whole(const memory_allocation *m, uint64_t address, uint64_t bytes) {
    const uint64_t end = m->whole_end;
    return address + bytes <= end && address >= m->whole && m->whole_end == end;
}
/* Calls `each` for what the program has allocated on the device and not freed, oldest first. */
void memory_leaks(void (*each)(const memory_allocation *m));
/* Looks which allocations have been written to the last byte. */
void memory_complete(void);

/* Says that the running kernel may write the allocation that holds `address`, from there to `end` or to its own end (0:
 * any memory); and that none runs any more. */
void memory_changes(uint64_t address, uint64_t end);
void memory_unchanged(void);
static inline bool memory_may_change(const memory_allocation *m, uint64_t address, uint64_t bytes) {
    return address < m->changes_end && address + bytes > m->changes;
}
/* Memory beside the allocation for whoever keeps books of it: `bytes`, zeros at first, and taken from the host page by
 * page as they are touched. It lives as long as the allocation. NULL: there is no address space. */
void *memory_shadow(const memory_allocation *m, size_t bytes);

/* Base of the arena; reserves it on first use (aborts with one line where no address space is left). */
uint64_t memory_arena(void);

/* `size` bytes (> 0), aligned to at least 256 and to `align` (a power of two), zero-filled. For MEMORY_HOST with
 * `at` != NULL registers that range instead of making one. 0 when the modelled device's memory (or the host's) is
 * exhausted, or the range overlaps a registered one. Thread-safe, as all of these. */
uint64_t memory_allocate(uint64_t size, uint64_t align, memory_kind kind, const char *name, void *at);

/* Frees what memory_allocate made (registered memory is only forgotten). False if `base` is no live allocation's. The
 * addresses are not given out again while others are left, so that use after free is noticed. */
bool memory_free(uint64_t base);

/* The live allocation that holds `address`, or NULL. Lock-free. The pointer stays valid until memory_quiesce. */
const memory_allocation *memory_find(uint64_t address);

/* Calls `each` for every live allocation; it may not call what takes the table's lock. */
void memory_each(void (*each)(memory_allocation *m, void *argument), void *argument);

/* For messages: the live or freed allocation nearest to `address`. False if there is none. */
bool memory_nearest(uint64_t address, memory_allocation *nearest, bool *freed);

/* No kernel is running: what frees have left over may be given back to the host. */
void memory_quiesce(void);

/* Bytes of device memory: the model's total (at most what the host has), and what is left of it. */
void memory_info(uint64_t *free_bytes, uint64_t *total_bytes);

/* From now on the host's own code may not touch what is only the device's: its pages are protected but while somebody
 * has access, as a kernel, a copy or a fill must. Accesses nest, and those of several threads may overlap. */
void memory_guard(void);
void memory_access_begin(void);
void memory_access_end(void);

/* cudaDeviceReset: every allocation but registered host memory goes. */
void memory_reset(void);

/* Whether the address lies in the arena, in a live allocation or not: then it is no host program's. */
bool memory_in_arena(uint64_t address);

/* Sets the `flags` of a live allocation; says that it is the heap of the kernels' malloc, which no cudaFree may end;
 * sets its `parts`. */
void memory_set_flags(uint64_t base, unsigned flags);
void memory_set_heap(uint64_t base);
void memory_set_parts(uint64_t base, const struct memory_part *parts);
