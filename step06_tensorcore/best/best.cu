/* The complete kernel: every type, both layouts, any shape and alignment, and on each GPU the fastest that it has.
 *
 *   problem          GPU       kernel
 *   tf32x3           sm_90     tf32x3.cu: a pass that splits A and B, then wgmma
 *   all others       sm_90     persistent.cu: wgmma and TMA; rows of A or B that TMA does not take are copied first
 *                    sm_80 on  multistage.cu: cp.async in stages, mma.sync; on sm_90 where it is estimated to be faster
 *
 * Here is only the choice. */
#include "best.h"

#include <limits.h>

#include "gemm/launch.cuh"
#include "multistage.h"

/* One contiguous column is the same in both layouts. In tn it is read in chunks; its pitch is any that suits them, as
 * there is no second column. */
static gemm_problem as_column(const gemm_problem *p) {
    gemm_problem q = *p;
    if (p->layout == GEMM_NN && p->n == 1 && p->ldb == 1 && p->k <= INT_MAX - 63)
        q.layout = GEMM_TN, q.ldb = p->k > 0 ? (p->k + 63) / 64 * 64 : 1;
    return q;
}

/* Does persistent compute p, which is not tf32x3, because it is estimated to be faster? And its plan. */
static bool by_persistent(const gemm_problem *p, hopper_plan *plan) {
    if (gemm_capability() != 90) return false;
    *plan = plan_persistent(p);
    return plan->tile >= 0 && plan->clocks <= plan_multistage(p, true, MULTISTAGE_ANY, current_costs()).clocks;
}

extern "C" kernel_info kernel_best(void) {
    return gemm_capability() == 90 ? kernel_persistent() : kernel_multistage();
}

extern "C" const char *best_refuses(const gemm_problem *p) {
    if (p->type == GEMM_TF32X3) return gemm_capability() == 90 ? NULL : "tf32x3 needs compute capability 9.0";
    return p->type == GEMM_S8 && p->layout != GEMM_TN ? "takes s8 in tn: nothing transposes bytes" : NULL;
}

extern "C" const char *best_note(const gemm_problem *p) {
    hopper_plan plan;
    if (p->type == GEMM_TF32X3 || p->m == 0 || p->n == 0 || gemm_capability() != 90) return NULL;
    if (p->k == 0 || p->alpha == 0.0f) return "by multistage: there is no product";
    const gemm_problem q = as_column(p);
    if (!by_persistent(&q, &plan)) return "by multistage: it is estimated to be faster";
    if (plan.b.transposed) return plan.a.rows > 0 ? "A copied, B transposed first" : "B transposed first";
    if (plan.a.rows > 0 && plan.b.rows > 0) return "A and B copied first, into rows that begin on 128 bytes";
    if (plan.a.rows > 0) return "A copied first, into rows that begin on 128 bytes";
    return plan.b.rows > 0 ? "B copied first, into rows that begin on 128 bytes" : NULL;
}

extern "C" size_t workspace_best(const gemm_problem *p) {
    hopper_plan plan;
    if (p->type == GEMM_TF32X3) return workspace_tf32x3(p);
    const gemm_problem q = as_column(p);
    return by_persistent(&q, &plan) ? plan.bytes : workspace_multistage(&q);
}

extern "C" cudaError_t launch_best(const gemm_problem *p, cudaStream_t stream) {
    hopper_plan plan;
    if (p->type == GEMM_TF32X3) return launch_tf32x3(p, stream);
    const gemm_problem q = as_column(p);
    /* Without a workspace multistage copies and divides nothing. */
    if (by_persistent(&q, &plan) && (plan.bytes == 0 || p->workspace != NULL)) return launch_persistent(&plan, stream);
    return launch_multistage(&q, stream);
}
