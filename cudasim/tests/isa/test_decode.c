/* Loading a module: its variables, addresses and shared memory, and what is refused, in which words. */
#include "sim_case.h"

#define WORK    "%r2, %r1"
#define PARTS_5 ".ca.ca.ca.ca.ca"
#define PARTS   PARTS_5 PARTS_5 PARTS_5 PARTS_5 PARTS_5 PARTS_5

typedef struct refusal {
    const char *scope, *body, *reason;
} refusal;

static const refusal refusals[] = {
    {"", "frobnicate.u32 " WORK ";",
     "the simulator does not know the instruction frobnicate: \"frobnicate.u32 %r2, %r1\""},
    {"", "add.q32 " WORK ", 1;", "the simulator does not know this form of add: \"add.q32 %r2, %r1, 1\""},
    {"", "add.rn.u32 " WORK ", 1;", "the simulator does not know this form of add: \"add.rn.u32 %r2, %r1, 1\""},
    {"", "bra.sometimes E; E:", "the simulator does not know \".sometimes\" here: \"bra.sometimes *\""},
    {"", "ld.global.often.u32 %r2, [%rd1];", "a type is missing: *"},
    {"", "mov.u32 %r2, %pm0;", "the simulator does not know the special register %pm0: \"mov.u32 %r2, %pm0\""},
    {"", "add.u32 %r2, %clock, 1;", "the simulator does not know the special register %clock here: *"},
    {"", "add.u32 " WORK ";", "2 operands where the instruction takes 3: \"add.u32 %r2, %r1\""},
    {"", "add.u32 " WORK ", 1, 2;", "4 operands where the instruction takes 3: *"},
    {"", "bar.sync;", "wrong number of operands: \"bar.sync\""},
    {"", "ld.global.u32 %r2;", "2 operands are needed: *"},
    {"", "add.u32 %rd2, %r1, 1;", "%rd2 has 64 bits where the instruction takes 32: *"},
    {"", "add.u64 %rd2, %r1, 1;", "%r1 has 32 bits where the instruction takes 64: *"},
    {"", "add.u32 %r2, %p1, 1;", "%p1 is not a 32-bit register: *"},
    {"", "add.u32 5, %r1, 1;", "the destination must be a register: *"},
    {"", "shfl.sync.idx.b32 5, %r1, 0, 31, -1;", "the destination must be a register: *"},
    {"", "match.any.sync.b32 5, %r1, -1;", "the destination must be a register: *"},
    {"", "match.all.sync.b32 %r2|!%p1, %r1, -1;", "the destination must be a register: *"},
    {"", "redux.sync.add.u32 5, %r1, -1;", "the destination must be a register: *"},
    {"", "vote.sync.ballot.b32 5, %p1, -1;", "the destination must be a register: *"},
    {"", "vote.sync.any.pred !%p1, %p2, -1;", "the destination must be a register: *"},
    {"", "activemask.b32 5;", "the destination must be a register: *"},
    {"", "bar.red.popc.u32 5, 0, %p1;", "the destination must be a register: *"},
    {"", "atom.global.add.u32 5, [%rd1], 1;", "the destination must be a register: *"},
    {"", "atom.global.add.v2.f32 {%f1, 0f3F800000}, [%rd1], {%f2, %f3};", "the destination must be a register: *"},
    {"", "mov.u32 5, %clock;", "the destination must be a register: *"},
    {"", "mov.u32 5, %tid.x;", "the destination must be a register: *"},
    {"", "mov.b64 5, {%r1, %r2};", "the destination must be a register: *"},
    {"", "mov.b64 {%r1, 5}, %rd1;", "the destination must be a register: *"},
    {"", "cvta.shared.u64 5, %rd1;", "the destination must be a register: *"},
    {"", "isspacep.shared 1, %rd1;", "the destination must be a register: *"},
    {"", "mapa.shared::cluster.u32 5, %r1, 0;", "the destination must be a register: *"},
    {"", "getctarank.shared::cluster.u32 5, %r1;", "the destination must be a register: *"},
    {"", "createpolicy.fractional.L2::evict_last.b64 5, 0f3F800000;", "the destination must be a register: *"},
    {"", "setp.eq.u32 !%p1, %r1, 0;", "the destination must be a register: *"},
    {"", "mbarrier.arrive.shared.b64 5, [%r1];", "the destination must be a register: *"},
    {"", "mbarrier.test_wait.shared.b64 1, [%r1], %rd1;", "the destination must be a register: *"},
    {"", "mbarrier.pending_count.b64 5, %rd1;", "the destination must be a register: *"},
    {"", "ld.global" PARTS ".u32 %r2, [%rd1];", "an opcode of more than 32 parts: *"},
    {"", "add.u32 %r2, %r1, 1, 2, 3, 4, 5, 6, 7;", "too many operands: *"},
    {"", "ld.global.u64 %r2, [%rd1];", "a register of 32 bits for a type of 64: *"},
    {"", "ld.global.v2.u32 %r2, [%rd1];", "a vector of 2 registers is needed: *"},
    {"", "ld.global.v4.u64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];", "more than 128 bits: *"},
    {"", "ld.global.u32 %r2, [%rs1];", "an address must be in a 32- or 64-bit register: *"},
    {"", "ld.param.u64 %rd3, [out+8];", "outside of the kernel's parameters: *"},
    {"", "ld.param.u64 %rd3, [out+4];", "outside of the kernel's parameters: *"},
    {"", "st.param.u64 [out], %rd3;", "the kernel's parameters cannot be written: *"},
    {".const .u32 c;\n", "st.const.u32 [c], %r1;", "constant memory cannot be written: *"},
    {".const .u32 c;\n", "ld.shared.u32 %r2, [c];", "c is not in the space the instruction names: *"},
    {".extern .global .u32 elsewhere;\n", "ld.global.u32 %r2, [elsewhere];", "unknown symbol elsewhere: *"},
    {".extern .func elsewhere;\n", "call elsewhere;", "elsewhere is not in the program and the simulator has none: *"},
    {".extern .func elsewhere;\n", "mov.u64 %rd3, elsewhere;",
     "the address of elsewhere, which the program does not contain: *"},
    {".func f(.param .b32 a) { ret; }\n", "call f;", "f takes other arguments: *"},
    {".global .u32 v;\n", "call v;", "unknown function v: *"},
    {".extern .func _Z5valueIiET_S0_;\n", "call _Z5valueIiET_S0_;",
     "int value<int>(int) is not in the program and the simulator has none: *"},
    {"", "atom.global.and.f32 %f1, [%rd1], %f2;", "PTX has no such atomic operation for this type: *"},
    {"", "atom.local.add.u32 %r2, [%rd1], 1;", "atomic operations work on global and shared memory: *"},
    {"", "cp.async.cg.shared.global [%r1], [%rd1], 4;", "a size of 4 bytes: *"},
    {"", "shfl.up.b32 %r2, %r1, 1, 0;", "shfl without .sync is no instruction of sm_70 and newer: *"},
    {"", "redux.sync.add.b32 %r2, %r1, -1;", "the simulator does not know this redux: *"},
};

