/* One block's work in FP32: a tile of y over a range of the taps. It is step 5's warp_tile.cuh, whose fragments, FMAs
 * and slices are taken from there, fed by another loader: cp.async of single words, from where they lie to where the
 * FMAs want them.
 *
 *                  NCHW                                     NHWC
 *    tile          filters x places                         places x filters       rows of y, as it is in memory
 *    lanes of      32 places, one tap                       8 places, 4 taps       neighbours in x, as well
 *    a copy        x  o o o o ... o                         x  o o o o | o o o o | ...
 *                     `- along a row of an image               `- channels of a pixel
 *
 * Taps are numbered as a filter has them in memory, channels outside (NCHW) or inside (NHWC). Where a tap lies in a
 * window, and in which row and column of the filter, takes two divisions; that is the same for all places. So as many
 * threads as a tile has taps divide, an iteration before these are copied, and leave in the stage, for everyone,
 *
 *    offset    from the corner of the window to the tap
 *    outside   two bits, of its row and its column of the filter
 *
 * A thread knows of its places which rows and columns of the filter are outside of the image, as bits of one word: a
 * copy takes one AND for its predicate and one multiply-add for its address. */
#pragma once

#include "../../step05_doublebuffer/best/warp_tile.cuh"
#include "conv/conv_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/griddepcontrol.cuh"

static const unsigned PAST = 1u << 31; /* in `outside`: of taps past the last, and of every place */

struct near_tap {
    int offset;
    unsigned outside;
};

/* Where the bits or an offset do not fit: the tap's channel, and how far it is down and across, from the corner. */
struct far_tap {
    int channel, i, j;
    bool past;
};

template <bool FAR> struct tap_of { typedef near_tap type; };
template <> struct tap_of<true> { typedef far_tap type; };

/* Division by multiplication: n / d, rounded down, is n * times >> shift, for 0 <= n < 2^31 (Granlund, Montgomery,
 * "Division by invariant integers using multiplication", PLDI 1994). */
struct divisor {
    unsigned times, shift;
};

static inline divisor make_divisor(int d) {
    unsigned log = 0; /* of d, rounded up */
    while ((int64_t)1 << log < d) log++;
    return {(unsigned)(((uint64_t)1 << (31 + log)) / (unsigned)d + 1), 31 + log};
}

static __device__ __forceinline__ int divide(int n, divisor d) {
    return (int)((uint64_t)(unsigned)n * d.times >> d.shift);
}

/* A problem with what set_tap divides by: the taps of a channel (NCHW) or the channels of a tap (NHWC), a filter's
 * columns. */
struct f32_problem {
    conv_problem p;
    divisor inner, s;
};

/* A tile of FILTERS x PLACES. Where blocks have fewer than 256 threads, and share a multiprocessor, one stores its
 * results while another multiplies. */
template <bool NHWC_, bool FAR_, int FILTERS_, int PLACES_, int BK_, int TM_, int TN_, int STAGES_, int THREADS_,
          int PER_SM_>
struct f32_shape
    : tile_shape<NHWC_ ? PLACES_ : FILTERS_, NHWC_ ? FILTERS_ : PLACES_, BK_, TM_, TN_, STAGES_, PER_SM_, true> {
    static const bool NHWC = NHWC_, FAR = FAR_;
    static const int FILTERS = FILTERS_, PLACES = PLACES_, BM = NHWC ? PLACES : FILTERS, BN = NHWC ? FILTERS : PLACES;
    static const int BK = BK_, TM = TM_, TN = TN_, STAGES = STAGES_, THREADS = THREADS_;
    static const int SLICES = THREADS / 32 / (BM / (8 * TM) * (BN / (4 * TN))), SLICE_K = BK / SLICES;
    static const int RESULTS = BM * BN / THREADS; /* of a thread, once the slices are added up */
    /* Lanes of a copy along a row of taps. Rows in shared memory are longer by what brings those of neighbouring taps
     * into other banks. */
    static const int LANES = 8, PAD = 32 / LANES;
    static const int F_APART = THREADS / LANES, F_ROWS = FILTERS / F_APART, F_COPIES = F_ROWS * BK / LANES;
    static const int X_APART = NHWC ? F_APART : THREADS, X_ROWS = PLACES > X_APART ? PLACES / X_APART : 1;
    static const int X_COPIES = PLACES * BK / THREADS, X_TAPS = X_COPIES / X_ROWS;
    typedef typename tap_of<FAR>::type tap;
    struct stage {
        float A[BK][BM + PAD];
        float B[BK][BN + PAD];
        __align__(16) tap taps[BK];
    };
};

/* What a thread has to copy. Rows of filters past the last are replaced by the last one, and not stored. A pointer to
 * each of its filters would take registers that ptxas needs to keep an FMA's operands in different banks. */
template <class T> struct f32_copier {
    const float *f;            /* next tap of the first of its filters */
    int f_left;                /* taps from there on */
    int f_pitch, f_rows;       /* from a filter to the next; so many rows further on is the last */
    const float *x[T::X_ROWS]; /* corner of the window; far: first pixel of the image */
    unsigned outside[T::X_ROWS];
    int i[T::X_ROWS], j[T::X_ROWS]; /* far: the corner */
    unsigned f_to, x_to;            /* in the stage that is filled next */
    const typename T::tap *taps;    /* there, the first of a thread's */
};

