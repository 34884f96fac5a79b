/* Wrong methods, and the correct one. */
#pragma once

/* clang-format off */
#define FAULTS(METHOD) \
    METHOD(fuses_nothing) /* rounds the product: not the chain's bits */ \
    METHOD(descends) /* sums from the last coordinate on */ \
    METHOD(last_of_equals) /* takes the largest index of equal distances */ \
    METHOD(forgets_last) /* never looks at the last point */ \
    METHOD(turns_two) /* right neighbours, two of them in the wrong order */ \
    METHOD(writes_past) /* a neighbour more than k */ \
    METHOD(writes_before) /* into what lies in front of the distances */ \
    METHOD(spoils_points) /* changes a point */ \
    METHOD(spoils_queries) /* changes what follows the queries */ \
    METHOD(leaves_a_row) /* answers all queries but the last */ \
    METHOD(overruns) /* writes behind its workspace */ \
    METHOD(plain)
/* clang-format on */
