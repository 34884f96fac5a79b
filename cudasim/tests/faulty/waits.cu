/* Copies that nobody waits for or that come too early, mbarriers, and operands of wgmma without their order. */
#include <cuda_pipeline.h>

#include "faulty.h"
#include "wgmma.h"

static __device__ void copy_16(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
static __device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> static __device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* ---- cp.async ---- */

__global__ void no_wait(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT no-wait
    commit();
    __syncthreads();
    g[threadIdx.x] = s[threadIdx.x]; // FAULT no-wait
}
__global__ void waits_for_too_few(int *g, int n) {
    __shared__ __align__(16) int s[2][4 * 32];
    copy_16(s[0] + 4 * threadIdx.x, g + 4 * threadIdx.x);
    commit();
    copy_16(s[1] + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT no-wait
    commit();
    wait_group<1>();
    __syncthreads();
    g[threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x]; // FAULT no-wait
}
__global__ void no_barrier_after_wait(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT race
    commit();
    wait_group<0>();
    g[threadIdx.x] = s[4 * T - 1 - threadIdx.x]; // FAULT race and uninitialised
}
/* Two copies to one place: whichever comes last is the one that others race with. */
__global__ void copied_twice(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x);                     // FAULT no-wait
    __pipeline_memcpy_async(s + 4 * threadIdx.x, g + 4 * threadIdx.x, 16); // FAULT no-wait and race
    commit();
    wait_group<0>();
    g[512 + threadIdx.x] = s[4 * T - 1 - threadIdx.x]; // FAULT race and uninitialised
}
__global__ void written_while_it_is_copied(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT no-wait
    s[4 * threadIdx.x] = 5;                            // FAULT no-wait
    commit();
    wait_group<0>();
    __syncthreads();
    g[512 + threadIdx.x] = s[4 * T - 1 - threadIdx.x];
}
__global__ void written_by_others_while_it_is_copied(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT no-wait and race
    commit();
    __syncthreads();
    s[4 * (T - 1 - threadIdx.x)] = 5; // FAULT no-wait and race
    wait_group<0>();
    __syncthreads();
    g[512 + threadIdx.x] = s[4 * T - 1 - threadIdx.x];
}
__global__ void copies_over_what_is_read(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT race
        commit();
        wait_group<0>();
        __syncthreads();
        sum += s[4 * T - 1 - threadIdx.x]; // FAULT race
    }
    g[threadIdx.x] = sum;
}
__global__ void ok_pipeline(int *g, int n) {
    __shared__ __align__(16) int s[2][4 * 32];
    int sum = 0;
    copy_16(s[0] + 4 * threadIdx.x, g + 4 * threadIdx.x);
    commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) copy_16(s[(k + 1) % 2] + 4 * threadIdx.x, g + 4 * threadIdx.x);
        commit();
        wait_group<1>();
        __syncthreads();
        sum += s[k % 2][127 - threadIdx.x];
        __syncthreads();
    }
    g[threadIdx.x] = sum;
}

/* ---- mbarriers and bulk copies ---- */

