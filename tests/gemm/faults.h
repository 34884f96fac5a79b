/* A correct variant of all types and layouts, and variants with one fault each. */
#pragma once

/* clang-format off */
#define FAULTS(VARIANT) \
    VARIANT(plain, "a thread an element", .note = says_where) \
    VARIANT(reads_a, "reads A where alpha is 0") \
    VARIANT(reads_c, "reads C where beta is 0") \
    VARIANT(drops_last, "leaves out the last product") \
    VARIANT(drops_round, "leaves out the last k % 16") \
    VARIANT(short_sum, "accumulates in too short a type") \
    VARIANT(rounds_operands, "rounds A and B to BF16") \
    VARIANT(drops_small, "TF32X3 of two products") \
    VARIANT(rounds_twice, "rounds C to BF16 first") \
    VARIANT(other_layout, "reads B in the other layout") \
    VARIANT(forgets_ldb, "takes B's rows for tight") \
    VARIANT(saturates, "sums of s8 end at 2^15") \
    VARIANT(writes_past, "writes behind C") \
    VARIANT(writes_padding, "writes between C's rows") \
    VARIANT(writes_a, "changes A") \
    VARIANT(skips_corner, "does not write C's last element") \
    VARIANT(by_workspace, "copies A first", .workspace = room_for_a) \
    VARIANT(reads_workspace, "takes the workspace for empty", .workspace = room_for_a) \
    VARIANT(writes_past_workspace, "copies more than all of A", .workspace = room_for_a)
/* clang-format on */
