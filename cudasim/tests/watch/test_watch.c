/* Observers: what they are told of a launch, and that nothing of it is there where nobody watches. */
#include "exec/handlers.h"
#include "load/loaded.h"
#include "machine/cluster.h"
#include "machine/observe.h"
#include "sim_case.h"
#include "watch/watch.h"

/* ---- an observer that writes down ---------------------------------------------------------------------------------
 */

#define MOST_NOTES 64
typedef struct note {
    uint32_t pc, mask;
    access_kind kind;
    uint8_t order, scope;
    ptx_space space;
    unsigned bytes;
    uint64_t address[LANES];
} note;

static note notes[MOST_NOTES];
static int note_count, launches, blocks, befores;
static run_count runs_at[256];
static run_counts counted = {.runs = runs_at};
static uint64_t async_issued, async_landed, bulk_issued, bulk_landed;

static void launch_ends(observer *o, launch *la) {
    assert_non_null(la->observer);
    launches++;
}
static void block_ends(observer *o, block *b) {
    assert_int_equal(b->live, 0);
    blocks++;
}
static void before(observer *o, const observed_access *a) {
    befores++;
}
static void after(observer *o, const observed_access *a) {
    if (note_count == MOST_NOTES) return;
    note *n = &notes[note_count++];
    *n = (note){a->i->pc, a->mask, a->kind, a->order, a->scope, a->space, a->bytes, {0}};
    memcpy(n->address, a->address, sizeof n->address);
}
static void async(observer *o, const observed_async *c) {
    for (int l = 0; l < LANES; l++)
        if (c->lanes >> l & 1) *(c->stage == COPY_ISSUED ? &async_issued : &async_landed) += c->bytes[l];
}
static void bulk(observer *o, const observed_bulk *c) {
    if (c->stage == COPY_ISSUED) bulk_issued += c->bytes;
    if (c->stage == COPY_LANDED) bulk_landed += c->bytes;
}
static run_counts *counts(observer *o, worker *k, const function *f) {
    assert_true(f->source->instruction_count < (int)COUNT(runs_at) - 1);
    return &counted;
}

static observer writer = {.launch_end = launch_ends,
                          .block_end = block_ends,
                          .before = before,
                          .after = after,
                          .async = async,
                          .bulk = bulk,
                          .counts = counts};

static void watch(const char *ptx, unsigned grid, unsigned block) {
    note_count = launches = blocks = befores = 0;
    async_issued = async_landed = bulk_issued = bulk_landed = 0;
    memset(runs_at, 0, sizeof runs_at);
    observers_set(&writer);
    run_well(ptx, grid, block);
    observers_set(NULL);
    for (size_t k = 1; k < COUNT(runs_at); k++) {
        runs_at[k].warps += runs_at[k - 1].warps;
        runs_at[k].threads += runs_at[k - 1].threads;
    }
}

/* ---- nobody watches -----------------------------------------------------------------------------------------------
 */

#define EVERYTHING                                                                                                     \
    KERNEL(".extern .shared .align 16 .b8 s[]; .shared .align 16 .b8 t[2048]; ",                                       \
           "mov.u32 %r2, t; mad.lo.u32 %r3, %r1, 16, %r2; st.shared.u32 [%r3], %r1; bar.sync 0;\n"                     \
           "ld.shared.u32 %r4, [%r3]; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 add.u32 %r4, %r4, 5;\n"       \
           "atom.global.add.u32 %r6, [%rd1+4096], 1; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.wait_all;\n" \
           "ld.u32 %r7, [%rd2]; add.u32 %r2, %r4, %r7;\n" STORE)

/* The decoded program is what it is without observers, whether or not it has been watched, and holds no op_observe. */
static void unwatched_code_is_the_same(void **state) {
    out_renew();
    program p = program_load(EVERYTHING);
    sim_kernel *kernel = kernel_of(&p, "k");
    const size_t size = ((size_t)kernel->entry->source->instruction_count + 1) * sizeof(insn);
    insn *code = malloc(size);
    memcpy(code, kernel->entry->code, size);
    assert_int_equal(launch_kernel(kernel, shape(2, 64), &out), SIM_OK);
    uint32_t plain[64];
    memcpy(plain, out, sizeof plain);
    assert_null(kernel->entry->watched);
    assert_memory_equal(code, kernel->entry->code, size);

    note_count = 0;
    memset(out, 0, OUT_WORDS * 4);
    observers_set(&writer);
    assert_int_equal(launch_kernel(kernel, shape(2, 64), &out), SIM_OK);
    observers_set(NULL);
    assert_true(note_count > 0);
    assert_memory_equal(plain, out, sizeof plain);
    assert_non_null(kernel->entry->watched);
    assert_memory_equal(code, kernel->entry->code, size);
    int observes = 0;
    for (int k = 0; k < kernel->entry->source->instruction_count; k++) {
        assert_ptr_not_equal(code[k].run, sim_handlers[ROW_op_observe]);
        observes += kernel->entry->watched->code[k].run == sim_handlers[ROW_op_observe];
    }
    assert_int_equal(observes, 6);

    note_count = 0;
    assert_int_equal(launch_kernel(kernel, shape(2, 64), &out), SIM_OK);
    assert_int_equal(note_count, 0);
    free(code);
    program_unload(&p);
}