template <class T> static __device__ __forceinline__ void set_tap(const f32_problem &q, int l, typename T::tap *tap) {
    const conv_problem &p = q.p;
    int outer = divide(l, q.inner), inner = l - outer * (T::NHWC ? p.c : p.r * p.s);
    int c = T::NHWC ? inner : outer, rest = T::NHWC ? outer : inner, r = divide(rest, q.s), s = rest - r * p.s;
    int i = r * p.dilation[0], j = s * p.dilation[1];
    bool past = l >= conv_taps(&p);
    if constexpr (T::FAR)
        *tap = {T::NHWC ? c : c * p.h * p.w, i, j, past};
    else
        *tap = {T::NHWC ? (i * p.w + j) * p.c + c : (c * p.h + i) * p.w + j, past ? PAST : 1u << r | 1u << (p.r + s)};
}

/* Place number `at` as row n of a thread's. */
template <class T>
static __device__ __forceinline__ void set_place(const conv_problem &p, int at, int n, f32_copier<T> *x) {
    x->outside[n] = ~0u, x->x[n] = (const float *)p.x, x->i[n] = INT_MIN, x->j[n] = 0; /* there is no such place */
    if (at >= conv_places(&p)) return;
    int i = at / p.q % p.p * p.stride[0] - p.pad[0], j = at % p.q * p.stride[1] - p.pad[1];
    x->x[n] += (int64_t)(at / (p.p * p.q)) * p.c * p.h * p.w;
    x->i[n] = i, x->j[n] = j;
    if (T::FAR) return;
    x->x[n] += ((int64_t)i * p.w + j) * (T::NHWC ? p.c : 1);
    unsigned outside = PAST;
    for (int r = 0; r < p.r; r++, i += p.dilation[0])
        if (i < 0 || i >= p.h) outside |= 1u << r;
    for (int s = 0; s < p.s; s++, j += p.dilation[1])
        if (j < 0 || j >= p.w) outside |= 1u << (p.r + s);
    x->outside[n] = outside;
}

/* For filters and places from these on, and taps from l0 on. */
template <class T>
static __device__ __forceinline__ f32_copier<T> make_copier(const conv_problem &p, int filter0, int place0, int l0,
                                                            typename T::stage *stages) {
    f32_copier<T> x;
    int tap = threadIdx.x % T::LANES, row = threadIdx.x / T::LANES, taps = conv_taps(&p);
    x.f_left = taps - l0 - tap;
    x.f = (const float *)p.f + ((int64_t)min(filter0 + row, p.k - 1) * taps + l0 + tap);
    x.f_pitch = taps, x.f_rows = max(p.k - 1 - filter0 - row, 0);
    int place = T::NHWC ? row : threadIdx.x % T::PLACES, x_tap = T::NHWC ? tap : threadIdx.x / T::PLACES * T::X_TAPS;
#pragma unroll
    for (int n = 0; n < T::X_ROWS; n++) set_place<T>(p, place0 + place + n * T::X_APART, n, &x);
    x.f_to = shared_address(T::NHWC ? &stages->B[tap][row] : &stages->A[tap][row]);
    x.x_to = shared_address(T::NHWC ? &stages->A[x_tap][place] : &stages->B[x_tap][place]);
    x.taps = &stages->taps[x_tap];
    return x;
}

static __device__ __forceinline__ void copy_tap(const conv_problem &p, unsigned to, const float *corner,
                                                unsigned outside, int, int, int, const near_tap &tap) {
    cp_async_4_zfill(to, corner + tap.offset, outside & tap.outside ? 0 : 4);
}

static __device__ __forceinline__ void copy_tap(const conv_problem &p, unsigned to, const float *image, unsigned, int i,
                                                int j, int words, const far_tap &tap) {
    i += tap.i, j += tap.j;
    bool inside = !tap.past && (unsigned)i < (unsigned)p.h && (unsigned)j < (unsigned)p.w;
    cp_async_4_zfill(to, image + (inside ? (i * p.w + j) * words + tap.channel : 0), inside ? 4 : 0);
}

/* Copies come in fours: ptxas (13.0) puts three instructions that do nothing in front of each LDGSTS that does not
 * follow another. Four number n of a stage: first those of x, of as few taps as a thread's places allow, then those of
 * f. */
static const int TOGETHER = 4;

