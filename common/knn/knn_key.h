/* (distance, index) as one integer, so that neighbours sort like integers, on host and device.
 *
 * Read as an integer, a positive float grows with its value and a negative one shrinks; so a positive float gets its
 * sign bit set, and a negative one has all its bits inverted:
 *
 *   -2.0  c0000000 -> 3fffffff     -0.5  bf000000 -> 40ffffff     0.0  00000000 -> 80000000     0.5  3f000000 ->
 * bf000000
 *
 * -0 is treated as 0. A NaN (which the expanded form produces from infinite norms) sorts after +infinity. No point has
 * the key KNN_NO_KEY, which pads lists. */
#pragma once

#include <stdint.h>

#include "base/values.h"

#define KNN_NO_KEY 0xffffffffffffffffull

KL_BOTH uint32_t knn_order_distance(float distance) {
    const uint32_t bits = distance != distance ? 0x7fc00000u : values_to_bits(distance + 0.0f);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

KL_BOTH float knn_distance_of(uint32_t ordered) {
    return values_from_bits(ordered ^ (ordered >> 31 ? 0x80000000u : 0xffffffffu));
}

KL_BOTH uint64_t knn_key(float distance, int index) {
    return (uint64_t)knn_order_distance(distance) << 32 | (uint32_t)index;
}

KL_BOTH float knn_key_distance(uint64_t key) {
    return knn_distance_of((uint32_t)(key >> 32));
}

KL_BOTH int knn_key_index(uint64_t key) {
    return (int)(uint32_t)key;
}
