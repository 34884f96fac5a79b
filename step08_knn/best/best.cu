/* The exact answer to every problem on every GPU: the first of these that takes it.
 *
 *   exact_tc       tensor cores drop what is certainly too far    sm_90; k up to 1024; d up to 2^20
 *   fused          distances and selection in one kernel          sm_80 and newer; k up to 1024
 *   direct+radix   a matrix of distances, radix selection         anything: k up to n, any d, any GPU
 *
 * All three give THE answer (knn.h), bit for bit, so it does not matter to the caller which one it was. Memory decides,
 * too: one that needs more workspace than there is does not take the problem. */
#include "gemm/launch.cuh"

#include "../methods.h"
#include "../search.h"

static cudaError_t search_radix(const knn_problem *p, cudaStream_t stream) {
    return knn_search_parts(&knn_distance_direct, &knn_select_radix, p, stream);
}

static size_t workspace_radix(const knn_problem *p, size_t limit) {
    return knn_search_workspace(&knn_distance_direct, &knn_select_radix, p, limit);
}

static const char *refuses_radix(const knn_problem *p) {
    return knn_search_refuses(&knn_distance_direct, &knn_select_radix, p);
}

static kernel_info kernel_radix(void) {
    return knn_distance_direct.kernel();
}

/* The fastest first; the last takes every problem that there is memory for. */
static const struct {
    const char *note;
    const char *(*supports)(const device_facts *device);
    const char *(*refuses)(const knn_problem *p);
    size_t (*workspace)(const knn_problem *p, size_t limit);
    cudaError_t (*search)(const knn_problem *p, cudaStream_t stream);
    kernel_info (*kernel)(void);
} parts[] = {
    {"by exact_tc", supports_exact_tc, refuses_exact_tc, workspace_exact_tc, search_exact_tc, knn_kernel_exact_tc},
    {"by fused", supports_fused, refuses_fused, workspace_fused, search_fused, knn_kernel_fused},
    {"by direct+radix", NULL, refuses_radix, workspace_radix, search_radix, kernel_radix},
};
static const int LAST = ARRAY_SIZE(parts) - 1;

static int latest; /* the part that searched last */

/* Does the current device have what a part needs? */
static bool supported(int part) {
    device_facts facts = {};
    facts.cc = gemm_capability();
    return parts[part].supports == NULL || parts[part].supports(&facts) == NULL;
}

/* The first part that takes the problem with p->workspace_bytes; the last one where none does. */
static int part_for(const knn_problem *p) {
    int part = 0;
    while (part < LAST && (!supported(part) || parts[part].refuses(p) != NULL)) part++;
    return part;
}

extern "C" const char *refuses_best(const knn_problem *p) {
    return parts[part_for(p)].refuses(p);
}

extern "C" size_t workspace_best(const knn_problem *p, size_t limit) {
    knn_problem most = *p;
    most.workspace_bytes = limit;
    return parts[part_for(&most)].workspace(p, limit);
}

extern "C" cudaError_t search_best(const knn_problem *p, cudaStream_t stream) {
    latest = part_for(p);
    return parts[latest].search(p, stream);
}

extern "C" kernel_info knn_kernel_best(void) {
    int part = 0;
    while (!supported(part)) part++;
    return parts[part].kernel();
}

extern "C" const char *note_best(void) {
    return parts[latest].note;
}

/* Points are prepared for the first part; where it does not run, there is nothing to prepare. */
extern "C" size_t prepared_best(const knn_problem *p) {
    return supported(0) ? prepared_exact_tc(p) : 0;
}

extern "C" cudaError_t prepare_best(const knn_problem *p, void *prepared, cudaStream_t stream) {
    return supported(0) ? prepare_exact_tc(p, prepared, stream) : cudaSuccess;
}
