/* What the model of time knows of an SM of Hopper, and where each figure is from. Latencies of memories, rates of L2
 * and DRAM and the time of a launch are the device's own, devices/nvidia-h200.csv. All were there before the model was
 * held against a ladder; none is fitted to one. A change names the microbenchmark that asks for it.
 *
 *   [limits]   devices/nvidia-h200.csv, the row named: step 2's --show limits
 *   [guide]    CUDA C++ Programming Guide, arithmetic instructions: results a clock and SM at 9.0; its tables of
 *              compute capabilities
 *   [paper]    H100 Tensor Core GPU Architecture, NVIDIA 2022: figure of the SM
 *   [huerta]   Huerta et al., Analyzing Modern NVIDIA GPU cores, 2025 (Ampere's; taken to hold for Hopper)
 *   [assumed]  nobody measured it here; cudasim/docs/predict.md says what would
 */
#pragma once

/* latency_l2 and latency_dram_few_pages are means over many lines. How far one line is from another, as a share,
 * evenly: some lie in the near half of L2, some in the far one. Who waits for many waits for the farthest. [assumed] */
#define LATENCY_SPREAD 0.2

/* So many SMs' reads of one line at once are one read of L2. [Nsight] Nsight Compute, Profiling Guide: the L2 Request
 * Coalescer, LRC, tries to make one of several. How many it joins, nobody has measured here: two is the least.
 * [assumed] */
#define JOINED_SMS 2

/* The load/store unit that the SM's four schedulers share: a wavefront of shared memory, a line of L1 a clock. */
#define WAVEFRONT_CLOCKS 1 /* [limits] lds_32 1.005, lds_64 2.005, lds_128 4.024: 1, 2 and 4 wavefronts */
#define LINE_CLOCKS      1 /* [limits] l1_32 1.006, l1_64 2.004, l1_128 4.042: 1, 2 and 4 lines */
#define SWAP_WAVEFRONTS  2 /* [limits] shared_add_f32_*: for a word, however many lanes try; others (u32) one a lane */
#define ADDRESS_CLOCKS   4 /* [paper] 8 load/store lanes a scheduler, so a warp's addresses take 4 clocks */
#define QUEUE_ENTRIES    5 /* [huerta] memory instructions that a scheduler can have waiting */

/* Clocks for which a scheduler's instruction holds its pipe: 32 lanes by the lanes that there are. */
#define FMA_CLOCKS     1    /* [guide] 128 a clock and SM; [limits] ffma_8x16_columns 0.253 / 4 */
#define IMAD_CLOCKS    2    /* [guide] 64 */
#define ALU_CLOCKS     2    /* [guide] 64 */
#define HALF_CLOCKS    1    /* [guide] 256 halves, two an instruction */
#define DOUBLE_CLOCKS  2    /* [guide] 64 */
#define XU_CLOCKS      8    /* [guide] 16 */
#define UNIFORM_CLOCKS 2    /* [assumed] */
#define TENSOR_CLOCKS  6.01 /* [limits] mma_f16, mma_bf16, mma_tf32, mma_s8: 1.502 clocks, four at a time */

/* Clocks until what these bring can be used; code waits for a scoreboard. Results of other pipes: the stall counts. */
#define XU_LATENCY      22 /* [assumed] */
#define SPECIAL_LATENCY 20 /* [assumed] S2R */
#define CONST_LATENCY   29 /* [assumed] LDC */
#define CONST_CLOCKS    4  /* [assumed] */
#define TENSOR_LATENCY  33 /* [assumed] where a scoreboard is set; else the stall counts */

/* wgmma. A product holds the four tensor cores for as long as the rows wgmma_n*_registers_2 say, by N. Meanwhile it
 * reads B from shared memory, 32 bytes for each of its columns, and A, where A lies there, 32 for each of 64 rows.
 * [limits] wgmma_n8_shared to wgmma_n64_shared: 18, 20, 24 and 32 clocks, which are these bytes at 128 a clock. So it
 * shares the load/store unit's wavefronts with loads and stores. */
#define WAVEFRONT_BYTES 128
#define PRODUCT_ROWS    64
#define PRODUCT_K_BYTES 32 /* [PTX] of a row of A, of a column of B, whatever the type */
#define PRODUCTS_AHEAD  2  /* [assumed] that a warp can have issued and that have not begun */

/* TMA: one line a clock, and what L2 gives; a copy to several blocks of a cluster asks L2 once. It takes no wavefronts
 * from others: with them cluster and ping_pong of step 6 would be slower than they are. [assumed] */
#define TMA_CLOCKS     100 /* [assumed] from the instruction to its first line's request */
#define TMA_AHEAD      8   /* [assumed] clocks that its requests may be ahead of what L2 takes up */
#define MBARRIER_WORDS 64  /* that a block may have: the model's limit, not the GPU's */
#define CLUSTER_CLOCKS                                                                                                 \
    180 /* [assumed] to another block of the cluster; published measurements say so, none is ours                      \
         */

#define BARRIER_CLOCKS 20 /* [assumed] from the last warp's arrival to the first instruction behind */
#define BRANCH_CLOCKS  5  /* [assumed] the least that a taken branch takes */
/* A register file has two banks, each read once a clock; a bank may lag so many clocks behind. [limits] ffma_*: the
 * twelve rows, replayed, are met within 2.4 %, 0.7 % on average; 0 clocks leave two of them 11 % off. */
#define BANK_SLACK 2

/* A scheduler's clocks, besides the one of its issue, for each register that a shared load brings. [limits] fed_*: the
 * six rows, replayed, are met within 3.0 %, 1.0 % on average; 0 leaves them 3 to 6 % too fast, 0.5 up to 5 % too slow.
 */
#define RETURN_CLOCKS 0.25

/* The GPU begins one block a clock. [assumed] */
#define BLOCK_START_CLOCKS 1

/* KiB that shared memory can take, as far as an SM has so much; L1 has the rest, and so many at least. [guide] */
#define CARVEOUTS_KIB 0, 8, 16, 32, 64, 100, 132, 164, 196, 228
#define L1_LEAST_KIB  28
#define L1_WAYS       16 /* [assumed] */
