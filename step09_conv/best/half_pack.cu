/* What the kernels for tensor cores cannot take as it lies is first written into the workspace: x with the channels of
 * a pixel together and on 16 bytes, f with its weights in the order of x's, both with channels of zeros up to a whole
 * piece of 8 or 4 or, if they are many, a multiple of 64.
 *
 *   n h w c, c = 3    rgbrgbrgb...      ->   rgb0rgb0rgb0...            a thread: 8 or 4 channels of a pixel
 *   n c h w           rrrr...gggg...    ->   rg......rg......rg......   a thread: 16 channels of a pixel, whose
 *                                                                      neighbours in a plane other lanes read
 *
 * Where a filter has several taps of few channels, rows of x end so that the next one's taps lie in the next banks of
 * L1.
 *
 * One launch writes both, and the next kernel's blocks may come meanwhile (programmatic dependent launch). */
#include "../../step06_tensorcore/best/ampere.cuh"
#include "gemm/launch.cuh"
#include "half.h"
#include "ptx/griddepcontrol.cuh"

static const int THREADS = 256, ACROSS = 16; /* channels of a thread, of planes */

/* Writes a piece of 8 halves, or of 4. */
static __device__ __forceinline__ void store_piece(unsigned short *to, uint4 piece, int to_c) {
    if (to_c == 4)
        *(uint2 *)to = make_uint2(piece.x, piece.y);
    else
        *(uint4 *)to = piece;
}

/* Where pixel number `pixel` of x, or of its image, has its channels. */
static __device__ __forceinline__ unsigned short *pixel_at(const half_copy &x, int64_t image, int pixel) {
    const int line = divide(pixel, x.by_w);
    return (unsigned short *)x.to + ((image * x.lines + line) * x.row + (pixel - line * x.w)) * x.to_c;
}

/* x of n h w c: a piece of a pixel. With several for each thread a small image has too few blocks, and a large one
 * gains nothing. */
static __device__ __forceinline__ void pack_pixels(const half_copy &x, int64_t number) {
    const int64_t pixels = x.groups * x.inner;
    const int pieces = (x.to_c + 7) / 8, c = (int)(number % pieces) * 8;
    const int64_t pixel = number / pieces;
    if (pixel >= pixels) return;
    const operand<unsigned short> from = {(const unsigned short *)x.from, x.c, (int)pixels, x.c};
    const raw_chunk raw = load_chunk(from, from.at + pixel * x.c + c, x.c - c);
    store_piece(pixel_at(x, 0, (int)pixel) + c, cut(raw), x.to_c);
}

/* x of n c h w: channels of pixel number `number`, counted through the image's groups of channels. */
static __device__ __forceinline__ void pack_planes(const half_copy &x, int64_t number) {
    const int groups = (x.to_c + ACROSS - 1) / ACROSS, pixel = (int)(number % x.inner);
    const int64_t image = number / x.inner / groups;
    const int c0 = (int)(number / x.inner % groups) * ACROSS;
    if (image >= x.groups) return;
    const unsigned short *from = (const unsigned short *)x.from + (image * x.c + c0) * x.inner + pixel;
    unsigned word[ACROSS / 2] = {};
#pragma unroll
    for (int i = 0; i < ACROSS; i++)
        if (c0 + i < x.c) word[i / 2] |= (unsigned)from[(int64_t)i * x.inner] << i % 2 * 16;
    unsigned short *to = pixel_at(x, image, pixel) + c0;
#pragma unroll
    for (int i = 0; i < ACROSS; i += 8)
        if (c0 + i < x.to_c)
            store_piece(to + i, make_uint4(word[i / 2], word[i / 2 + 1], word[i / 2 + 2], word[i / 2 + 3]), x.to_c);
}

/* f: eight weights of a filter. Those behind its last, up to the pitch, become zeros. */
static __device__ __forceinline__ void pack_filters(const half_copy &f, int64_t number) {
    const int64_t k = number / (f.pitch / 8), first = number % (f.pitch / 8) * 8;
    if (k >= f.groups) return;
    const unsigned short *from = (const unsigned short *)f.from + k * f.c * f.inner;
    int tap = (int)(first / f.to_c), c = (int)(first % f.to_c);
    unsigned word[4] = {};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        if (c < f.c && tap < f.inner)
            word[i / 2] |= (unsigned)from[f.planes ? (int64_t)c * f.inner + tap : (int64_t)tap * f.c + c] << i % 2 * 16;
        if (++c == f.to_c) c = 0, tap++;
    }
    store_piece((unsigned short *)f.to + k * f.pitch + first, make_uint4(word[0], word[1], word[2], word[3]), 8);
}

/* The first blocks_x blocks write x, the others f. */
static __global__ void __launch_bounds__(THREADS) conv_pack(half_copy x, half_copy f, unsigned blocks_x) {
    griddepcontrol_launch_dependents();
    griddepcontrol_wait(); /* the launch before may still read the workspace */
    if (blockIdx.x >= blocks_x)
        pack_filters(f, (int64_t)(blockIdx.x - blocks_x) * THREADS + threadIdx.x);
    else if (x.planes)
        pack_planes(x, (int64_t)blockIdx.x * THREADS + threadIdx.x);
    else
        pack_pixels(x, (int64_t)blockIdx.x * THREADS + threadIdx.x);
}

static unsigned blocks_of(int64_t threads) {
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

cudaError_t half_pack(const half_plan *plan, cudaStream_t stream) {
    const half_copy *x = &plan->x, *f = &plan->f;
    const int across = x->planes ? ACROSS : 8;
    const int64_t of_x = x->groups * x->inner * ((x->to_c + across - 1) / across), of_f = f->groups * (f->pitch / 8);
    const unsigned blocks_x = x->groups > 0 ? blocks_of(of_x) : 0;
    const unsigned blocks_f = f->groups > 0 ? blocks_of(of_f) : 0;
    return gemm_launch_overlapping(conv_pack, blocks_x + blocks_f, 1, THREADS, 0, stream, *x, *f, blocks_x);
}