/* The consumers free a stage before they have read it. */
__global__ void released_too_early(int *g, int n) {
    __shared__ int s[64];
    __shared__ unsigned long long full, empty;
    if (threadIdx.x == 0) mbarrier_init(&full, 64), mbarrier_init(&empty, 64);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x < 64) {
            if (k > 0) mbarrier_wait(&empty, 0);
            s[threadIdx.x] = g[threadIdx.x + k]; // FAULT race
            mbarrier_arrive(&full);
        } else {
            mbarrier_wait(&full, k);
            mbarrier_arrive(&empty);
            g[threadIdx.x + (k + 1) * T] = s[127 - threadIdx.x]; // FAULT race
        }
    }
}
__global__ void ok_stages(int *g, int n) {
    __shared__ int s[64];
    __shared__ unsigned long long full, empty;
    if (threadIdx.x == 0) mbarrier_init(&full, 64), mbarrier_init(&empty, 64);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x < 64) {
            if (k > 0) mbarrier_wait(&empty, 0);
            s[threadIdx.x] = g[threadIdx.x + k];
            mbarrier_arrive(&full);
        } else {
            mbarrier_wait(&full, k);
            int x = s[127 - threadIdx.x];
            mbarrier_arrive(&empty);
            g[threadIdx.x + (k + 1) * T] = x;
        }
    }
}
__global__ void mbarrier_not_awaited(int *g, int n) {
    __shared__ int s[64];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) mbarrier_init(&full, 64);
    __syncthreads();
    if (threadIdx.x < 64) {
        s[threadIdx.x] = g[threadIdx.x]; // FAULT race
        mbarrier_arrive(&full);
    } else {
        g[threadIdx.x] = s[127 - threadIdx.x]; // FAULT race and uninitialised
    }
}
__global__ void mbarrier_init_unseen(int *g, int n) {
    __shared__ unsigned long long full;
    if (threadIdx.x == 96) mbarrier_init(&full, 64); // FAULT race
    if (threadIdx.x >= 96) __syncwarp();
    if (threadIdx.x < 64) __nanosleep(1000);
    if (threadIdx.x < 64) {
        for (int k = 0; k < 9999; k++) __nanosleep(1000);
        mbarrier_arrive(&full); // FAULT race
    }
}
__global__ void bulk_not_awaited(int *g, int n) {
    __shared__ __align__(16) int s[T];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof s);
        bulk_load(s, g, sizeof s, &full); // FAULT no-wait
    }
    __syncthreads();
    g[threadIdx.x] = s[threadIdx.x]; // FAULT no-wait and race
    mbarrier_wait(&full, 0);
}
/* One thread waits; the others have no order behind the copy. */
__global__ void bulk_awaited_by_one(int *g, int n) {
    __shared__ __align__(16) int s[T];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&full, sizeof s);
        bulk_load(s, g, sizeof s, &full); // FAULT race
        mbarrier_wait(&full, 0);
        *(volatile int *)(g + 200) = 1;
    }
    if (threadIdx.x >= 32) {
        while (*(volatile int *)(g + 200) != 1) __nanosleep(100);
        g[threadIdx.x] = s[threadIdx.x]; // FAULT race
    }
}
__global__ void ok_bulk(int *g, int n) {
    __shared__ __align__(16) int s[T];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&full, sizeof s);
        bulk_load(s, g, sizeof s, &full);
    }
    mbarrier_wait(&full, 0);
    g[threadIdx.x] = s[T - 1 - threadIdx.x];
}
__global__ void bulk_over_what_is_read(int *g, int n) {
    __shared__ __align__(16) int s[T];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) mbarrier_init(&full, 1);
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x == 0) {
            mbarrier_expect(&full, sizeof s);
            bulk_load(s, g, sizeof s, &full); // FAULT race
        }
        mbarrier_wait(&full, k);
        sum += s[T - 1 - threadIdx.x]; // FAULT race and no-wait
    }
    g[threadIdx.x] = sum;
}
__global__ void bulk_store_too_early(int *g, int n) {
    __shared__ __align__(16) int s[T];
    s[threadIdx.x] = g[threadIdx.x]; // FAULT race
    asm volatile("fence.proxy.async;" ::: "memory");
    if (threadIdx.x == 96) {
        unsigned from = shared_address(s);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(g + 512),
                     "r"(from)); // FAULT race
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
__global__ void bulk_source_reused(int *g, int n) {
    __shared__ __align__(16) int s[T];
    s[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512; cp.async.bulk.commit_group;" ::"l"(g + 512),
            "r"(shared_address(s))
            : "memory");
    __syncthreads();
    s[threadIdx.x] = 7; // FAULT illegal instruction
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- what copies read ---- */

/* The source is written while the copy may still read it. */
__global__ void source_written_meanwhile(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT race
    commit();
    __syncthreads();
    g[4 * T - 1 - threadIdx.x] = 7; // FAULT race
    wait_group<0>();
    __syncthreads();
    g[768 + threadIdx.x] = s[threadIdx.x];
}
__global__ void unwritten_source(int *fresh, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, fresh + 4 * threadIdx.x); // FAULT uninitialised
    commit();
    wait_group<0>();
    __syncthreads();
    fresh[512 + threadIdx.x] = s[threadIdx.x] + 1; // FAULT uninitialised
}
/* Of a row more is copied than anybody looks at, and what is not copied is zero. */
__global__ void ok_copied_and_not_used(int *fresh, int n) {
    __shared__ __align__(16) int s[4 * T];
    if (threadIdx.x % 4 < 2) fresh[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(s + 4 * threadIdx.x)),
                 "l"(fresh + 4 * threadIdx.x), "r"(threadIdx.x < T / 4 ? 16 : 0)
                 : "memory");
    commit();
    wait_group<0>();
    __syncthreads();
    fresh[512 + threadIdx.x] = (threadIdx.x % 4 < 2 ? s[threadIdx.x] : 0) + s[T + threadIdx.x] + 1;
}
__global__ void unwritten_bulk_source(int *fresh, int n) {
    __shared__ __align__(16) int s[T];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) mbarrier_init(&full, 1);
    if (threadIdx.x != 100) fresh[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&full, sizeof s);
        bulk_load(s, fresh, sizeof s, &full); // FAULT uninitialised
    }
    mbarrier_wait(&full, 0);
    fresh[512 + threadIdx.x] = s[T - 1 - threadIdx.x] + 1; // FAULT uninitialised
}
__global__ void unwritten_bulk_store(int *g, int n) {
    __shared__ __align__(16) int s[T];
    if (threadIdx.x != 100) s[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned from = shared_address(s);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(g + 512),
                     "r"(from)); // FAULT uninitialised
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
__global__ void bulk_addition_to_nothing(int *fresh, int n) {
    __shared__ __align__(16) int s[T];
    s[threadIdx.x] = 1;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned from = shared_address(s);
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 512;" ::"l"(fresh),
                     "r"(from)); // FAULT uninitialised
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
__global__ void source_of_another_block(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    if (blockIdx.x == 1) {
        g[threadIdx.x] = 7; // FAULT race
        return;
    }
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT race
    commit();
    wait_group<0>();
    __syncthreads();
    g[768 + threadIdx.x] = s[threadIdx.x];
}
__global__ void ok_source_written_later(int *g, int n) {
    __shared__ __align__(16) int s[4 * T];
    copy_16(s + 4 * threadIdx.x, g + 4 * threadIdx.x);
    commit();
    wait_group<0>();
    __syncthreads();
    g[4 * T - 1 - threadIdx.x] = s[threadIdx.x];
}
__global__ void bulk_source_in_global_memory(int *g, int n) {
    __shared__ __align__(16) int s[T];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&full, sizeof s);
        bulk_load(s, g, sizeof s, &full); // FAULT race
    }
    if (threadIdx.x == 96) g[5] = 7; // FAULT race
    mbarrier_wait(&full, 0);
    g[T + threadIdx.x] = s[T - 1 - threadIdx.x];
}
/* The destination of a bulk store, written by another block as well. */
__global__ void bulk_stores_to_one_place(int *g, int n) {
    __shared__ __align__(16) int s[T];
    s[threadIdx.x] = (int)blockIdx.x + 7;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned from = shared_address(s);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(g + 256),
                     "r"(from)); // FAULT race
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
__global__ void ok_bulk_source_reused(int *g, int n) {
    __shared__ __align__(16) int s[T];
    s[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512; cp.async.bulk.commit_group; "
                     "cp.async.bulk.wait_group.read 0;" ::"l"(g + 512),
                     "r"(shared_address(s))
                     : "memory");
    __syncthreads();
    s[threadIdx.x] = 7;
}
/* One thread waits until the source has been read, and the others do not wait for it. */
__global__ void bulk_source_reused_by_others(int *g, int n) {
    __shared__ __align__(16) int s[T];
    s[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 96) {
        unsigned from = shared_address(s);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(g + 512),
                     "r"(from)); // FAULT race
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    if (threadIdx.x < 96) s[threadIdx.x] = 7; // FAULT race
}

