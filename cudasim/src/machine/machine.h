/* The machine: warps, blocks, launches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/threads.h"
#include "isa/insn.h"
#include "machine/launch.h"

/* One activation of a function by some lanes of a warp. */
typedef struct frame {
    struct frame *caller;
    const function *function;
    uint8_t *registers;
    affine *affine;      /* after them */
    uint32_t local_base; /* offset of its .local and .param memory in each thread's stack */
    uint32_t return_pc;
    const call_site *site;
    uint32_t lanes; /* still inside */
    uint32_t carry; /* CC.CF, a lane a bit */
    int depth;
    uint32_t capacity;         /* bytes at `registers` */
    struct run_counts *counts; /* machine/observe.h; NULL where nobody counts */
    struct frame *next;        /* of all frames of a worker, in use or not */
} frame;

/* Lanes of a warp that stand at the same instruction of the same frame. */
typedef enum group_state {
    GROUP_READY,
    GROUP_AT_BARRIER,
    GROUP_AT_WARP_SYNC,
    GROUP_POLLING,
    GROUP_AT_MBARRIER,
    GROUP_AT_WARPGROUP,
    GROUP_AT_REGISTERS
} group_state;
typedef struct group {
    frame *frame;
    uint32_t pc;
    uint32_t lanes;
    group_state state;
    uint32_t wanted; /* the member mask waited for, or the barrier's number, or the mbarrier's offset */
} group;

typedef struct warp {
    /* the running group, unpacked */
    uint8_t *registers;
    affine *affine;
    const insn *code;
    uint32_t pc;      /* the next instruction */
    uint32_t active;  /* its lanes */
    uint32_t meet_pc; /* where another group of this frame waits ahead, else UINT32_MAX */
    uint32_t event;   /* not 0: leave the loop */
    frame *frame;
    frame *entry_frame;
    struct block *block;
    struct launch *launch;
    struct worker *worker;
    uint8_t *stack; /* LANES stacks of launch->stack_bytes, a lane after the other */
    uint32_t index; /* in the block */
    uint32_t lanes; /* that exist */
    uint32_t exited;
    int64_t budget; /* backward branches left before others get their turn */
    int current;    /* the running group's place in groups[] */
    int group_count;
    group groups[LANES + 2]; /* one may be empty for a moment */
    bool runnable;
    uint32_t tid[3][LANES];
    struct async_copies *async;               /* cp.async, not yet waited for */
    uint32_t cluster_arrived, cluster_passed; /* machine/cluster.c */
    uint32_t ran_ahead;                       /* lanes before whose instruction the cluster's other blocks have run */
    uint32_t wait_expired;                    /* lanes whose mbarrier.try_wait has waited long enough */
    uint32_t careful;                         /* observer.careful of those that look at each instruction; 0: nobody */
} warp;

/* ---- blocks and launches ----------------------------------------------------------------------------------------- */

#define BARRIERS 16
typedef struct barrier {
    uint32_t arrived; /* threads */
    uint32_t absent;  /* threads that never were or have exited, of warps all of whose others have come */
    uint32_t count;   /* threads expected, the absent ones included; 0: all of the block that have not exited */
    uint32_t reduced; /* bar.red: how many predicates held */
    bool red_and, red_or;
    bool waiting;
} barrier;

typedef struct block {
    struct launch *launch;
    struct worker *worker;
    struct block *next; /* in the worker's queue */
    uint32_t ctaid[3];
    uint64_t index;
    uint8_t *shared;     /* host memory behind shared addresses 0.. */
    uint32_t shared_end; /* first address past the block's shared memory */
    uint32_t live;       /* threads that have not exited */
    /* Since the worker last looked: a thread has ended or passed a barrier; has looked at what others may write; has
     * changed memory by an atomic operation. */
    bool progressed, polled, changed;
    int stale;               /* turns without any of them */
    uint64_t state;          /* a checksum of all registers, some turns ago */
    struct cluster *cluster; /* that it is one of, of itself alone at least */
    uint32_t rank;           /* in there */
    uint32_t ran_ahead;      /* machine/cluster.c */
    int begun;               /* turns before the cluster's first barrier */
    bool waits;              /* no thread can go on before another block of the cluster does */
    barrier barriers[BARRIERS];
    int warp_count;
    warp *warps;
    struct mbarriers *mbarriers; /* machine/mbarrier.c */
    struct bulk_copies *bulk;    /* machine/bulk.c */
    uint32_t *dirty;             /* machine/proxy.h; NULL where no instruction uses the asynchronous proxy */
    bool unfenced;               /* some are */
    int expiries;                /* times that every thread waited and none had progressed since */
    struct wgmma_block *wgmma;   /* machine/wgmma.c; NULL until it is needed */
    void *checks;                /* check/check.c; NULL where nobody does */
} block;

/* A host thread that executes blocks. */
#define RECENT_ALLOCATIONS 64
typedef struct worker {
    struct launch *launch;
    struct block *queue, *queue_end;                     /* begun and not done; the first is next */
    struct warp *running;                                /* the one whose turn it is */
    struct cluster *clusters, *free_clusters;            /* all, and those at hand */
    struct frame *frames, *free_frames;                  /* but for the blocks' own */
    const memory_allocation *recent[RECENT_ALLOCATIONS]; /* by pc: what that instruction last touched */
    void *escape;                                        /* jmp_buf of the worker's loop */
    double shown;                                        /* when the launching thread's last showed progress */
    double others_until;                                 /* till then some thread of the host's may help */
    bool done;                                           /* nothing is left for it to do */
} worker;

typedef struct launch {
    const function *entry;
    sim_launch_config given;
    const sim_launch_config *config; /* the same */
    uint8_t *params;
    uint32_t param_bytes;
    uint32_t shared_end;
    unsigned registers, static_shared, own_registers; /* launch_spec */
    uint32_t threads;                                 /* a block */
    uint64_t blocks;                                  /* in the grid */
    uint32_t cluster_size;                            /* blocks */
    uint64_t stack_bytes;                             /* a thread; 0 where nothing uses the stack */
    uint64_t grid_workspace;                          /* of cooperative groups: %envreg1, %envreg2 */
    unsigned long next_block, done_blocks;            /* atomic */
    unsigned long resident;                           /* blocks begun and not done; atomic */
    unsigned long resident_limit;
    unsigned long progress; /* atomic: exits and barriers passed */
    int stop, faulted;      /* atomic */
    sim_status status;
    struct observer *observer; /* who watches; NULL: nobody */
    void *watched;             /* what the observers keep of it */
    int worker_count;
    bool counts_repeats;    /* one of them counts, and takes repeated accesses together: observer.repeated */
    bool hooks_before;      /* one of them has a hook before an access; */
    bool hooks_after;       /* after it; */
    uint32_t hooked_spaces; /* for which spaces the others have a hook, a bit each */
    struct observer *quick; /* the only one of those, where its observer.quick may be asked */
    bool async_proxy;       /* the module uses the asynchronous proxy */
    double patience;        /* seconds without progress until the watchdog stops it; 0: for ever */
    int unattended;         /* atomic: the launching thread has gone on, and may do what the kernel waits for */
    int warned_of_waiting;  /* atomic: the user knows that it seems to wait for the host */
    worker *workers;        /* the launching thread's first */
    pool_job helpers;       /* those of the others, */
    bool offered;           /* once it is */
    double begun;
} launch;