template <class T> static __device__ __forceinline__ void copy(const conv_problem &p, const f32_copier<T> &x, int n) {
    const unsigned WORD = sizeof(float), A_ROW = T::BM + T::PAD, B_ROW = T::BN + T::PAD;
    if (n < T::X_COPIES / TOGETHER) {
        const int STEP = T::NHWC ? T::LANES : 1, TAPS = T::X_ROWS < TOGETHER ? TOGETHER / T::X_ROWS : 1;
        const int l0 = n * TOGETHER / T::X_ROWS * STEP, row0 = n * TOGETHER % T::X_ROWS;
        __align__(16) typename T::tap taps[TAPS];
        if (STEP == 1 && TAPS > 1)
            memcpy(taps, __builtin_assume_aligned(&x.taps[l0], 16), sizeof taps);
        else
#pragma unroll
            for (int i = 0; i < TAPS; i++) taps[i] = x.taps[l0 + i * STEP];
#pragma unroll
        for (int e = 0; e < TOGETHER; e++) {
            const int row = row0 + e % T::X_ROWS, i = e / T::X_ROWS, l = l0 + i * STEP;
            copy_tap(p, x.x_to + (l * (T::NHWC ? A_ROW : B_ROW) + row * T::X_APART) * WORD, x.x[row], x.outside[row],
                     x.i[row], x.j[row], T::NHWC ? p.c : 1, taps[i]);
        }
    } else {
#pragma unroll
        for (int e = (n - T::X_COPIES / TOGETHER) * TOGETHER, end = e + TOGETHER; e < end; e++) {
            const int row = e % T::F_ROWS, l = e / T::F_ROWS * T::LANES;
            if (e < T::F_COPIES)
                cp_async_4_zfill(x.f_to + (l * (T::NHWC ? B_ROW : A_ROW) + row * T::F_APART) * WORD,
                                 x.f + (int64_t)min(row * T::F_APART, x.f_rows) * x.f_pitch + l, l < x.f_left ? 4 : 0);
        }
    }
}

/* Moves on to the next tile of taps, `bytes` further in the ring of stages. */
template <class T> static __device__ __forceinline__ void advance(f32_copier<T> *x, int bytes) {
    x->f += T::BK;
    x->f_left -= T::BK;
    x->f_to += bytes, x->x_to += bytes;
    x->taps = (const typename T::tap *)((const char *)x->taps + bytes);
}

/* c_reg += the products of taps begin*BK ... end*BK - 1 (begin < end), for the filters and places from these on;
 * `last`: of the block's pieces. */
template <class T>
static __device__ __forceinline__ void accumulate(const f32_problem &q, typename T::stage *stages, int filter0,
                                                  int place0, int begin, int end, bool last, float (*c_reg)[T::TN]) {
    const int COPIES = T::X_COPIES / TOGETHER + (T::F_COPIES + TOGETHER - 1) / TOGETHER, BK = T::BK, STAGES = T::STAGES,
              BYTES = sizeof *stages;
    float a_reg[2][T::TM], b_reg[2][T::TN];
    int row = thread_row<T>(), col = thread_col<T>(), slice = thread_slice<T>() * T::SLICE_K, tiles = end - begin;

    for (int l = threadIdx.x; l < STAGES * BK; l += T::THREADS)
        set_tap<T>(q, begin * BK + l, &stages[l / BK].taps[l % BK]);
    f32_copier<T> from = make_copier<T>(q.p, filter0, place0, begin * BK, stages);
    griddepcontrol_wait(); /* until here nothing has been read that the launch before may write */
    __syncthreads();
    for (int t = 0; t < STAGES - 1; t++) {
        if (t < tiles) {
#pragma unroll
            for (int n = 0; n < COPIES; n++) copy<T>(q.p, from, n);
        }
        advance<T>(&from, BYTES);
        cp_async_commit(); /* an empty group where there is no tile: counting groups counts tiles */
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    load_fragments<T>(&stages[0], slice, row, col, a_reg[0], b_reg[0]);

    int now = 0; /* stage being multiplied */
    for (int t = 0; t < tiles; t++) {
        bool more = t + STAGES - 1 < tiles;
        /* From here on the next launch's blocks may start and find their taps; earlier they would only take up room. */
        if (!more && last) griddepcontrol_launch_dependents();
        if ((int)threadIdx.x / BK == t % (T::THREADS / BK)) /* of the tile that goes there next */
            set_tap<T>(q, (begin + t + STAGES) * BK + threadIdx.x % BK, &stages[now].taps[threadIdx.x % BK]);
#pragma unroll
        for (int k = 0; k < T::SLICE_K; k++) {
            if (k == T::SLICE_K - 1) { /* the next tile is needed: wait for it, and until all are done with this one */
                cp_async_commit();
                advance<T>(&from, now == 0 ? (1 - STAGES) * BYTES : BYTES); /* to the stage that is now free */
                now = now + 1 == STAGES ? 0 : now + 1;
                cp_async_wait<STAGES - 2>();
                __syncthreads();
            }
            if (more && k < T::SLICE_K - 1) { /* this k's share of the copies, all issued by the last k but one */
                const int SLOTS = T::SLICE_K - 1;
#pragma unroll
                for (int n = k * COPIES / SLOTS; n < (k + 1) * COPIES / SLOTS; n++) copy<T>(q.p, from, n);
            }
            load_fragments<T>(&stages[now], slice + (k + 1) % T::SLICE_K, row, col, a_reg[(k + 1) % 2],
                              b_reg[(k + 1) % 2]);
            multiply<T>(a_reg[k % 2], b_reg[k % 2], c_reg);
        }
    }
}
