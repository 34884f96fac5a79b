/* Exercise: the loader of an implicit product. It divides twice for each of the 8 taps that a thread loads in a step,
 * to find channel, row and column of a tap. But it is asked for one tap after the other, 0, 1, 2, ...: who counts along
 * need not divide. Let the place know its next pixel, and bring the integer instructions down. The simulator counts
 * PTX, where a division is one instruction; on a GPU it is some twenty.
 */
#include <limits.h>

#include "../step09_conv/tile.cuh"

struct walk {
    int taps; /* of a filter in one channel */
    struct place {
        const float *image;
        int i0, j0;
    };
};

static __device__ __forceinline__ walk::place place_begin(const walk &, const conv_problem &p, int at) {
    walk::place place = {(const float *)p.x, INT_MIN / 2, 0}; /* no tap of it gets into the image */
    if (at >= conv_places(&p)) return place;
    place.image = (const float *)p.x + (int64_t)(at / (p.p * p.q)) * p.c * p.h * p.w;
    place.i0 = at / p.q % p.p * p.stride[0] - p.pad[0];
    place.j0 = at % p.q * p.stride[1] - p.pad[1];
    return place;
}

static __device__ __forceinline__ float place_load(const walk &w, const conv_problem &p, walk::place &place, int l0,
                                                   int n) {
    int c = (l0 + n) / w.taps, r = (l0 + n) % w.taps / p.s, s = (l0 + n) % w.taps % p.s;
    int i = place.i0 + r * p.dilation[0], j = place.j0 + s * p.dilation[1];
    bool inside = (unsigned)i < (unsigned)p.h && (unsigned)j < (unsigned)p.w;
    return inside ? __ldg(place.image + ((c * p.h + i) * p.w + j)) : 0.0f;
}

static __device__ __forceinline__ void place_advance(const walk &, const conv_problem &, walk::place &) {
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_tile<walk>, THREADS, 0};
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *p, cudaStream_t stream) {
    return launch_tile(p, walk{p->r * p->s}, stream);
}
