/* Special registers (PTX ISA 10). FIXED ones keep their value while a thread lives and may stand wherever a register
 * may; the others are read by mov only. */
#pragma once

#include <stdbool.h>

/* SHARED_BASE has no name in PTX: what a block's shared addresses begin with (machine/cluster.h). */
/* clang-format off */
#define SPECIALS(FIXED, VOLATILE)                                                                                      \
    FIXED(SHARED_BASE, "", 4)                                                                                          \
    FIXED(TID_X, "%tid.x", 4)                                                                                          \
    FIXED(TID_Y, "%tid.y", 4)                                                                                          \
    FIXED(TID_Z, "%tid.z", 4)                                                                                          \
    FIXED(NTID_X, "%ntid.x", 4)                                                                                        \
    FIXED(NTID_Y, "%ntid.y", 4)                                                                                        \
    FIXED(NTID_Z, "%ntid.z", 4)                                                                                        \
    FIXED(CTAID_X, "%ctaid.x", 4)                                                                                      \
    FIXED(CTAID_Y, "%ctaid.y", 4)                                                                                      \
    FIXED(CTAID_Z, "%ctaid.z", 4)                                                                                      \
    FIXED(NCTAID_X, "%nctaid.x", 4)                                                                                    \
    FIXED(NCTAID_Y, "%nctaid.y", 4)                                                                                    \
    FIXED(NCTAID_Z, "%nctaid.z", 4)                                                                                    \
    FIXED(LANEID, "%laneid", 4)                                                                                        \
    FIXED(WARPID, "%warpid", 4)                                                                                        \
    FIXED(NWARPID, "%nwarpid", 4)                                                                                      \
    FIXED(SMID, "%smid", 4)                                                                                            \
    FIXED(NSMID, "%nsmid", 4)                                                                                          \
    FIXED(GRIDID, "%gridid", 8)                                                                                        \
    FIXED(LANEMASK_EQ, "%lanemask_eq", 4)                                                                              \
    FIXED(LANEMASK_LE, "%lanemask_le", 4)                                                                              \
    FIXED(LANEMASK_LT, "%lanemask_lt", 4)                                                                              \
    FIXED(LANEMASK_GE, "%lanemask_ge", 4)                                                                              \
    FIXED(LANEMASK_GT, "%lanemask_gt", 4)                                                                              \
    FIXED(ENVREG1, "%envreg1", 4)                                                                                      \
    FIXED(ENVREG2, "%envreg2", 4)                                                                                      \
    FIXED(TOTAL_SMEM, "%total_smem_size", 4)                                                                           \
    FIXED(AGGR_SMEM, "%aggr_smem_size", 4)                                                                             \
    FIXED(DYNAMIC_SMEM, "%dynamic_smem_size", 4)                                                                       \
    FIXED(RESERVED_BEGIN, "%reserved_smem_offset_begin", 4)                                                            \
    FIXED(RESERVED_END, "%reserved_smem_offset_end", 4)                                                                \
    FIXED(RESERVED_CAP, "%reserved_smem_offset_cap", 4)                                                                \
    FIXED(RESERVED_0, "%reserved_smem_offset_0", 4)                                                                    \
    FIXED(RESERVED_1, "%reserved_smem_offset_1", 4)                                                                    \
    FIXED(CLUSTERID_X, "%clusterid.x", 4)                                                                              \
    FIXED(CLUSTERID_Y, "%clusterid.y", 4)                                                                              \
    FIXED(CLUSTERID_Z, "%clusterid.z", 4)                                                                              \
    FIXED(NCLUSTERID_X, "%nclusterid.x", 4)                                                                            \
    FIXED(NCLUSTERID_Y, "%nclusterid.y", 4)                                                                            \
    FIXED(NCLUSTERID_Z, "%nclusterid.z", 4)                                                                            \
    FIXED(CLUSTER_CTAID_X, "%cluster_ctaid.x", 4)                                                                      \
    FIXED(CLUSTER_CTAID_Y, "%cluster_ctaid.y", 4)                                                                      \
    FIXED(CLUSTER_CTAID_Z, "%cluster_ctaid.z", 4)                                                                      \
    FIXED(CLUSTER_NCTAID_X, "%cluster_nctaid.x", 4)                                                                    \
    FIXED(CLUSTER_NCTAID_Y, "%cluster_nctaid.y", 4)                                                                    \
    FIXED(CLUSTER_NCTAID_Z, "%cluster_nctaid.z", 4)                                                                    \
    FIXED(CLUSTER_CTARANK, "%cluster_ctarank", 4)                                                                      \
    FIXED(CLUSTER_NCTARANK, "%cluster_nctarank", 4)                                                                    \
    VOLATILE(CLOCK, "%clock", 4)                                                                                       \
    VOLATILE(CLOCK_HI, "%clock_hi", 4)                                                                                 \
    VOLATILE(CLOCK64, "%clock64", 8)                                                                                   \
    VOLATILE(GLOBALTIMER, "%globaltimer", 8)                                                                           \
    VOLATILE(GLOBALTIMER_LO, "%globaltimer_lo", 4)                                                                     \
    VOLATILE(GLOBALTIMER_HI, "%globaltimer_hi", 4)
/* clang-format on */

typedef enum special {
#define SPECIAL_ENUM(id, name, bytes) SPECIAL_##id,
    SPECIALS(SPECIAL_ENUM, SPECIAL_ENUM)
#undef SPECIAL_ENUM
        SPECIAL_COUNT
} special;

/* Number of a special register by name, or -1; whether it keeps its value. */
int special_named(const char *name);
bool special_is_fixed(int special);
