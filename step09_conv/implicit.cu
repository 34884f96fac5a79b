/* Implicit GEMM: the matrix of windows is never in memory. Where one of its elements lies is computed when it is
 * loaded.
 *
 *    tap number l  ->  channel c = l / (r*s),  the rest = l % (r*s)  ->  row = rest / s,  column = rest % s
 *                      a pixel (c, i0 + row * dilation, j0 + column * dilation): inside of the image, or 0
 *
 * The im2col matrix cost memory and its traffic; this costs integer instructions. A division by a number that only the
 * launch knows is some twenty of them, and each element that a thread loads takes two divisions and their remainders. A
 * thread loads 8 elements for 512 FMAs. */
#include <limits.h>

#include "tile.cuh"

struct divisions {
    int taps; /* of a filter in one channel */
    struct place {
        const float *image;
        int i0, j0; /* of the window's corner, outside of the image where it is padded */
    };
};

static __device__ __forceinline__ divisions::place place_begin(const divisions &, const conv_problem &p, int at) {
    divisions::place place = {(const float *)p.x, INT_MIN, 0}; /* behind the last one: no tap gets into the image */
    if (at >= conv_places(&p)) return place;
    place.image = (const float *)p.x + (int64_t)(at / (p.p * p.q)) * p.c * p.h * p.w;
    place.i0 = at / p.q % p.p * p.stride[0] - p.pad[0];
    place.j0 = at % p.q * p.stride[1] - p.pad[1];
    return place;
}

static __device__ __forceinline__ float place_load(const divisions &d, const conv_problem &p,
                                                   const divisions::place &place, int l0, int n) {
    int c = (l0 + n) / d.taps, rest = (l0 + n) % d.taps;
    int i = place.i0 + rest / p.s * p.dilation[0], j = place.j0 + rest % p.s * p.dilation[1];
    bool inside = (unsigned)i < (unsigned)p.h && (unsigned)j < (unsigned)p.w; /* below 0 is above every side */
    return inside ? __ldg(place.image + ((c * p.h + i) * p.w + j)) : 0.0f;
}

static __device__ __forceinline__ void place_advance(const divisions &, const conv_problem &, divisions::place &) {
}

extern "C" kernel_info kernel_conv_implicit(void) {
    return {(const void *)conv_tile<divisions>, THREADS, 0};
}

extern "C" cudaError_t launch_conv_implicit(const conv_problem *p, cudaStream_t stream) {
    return launch_tile(p, divisions{p->r * p->s}, stream);
}