static void test_refusals(void **state) {
    for (size_t k = 0; k < COUNT(refusals); k++) {
        static char ptx[8192];
        char error[1024], expected[1024];
        snprintf(ptx, sizeof ptx, "%s%s%s%s%s", PTX_HEAD ".file 1 \"case.cu\"\n.visible .entry good() { ret; }\n",
                 refusals[k].scope,
                 ".visible .entry k(.param .u64 out) {\n.reg .pred %p<4>; .reg .b16 %rs<4>; "
                 ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>;\n.loc 1 42 0\n",
                 refusals[k].body, "\nret; }\n");
        snprintf(expected, sizeof expected, "%s (PTX line %d, kernel k, case.cu:42)", refusals[k].reason,
                 9 + (refusals[k].scope[0] != '\0'));
        program p = program_load(ptx);
        for (int again = 0; again < 2; again++) { /* the second request is answered like the first */
            if (p.module == NULL) fail_msg("%s: the module is refused: %s", refusals[k].body, p.error);
            assert_null(sim_module_kernel(p.module, "k", error, sizeof error));
            if (!is_like(error, expected)) fail_msg("refused:  %s\nexpected: %s", error, expected);
        }
        assert_int_equal(launch_kernel(kernel_of(&p, "good"), shape(1, 32), NULL), SIM_OK);
        assert_null(sim_module_kernel(p.module, "none", error, sizeof error));
        assert_string_equal(error, "");
        program_unload(&p);
    }
}

