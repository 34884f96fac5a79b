/* Step 8: nearest neighbours: distances, and the k smallest of each row. */
#include "knn.h"
#include "search.h"

/* A method of two parts: its functions, and its row of the table. */
#define PARTS(from, by)                                                                                                \
    static cudaError_t search_##from##_##by(const knn_problem *p, cudaStream_t stream) {                               \
        return knn_search(&knn_distance_##from, &knn_select_##by, p, stream);                                          \
    }                                                                                                                  \
    static size_t workspace_##from##_##by(const knn_problem *p, size_t limit) {                                        \
        return knn_search_workspace(&knn_distance_##from, &knn_select_##by, p, limit);                                 \
    }                                                                                                                  \
    static const char *refuses_##from##_##by(const knn_problem *p) {                                                   \
        return knn_search_refuses(&knn_distance_##from, &knn_select_##by, p);                                          \
    }

PARTS(direct, radix)

static const char *supports_direct(const device_facts *device) {
    (void)device;
    return NULL;
}

static gemm_kernel kernel_direct(void) {
    return knn_distance_direct.kernel();
}

#define METHOD(from, by, is_exact, text)                                                                               \
    {                                                                                                                  \
        .name = #from "+" #by, .idea = text, .search = search_##from##_##by, .kernel = kernel_##from,                  \
        .supports = supports_##from, .refuses = refuses_##from##_##by, .workspace = workspace_##from##_##by,           \
        .exact = is_exact                                                                                              \
    }

static const knn_method methods[] = {
    METHOD(direct, radix, true, "sums of squared differences; the k smallest by their digits"),
};

int main(int argc, char **argv) {
    return knn_step_main(argc, argv, "step08_knn", methods, GEMM_COUNT(methods));
}
