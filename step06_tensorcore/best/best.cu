/* The complete kernel: every type, both layouts, any shape and alignment, and on each GPU the fastest that it has.
 *
 *   problem                                    GPU       kernel
 *   tf32x3                                     sm_90     tf32x3.cu: a pass that splits A and B, then wgmma
 *   rows that TMA takes (tensor_map_refuses)   sm_90     persistent.cu: ping-pong consumers, five configurations
 *   all others                                 sm_80 on  multistage.cu: cp.async in stages, mma.sync
 *
 * Here is only the choice. */
#include "best.h"
#include "multistage.h"

/* Ten times the major number, and the minor one, of the current device's compute capability; 0: not known. */
static int capability(void) {
    int device = 0, major = 0, minor = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return 0;
    return 10 * major + minor;
}

extern "C" kernel_info kernel_best(void) {
    return capability() == 90 ? kernel_persistent() : kernel_multistage();
}

extern "C" const char *best_refuses(const gemm_problem *p) {
    if (p->type == GEMM_TF32X3) return capability() == 90 ? NULL : "tf32x3 needs compute capability 9.0";
    return p->type == GEMM_S8 && p->layout != GEMM_TN ? "takes s8 in tn: nothing transposes bytes" : NULL;
}

extern "C" const char *best_note(const gemm_problem *p) {
    return p->type != GEMM_TF32X3 && capability() == 90 ? tensor_map_refuses(p) : NULL;
}

extern "C" size_t workspace_best(const gemm_problem *p) {
    if (p->type == GEMM_TF32X3) return workspace_tf32x3(p);
    return capability() == 90 && tensor_map_refuses(p) == NULL ? workspace_hopper(p) : workspace_multistage(p);
}

extern "C" cudaError_t launch_best(const gemm_problem *p, cudaStream_t stream) {
    if (p->type == GEMM_TF32X3) return launch_tf32x3(p, stream);
    return capability() == 90 ? launch_persistent(p, stream) : launch_multistage(p, stream);
}
