/* A search in two parts: distances of some queries to all points, and the k smallest of each query's row. */
#pragma once

#include "parts.h"

__BEGIN_DECLS

/* The two combined, for as many queries at a time as fit in the workspace. */
cudaError_t knn_search_parts(const knn_distances *from, const knn_selector *selector, const knn_problem *p,
                             cudaStream_t stream);
size_t knn_search_workspace(const knn_distances *from, const knn_selector *selector, const knn_problem *p,
                            size_t limit);
const char *knn_search_refuses(const knn_distances *from, const knn_selector *selector, const knn_problem *p);

/* What each file defines. */
extern const knn_distances knn_distance_direct, knn_distance_gemm_ladder, knn_distance_gemm_maps,
    knn_distance_gemm_cublas, knn_distance_screen;
extern const knn_selector knn_select_kpass, knn_select_bitonic, knn_select_auto, knn_select_warpselect,
    knn_select_radix;

/* Why the error bounds of screen and exact_tc do not hold on the current device; NULL: they do. */
const char *knn_sums_too_coarse(void);

__END_DECLS
