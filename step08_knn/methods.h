/* Step 8's methods, the best last. */
#pragma once

#include "knn/knn.h"

__BEGIN_DECLS

extern const knn_method knn_methods[];
extern const int knn_method_count;

/* Methods that are not made of two parts, in files of their own: what these define. */
#define KNN_METHOD(name)                                                                                               \
    cudaError_t search_##name(const knn_problem *p, cudaStream_t stream);                                              \
    size_t workspace_##name(const knn_problem *p, size_t limit);                                                       \
    const char *refuses_##name(const knn_problem *p);                                                                  \
    kernel_info knn_kernel_##name(void)

KNN_METHOD(bf_garcia);
KNN_METHOD(one_kernel);
KNN_METHOD(fused);
KNN_METHOD(exact_tc);
KNN_METHOD(best);
const char *supports_fused(const device_facts *device);
const char *supports_exact_tc(const device_facts *device);
const char *note_best(void);
size_t prepared_exact_tc(const knn_problem *p);
cudaError_t prepare_exact_tc(const knn_problem *p, void *prepared, cudaStream_t stream);
size_t prepared_best(const knn_problem *p);
cudaError_t prepare_best(const knn_problem *p, void *prepared, cudaStream_t stream);

__END_DECLS
