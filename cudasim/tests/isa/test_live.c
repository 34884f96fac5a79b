/* What a kernel needs by its PTX: words that live at once, directives, shared memory; held against machine code. */
#include <dirent.h>

#include "load/loaded.h"

#include "isa/live.h"
#include "sim_case.h"

static unsigned words(const char *functions, const char *name) {
    char text[4096], error[256];
    const int length = snprintf(text, sizeof text, PTX_HEAD "%s", functions);
    ptx_module *p = ptx_parse(text, (size_t)length, error, sizeof error);
    if (p == NULL) fail_msg("%s", error);
    unsigned found = 0;
    for (int k = 0; k < p->function_count; k++)
        if (strcmp(p->functions[k].name, name) == 0) found = live_words(p, &p->functions[k]);
    ptx_free(p);
    return found;
}

/* A kernel of that body, which has no parameters. */
static unsigned words_in(const char *body) {
    char text[2048];
    snprintf(text, sizeof text,
             ".entry k() { .reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%d<9>; %s ret; }", body);
    return words(text, "k");
}

static void test_what_counts(void **state) {
    assert_int_equal(words_in(""), 0);
    assert_int_equal(words_in("mov.u32 %r1, 1; st.global.u32 [0], %r1; mov.u32 %r2, 1; st.global.u32 [0], %r2;"), 1);
    assert_int_equal(words_in("mov.u32 %r1, 1; mov.u32 %r2, 1; st.global.v2.u32 [0], {%r1, %r2};"), 2);
    assert_int_equal(words_in("mov.u16 %h1, 1; st.global.u16 [0], %h1;"), 1);
    assert_int_equal(words_in("mov.u64 %d1, 1; mov.u32 %r1, 1; st.global.u32 [%d1], %r1;"), 3);
    assert_int_equal(words_in("setp.eq.u32 %p1, 0, 0; mov.u32 %r1, 1; @%p1 st.global.u32 [0], %r1;"), 1);
    /* An operand of the last use and its result share a place; what nobody reads has none. */
    assert_int_equal(words_in("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; st.global.u32 [0], %r2; mov.u32 %r3, 1;"), 1);
}

static void test_paths(void **state) {
    /* r1 lives throughout the loop, which counts r2 and stores by d1. */
    const char *loop = "mov.u64 %%d1, 0; mov.u32 %%r1, 7; mov.u32 %%r2, 0; "
                       "L: %s add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p1, %%r2, 9; @%%p1 bra L; "
                       "st.global.u32 [%%d1], %%r2;";
    char text[1024];
    snprintf(text, sizeof text, loop, "st.global.u32 [%d1], %r1;");
    assert_int_equal(words_in(text), 4);
    snprintf(text, sizeof text, loop, "");
    assert_int_equal(words_in(text), 3);
    /* Each side of a diamond needs one of three more; they are not live at once. */
    assert_int_equal(words_in("mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r2, 1; mov.u32 %r3, 1; "
                              "add.u32 %r4, %r2, %r3; bra E; A: mov.u32 %r5, 1; add.u32 %r4, %r5, 1; "
                              "E: st.global.v2.u32 [0], {%r1, %r4};"),
                     3);
    /* Where the assignment may not happen, the value from before lives on. */
    assert_int_equal(words_in("mov.u32 %r1, 1; mov.u64 %d1, 2; st.global.u64 [0], %d1; @%p1 mov.u32 %r1, 2; "
                              "st.global.u32 [0], %r1;"),
                     3);
}

static void test_calls(void **state) {
    const char *two = ".func g() { .reg .b64 %d<3>; mov.u64 %d1, 1; mov.u64 %d2, 1; st.global.u64 [%d1], %d2; ret; }\n"
                      ".entry k() { .reg .b32 %r<3>; mov.u32 %r1, 1; call g; call g; st.global.u32 [0], %r1; ret; }";
    assert_int_equal(words(two, "g"), 4);
    assert_int_equal(words(two, "k"), 5);
    assert_int_equal(words(".func g() { .reg .b32 %r<3>; mov.u32 %r1, 1; call g; st.global.u32 [0], %r1; ret; }\n"
                           ".entry k() { call g; ret; }",
                           "k"),
                     1);
}

static sim_kernel_info needs(const char *directives, const char *before, const char *scope) {
    char text[8192], *at = text;
    at += sprintf(at, PTX_HEAD "%s.visible .entry k()\n%s\n{ .reg .b32 %%r<100>; %s", scope, directives, before);
    for (int k = 0; k < 100; k++) at += sprintf(at, "mov.u32 %%r%d, %%tid.x; ", k);
    for (int k = 0; k < 100; k++) at += sprintf(at, "st.global.u32 [16], %%r%d; ", k);
    sprintf(at, "ret; }\n");
    program p = program_load(text);
    sim_kernel_info info;
    sim_kernel_describe(kernel_of(&p, "k"), &info);
    program_unload(&p);
    return info;
}