/* ---- somebody does ------------------------------------------------------------------------------------------------
 */

/* The note of the access at this place among the instructions that the kernel adds, and no other. */
#define BEFORE 3 /* instructions of KERNEL */
static const note *only_note(int at) {
    const note *found = NULL;
    for (int k = 0; k < note_count; k++) {
        if (notes[k].pc != (uint32_t)(BEFORE + at)) continue;
        assert_null(found);
        found = &notes[k];
    }
    assert_non_null(found);
    return found;
}

static void accesses_are_told(void **state) {
    watch(KERNEL(".shared .align 16 .b8 t[2048]; ",
                 "mov.u32 %r2, t;\n"                                           /* 0 */
                 "mad.lo.u32 %r3, %r1, 4, %r2;\n"                              /* 1 */
                 "st.volatile.shared.u32 [%r3], %r1;\n"                        /* 2 */
                 "xor.b32 %r4, %r1, 3; mad.wide.u32 %rd3, %r4, 8, %rd1;\n"     /* 3, 4 */
                 "ld.global.v2.u32 {%r5, %r6}, [%rd3+256];\n"                  /* 5 */
                 "setp.lt.u32 %p1, %r1, 5;\n"                                  /* 6 */
                 "@%p1 atom.acq_rel.cta.global.add.u32 %r7, [%rd1+8192], 1;\n" /* 7 */
                 "cvta.shared.u64 %rd4, t; selp.b64 %rd5, %rd4, %rd1, %p1;\n"  /* 8, 9 */
                 "ld.u32 %r8, [%rd5+16];\n"),                                  /* 10 */
          1, 32);
    assert_int_equal(launches, 1);
    assert_int_equal(blocks, 1);
    assert_int_equal(befores, note_count);
    const note *n = only_note(2);
    assert_int_equal(n->kind, ACCESS_WRITE);
    assert_int_equal(n->space, PTX_SHARED);
    assert_int_equal(n->order, ORDER_VOLATILE);
    assert_int_equal(n->bytes, 4);
    for (uint32_t l = 0; l < LANES; l++) assert_int_equal(n->address[l], SHARED_RESERVED + 4 * l);
    n = only_note(5);
    assert_int_equal(n->kind, ACCESS_READ);
    assert_int_equal(n->space, PTX_GLOBAL);
    assert_int_equal(n->order, ORDER_WEAK);
    assert_int_equal(n->bytes, 8);
    for (uint32_t l = 0; l < LANES; l++) assert_int_equal(n->address[l], (uint64_t)out + 256 + 8 * (l ^ 3));
    n = only_note(7);
    assert_int_equal(n->kind, ACCESS_ATOMIC);
    assert_int_equal(n->order, ORDER_ACQUIRE_RELEASE);
    assert_int_equal(n->scope, SCOPE_CTA);
    assert_int_equal(n->mask, 31);
    int global = 0, shared = 0; /* one generic load that means both */
    for (int k = 0; k < note_count; k++) {
        if (notes[k].pc != BEFORE + 10) continue;
        if (notes[k].space == PTX_SHARED) {
            shared++;
            assert_int_equal(notes[k].mask, 31);
            assert_int_equal(notes[k].address[4], SHARED_RESERVED + 16);
        } else {
            global++;
            assert_int_equal(notes[k].space, PTX_GLOBAL);
            assert_int_equal(notes[k].mask, ~31u);
            assert_int_equal(notes[k].address[31], (uint64_t)out + 16);
        }
    }
    assert_int_equal(global, 1);
    assert_int_equal(shared, 1);
}

static void copies_are_told(void **state) {
    watch(KERNEL(".shared .align 128 .b8 t[2048]; .shared .align 8 .b64 bar; ",
                 "mov.u32 %r2, t; mad.lo.u32 %r3, %r1, 16, %r2;\n"
                 "mad.wide.u32 %rd3, %r1, 16, %rd1;\n"
                 "cp.async.cg.shared.global [%r3], [%rd3], 16; cp.async.wait_all;\n"
                 "setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"
                 "mov.u32 %r4, bar; mbarrier.init.shared.b64 [%r4], 1; fence.proxy.async.shared::cta;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 512;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+1024], [%rd1], 512, [%r4];\n"
                 "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra again;\n"),
          1, 32);
    assert_int_equal(async_issued, 512);
    assert_int_equal(async_landed, 512);
    assert_int_equal(bulk_issued, 512);
    assert_int_equal(bulk_landed, 512);
}