/* ---- wgmma ---- */

__global__ void operand_written_too_early(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    fill_matrices(a, b, g);
    multiply(d, a, b);                                 // FAULT no-wait
    if (threadIdx.x / 32 == 2) a[4 * threadIdx.x] = 5; // FAULT no-wait
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}
__global__ void operand_copied_over_too_early(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    fill_matrices(a, b, g);
    multiply(d, a, b);
    if (threadIdx.x < 16) copy_16(b + 4 * threadIdx.x, g + 4 * threadIdx.x); // FAULT no-wait
    commit();
    multiplied(d);
    wait_group<0>();
    g[512 + threadIdx.x] = (int)d[0];
}
/* All have waited but they do not wait for one another: of the operands each thread writes what all read. */
__global__ void ok_operand_written_later(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    fill_matrices(a, b, g);
    multiply(d, a, b);
    multiplied(d);
    a[4 * threadIdx.x] = 5;
    g[512 + threadIdx.x] = (int)d[0];
}
__global__ void operand_without_barrier(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    fill_matrices(a, b, g);
    a[4 * threadIdx.x] = (int)threadIdx.x; // FAULT race and no-wait
    asm volatile("fence.proxy.async;" ::: "memory");
    multiply(d, a, b); // FAULT race
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}

__global__ void operand_unwritten(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    if (threadIdx.x != 100) fill_one(a, g);
    if (threadIdx.x < 64) b[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    multiply(d, a, b); // FAULT uninitialised
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}
/* The operand is written, by a copy, but what has been copied is not. */
__global__ void operand_copied_unwritten(int *fresh, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    copy_16(a + 4 * threadIdx.x, fresh + 4 * threadIdx.x); // FAULT uninitialised
    if (threadIdx.x < 64) b[threadIdx.x] = 0;
    commit();
    wait_group<0>();
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    multiply(d, a, b); // FAULT uninitialised
    multiplied(d);
    fresh[512 + threadIdx.x] = (int)d[0];
}

#define FRESH(name)                                                                                                    \
    { #name, name, 1, T, 0, true }
FAULTY_MAIN(CASE(no_wait, 1, T), CASE(waits_for_too_few, 1, 32), CASE(no_barrier_after_wait, 1, T),
            CASE(copied_twice, 1, T), CASE(written_while_it_is_copied, 1, T),
            CASE(written_by_others_while_it_is_copied, 1, T), CASE(copies_over_what_is_read, 1, T),
            CASE(ok_pipeline, 1, 32), CASE(released_too_early, 1, T), CASE(ok_stages, 1, T),
            CASE(mbarrier_not_awaited, 1, T), CASE(mbarrier_init_unseen, 1, T), CASE(bulk_not_awaited, 1, T),
            CASE(bulk_awaited_by_one, 1, 64), CASE(ok_bulk, 1, T), CASE(bulk_over_what_is_read, 1, T),
            CASE(bulk_store_too_early, 1, T), CASE(bulk_source_reused, 1, T), CASE(source_written_meanwhile, 1, T),
            FRESH(unwritten_source), FRESH(ok_copied_and_not_used), FRESH(unwritten_bulk_source),
            CASE(unwritten_bulk_store, 1, T), FRESH(bulk_addition_to_nothing), CASE(operand_unwritten, 1, T),
            FRESH(operand_copied_unwritten), CASE(source_of_another_block, 2, T), CASE(ok_source_written_later, 1, T),
            CASE(bulk_source_in_global_memory, 1, T), CASE(bulk_stores_to_one_place, 2, T),
            CASE(ok_bulk_source_reused, 1, T), CASE(bulk_source_reused_by_others, 1, T),
            CASE(operand_written_too_early, 1, T), CASE(operand_copied_over_too_early, 1, T),
            CASE(ok_operand_written_later, 1, T), CASE(operand_without_barrier, 1, T))