static void test_cluster_sizes(void **state) {
    program p = program_load(PTX_HEAD ".visible .entry k() .explicitcluster .reqnctapercluster 2, 3 { ret; }\n"
                                      ".visible .entry none() .maxclusterrank 4 { ret; }\n");
    sim_kernel_info info;
    sim_kernel_describe(kernel_of(&p, "k"), &info);
    assert_true(info.explicit_cluster);
    assert_memory_equal(info.reqcluster, ((unsigned[]){2, 3, 1}), sizeof info.reqcluster);
    assert_int_equal(info.max_cluster_rank, 0);
    sim_kernel_describe(kernel_of(&p, "none"), &info);
    assert_false(info.explicit_cluster);
    assert_memory_equal(info.reqcluster, ((unsigned[]){0, 0, 0}), sizeof info.reqcluster);
    assert_int_equal(info.max_cluster_rank, 4);
    program_unload(&p);
}

static void test_refused_function(void **state) {
    program p = program_load(PTX_HEAD ".func bad() {\n.shared .u32 s;\nfrob;\nret; }\n"
                                      ".visible .entry k() { .shared .u32 t; call bad; ret; }\n");
    for (int again = 0; again < 2; again++) {
        char error[1024];
        assert_null(sim_module_kernel(p.module, "k", error, sizeof error));
        assert_string_equal(error,
                            "the simulator does not know the instruction frob: \"frob\" (PTX line 6, function bad)");
    }
    program_unload(&p);
    p = program_load(PTX_HEAD ".extern .global .u32 x;\n.visible .global .u64 p = x;\n");
    assert_null(p.module);
    assert_string_equal(p.error, "PTX line 5: the initial value of p refers to x, which is not there");
    program_unload(&p);
}

/* f and g call each other, and f what cannot be decoded: neither can be called, whichever is asked for first. */
static void test_refused_recursion(void **state) {
    program p = program_load(PTX_HEAD ".func h() { frob; ret; }\n.func g();\n.func f() { call g; call h; ret; }\n"
                                      ".func g() { .shared .u32 s; call f; ret; }\n"
                                      ".visible .entry k1() { call f; ret; }\n.visible .entry k2() { call g; ret; }\n");
    for (int again = 0; again < 4; again++) {
        char error[1024];
        assert_null(sim_module_kernel(p.module, again % 2 ? "k2" : "k1", error, sizeof error));
        assert_string_equal(error,
                            "the simulator does not know the instruction frob: \"frob\" (PTX line 4, function h)");
    }
    program_unload(&p);
}