static void instructions_are_counted(void **state) {
    watch(KERNEL("", "mov.u32 %r2, 0;\n"                                           /* 0 */
                     "loop: add.u32 %r2, %r2, 1;\n"                                /* 1 */
                     "setp.lt.u32 %p1, %r2, %r1;\n"                                /* 2 */
                     "@%p1 bra loop;\n"                                            /* 3 */
                     "bar.sync 0;\n"                                               /* 4 */
                     "setp.lt.u32 %p2, %r1, 40; @%p2 add.u32 %r2, %r2, 7;\n" STORE /* 5, 6, 7 */
                 ),
          3, 64);
    static const int64_t expected[][2] = {{6, 192},
                                          {3 * (31 + 63), 3 * (1 + 63 * 64 / 2)}, /* thread 0 once, thread t t times */
                                          {3 * (31 + 63), 3 * (1 + 63 * 64 / 2)},
                                          {3 * (31 + 63), 3 * (62 * 63 / 2)}, /* those that go back */
                                          {6, 192},
                                          {6, 192},
                                          {6, 3 * 40},
                                          {6, 192}};
    for (size_t k = 0; k < COUNT(expected); k++) {
        assert_int_equal(runs_at[BEFORE + k].warps, expected[k][0]);
        assert_int_equal(runs_at[BEFORE + k].threads, expected[k][1]);
    }
}

/* ---- one instruction at a time ------------------------------------------------------------------------------------
 */

static int64_t stepped[256];
static int comebacks;
static uint32_t latest_pc;

static void careful_block(observer *o, block *b) {
    b->warps[1].careful |= CAREFUL_TRACE;
}
static void note_step(observer *o, warp *w, const insn *i, uint32_t mask) {
    assert_int_equal(w->index, 1);
    stepped[latest_pc = i->pc]++;
}
static void note_again(observer *o, warp *w) {
    comebacks++;
    stepped[latest_pc]--;
}

/* Of two warps the second is looked at: it is told of once for each instruction, though it has to wait. */
static void careful_warps_tell_each_step(void **state) {
    static observer stepper = {.block_begin = careful_block,
                               .step = note_step,
                               .careful = CAREFUL_TRACE,
                               .again = note_again,
                               .counts = counts};
    memset(runs_at, 0, sizeof runs_at);
    observers_set(&stepper);
    run_well(KERNEL(".shared .align 8 .b64 bar; ", "mov.u32 %r4, bar; setp.eq.u32 %p1, %r1, 0;\n"           /* 0, 1 */
                                                   "@%p1 mbarrier.init.shared.b64 [%r4], 32; bar.sync 0;\n" /* 2, 3 */
                                                   "setp.lt.u32 %p1, %r1, 32; @%p1 bra first;\n"            /* 4, 5 */
                                                   "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n" /* 6 */
                                                   "@!%p2 bra again; @%p1 add.u32 %r5, %r1, 1; bra end;\n" /* 7, 8, 9 */
                                                   "first: mbarrier.arrive.shared.b64 %rd3, [%r4];\n"      /* 10 */
                                                   "end: add.u32 %r2, %r1, 1;\n" STORE),                   /* 11 */
             1, 64);
    observers_set(NULL);
    static const int64_t expected[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1};
    for (size_t k = 0; k < COUNT(expected); k++) assert_int_equal(stepped[BEFORE + k], expected[k]);
    assert_int_equal(comebacks, 1);
    for (size_t k = 1; k < COUNT(runs_at); k++) runs_at[k].warps += runs_at[k - 1].warps;
    assert_int_equal(runs_at[BEFORE + 4].warps, 2); /* both are counted, */
    assert_int_equal(runs_at[BEFORE + 6].warps, 1); /* a wait once */
}

static void launches_may_be_spared(void **state) {
    const char *race = KERNEL("", "st.global.u32 [%rd1], %r1;\n");
    watch_begin();
    watch_check(false);
    run_well(race, 1, 64);
    assert_string_equal(said, "");
    watch_check(true);
    assert_int_equal(run(race, 1, 64), SIM_OK);
    assert_said("cudasim: race: *");
    observers_set(NULL);
}

int main(void) {
    set_environment("CUDASIM_THREADS", "1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwatched_code_is_the_same),
        cmocka_unit_test(accesses_are_told),
        cmocka_unit_test(copies_are_told),
        cmocka_unit_test(instructions_are_counted),
        cmocka_unit_test(careful_warps_tell_each_step),
        cmocka_unit_test(launches_may_be_spared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
