/* Which compilation may contain Hopper's instructions. Those of KL_SM90 are in every GPU from sm_90 on; those of
 * KL_SM90A only in sm_90a, the "a" of which promises nothing for newer GPUs. Elsewhere there is a trap: variants that
 * would get there say so through `supports`. */
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define KL_SM90(...) asm volatile(__VA_ARGS__)
#else
#define KL_SM90(...) __trap()
#endif

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KL_SM90A(...) asm volatile(__VA_ARGS__)
#else
#define KL_SM90A(...) __trap()
#endif
