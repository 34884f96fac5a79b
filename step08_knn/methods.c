/* The table of methods: each kind of distances with each kind of selection, and the methods that are not made of two
 * parts. */
#include "methods.h"

#include "search.h"

/* A method made of two parts: functions that combine them, and a row of the table. */
#define PARTS(from, by)                                                                                                \
    static cudaError_t search_##from##_##by(const knn_problem *p, cudaStream_t stream) {                               \
        return knn_search_parts(&knn_distance_##from, &knn_select_##by, p, stream);                                    \
    }                                                                                                                  \
    static size_t workspace_##from##_##by(const knn_problem *p, size_t limit) {                                        \
        return knn_search_workspace(&knn_distance_##from, &knn_select_##by, p, limit);                                 \
    }                                                                                                                  \
    static const char *refuses_##from##_##by(const knn_problem *p) {                                                   \
        return knn_search_refuses(&knn_distance_##from, &knn_select_##by, p);                                          \
    }
#define METHOD(from, by, is_exact, text)                                                                               \
    {                                                                                                                  \
        .name = #from "+" #by, .idea = text, .search = search_##from##_##by, .kernel = kernel_##from,                  \
        .supports = supports_##from, .refuses = refuses_##from##_##by, .workspace = workspace_##from##_##by,           \
        .exact = is_exact, .note = note_##by                                                                           \
    }

/* What all methods with these distances share. */
#define DISTANCES(from)                                                                                                \
    static kernel_info kernel_##from(void) {                                                                           \
        return knn_distance_##from.kernel();                                                                           \
    }                                                                                                                  \
    static const char *supports_##from(const device_facts *device) {                                                   \
        return knn_distance_##from.supports != NULL ? knn_distance_##from.supports(device) : NULL;                     \
    }
/* Distances with each kind of selection. */
#define WITH_ALL(from)                                                                                                 \
    DISTANCES(from)                                                                                                    \
    PARTS(from, kpass)                                                                                                 \
    PARTS(from, bitonic)                                                                                               \
    PARTS(from, auto)                                                                                                  \
    PARTS(from, warpselect)                                                                                            \
    PARTS(from, radix)
#define ROWS_OF(from, is_exact, text)                                                                                  \
    METHOD(from, kpass, is_exact, text "; the minimum, k times"),                                                      \
        METHOD(from, bitonic, is_exact, text "; bitonic sort"),                                                        \
        METHOD(from, auto, is_exact, text "; whichever of the two is faster for one query"),                           \
        METHOD(from, warpselect, is_exact, text "; one pass, queues in registers, k up to 256"),                       \
        METHOD(from, radix, is_exact, text "; radix select, any k")

#define note_kpass      NULL
#define note_bitonic    NULL
#define note_warpselect NULL
#define note_radix      NULL

static const char *note_auto(void) {
    return knn_select_auto.note();
}

WITH_ALL(gemm_cublas)
WITH_ALL(gemm_ladder)
DISTANCES(gemm_maps)
PARTS(gemm_maps, radix)
WITH_ALL(direct)
DISTANCES(screen)
PARTS(screen, radix)

/* A method that is not made of parts; behind the idea may follow other fields. */
#define WHOLE(method, ...)                                                                                             \
    {                                                                                                                  \
        .name = #method, .search = search_##method, .kernel = knn_kernel_##method, .refuses = refuses_##method,        \
        .workspace = workspace_##method, .exact = true, .idea = __VA_ARGS__                                            \
    }

/* The last is what classification uses if no method is named. */
const knn_method knn_methods[] = {
    WHOLE(bf_garcia, "brute force as of 2008: distances in 16 x 16 tiles, insertion sort by one thread per query"),
    ROWS_OF(gemm_cublas, false, "|x|^2 + |y|^2 - 2xy by cuBLAS"),
    ROWS_OF(gemm_ladder, false, "|x|^2 + |y|^2 - 2xy by step 5's best"),
    METHOD(gemm_maps, radix, false, "the same with the paper's maps of threads; radix select, any k"),
    ROWS_OF(direct, true, "squared differences"),
    WHOLE(one_kernel, "distances and selection in one kernel, no matrix of distances, k up to 64"),
    METHOD(screen, radix, true,
           "tensor cores bound every distance from below, what may be near is computed; radix select"),
    WHOLE(fused, "one_kernel with queues and larger tiles, k up to 1024", .supports = supports_fused),
    WHOLE(exact_tc, "tensor cores discard what is certainly too far, differences decide: exact, k up to 1024",
          .supports = supports_exact_tc, .prepared = prepared_exact_tc, .prepare = prepare_exact_tc),
    WHOLE(best, "exact_tc; what it does not take, fused; what that does not take, direct+radix", .note = note_best,
          .prepared = prepared_best, .prepare = prepare_best),
};

const int knn_method_count = ARRAY_SIZE(knn_methods);
