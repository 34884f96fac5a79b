/* Tensor maps, tensor copies, and forms of asynchronous copies that are refused. */
#include "async_case.h"

/* ---- tensor maps ---- */

typedef struct map_arguments {
    int type;
    uint32_t rank;
    void *address;
    uint64_t dims[5], strides[4];
    uint32_t box[5], steps[5];
    int interleave, swizzle, promotion, fill;
} map_arguments;

static uint64_t tensor[8192]; /* what is copied from and to */

static int encode(void *map, const map_arguments *a) {
    return tensormap_encode_tiled(map, a->type, a->rank, a->address, a->dims, a->strides, a->box, a->steps,
                                  a->interleave, a->swizzle, a->promotion, a->fill);
}

/* The arguments that the driver API's description of cuTensorMapEncodeTiled forbids, one at a time. */
static void maps_are_checked(void **state) {
    _Alignas(64) uint8_t map[16 + 128];
    const map_arguments good = {.type = TENSOR_F16,
                                .rank = 3,
                                .address = tensor,
                                .dims = {64, 32, 4},
                                .strides = {128, 4096},
                                .box = {64, 8, 1},
                                .steps = {1, 1, 1},
                                .swizzle = SWIZZLE_128B};
    assert_int_equal(encode(map, &good), 0);
    assert_int_equal(encode(map + 16, &good), 0);
    assert_int_equal(encode(map, &good), 0);
    assert_int_equal(encode(NULL, &good), 1);
    tensor_map decoded;
    memcpy(&decoded, map, sizeof decoded);
    assert_true(tensormap_valid(&decoded));
    decoded.dims[1]++;
    assert_false(tensormap_valid(&decoded));
    /* Nor is one whose author knows how the check is made. */
    memcpy(&decoded, map, sizeof decoded);
    assert_true(tensormap_valid(forged(&decoded)));
#define FORGED(change)                                                                                                 \
    do {                                                                                                               \
        memcpy(&decoded, map, sizeof decoded);                                                                         \
        decoded.change;                                                                                                \
        if (tensormap_valid(forged(&decoded))) fail_msg("%s", #change);                                                \
    } while (0)
    FORGED(box[0] = 60000);
    FORGED(box[1] = 0);
    FORGED(box[2] = 256);
    FORGED(steps[0] = 0);
    FORGED(steps[2] = 0);
    FORGED(steps[2] = 9);
    FORGED(type = TENSOR_TYPES);
    FORGED(rank = 0);
    FORGED(rank = 6);
    FORGED(swizzle = 4);
    FORGED(swizzle = SWIZZLE_64B);
    FORGED(nan_fill = 2);
    FORGED(dims[0] = 0);
    FORGED(dims[4] = 1);
    FORGED(strides[0] = 8);
#undef FORGED
#define WRONG(change)                                                                                                  \
    do {                                                                                                               \
        map_arguments a = good;                                                                                        \
        change;                                                                                                        \
        if (encode(map, &a) != 1) fail_msg("%s: %d", #change, encode(map, &a));                                        \
    } while (0)
#define RIGHT(change)                                                                                                  \
    do {                                                                                                               \
        map_arguments a = good;                                                                                        \
        change;                                                                                                        \
        if (encode(map, &a) != 0) fail_msg("%s: %d", #change, encode(map, &a));                                        \
    } while (0)
    WRONG(a.type = -1);
    WRONG(a.type = 13);
    WRONG(a.rank = 0);
    WRONG(a.rank = 6);
    WRONG(a.address = (char *)tensor + 8);
    RIGHT(a.address = NULL);
    RIGHT(a.strides[0] = 0);
    RIGHT(a.strides[0] = 64);                                                               /* half a row */
    WRONG((a.swizzle = SWIZZLE_NONE, a.type = TENSOR_U32, a.box[0] = 256, a.box[1] = 256)); /* 256 KB */
    RIGHT((a.swizzle = SWIZZLE_NONE, a.type = TENSOR_U8, a.box[0] = 256, a.box[1] = 256, a.box[2] = 2));
    RIGHT(a.box[0] = 8); /* narrower than the swizzle */
    assert_int_equal(
        tensormap_encode_tiled(map, TENSOR_U32, 1, tensor, good.dims, NULL, good.box, good.steps, 0, 0, 0, 0), 1);
    WRONG(a.dims[1] = 0);
    RIGHT(a.dims[2] = 1ull << 32);
    WRONG(a.dims[2] = (1ull << 32) + 1);
    WRONG(a.strides[0] = 136);
    WRONG(a.strides[1] = 1ull << 40);
    RIGHT(a.strides[1] = (1ull << 40) - 16);
    WRONG(a.box[1] = 0);
    WRONG(a.box[1] = 257);
    RIGHT(a.box[1] = 256);
    WRONG(a.box[0] = 12);  /* 24 bytes */
    WRONG(a.box[0] = 128); /* 256 bytes, swizzled by 128 */
    WRONG(a.swizzle = SWIZZLE_64B);
    WRONG((a.swizzle = SWIZZLE_32B, a.box[0] = 32));
    RIGHT((a.swizzle = SWIZZLE_32B, a.box[0] = 16));
    RIGHT((a.swizzle = SWIZZLE_NONE, a.box[0] = 256));
    WRONG(a.steps[2] = 0);
    WRONG(a.steps[2] = 9);
    RIGHT(a.steps[2] = 8);
    WRONG(a.interleave = 3);
    WRONG(a.swizzle = 4);
    WRONG(a.promotion = 4);
    WRONG(a.fill = 2);
    RIGHT(a.fill = 1);
    WRONG((a.fill = 1, a.type = TENSOR_U16));
    WRONG((a.interleave = 2, a.swizzle = SWIZZLE_64B, a.box[0] = 32));
    WRONG((a.interleave = 1, a.rank = 2));
#undef WRONG
#undef RIGHT
}

/* Some map over `tensor` and coordinates that lie in, across and outside of it. */
static map_arguments random_arguments(int32_t *at) {
    static const uint32_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    map_arguments a = {.type = (int)random_below(10), .rank = 1 + random_below(5), .address = tensor};
    const uint32_t element = sizes[a.type];
    a.swizzle = (int)random_below(4);
    const uint32_t inner = 16 * (1 + random_below(a.swizzle != 0 ? 1u << a.swizzle : 4)), chunk = 16 / element;
    a.box[0] = inner / element;
    a.dims[0] = 1 + random_below(2 * a.box[0]);
    uint64_t stride = (a.dims[0] * element + 15) / 16 * 16 + 16 * random_below(2);
    for (uint32_t k = 1; k < a.rank; k++) {
        a.dims[k] = 1 + random_below(a.rank > 3 ? 3 : 6);
        a.box[k] = 1 + random_below(a.rank > 3 ? 3 : 5);
        a.strides[k - 1] = stride;
        stride *= a.dims[k];
    }
    for (uint32_t k = 0; k < a.rank; k++) {
        a.steps[k] = k > 0 && random_below(3) == 0 ? 1 + random_below(3) : 1;
        at[k] = (int32_t)random_below((uint32_t)a.dims[k] + 4) - 3;
        if (k == 0) at[0] = random_below(2) ? 0 : at[0] / (int32_t)chunk * (int32_t)chunk;
    }
    a.fill = a.type >= TENSOR_F16 ? (int)random_below(2) : 0;
    return a;
}

/* Element `index` of the copy: its byte in the tensor, or -1 outside. What is stored goes on behind a row's end to the
 * next multiple of 16 bytes. */
static int64_t model_global(const map_arguments *a, const int32_t *at, uint32_t index, uint32_t element, bool stored) {
    int64_t byte = 0;
    const uint32_t chunk = stored ? 16 / element : 1;
    for (uint32_t k = 0; k < a->rank; k++) {
        const uint32_t count = (a->box[k] + a->steps[k] - 1) / a->steps[k];
        const int64_t position = at[k] + (int64_t)(index % count) * a->steps[k];
        index /= count;
        const uint64_t past = k == 0 ? (a->dims[0] + chunk - 1) / chunk * chunk : a->dims[k];
        if (position < 0 || position >= (int64_t)past) return -1;
        byte += position * (int64_t)(k == 0 ? element : a->strides[k - 1]);
    }
    return byte;
}

static void tensors_are_copied(void **state) {
    static uint8_t shared[65536 + 2048], linear[65536], before[sizeof tensor];
    _Alignas(64) uint8_t bytes[128];
    for (int round = 0; round < 3000; round++) {
        tensor_at at = {0};
        const map_arguments a = random_arguments(at.coordinates);
        tensor_map map;
        assert_int_equal(encode(bytes, &a), 0);
        memcpy(&map, bytes, sizeof map);
        for (size_t k = 0; k < COUNT(tensor); k++) tensor[k] = number((uint32_t)k) * 0x9e3779b97f4a7c15ull;
        const uint32_t element = tensormap_element(&map), base = 128 * random_below(9);
        uint32_t count = 1;
        for (uint32_t k = 0; k < a.rank; k++) count *= (a.box[k] + a.steps[k] - 1) / a.steps[k];
        assert_int_equal(tensormap_bytes(&map), (uint64_t)count * element);
        assert_true(tensormap_extent(&map) <= 65536);
        memset(shared, 0xa5, sizeof shared);
        assert_true(tensormap_aligned(&map, &at));
        tensormap_load(&map, &at, shared, base);
        bool any = false;
        uint64_t low = UINT64_MAX, high = 0, first, end;
        for (uint32_t n = 0; n < count; n++) {
            const int64_t from = model_global(&a, at.coordinates, n, element, false);
            static const uint16_t nan[4] = {0x7ff7, 0x7ff7, 0x7ff7, 0x7ff7};
            static const uint8_t zero[8];
            const void *expected = from >= 0 ? (const void *)((uint8_t *)tensor + from)
                                   : a.fill  ? (void *)nan
                                             : (void *)zero;
            if (memcmp(shared + model_place(base, n, element, a.box[0], a.swizzle), expected, element) != 0)
                fail_msg("round %d: element %u of rank %u, swizzle %d", round, n, a.rank, a.swizzle);
            if (from < 0) continue;
            any = true;
            low = (uint64_t)from < low ? (uint64_t)from : low;
            high = (uint64_t)from + element > high ? (uint64_t)from + element : high;
        }
        assert_int_equal(tensormap_range(&map, &at, &first, &end), any);
        if (any) {
            assert_int_equal(first, (uint64_t)tensor + low);
            assert_int_equal(end, (uint64_t)tensor + high);
        }
        for (uint32_t k = 0; k < base; k++) assert_int_equal(shared[k], 0xa5);
        for (uint64_t k = base + tensormap_extent(&map); k < sizeof shared; k++) assert_int_equal(shared[k], 0xa5);
        /* and back, other bytes this time: what lies outside is dropped */
        for (uint32_t k = 0; k < sizeof shared; k++) shared[k] = (uint8_t)number(k);
        memcpy(before, tensor, sizeof tensor);
        tensormap_gather(&map, shared, base, linear);
        tensormap_scatter(&map, &at, linear, put_bytes, NULL);
        for (uint32_t n = 0; n < count; n++) {
            const int64_t to = model_global(&a, at.coordinates, n, element, true);
            if (to >= 0) memcpy(before + to, shared + model_place(base, n, element, a.box[0], a.swizzle), element);
        }
        if (memcmp(before, tensor, sizeof tensor) != 0) fail_msg("round %d: stored otherwise", round);
    }
}

/* ---- tensor copies as instructions ---- */

#define DUMP                                                                                                           \
    "mov.u32 %r3, %r1;\nDUMPS: mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r5, [%r4];\n"             \
    "mad.wide.u32 %rd5, %r3, 4, %rd1; st.global.u32 [%rd5], %r5; add.u32 %r3, %r3, 64;\n"                              \
    "setp.lt.u32 %p8, %r3, 1024; @%p8 bra DUMPS;\n"
#define FILL                                                                                                           \
    "mov.u32 %r3, %r1;\nFILLS: mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; mul.lo.u32 %r5, %r3, 77777;\n"           \
    "st.shared.u32 [%r4], %r5; add.u32 %r3, %r3, 64; setp.lt.u32 %p8, %r3, 1024; @%p8 bra FILLS;\n"
#define COORDINATES(y) "mov.u32 %r11, 4; mov.u32 %r12, " #y "; mov.u32 %r13, 1; mov.u32 %r14, 0; mov.u32 %r15, 1;\n"
#define TENSOR_LOAD(dim, coordinates)                                                                                  \
    KERNEL(BAR BUFFER,                                                                                                 \
           MAP INIT(1)                                                                                                 \
               COORDINATES(-1) "@%p1 ld.global.u32 %r16, [%rd10 + 128];\n" SYNC                                        \
                               "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r16;\n"                           \
                               "prefetch.tensormap [%rd10];\n"                                                         \
                               "@%p1 cp.async.bulk.prefetch.tensor." dim ".L2.global.tile [%rd10, " coordinates "];\n" \
                               "@%p1 cp.async.bulk.tensor." dim                                                        \
                               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [buf], [%rd10, " coordinates \
                               "], [bar];\n" WAIT(W, 0) DUMP)
#define TENSOR_STORE(dim, coordinates, reduce, op)                                                                     \
    KERNEL(BAR BUFFER, MAP ZEROTH COORDINATES(1) FILL FENCE SYNC                                                       \
           "@%p1 cp." reduce "async.bulk.tensor." dim ".global.shared::cta." op "tile.bulk_group [%rd10, " coordinates \
           "], [buf];\n" COMMIT DRAIN(0))

static void tensor_instructions(void **state) {
    static const struct {
        const char *load, *store, *add;
    } kernels[] = {
        {TENSOR_LOAD("1d", "{%r11}"), TENSOR_STORE("1d", "{%r11}", "", ""),
         TENSOR_STORE("1d", "{%r11}", "reduce.", "add.")},
        {TENSOR_LOAD("2d", "{%r11, %r12}"), TENSOR_STORE("2d", "{%r11, %r12}", "", ""),
         TENSOR_STORE("2d", "{%r11, %r12}", "reduce.", "add.")},
        {TENSOR_LOAD("3d", "{%r11, %r12, %r13}"), TENSOR_STORE("3d", "{%r11, %r12, %r13}", "", ""),
         TENSOR_STORE("3d", "{%r11, %r12, %r13}", "reduce.", "add.")},
        {TENSOR_LOAD("4d", "{%r11, %r12, %r13, 0}"), TENSOR_STORE("4d", "{%r11, %r12, %r13, %r14}", "", ""),
         TENSOR_STORE("4d", "{%r11, %r12, %r13, %r14}", "reduce.", "add.")},
        {TENSOR_LOAD("5d", "{%r11, %r12, %r13, %r14, %r15}"), TENSOR_STORE("5d", "{%r11, %r12, %r13, %r14, 1}", "", ""),
         TENSOR_STORE("5d", "{%r11, %r12, %r13, %r14, %r15}", "reduce.", "add.")},
    };
    static const int32_t read_at[5] = {4, -1, 1, 0, 1}, write_at[5] = {4, 1, 1, 0, 1};
    for (uint32_t rank = 1; rank <= 5; rank++)
        for (int swizzle = 0; swizzle < 4; swizzle++)
            for (int what = 0; what < 3; what++) {
                map_arguments a = {.type = TENSOR_U32,
                                   .rank = rank,
                                   .swizzle = swizzle,
                                   .dims = {13, 5, 4, 2, 3},
                                   .strides = {64, 320, 1280, 2560},
                                   .box = {8, 4, 2, 2, 2},
                                   .steps = {1, 1, 1, 1, 1}};
                if (swizzle == SWIZZLE_64B) a.box[0] = 16; /* the 128-byte one is wider than the box */
                const char *ptx = what == 0   ? kernels[rank - 1].load
                                  : what == 1 ? kernels[rank - 1].store
                                              : kernels[rank - 1].add;
                out_renew();
                uint32_t *data = out + DATA_BYTE / 4;
                a.address = data;
                _Alignas(64) uint32_t map[33] = {0};
                assert_int_equal(encode(map, &a), 0);
                uint32_t count = 1;
                for (uint32_t k = 0; k < rank; k++) count *= a.box[k];
                map[32] = count * 4;
                memcpy(out + MAP_BYTE / 4, map, sizeof map);
                for (uint32_t k = 0; k < DATA_WORDS; k++) data[k] = number(k);
                program p = program_load(ptx);
                sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 64), &out);
                program_unload(&p);
                if (status != SIM_OK) fail_msg("rank %u: %s", rank, said);
                uint32_t expected[DATA_WORDS];
                for (uint32_t k = 0; k < DATA_WORDS; k++) expected[k] = number(k);
                for (uint32_t n = 0; n < count; n++) {
                    const int64_t byte = model_global(&a, what == 0 ? read_at : write_at, n, 4, what > 0);
                    const uint32_t word = model_place(0, n, 4, a.box[0], swizzle) / 4;
                    if (what == 0)
                        assert_int_equal(out[word], byte >= 0 ? number((uint32_t)byte / 4) : 0);
                    else if (byte >= 0)
                        expected[byte / 4] = word * 77777 + (what == 2 ? expected[byte / 4] : 0);
                }
                for (uint32_t k = 0; k < DATA_WORDS; k++) assert_int_equal(data[k], expected[k]);
            }
}

/* Maps of TF32 and FTZ types; what an H200 made of these words. */
static void tensor_formats(void **state) {
    static const uint32_t in[8] = {0x00000001, 0x807fffff, 0x3f801000, 0x3f803000,
                                   0x7f7ff000, 0x7f800001, 0xffc01234, 0xcbeeb2f8},
                          tf32[8] = {0,          0x80800000, 0x3f800000, 0x3f804000,
                                     0x7f800000, 0x7fffe000, 0x7fffe000, 0xcbeec000};
    _Alignas(128) uint8_t shared[128];
    _Alignas(64) uint8_t bytes[128];
    for (int type = TENSOR_F32_FTZ; type <= TENSOR_TF32_FTZ; type++) {
        const map_arguments a = {.type = type, .rank = 1, .address = tensor, .dims = {8}, .box = {8}, .steps = {1}};
        tensor_map map;
        assert_int_equal(encode(bytes, &a), 0);
        memcpy(&map, bytes, sizeof map);
        memcpy(tensor, in, sizeof in);
        tensormap_load(&map, &(const tensor_at){0}, shared, 0);
        assert_memory_equal(shared, type == TENSOR_F32_FTZ ? in : tf32, sizeof in);
        tensormap_scatter(&map, &(const tensor_at){0}, (const uint8_t *)in, put_bytes, NULL);
        assert_memory_equal(tensor, in, sizeof in); /* stored as it is */
        /* two denormals whose sum is none, under every type */
        map_arguments sums = a;
        out_renew();
        sums.address = out + DATA_BYTE / 4;
        assert_int_equal(encode(bytes, &sums), 0);
        memcpy(out + MAP_BYTE / 4, bytes, sizeof bytes);
        out[DATA_BYTE / 4] = 0x007fffff;
        program p = program_load(KERNEL(
            BUFFER, MAP ZEROTH MINE
            "mov.u32 %r5, 0x00000001; st.shared.u32 [%r20], %r5;\n" FENCE SYNC
            "@%p1 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd10, {0}], [buf];\n" COMMIT
                DRAIN(0)));
        const sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 64), &out);
        program_unload(&p);
        if (status != SIM_OK) fail_msg("type %d: %s", type, said);
        assert_int_equal(out[DATA_BYTE / 4], type == TENSOR_TF32 ? 0x00800000 : 0);
    }
}

