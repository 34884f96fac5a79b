/* Step 8's methods, the best last. */
#ifndef KL_STEP08_METHODS_H
#define KL_STEP08_METHODS_H

#include "knn/knn.h"

extern const knn_method knn_methods[];
extern const int knn_method_count;

#endif