/* Names as the program's source has them. */
static void test_refused_names(void **state) {
    static const struct {
        const char *ptx, *kernel, *error;
    } cases[] = {
        {".func _Z3badf() { frob; ret; }\n.visible .entry k() { call _Z3badf; ret; }\n", "k",
         "the simulator does not know the instruction frob: \"frob\" (PTX line 4, function bad(float))"},
        {".extern .global .u32 _ZN1a1bE;\n"
         ".visible .entry _Z4findILi8EEvPf() {\n.reg .u32 %r<2>; ld.global.u32 %r1, [_ZN1a1bE]; }\n",
         "_Z4findILi8EEvPf",
         "unknown symbol a::b: \"ld.global.u32 %r1, [_ZN1a1bE]\" (PTX line 6, kernel void find<8>(float*))"},
        {".visible .entry _Z1kv() { .extern .shared .u32 _ZN1a1sE[]; ret; }\n", "_Z1kv",
         "extern shared a::s inside a function (kernel k())"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        char ptx[512], error[1024];
        snprintf(ptx, sizeof ptx, PTX_HEAD "%s", cases[k].ptx);
        program p = program_load(ptx);
        if (p.module == NULL) fail_msg("%s", p.error);
        assert_null(sim_module_kernel(p.module, cases[k].kernel, error, sizeof error));
        assert_string_equal(error, cases[k].error);
        program_unload(&p);
    }
    program p = program_load(PTX_HEAD ".extern .global .u32 _ZN1a1xE;\n.visible .global .u64 _ZN1a1pE = _ZN1a1xE;\n");
    assert_null(p.module);
    assert_string_equal(p.error, "PTX line 5: the initial value of a::p refers to a::x, which is not there");
    program_unload(&p);
}

static void test_variables(void **state) {
    run_well(
        KERNEL(
            ".func f() { ret; }\n.global .u32 words[4] = {1, 2, 3, 4};\n.global .u64 to[3] = {words, words+8, f};\n"
            ".const .u32 fixed = 77;\n",
            ".global .u32 kept = 5; ld.global.u64 %rd3, [to+8]; ld.u32 %r2, [%rd3]; st.global.u32 [%rd1], %r2;\n"
            "ld.const.u32 %r3, [fixed]; st.global.u32 [%rd1+4], %r3; ld.global.u64 %rd4, [to+16]; call %rd4, (), P;\n"
            "P: .callprototype _ ();\nred.global.add.u32 [kept], 1; ld.global.u32 %r4, [kept];\n"
            "st.global.u32 [%rd1+8], %r4;\n"),
        1, 1);
    const uint32_t expected[] = {3, 77, 6};
    assert_memory_equal(out, expected, sizeof expected);
}

static void test_describe(void **state) {
    program p = program_load(
        PTX_HEAD ".const .u32 c[3];\n.visible .entry k(.param .u8 a, .param .align 8 .b8 b[24], .param .u32 d)\n"
                 ".reqntid 16, 8, 2\n{ .shared .align 4 .b8 s[100]; .local .u64 l; ret; }\n");
    sim_kernel *k = kernel_of(&p, "k");
    sim_kernel_info i;
    sim_kernel_describe(k, &i);
    assert_string_equal(i.name, "k");
    assert_int_equal(i.static_shared, 100);
    assert_int_equal(i.max_dynamic_shared, 49152 - 100);
    assert_int_equal(i.local_bytes, 16);
    assert_int_equal(i.const_bytes, 12);
    assert_int_equal(i.param_count, 3);
    assert_int_equal(i.max_threads, 256);
    assert_int_equal(i.reqntid[0] * 10000 + i.reqntid[1] * 100 + i.reqntid[2], 160802);
    assert_int_equal(i.ptx_version, 90);
    assert_false(i.has_cubin);
    sim_kernel_set_max_dynamic_shared(k, 100000);
    sim_kernel_describe(k, &i);
    assert_int_equal(i.max_dynamic_shared, 100000);
    static const size_t places[3][2] = {{0, 1}, {8, 24}, {32, 4}};
    size_t offset, size;
    for (unsigned n = 0; n < 3; n++) {
        assert_true(sim_kernel_param(k, n, &offset, &size));
        assert_int_equal(offset, places[n][0]);
        assert_int_equal(size, places[n][1]);
    }
    assert_false(sim_kernel_param(k, 3, &offset, &size));
    program_unload(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),         cmocka_unit_test(test_cluster_sizes),
        cmocka_unit_test(test_refused_function), cmocka_unit_test(test_refused_recursion),
        cmocka_unit_test(test_refused_names),    cmocka_unit_test(test_variables),
        cmocka_unit_test(test_describe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