/* The wrong swizzle is data in wrong places; other mistakes with maps are named. */
static void tensor_mistakes(void **state) {
    static const struct {
        int type, swizzle;
        uint32_t rank, columns;
        uint64_t pitch, rows;
        const char *ptx;
        sim_status status;
        const char *says;
    } cases[] = {
        {TENSOR_U32, SWIZZLE_NONE, 1, 8, 64, 4, TENSOR_LOAD("2d", "{%r11, %r12}"), SIM_ILLEGAL_INSTRUCTION,
         "*a copy of 2 dimensions with a tensor map of 1*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4000, TENSOR_LOAD("2d", "{%r11, 3990}"), SIM_ILLEGAL_ADDRESS,
         "*a bulk copy reads a tensor, * bytes at 0x*, *allocation at 0x*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4000, TENSOR_STORE("2d", "{%r11, 3990}", "", ""), SIM_ILLEGAL_ADDRESS,
         "*a bulk copy writes a tensor, *"},
        {TENSOR_U8, SWIZZLE_NONE, 2, 16, 64, 4, TENSOR_STORE("2d", "{0, %r12}", "reduce.", "add."),
         SIM_ILLEGAL_INSTRUCTION, "*this reduction does not go with the tensor map's type*"},
        {TENSOR_TF32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{0, %r12}", "reduce.", "max."),
         SIM_ILLEGAL_INSTRUCTION, "*this reduction does not go with the tensor map's type*"},
        {TENSOR_F16, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_LOAD("2d", "{%r11, %r12}"), SIM_ILLEGAL_INSTRUCTION,
         "*a tensor copy from coordinate 4 of elements of 2 bytes: the innermost one must be a multiple of 16 bytes\n*"
         "cp.async.bulk.prefetch.tensor*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{%r12, %r11}", "", ""), SIM_ILLEGAL_INSTRUCTION,
         "*a tensor copy from coordinate 1 of elements of 4 bytes: *cp.async.bulk.tensor*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{%r11, -1}", "", ""), SIM_ILLEGAL_INSTRUCTION,
         "*a tensor store or reduction from coordinate -1 of dimension 1: only loads take negative ones\n*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{-4, 0}", "reduce.", "add."),
         SIM_ILLEGAL_INSTRUCTION, "*a tensor store or reduction from coordinate -4 of dimension 0: *"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, KERNEL("", "cp.async.bulk.prefetch.L2.global [%rd1 + 4], 64;\n"),
         SIM_MISALIGNED_ADDRESS, "*a bulk prefetch of global memory at 0x*4, which is not aligned to 16*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4,
         KERNEL(BAR BUFFER,
                MAP INIT(1) SYNC "mov.u32 %r3, 0;\n"
                                 "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                                 "[buf + 64], [%rd10, {%r3, %r3}], [bar];\n"),
         SIM_MISALIGNED_ADDRESS, "*a bulk copy to shared memory at 0x840, which is not aligned to 128*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4,
         KERNEL(BAR BUFFER,
                MAP INIT(1) SYNC "mov.u32 %r3, 0;\n"
                                 "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                                 "[buf], [%rd10 + 32, {%r3, %r3}], [bar];\n"),
         SIM_MISALIGNED_ADDRESS, "*a tensor map at 0x*, which is not aligned to 64*"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        map_arguments a = {.type = cases[k].type,
                           .rank = cases[k].rank,
                           .swizzle = cases[k].swizzle,
                           .dims = {16, cases[k].rows},
                           .strides = {cases[k].pitch},
                           .box = {cases[k].columns, 4},
                           .steps = {1, 1}};
        _Alignas(64) uint32_t map[33] = {0};
        out_renew();
        a.address = out + DATA_BYTE / 4;
        assert_int_equal(encode(map, &a), 0);
        map[32] = 128;
        memcpy(out + MAP_BYTE / 4, map, sizeof map);
        for (uint32_t n = 0; n < DATA_WORDS; n++) out[DATA_BYTE / 4 + n] = number(n);
        program p = program_load(cases[k].ptx);
        sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 64), &out);
        program_unload(&p);
        if (status != cases[k].status || !is_like(said, cases[k].says))
            fail_msg("status %d, said:\n%sexpected:\n%s", status, said, cases[k].says);
    }
}

