/* Step 8: nearest neighbours, that is, distances and the k smallest in each row. */
#include "methods.h"

int main(int argc, char **argv) {
    return knn_step_main(argc, argv, "step08_knn", knn_methods, knn_method_count);
}
