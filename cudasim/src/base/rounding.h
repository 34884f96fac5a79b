#pragma once

/* How an operation rounds, in PTX's words. */
typedef enum rounding {
    ROUND_DEFAULT,
    ROUND_RN,
    ROUND_RZ,
    ROUND_RM,
    ROUND_RP,
    ROUND_RNA, /* to nearest even, zero, -inf, +inf, away */
    ROUND_RNI,
    ROUND_RZI,
    ROUND_RMI,
    ROUND_RPI /* the same, to an integer */
} rounding;
