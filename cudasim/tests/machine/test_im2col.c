/* im2col tensor maps, and the copies that they make. */
#include "async_case.h"

typedef struct column {
    int type;
    uint32_t rank;
    void *address;
    uint64_t dims[5], strides[4];
    int lower[3], upper[3];
    uint32_t channels, pixels, steps[5];
    int interleave, swizzle, fill;
} column;

static uint64_t tensor[16384]; /* what is copied from and to */

static int encode(void *map, const column *c) {
    return tensormap_encode_im2col(map, c->type, c->rank, c->address, c->dims, c->strides, c->lower, c->upper,
                                   c->channels, c->pixels, c->steps, c->interleave, c->swizzle, 0, c->fill);
}

static const column good = {.type = TENSOR_F16,
                            .rank = 4,
                            .address = tensor,
                            .dims = {64, 8, 8, 4, 2},
                            .strides = {128, 1024, 8192, 32768},
                            .lower = {-1, -1, -1},
                            .upper = {-1, -1, -1},
                            .channels = 64,
                            .pixels = 128,
                            .steps = {1, 1, 1, 1, 1},
                            .swizzle = SWIZZLE_128B};

/* The arguments that the driver API's description of cuTensorMapEncodeIm2col forbids, one at a time. */
static void maps_are_checked(void **state) {
    _Alignas(64) uint8_t map[128];
    tensor_map decoded;
    assert_int_equal(encode(NULL, &good), 1);
    assert_int_equal(encode(map, &good), 0);
#define FORGED(change)                                                                                                 \
    do {                                                                                                               \
        memcpy(&decoded, map, sizeof decoded);                                                                         \
        decoded.change;                                                                                                \
        if (tensormap_valid(forged(&decoded))) fail_msg("%s", #change);                                                \
    } while (0)
    memcpy(&decoded, map, sizeof decoded);
    assert_true(tensormap_valid(&decoded));
    FORGED(box[0] = 0);
    FORGED(box[1] = 1025);
    FORGED(box[2] = 1);
    FORGED(lower[0] = 100);
    FORGED(lower[2] = 1);
    FORGED(upper[1] = -300);
    FORGED(im2col = false);
    FORGED(rank = 2);
    FORGED(steps[3] = 9);
#undef FORGED
#define ASK(code, change)                                                                                              \
    do {                                                                                                               \
        column c = good;                                                                                               \
        change;                                                                                                        \
        if (encode(map, &c) != (code)) fail_msg("%s: %d", #change, encode(map, &c));                                   \
    } while (0)
#define WRONG(change) ASK(1, change)
#define RIGHT(change) ASK(0, change)
    WRONG(c.type = 13);
    WRONG(c.rank = 2);
    WRONG(c.rank = 6);
    RIGHT(c.rank = 3);
    RIGHT(c.rank = 5);
    WRONG(c.address = (char *)tensor + 8);
    WRONG(c.dims[3] = 0);
    WRONG(c.strides[1] = 1000);
    RIGHT((c.lower[0] = -128, c.upper[0] = 127));
    WRONG(c.lower[1] = -129);
    WRONG(c.upper[1] = 128);
    RIGHT((c.rank = 3, c.lower[0] = -32768, c.upper[0] = 32767));
    WRONG((c.rank = 3, c.lower[0] = -32769));
    WRONG((c.rank = 3, c.upper[0] = 32768));
    RIGHT((c.rank = 5, c.lower[2] = -16, c.upper[1] = 15));
    WRONG((c.rank = 5, c.lower[2] = -17));
    WRONG((c.rank = 5, c.upper[1] = 16));
    RIGHT(c.upper[0] = -8); /* one place for the filter: its base is left and above */
    WRONG(c.upper[0] = -9);
    WRONG(c.upper[1] = -9);
    WRONG((c.lower[0] = 8, c.upper[0] = 0));
    WRONG(c.channels = 0);
    WRONG(c.channels = 12); /* 24 bytes */
    RIGHT(c.channels = 8);
    WRONG(c.channels = 128); /* 256 bytes, swizzled by 128 */
    RIGHT((c.channels = 256, c.swizzle = SWIZZLE_NONE));
    WRONG((c.channels = 264, c.swizzle = SWIZZLE_NONE));
    WRONG((c.channels = 256, c.swizzle = SWIZZLE_NONE, c.pixels = 512)); /* 256 KB */
    WRONG(c.pixels = 0);
    RIGHT(c.pixels = 1024);
    WRONG(c.pixels = 1025);
    WRONG(c.steps[1] = 0);
    WRONG(c.steps[2] = 9);
    RIGHT(c.steps[2] = 8);
    WRONG(c.swizzle = 4);
    WRONG(c.fill = 2);
    WRONG((c.fill = 1, c.type = TENSOR_U16));
    WRONG(c.interleave = 3);
    ASK(801, c.interleave = 1);
}

/* Element `index` (channel fastest) of a copy: its byte in the tensor, or -1 outside. Pixels are numbered as the places
 * of a convolution are: those that the filter's base can take, image by image. What is stored goes on to the next
 * multiple of 16 bytes behind a row's end. */
static int64_t model_global(const column *c, const tensor_at *at, uint32_t index, uint32_t element, bool stored) {
    int64_t places[3], number = at->coordinates[c->rank - 1];
    const uint32_t images = c->rank - 2, chunk = stored ? 16 / element : 1;
    for (uint32_t k = images; k-- > 0;) {
        const int64_t bases = (int64_t)c->dims[k + 1] + c->upper[k] - c->lower[k];
        places[k] = (bases + c->steps[k + 1] - 1) / c->steps[k + 1];
        number = number * places[k] + (at->coordinates[k + 1] - c->lower[k]) / (int64_t)c->steps[k + 1];
    }
    number += index / c->channels;
    const int64_t channel = at->coordinates[0] + (int64_t)(index % c->channels);
    if (channel < 0 || channel >= (int64_t)((c->dims[0] + chunk - 1) / chunk * chunk)) return -1;
    int64_t byte = channel * element;
    for (uint32_t k = 0; k < images; k++) {
        int64_t place = number % places[k];
        number /= places[k];
        if (place < 0) place += places[k], number--;
        const int64_t position = c->lower[k] + place * c->steps[k + 1] + at->offsets[k];
        if (position < 0 || position >= (int64_t)c->dims[k + 1]) return -1;
        byte += position * (int64_t)c->strides[k];
    }
    return number < 0 || number >= (int64_t)c->dims[c->rank - 1] ? -1 : byte + number * (int64_t)c->strides[images];
}

/* Some map over `tensor`, and where a copy begins: anywhere in the box, some of them before or behind all images. A
 * store's box is within the tensor. */
static column random_column(tensor_at *at, bool stores) {
    static const uint32_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    column c = {.type = (int)random_below(10), .rank = 3 + random_below(3), .address = tensor};
    const uint32_t element = sizes[c.type];
    c.swizzle = (int)random_below(4);
    c.channels = 16 * (1 + random_below(c.swizzle != 0 ? 1u << c.swizzle : 4)) / element;
    c.pixels = 1 + random_below(150);
    c.dims[0] = 1 + random_below(2 * c.channels);
    uint64_t stride = (c.dims[0] * element + 15) / 16 * 16 + 16 * random_below(2);
    c.steps[0] = 1;
    for (uint32_t k = 1; k < c.rank; k++) {
        c.dims[k] = 1 + random_below(c.rank > 4 ? 4 : 6);
        c.strides[k - 1] = stride;
        stride *= c.dims[k];
        c.steps[k] = k + 1 < c.rank && random_below(2) == 0 ? 1 + random_below(3) : 1;
    }
    *at = (tensor_at){0};
    for (uint32_t k = 0; k + 2 < c.rank; k++) {
        c.lower[k] = (int)random_below(4) - (stores ? 0 : 3);
        if (stores) c.lower[k] = c.lower[k] % (int)c.dims[k + 1];
        do c.upper[k] = (int)random_below(5) - (stores ? 4 : 3);
        while ((int)c.dims[k + 1] + c.upper[k] <= c.lower[k]);
        const uint32_t bases = (uint32_t)((int)c.dims[k + 1] + c.upper[k] - c.lower[k]);
        at->coordinates[k + 1] =
            c.lower[k] + (int32_t)(random_below((bases + c.steps[k + 1] - 1) / c.steps[k + 1]) * c.steps[k + 1]);
        at->offsets[k] = (uint16_t)(stores ? 0 : random_below(5));
    }
    at->coordinates[0] = (int32_t)random_below(4) * (int32_t)(16 / element) - (stores ? 0 : (int32_t)(16 / element));
    at->coordinates[c.rank - 1] = (int32_t)random_below((uint32_t)c.dims[c.rank - 1] + 2) - (stores ? 0 : 1);
    c.fill = c.type >= TENSOR_F16 ? (int)random_below(2) : 0;
    return c;
}

static void columns_are_copied(void **state) {
    static uint8_t shared[65536], linear[65536], before[sizeof tensor];
    static const uint16_t nan[4] = {0x7ff7, 0x7ff7, 0x7ff7, 0x7ff7};
    static const uint8_t zero[8];
    _Alignas(64) uint8_t bytes[128];
    for (int round = 0; round < 4000; round++) {
        const bool stores = round % 4 == 0;
        tensor_at at;
        const column c = random_column(&at, stores);
        tensor_map map;
        assert_int_equal(encode(bytes, &c), 0);
        memcpy(&map, bytes, sizeof map);
        for (size_t k = 0; k < COUNT(tensor); k++) tensor[k] = number((uint32_t)k) * 0x9e3779b97f4a7c15ull;
        const uint32_t element = tensormap_element(&map), base = 128 * random_below(9);
        const uint32_t count = c.channels * c.pixels;
        assert_int_equal(tensormap_bytes(&map), (uint64_t)count * element);
        memset(shared, 0xa5, sizeof shared);
        tensormap_load(&map, &at, shared, base);
        uint64_t low = UINT64_MAX, high = 0, first, end;
        for (uint32_t n = 0; n < count; n++) {
            const int64_t from = model_global(&c, &at, n, element, false);
            const void *expected = from >= 0 ? (const void *)((uint8_t *)tensor + from)
                                   : c.fill  ? (const void *)nan
                                             : (const void *)zero;
            if (memcmp(shared + model_place(base, n, element, c.channels, c.swizzle), expected, element) != 0)
                fail_msg("round %d: element %u of %u of rank %u, swizzle %d", round, n, count, c.rank, c.swizzle);
            if (from < 0) continue;
            low = (uint64_t)from < low ? (uint64_t)from : low;
            high = (uint64_t)from + element > high ? (uint64_t)from + element : high;
        }
        assert_int_equal(tensormap_range(&map, &at, &first, &end), high > 0);
        if (high > 0) {
            assert_int_equal(first, (uint64_t)tensor + low);
            assert_int_equal(end, (uint64_t)tensor + high);
        }
        for (uint32_t k = 0; k < base; k++) assert_int_equal(shared[k], 0xa5);
        for (uint64_t k = base + tensormap_extent(&map); k < sizeof shared; k++) assert_int_equal(shared[k], 0xa5);
        if (!stores) continue;
        for (uint32_t k = 0; k < sizeof shared; k++) shared[k] = (uint8_t)number(k);
        memcpy(before, tensor, sizeof tensor);
        tensormap_gather(&map, shared, base, linear);
        tensormap_scatter(&map, &at, linear, put_bytes, NULL);
        for (uint32_t n = 0; n < count; n++) {
            const int64_t to = model_global(&c, &at, n, element, true);
            if (to >= 0) memcpy(before + to, shared + model_place(base, n, element, c.channels, c.swizzle), element);
        }
        if (memcmp(before, tensor, sizeof tensor) != 0) fail_msg("round %d: stored otherwise", round);
    }
}

/* A map made as CUTLASS makes it has as many bases as the convolution has places, whatever its stride leaves over: all
 * of a tap's pixels, from the first place of the first image on, are those that the definition multiplies by it. */
static void a_convolution_gets_its_pixels(void **state) {
    static const struct {
        int sides[2], taps, stride, pad, dilation; /* W, H */
    } layers[] = {{{6, 5}, 3, 1, 1, 1}, {{7, 7}, 3, 2, 1, 1}, {{8, 6}, 3, 2, 1, 1}, {{9, 7}, 1, 1, 0, 1},
                  {{9, 7}, 1, 2, 0, 1}, {{9, 8}, 5, 1, 2, 1}, {{9, 8}, 3, 1, 2, 2}, {{8, 8}, 3, 3, 0, 1},
                  {{4, 3}, 3, 1, 3, 1}, {{3, 3}, 5, 1, 1, 1}, {{9, 7}, 2, 5, 1, 2}};
    static uint32_t shared[8192];
    for (size_t i = 0; i < COUNT(layers); i++) {
        const int taps = layers[i].taps, stride = layers[i].stride, pad = layers[i].pad, dilation = layers[i].dilation;
        const int w = layers[i].sides[0], h = layers[i].sides[1], images = 2;
        const int q = (w + 2 * pad - dilation * (taps - 1) - 1) / stride + 1;
        const int p = (h + 2 * pad - dilation * (taps - 1) - 1) / stride + 1, upper = pad - (taps - 1) * dilation;
        const column c = {.type = TENSOR_U32,
                          .rank = 4,
                          .address = tensor,
                          .dims = {4, (uint64_t)w, (uint64_t)h, (uint64_t)images},
                          .strides = {16, 16 * (uint64_t)w, 16 * (uint64_t)(w * h)},
                          .lower = {-pad, -pad},
                          .upper = {upper, upper},
                          .channels = 4,
                          .pixels = (uint32_t)(images * p * q),
                          .steps = {1, (uint32_t)stride, (uint32_t)stride, 1}};
        _Alignas(64) uint8_t bytes[128];
        tensor_map map;
        assert_int_equal(encode(bytes, &c), 0);
        memcpy(&map, bytes, sizeof map);
        for (uint32_t k = 0; k < 2 * COUNT(tensor); k++) ((uint32_t *)tensor)[k] = 1 + k / 4; /* a pixel's number */
        for (int tap = 0; tap < taps * taps; tap++) {
            const int r = tap / taps * dilation, s = tap % taps * dilation;
            const tensor_at at = {.coordinates = {0, -pad, -pad, 0}, .offsets = {(uint16_t)s, (uint16_t)r}};
            tensormap_load(&map, &at, (uint8_t *)shared, 0);
            for (int n = 0; n < images * p * q; n++) {
                const int y = n / q % p * stride - pad + r, x = n % q * stride - pad + s;
                const bool inside = y >= 0 && y < h && x >= 0 && x < w;
                const uint32_t pixel = inside ? 1 + (uint32_t)((n / (p * q) * h + y) * w + x) : 0;
                if (shared[4 * n] != pixel) fail_msg("layer %zu, tap %d, place %d: %u", i, tap, n, shared[4 * n]);
            }
        }
    }
}

/* ---- as instructions ---- */

#define DUMP                                                                                                           \
    "mov.u32 %r3, %r1;\nDUMPS: mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r5, [%r4];\n"             \
    "mad.wide.u32 %rd5, %r3, 4, %rd1; st.global.u32 [%rd5], %r5; add.u32 %r3, %r3, 64;\n"                              \
    "setp.lt.u32 %p8, %r3, 1024; @%p8 bra DUMPS;\n"
#define LOAD(dim, to, multicast, at, offsets, mask)                                                                    \
    KERNEL(BAR BUFFER,                                                                                                 \
           MAP INIT(1) "mov.u16 %rs1, 1; mov.u16 %rs2, 2; mov.u16 %rs3, 1; mov.u32 %r11, -1;\n" SYNC EXPECT(           \
               1024) "@%p1 cp.async.bulk.prefetch.tensor." dim ".L2.global.im2col [%rd10, " at "], " offsets ";\n"     \
                     "@%p1 cp.async.bulk.tensor." dim "." to ".global.im2col.mbarrier::complete_tx::bytes" multicast   \
                     " [buf], [%rd10, " at "], [bar], " offsets mask ";\n" WAIT(W, 0) DUMP)
#define OUT(dim, reduce, op, at)                                                                                       \
    KERNEL(BAR BUFFER, MAP ZEROTH STORE_WORDS FENCE SYNC "@%p1 cp." reduce "async.bulk.tensor." dim                    \
                                                         ".global.shared::cta." op "im2col_no_offs.bulk_group "        \
                                                         "[%rd10, " at "], [buf];\n" COMMIT DRAIN(0))
#define STORE_WORDS                                                                                                    \
    "mov.u32 %r3, %r1;\nFILLS: mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; mul.lo.u32 %r5, %r3, 77777;\n"           \
    "st.shared.u32 [%r4], %r5; add.u32 %r3, %r3, 64; setp.lt.u32 %p8, %r3, 1024; @%p8 bra FILLS;\n"

/* 32 pixels of 8 channels; `out` behind the map is the tensor. */
static column words(uint32_t rank) {
    return (column){.type = TENSOR_U32,
                    .rank = rank,
                    .address = out + DATA_BYTE / 4,
                    .dims = {8, 5, 4, 3, 3},
                    .strides = {32, 160, 640, 1920},
                    .channels = 8,
                    .pixels = 32,
                    .steps = {1, 1, 1, 1, 1}};
}

static sim_status run_column(const char *ptx, const column *c) {
    _Alignas(64) uint8_t map[128];
    out_renew();
    column at_out = *c;
    at_out.address = out + DATA_BYTE / 4;
    assert_int_equal(encode(map, &at_out), 0);
    memcpy(out + MAP_BYTE / 4, map, sizeof map);
    for (uint32_t k = 0; k < DATA_WORDS; k++) out[DATA_BYTE / 4 + k] = number(k);
    program p = program_load(ptx);
    const sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 64), &out);
    program_unload(&p);
    return status;
}

