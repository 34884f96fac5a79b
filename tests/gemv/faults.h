/* A correct variant, and wrong ones. */
#pragma once

/* clang-format off */
#define FAULTS(VARIANT) \
    VARIANT(plain, "a thread a row") \
    VARIANT(reads_y, "reads y where beta is 0") \
    VARIANT(reads_a, "reads A where alpha is 0") \
    VARIANT(drops_last, "leaves out the last product") \
    VARIANT(writes_past, "writes behind y") \
    VARIANT(rounds_products, "rounds each product")
/* clang-format on */
