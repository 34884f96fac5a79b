/* A correct variant, and wrong ones. */
#pragma once

/* clang-format off */
#define FAULTS(VARIANT) \
    VARIANT(plain, "a thread an output") \
    VARIANT(reads_y, "reads y where beta is 0") \
    VARIANT(reads_x, "reads x where alpha is 0") \
    VARIANT(drops_last, "leaves out the last tap") \
    VARIANT(writes_past, "writes behind y") \
    VARIANT(turned, "turns the filter round") \
    VARIANT(wraps, "finds the next row behind the end of a row") \
    VARIANT(pads_one, "pads by one") \
    VARIANT(swaps_strides, "takes the strides for one another") \
    VARIANT(no_dilation, "leaves out the dilation down") \
    VARIANT(no_bias, "leaves out the bias") \
    VARIANT(scales_bias, "multiplies the bias by alpha") \
    VARIANT(rounds_products, "rounds each product") \
    VARIANT(reads_border, "reads in front of the first image")
/* clang-format on */
