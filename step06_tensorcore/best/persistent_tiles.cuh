/* The configurations of the persistent kernel: the table of tiles from which plan.c chooses, each in one of several
 * shapes of clusters.
 *
 * Of a wave that is not full, or of a tile that is half outside of C, nothing comes back, so there are several sizes,
 * and in 16 bits and tf32 exact tiles, whose number of columns the plan chooses.
 * And there are clusters for rows that do not begin on 128 bytes: each of them costs L2 two requests instead of one,
 * and L2 is then what all blocks wait for. In a cluster of 2 x 2 a block asks for half of its rows of A and half of its
 * columns of B, and has the other halves sent by its neighbours. */
#pragma once

#include "persistent.cuh"

typedef void persistent_kernel(const CUtensorMap, const CUtensorMap, const CUtensorMap, const CUtensorMap,
                               const hopper_problem, const persistent_work);

/* A kernel and its configuration, for the host. */
typedef struct {
    persistent_kernel *kernel;
    int threads, bytes; /* as in persistent_tile */
    plan_tile tile;
    int device; /* that tile.clusters have been asked of; -1: none yet */
} persistent_choice;

template <int TYPE, int LAYOUT, class T> static persistent_choice persistent_of(int shapes) {
    const int orders = !T::EXACT ? AS_IS : LAYOUT == GEMM_NN ? SWAPPED : AS_IS | SWAPPED;
    return {gemm_persistent<TYPE, LAYOUT, T>,
            T::THREADS,
            T::BYTES,
            {T::BM, T::BN, T::PING_PONG, T::ANY_C, true, shapes, {}, T::EXACT, orders},
            -1};
}

/* The configurations.     BM   BN stages ping-pong, buffers any C */
typedef persistent_tile<128, 192, 5, 1, 1, 0> wide;
typedef persistent_tile<64, 128, 8, 0, 4, 0> flat;
typedef persistent_tile<128, 128, 6, 1, 1, 1> square_any;
typedef persistent_tile<128, 128, 5, 1, 4, 0> square;
/* For 16 bits alone: */
typedef persistent_tile<128, 64, 8, 1, 2, 0> tall;
typedef persistent_tile<128, 64, 8, 1, 1, 1> tall_any;
typedef persistent_tile<64, 64, 12, 0, 1, 1> small_any;
typedef persistent_tile<128, 160, 5, 1, 1, 1> middle_any;
/* Also for tf32:
 *                 BM   BN stages of that, buffers */
typedef exact_tile<64, 256, 5, 2> exact_64;
typedef exact_tile<128, 256, 4, 2> exact_128;
typedef exact_tile<192, 192, 4, 1> exact_192;
/* For the others instead: */
typedef persistent_tile<128, 128, 6, 1, 2, 0> square_deep; /* s8: faster by one fourteenth at 2048^3; tf32 is slower */
typedef persistent_tile<64, 128, 8, 0, 1, 1> flat_any;

/* Those for a type and a layout; where it has none, there is no kernel. */
template <int TYPE, int LAYOUT> static persistent_choice *persistent_choices(void) {
    static const int SHAPES = IN_1X1 | IN_2X1 | IN_1X2 | IN_2X2;
    if constexpr (TYPE == GEMM_F16 || TYPE == GEMM_BF16) {
        static persistent_choice all[PERSISTENT_TILES] = {
            persistent_of<TYPE, LAYOUT, wide>(SHAPES),
            persistent_of<TYPE, LAYOUT, square>(SHAPES),
            persistent_of<TYPE, LAYOUT, flat>(SHAPES),
            persistent_of<TYPE, LAYOUT, square_any>(SHAPES),
            {},
            persistent_of<TYPE, LAYOUT, tall_any>(SHAPES | IN_2X4),
            persistent_of<TYPE, LAYOUT, small_any>(SHAPES),
            persistent_of<TYPE, LAYOUT, middle_any>(SHAPES),
            persistent_of<TYPE, LAYOUT, exact_64>(SHAPES),
            persistent_of<TYPE, LAYOUT, exact_128>(SHAPES),
            persistent_of<TYPE, LAYOUT, exact_192>(SHAPES),
            persistent_of<TYPE, LAYOUT, tall>(SHAPES),
        };
        return all;
    } else if constexpr (LAYOUT == GEMM_NN) { /* words of k x n come through registers, as rows of swapped tiles */
        static persistent_choice all[PERSISTENT_TILES] = {
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            persistent_of<TYPE, LAYOUT, exact_64>(SHAPES),
            persistent_of<TYPE, LAYOUT, exact_128>(SHAPES),
            persistent_of<TYPE, LAYOUT, exact_192>(SHAPES),
        };
        return all;
    } else if constexpr (TYPE == GEMM_TF32) {
        static persistent_choice all[PERSISTENT_TILES] = {
            persistent_of<TYPE, LAYOUT, wide>(IN_1X1 | IN_2X1),
            persistent_of<TYPE, LAYOUT, square>(IN_1X1),
            persistent_of<TYPE, LAYOUT, flat>(IN_1X1 | IN_2X2),
            persistent_of<TYPE, LAYOUT, square_any>(IN_1X1),
            persistent_of<TYPE, LAYOUT, flat_any>(IN_1X1),
            {},
            {},
            {},
            persistent_of<TYPE, LAYOUT, exact_64>(SHAPES),
            persistent_of<TYPE, LAYOUT, exact_128>(SHAPES),
            persistent_of<TYPE, LAYOUT, exact_192>(SHAPES),
        };
        return all;
    } else {
        static persistent_choice all[PERSISTENT_TILES] = {
            persistent_of<TYPE, LAYOUT, wide>(IN_1X1 | IN_2X1), persistent_of<TYPE, LAYOUT, square_deep>(IN_1X1),
            persistent_of<TYPE, LAYOUT, flat>(IN_1X1 | IN_2X2), persistent_of<TYPE, LAYOUT, square_any>(IN_1X1),
            persistent_of<TYPE, LAYOUT, flat_any>(IN_1X1),
        };
        return all;
    }
}

/* For the launcher in persistent.cu: each type and layout is in its own file, so that they compile in parallel, and so
 * that only what is used is loaded. */
persistent_choice *persistent_f16_nn(void);
persistent_choice *persistent_bf16_tn(void);
persistent_choice *persistent_bf16_nn(void);
persistent_choice *persistent_s8(void);   /* tn */
persistent_choice *persistent_tf32(void); /* tn */
persistent_choice *persistent_tf32_nn(void);
