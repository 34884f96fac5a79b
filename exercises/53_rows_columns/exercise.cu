/* Exercise: 11 x 11 taps in 32 bits. A tap lies outside of the image if its row or its column of the filter does, so a
 * place has a bit for each row and for each column, and a tap has the two that are its own. Here they share bits. Which
 * should the columns have? Filters of up to 31 rows and columns together must work.
 */
#include "../step09_conv/tile.cuh"

static const unsigned PAST = 1u << 31;

struct bits {
    struct place {
        const float *corner;
        unsigned outside;
    };
};

static __device__ __forceinline__ bits::place place_begin(const bits &, const conv_problem &p, int at) {
    bits::place place = {(const float *)p.x, ~0u};
    if (at >= conv_places(&p)) return place;
    int i0 = at / p.q % p.p * p.stride[0] - p.pad[0], j0 = at % p.q * p.stride[1] - p.pad[1];
    int64_t image = (int64_t)(at / (p.p * p.q)) * p.c * p.h * p.w;
    place.corner = (const float *)p.x + (image + (int64_t)i0 * p.w + j0);
    place.outside = PAST;
    for (int r = 0; r < p.r; r++)
        if ((unsigned)(i0 + r * p.dilation[0]) >= (unsigned)p.h) place.outside |= 1u << r;
    for (int s = 0; s < p.s; s++)
        if ((unsigned)(j0 + s * p.dilation[1]) >= (unsigned)p.w) place.outside |= 1u << s;
    return place;
}

static __device__ __forceinline__ float place_load(const bits &, const conv_problem &p, const bits::place &place,
                                                   int l0, int n) {
    int c = (l0 + n) / (p.r * p.s), rest = (l0 + n) % (p.r * p.s), r = rest / p.s, s = rest % p.s;
    unsigned tap = 1u << r | 1u << s;
    return place.outside & tap
               ? 0.0f
               : __ldg(place.corner + (((int64_t)c * p.h + r * p.dilation[0]) * p.w + s * p.dilation[1]));
}

static __device__ __forceinline__ void place_advance(const bits &, const conv_problem &, bits::place &) {
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_tile<bits>, THREADS, 0};
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *p, cudaStream_t stream) {
    return launch_tile(p, bits{}, stream);
}