static void instructions(void **state) {
    static const struct {
        uint32_t rank;
        const char *ptx;
        tensor_at at;
        enum { LOADS, STORES, ADDS } what;
    } cases[] = {
        {3, LOAD("3d", "shared::cluster", "", "{0, %r11, 1}", "{%rs2}", ""), {{0, -1, 1}, {2}}, LOADS},
        {4, LOAD("4d", "shared::cluster", "", "{0, %r11, 1, 0}", "{%rs1, %rs2}", ""), {{0, -1, 1}, {1, 2}}, LOADS},
        {4, LOAD("4d", "shared::cta", "", "{0, %r11, 1, 0}", "{2, 1}", ""), {{0, -1, 1}, {2, 1}}, LOADS},
        {4,
         LOAD("4d", "shared::cluster", ".multicast::cluster", "{-4, 2, 1, 2}", "{%rs1, %rs2}", ", %rs3"),
         {{-4, 2, 1, 2}, {1, 2}},
         LOADS},
        {5,
         LOAD("5d", "shared::cluster", "", "{0, %r11, 0, 1, 1}", "{%rs1, 0, %rs2}", ""),
         {{0, -1, 0, 1, 1}, {1, 0, 2}},
         LOADS},
        {3, OUT("3d", "", "", "{0, 2, 1}"), {{0, 2, 1}, {0}}, STORES},
        {4, OUT("4d", "", "", "{0, 2, 1, 1}"), {{0, 2, 1, 1}, {0}}, STORES},
        {4, OUT("4d", "reduce.", "add.", "{0, 2, 1, 1}"), {{0, 2, 1, 1}, {0}}, ADDS},
        {5, OUT("5d", "", "", "{0, 2, 1, 1, 2}"), {{0, 2, 1, 1, 2}, {0}}, STORES},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        column c = words(cases[i].rank);
        for (int k = 0; k < 3 && cases[i].what == LOADS; k++) c.lower[k] = c.upper[k] = -1;
        const sim_status status = run_column(cases[i].ptx, &c);
        if (status != SIM_OK || said[0] != '\0') fail_msg("case %zu: %s", i, said);
        uint32_t expected[DATA_WORDS];
        for (uint32_t k = 0; k < DATA_WORDS; k++) expected[k] = number(k);
        for (uint32_t n = 0; n < 256; n++) {
            const int64_t byte = model_global(&c, &cases[i].at, n, 4, cases[i].what != LOADS);
            if (cases[i].what == LOADS)
                assert_int_equal(out[n], byte >= 0 ? number((uint32_t)byte / 4) : 0);
            else if (byte >= 0)
                expected[byte / 4] = n * 77777 + (cases[i].what == ADDS ? expected[byte / 4] : 0);
        }
        for (uint32_t k = 0; k < DATA_WORDS; k++) assert_int_equal(out[DATA_BYTE / 4 + k], expected[k]);
    }
}

