#include "ann.h"

#if __has_include(<ANN/ANN.h>)
#include <ANN/ANN.h>

#include <vector>

struct ann_index {
    ANNpointArray points;
    ANNpointSet *set;
    int d;
    std::vector<ANNdist> distance;
};

ann_index *ann_open(const float *points, int n, int d, int tree) {
    ann_index *index = new ann_index;
    index->d = d;
    index->points = annAllocPts(n, d);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) index->points[i][j] = points[(size_t)i * d + j];
    if (tree)
        index->set = new ANNkd_tree(index->points, n, d);
    else
        index->set = new ANNbruteForce(index->points, n, d);
    return index;
}

void ann_search(ann_index *index, const double *queries, int m, int k, double eps, int *neighbours) {
    index->distance.resize(k);
    for (int i = 0; i < m; i++)
        index->set->annkSearch(const_cast<double *>(queries) + (size_t)i * index->d, k, neighbours + (size_t)i * k,
                               index->distance.data(), eps);
}

void ann_close(ann_index *index) {
    delete index->set;
    annDeallocPts(index->points);
    annClose();
    delete index;
}
#else
ann_index *ann_open(const float *, int, int, int) {
    return nullptr;
}
void ann_search(ann_index *, const double *, int, int, double, int *) {
}
void ann_close(ann_index *) {
}
#endif