static void test_directives(void **state) {
    assert_int_equal(needs("", "", "").registers, 100);
    assert_int_equal(needs("", "", "").max_threads, 512);
    assert_int_equal(needs(".maxntid 256", "", "").registers, 100);
    assert_int_equal(needs(".maxntid 1024", "", "").registers, 64);
    assert_int_equal(needs(".maxntid 1024", "", "").max_threads, 1024);
    assert_int_equal(needs(".reqntid 32, 32, 1", "", "").registers, 64);
    assert_int_equal(needs(".maxntid 256 .minnctapersm 3", "", "").registers, 80);
    assert_int_equal(needs(".maxntid 1024 .minnctapersm 9", "", "").registers, 64); /* two are all that fit */
    assert_int_equal(needs(".maxnreg 40", "", "").registers, 40);
    assert_int_equal(needs(".maxntid 1024 .minnctapersm 2", "", "").registers, 32);
    assert_int_equal(needs(".maxntid 384", "setmaxnreg.dec.sync.aligned.u32 24;", "").registers, 168);
    assert_int_equal(needs("", "setmaxnreg.dec.sync.aligned.u32 24;", "").registers, 100);
}

static void test_shared_memory(void **state) {
    const char *arrays = ".shared .b8 others[48000];\n.shared .align 4 .b8 mine[100];\n";
    assert_int_equal(needs("", "mov.u32 %r1, mine;", arrays).static_shared, 100);
    assert_int_equal(needs("", "mov.u32 %r1, mine;", arrays).max_dynamic_shared, 49152 - 100);
    assert_int_equal(needs("", ".shared .b32 own[4]; mov.u32 %r1, own;", arrays).static_shared, 16);
}

/* ---- against machine code ---------------------------------------------------------------------------------------- */

#define MOST_KERNELS 1000

typedef struct ratios {
    double of[MOST_KERNELS];
    int count;
} ratios;

static void compare(sim_module *m, ratios *r) {
    char error[1024];
    for (int k = 0; k < m->ptx->function_count && r->count < MOST_KERNELS; k++) {
        const cubin_kernel *real = cubin_find(&m->cubin, m->ptx->functions[k].name);
        if (real == NULL || !m->ptx->functions[k].is_entry) continue;
        sim_kernel *kernel = sim_module_kernel(m, m->ptx->functions[k].name, error, sizeof error);
        assert_non_null(kernel);
        kernel_estimate(kernel);
        const unsigned least = real->registers < 16 ? 16 : real->registers;
        r->of[r->count++] = kernel->estimate.registers / (double)least;
        /* With them a launch of 1024 threads must not be refused where a GPU takes it. */
        if (declared_threads(kernel->entry->source) == 0 && real->registers <= 64 && kernel->estimate.registers > 64)
            fail_msg("%s: %u registers, estimated %u", real->name, real->registers, kernel->estimate.registers);
    }
}

static void compare_program(const char *path, ratios *r) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) return;
    uint8_t *bytes = calloc(1, 16 << 20);
    const size_t size = fread(bytes, 1, 16 << 20, f);
    fclose(f);
    for (size_t at = 0; at + 16 < size; at += 8) {
        char error[1024];
        if (memcmp(bytes + at, &(uint32_t){FATBIN_MAGIC}, 4) != 0) continue;
        sim_module *m = sim_module_load(bytes + at, error, sizeof error);
        if (m != NULL) compare(m, r);
        sim_module_unload(m);
    }
    free(bytes);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The test programs that have machine code, where they are built; run.sh runs all tests from here. */
static void test_machine_code(void **state) {
    static const char *const folders[] = {"build/tests/faulty", "build/tests/counted"};
    static ratios r;
    for (size_t n = 0; n < COUNT(folders); n++) {
        DIR *folder = opendir(folders[n]);
        for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", folders[n], e->d_name);
            if (e->d_name[0] != '.') compare_program(path, &r);
        }
        if (folder != NULL) closedir(folder);
    }
    if (r.count == 0) skip();
    qsort(r.of, (size_t)r.count, sizeof *r.of, ascending);
    print_message("estimated / real registers of %d kernels: %.2f, %.2f, %.2f, %.2f, %.2f (least, quarters, most)\n",
                  r.count, r.of[0], r.of[r.count / 4], r.of[r.count / 2], r.of[r.count * 3 / 4], r.of[r.count - 1]);
    assert_true(r.of[r.count / 2] > 0.8 && r.of[r.count / 2] < 1.25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_counts), cmocka_unit_test(test_paths),         cmocka_unit_test(test_calls),
        cmocka_unit_test(test_directives),  cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_machine_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
