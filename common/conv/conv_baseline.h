/* What a convolution is measured against: cuDNN's plans, those that its heuristics A, B and fallback name and others.
 */
#pragma once

#include "bench/family.h"
#include "conv/conv.h"
#include "gpu/cudnn.h"

enum { CONV_BASELINE_PACKS = 64 };

typedef struct {
    cudnn_descriptor plan;
    char name[256]; /* engine and knobs, as cuDNN's users write them: "eng3_k2=1_k13=4" */
} conv_plan;

/* The addresses of a launch. */
typedef struct {
    const void *x, *f, *y, *bias;
    cudnn_descriptor pack;
} conv_pack;

/* The plans for one problem. All zero: none. */
typedef struct {
    conv_problem asked;
    bool transformed;
    cudnn_descriptor *made; /* every descriptor but packs, in the order in which they were made */
    int made_count, made_room;
    cudnn_descriptor choices[CUDNN_KNOBS]; /* to read a configuration's knobs */
    conv_plan *plans;
    int count, room, unbuilt; /* plans; configurations that became none */
    void *workspace;          /* the largest that a plan needs: they share it */
    size_t workspace_bytes;
    conv_pack packs[CONV_BASELINE_PACKS]; /* of the latest addresses: making one takes the host longer than a launch */
} conv_baseline;

/* Takes the plans for the problem in the place of those of another; cudnn_open opened the library. `transformed`: those
 * whose engines say that they go by Winograd or FFT; else all others. Left out are engines that compute FP32 in less
 * (tensor cores would in TF32), convert operands to less, or sum in less, and what takes more than 1 GiB of workspace.
 * In FP32 all engines by their numbers come to what the heuristics name, with each choice of knobs if these are few.
 * cuDNN has alpha and beta itself; a bias is added in the same graph, where beta is 0. Returns how many there are. */
int conv_baseline_ask(conv_baseline *b, const conv_problem *p, bool transformed);
void conv_baseline_forget(conv_baseline *b);

/* The name of plan number `call`, and its library. */
void conv_baseline_call(const conv_baseline *b, int call, bench_call *c);

/* "cudnn", "cudnn transformed": how the library is recorded. */
const char *conv_baseline_library(bool transformed);

/* The same contract as conv_variant's launch, using plan number `call`; p may differ from the problem asked for only in
 * pointers, not in their alignment. Returns cudaErrorNotSupported if cuDNN fails without a CUDA error, and for other
 * scalars than were asked for. */
cudaError_t conv_baseline_launch(conv_baseline *b, const conv_problem *p, int call, cudaStream_t stream);
