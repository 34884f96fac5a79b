/* Implicit GEMM with precomputed offsets ("implicit precomp GEMM"): the host divides, once a launch.
 *
 *   From the corner of a window to a tap of it is the same way for every place:
 *
 *      offset = c * h*w + row * dilation * w + column * dilation         (i0, j0)  +-- w --------------
 *                                                                             o . . .
 *   so a table of them serves all threads. It repeats: as many taps on as       . . X .     X is row * w + column
 *   both 8 and r*s divide, the same taps come again, some channels further.     . . . .     behind o, o wherever it is
 *
 * The table is a parameter of the kernel. Parameters are in constant memory, so it needs no copy, no allocation and no
 * wait, and a graph keeps its own. Constant memory answers a warp at once where all lanes ask for one address, as here:
 * they have different places, but load the same tap.
 *
 * What the table cannot know is whether the pixel lies inside of the image. That depends on the place, but not on the
 * channel: a thread has 64 bits, one for each of the r*s taps, which it sets once. */
#include <limits.h>

#include "tile.cuh"

static const int MAX_TAPS = 64; /* bits; a period has at most 8 times as many entries */

struct table {
    int offset[MAX_TAPS * BK]; /* from the corner of the window, of the taps of one period */
    unsigned char bit[MAX_TAPS * BK];
    int period, channels; /* taps; whole channels in it */
    struct place {
        const float *corner; /* of the window, in the first channel of the period */
        uint64_t inside;     /* bit number `bit`: this tap lies in the image */
        int next;            /* number of the next tap in the period */
    };
};

static __device__ __forceinline__ table::place place_begin(const table &, const conv_problem &p, int at) {
    table::place place = {};
    if (at >= conv_places(&p)) return place;
    int i0 = at / p.q % p.p * p.stride[0] - p.pad[0], j0 = at % p.q * p.stride[1] - p.pad[1];
    int64_t image = (int64_t)(at / (p.p * p.q)) * p.c * p.h * p.w;
    place.corner = (const float *)p.x + (image + (int64_t)i0 * p.w + j0);
    for (int bit = 0, r = 0; r < p.r; r++)
        for (int s = 0; s < p.s; s++, bit++) {
            int i = i0 + r * p.dilation[0], j = j0 + s * p.dilation[1];
            if (i >= 0 && i < p.h && j >= 0 && j < p.w) place.inside |= (uint64_t)1 << bit;
        }
    return place;
}

static __device__ __forceinline__ float place_load(const table &t, const conv_problem &, const table::place &place, int,
                                                   int n) {
    bool inside = place.inside >> t.bit[place.next + n] & 1;
    return inside ? __ldg(place.corner + t.offset[place.next + n]) : 0.0f;
}

static __device__ __forceinline__ void place_advance(const table &t, const conv_problem &p, table::place &place) {
    place.next += BK;
    if (place.next < t.period) return;
    place.next = 0;
    place.corner += (int64_t)t.channels * p.h * p.w;
}

/* False where an offset does not fit. Taps that no channel has get any. */
static bool make_table(const conv_problem *p, table *t) {
    int in_channel = p->r * p->s;
    t->period = in_channel;
    while (t->period % BK != 0) t->period += in_channel;
    t->channels = t->period / in_channel;
    for (int l = 0; l < t->period; l++) {
        int64_t c = l / in_channel, r = l % in_channel / p->s, s = l % p->s;
        int64_t offset = (c * p->h + r * p->dilation[0]) * p->w + s * p->dilation[1];
        if (c < p->c && offset > INT_MAX) return false;
        t->offset[l] = c < p->c ? (int)offset : 0;
        t->bit[l] = (unsigned char)(l % in_channel);
    }
    return true;
}

extern "C" const char *refuses_precomputed(const conv_problem *p) {
    table t;
    if ((int64_t)p->r * p->s > MAX_TAPS) return "takes filters of up to 64 taps";
    return make_table(p, &t) ? NULL : "takes offsets in a window below 2^31";
}

extern "C" kernel_info kernel_conv_precomputed(void) {
    return {(const void *)conv_tile<table>, THREADS, 0};
}

extern "C" cudaError_t launch_conv_precomputed(const conv_problem *p, cudaStream_t stream) {
    table t;
    make_table(p, &t);
    return launch_tile(p, t, stream);
}