static void mistakes(void **state) {
    static const struct {
        int corner; /* lower and upper */
        const char *ptx, *says;
    } cases[] = {
        {-1, LOAD("4d", "shared::cluster", "", "{0, -2, 0, 0}", "{0, 0}", ""),
         "*an im2col copy from W = -2; the map's corners leave -1 to 3 for the filter's base\n*prefetch*"},
        {-1, LOAD("4d", "shared::cluster", "", "{0, 0, 3, 0}", "{0, 0}", ""),
         "*an im2col copy from H = 3; the map's corners leave -1 to 2 for the filter's base\n*"},
        {-1, LOAD("4d", "shared::cluster", "", "{0, 0, 0, 0}", "{0, 256}", ""),
         "*an im2col offset of 256 in H: of a tensor of 4 dimensions it is at most 255\n*"},
        {-1, LOAD("4d", "shared::cluster", "", "{1, 0, 0, 0}", "{0, 0}", ""), "*a tensor copy from coordinate 1 of *"},
        {-1, LOAD("3d", "shared::cluster", "", "{0, 0, 0}", "{0}", ""),
         "*a copy of 3 dimensions with a tensor map of 4\n*"},
        {-1, OUT("4d", "", "", "{0, 0, 0, 0}"),
         "*an im2col store or reduction by a map whose corners, -1 and -1 in W, lie outside of the tensor\n*"},
        {0, OUT("4d", "", "", "{0, 0, 0, -1}"), "*a tensor store or reduction from coordinate -1 of dimension 3: *"},
        {0,
         KERNEL(BAR BUFFER, MAP ZEROTH "@%p1 cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group "
                                       "[%rd10, {0, 0, 0, 0}], [buf];\n" COMMIT DRAIN(0)),
         "*a tiled copy with a tensor map of cuTensorMapEncodeIm2col\n*"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        column c = words(4);
        for (int k = 0; k < 3; k++) c.lower[k] = c.upper[k] = cases[i].corner;
        const sim_status status = run_column(cases[i].ptx, &c);
        if (status != SIM_ILLEGAL_INSTRUCTION || !is_like(said, cases[i].says))
            fail_msg("status %d, said:\n%sexpected:\n%s", status, said, cases[i].says);
    }
    column c = words(4);
    c.dims[3] = 40; /* images, of which 25 are in memory */
    assert_int_equal(run_column(LOAD("4d", "shared::cluster", "", "{0, 0, 0, 25}", "{0, 0}", ""), &c),
                     SIM_ILLEGAL_ADDRESS);
    assert_true(is_like(said, "*a bulk copy reads a tensor, * bytes at 0x*, *allocation at 0x*"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_checked),
        cmocka_unit_test(columns_are_copied),
        cmocka_unit_test(a_convolution_gets_its_pixels),
        cmocka_unit_test(instructions),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