/* ---- forms that are refused ---- */

static void forms_are_refused(void **state) {
    static const char *const forms[] = {
        "mbarrier.init.shared::cluster.b64 [bar], 1;",
        "mbarrier.arrive.shared::cluster.b64 %rd5, [bar];",
        "mbarrier.test_wait.shared::cluster.b64 %p1, [bar], %rd5;",
        "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar];",
        "mbarrier.frobnicate.shared.b64 [bar];",
        "cp.async.bulk.global.global.bulk_group [%rd1], [%rd1], 16;",
        "cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [buf], [buf], 16, [bar];",
        "cp.async.bulk.shared::cluster.global.bulk_group [buf], [%rd1], 16;",
        "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd1], [buf], 16;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1, %r1}], "
        "[bar], {%rs1};",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1, %r1, "
        "%r1}], [bar];",
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1, %r1, "
        "%r1, %r1}], [bar], {%rs1};",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1, %r1, "
        "%r1}], [bar], %rs1;",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col_no_offs.mbarrier::complete_tx::bytes [buf], [%rd1, "
        "{%r1, "
        "%r1, %r1}], [bar];",
        "cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group [%rd1, {%r1, %r1, %r1}], [buf];",
        "cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {%r1, %r1}], [buf];",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd1, {%r1, %r1, %r1}];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1}], [bar];",
        "cp.async.bulk.tensor.6d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1}], [bar];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [buf], 16;", /* .noftz is missing */
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd1], [buf], 16;",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [buf], [buf], 16, "
        "[bar];",
        "cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32 [buf], [%rd1], 16, [bar];",
        "cp.async.bulk.wait_group %r1;",
        "fence.proxy.unknown;",
        "fence.mbarrier_init.acquire.cluster;",
        "fence.proxy.tensormap::generic.acquire.gpu;",
    };
    for (size_t k = 0; k < COUNT(forms); k++) {
        char ptx[4096], error[1024] = "";
        static const char text[] = KERNEL(BAR BUFFER, "@@");
        const char *hole = strstr(text, "@@");
        snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)(hole - text), text, forms[k], hole + 2);
        program p = program_load(ptx);
        assert_non_null(p.module);
        if (sim_module_kernel(p.module, "k", error, sizeof error) != NULL) fail_msg("taken: %s", forms[k]);
        if (strstr(error, "PTX line 10") == NULL) fail_msg("%s: %s", forms[k], error);
        program_unload(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_checked), cmocka_unit_test(tensors_are_copied), cmocka_unit_test(tensor_instructions),
        cmocka_unit_test(tensor_formats),   cmocka_unit_test(tensor_mistakes),    cmocka_unit_test(forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
