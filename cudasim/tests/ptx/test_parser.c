/* The PTX parser: what a text becomes, and what it says of a text it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define HEAD         ".version 9.0\n.target sm_90a\n.address_size 64\n"

static ptx_module *parse(const char *text) {
    char error[200] = "";
    ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);
    if (!module) fail_msg("%s", error);
    return module;
}

/* A kernel k with these statements and a register of each kind. */
static ptx_module *parse_statements(const char *statements) {
    char text[4000];
    snprintf(text, sizeof text,
             HEAD
             ".global .b32 var[8];\n.func callee (.param .b32 a);\n.entry k(.param .u64 x)\n{\n.reg .pred %%p<9>, p, "
             "q;\n.reg .b32 %%r<99>;\n.reg .b64 %%rd<9>;\n.reg .f32 %%f<99>;\n.reg .v4 .f32 %%v;\n%s\n}\n",
             statements);
    return parse(text);
}

/* NULL if there is none. */
static const ptx_function *find_function(const ptx_module *module, const char *name) {
    for (int i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0) return &module->functions[i];
    return NULL;
}

static const ptx_function *kernel(const ptx_module *module) {
    const ptx_function *function = find_function(module, "k");
    assert_non_null(function);
    return function;
}

static void assert_formats(const char *statement, const char *expected) {
    ptx_module *module = parse_statements(statement);
    assert_int_equal(kernel(module)->instruction_count, 1);
    char text[300];
    assert_string_equal(ptx_format_instruction(kernel(module), 0, text, sizeof text), expected);
    ptx_free(module);
}

/* ---- what is accepted -------------------------------------------------------------------------------------------- */

static void types(void **state) {
    (void)state;
    assert_int_equal(ptx_type_named("u32", 3), PTX_U32);
    assert_int_equal(ptx_type_named("bf16x2", 6), PTX_BF16X2);
    assert_int_equal(ptx_type_named("u3", 2), PTX_NO_TYPE);
    assert_int_equal(ptx_type_size(PTX_B128), 16);
    assert_int_equal(ptx_type_size(PTX_PRED), 1);
    assert_int_equal(ptx_type_size(PTX_F16X2), 4);
}

static void module_head(void **state) {
    (void)state;
    ptx_module *module = parse(".version 8.7\n.target sm_90a, debug\n.address_size 64\n.file 2 \"a b.cu\", 0, 12\n"
                               "/* several\nlines */ .pragma \"x\";\n// end");
    assert_int_equal(module->version_major, 8);
    assert_int_equal(module->version_minor, 7);
    assert_string_equal(module->target, "sm_90a");
    assert_int_equal(module->address_size, 64);
    assert_int_equal(module->file_count, 3);
    assert_null(module->files[1]);
    assert_string_equal(module->files[2], "a b.cu");
    ptx_free(module);
}

static void final_nuls_are_ignored(void **state) {
    (void)state;
    char error[100];
    const char text[] = HEAD "\0\0";
    ptx_module *module = ptx_parse(text, sizeof text, error, sizeof error);
    assert_non_null(module);
    ptx_free(module);
}

static void instructions_keep_their_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"ret;", "ret"},
        {"fma.rn.f32 %f3, %f1,\n\t%f2 , %f3;", "fma.rn.f32 %f3, %f1, %f2, %f3"},
        {"@!%p1 add.s32 %r1, %r2, -5;", "@!%p1 add.s32 %r1, %r2, -5"},
        {"@p mov.f32 %v.z, %v.r;", "@p mov.f32 %v.z, %v.x"},
        {"mov.f32 %f1, 0f3F800000;", "mov.f32 %f1, 0f3F800000"},
        {"mov.f32 %f1, -0F3F800000;", "mov.f32 %f1, 0fBF800000"},
        {"mov.f64 %f1, 0d3ff0000000000000;", "mov.f64 %f1, 0d3FF0000000000000"},
        {"mov.f64 %f1, - 1.5e-1;", "mov.f64 %f1, 0dBFC3333333333333"},
        {"mov.u32 %r1, 0x1FU;", "mov.u32 %r1, 31"},
        {"mov.u32 %r1, 0b101;", "mov.u32 %r1, 5"},
        {"mov.u32 %r1, 017;", "mov.u32 %r1, 15"},
        {"mov.u64 %rd1, 0xFFFFFFFFFFFFFFFF;", "mov.u64 %rd1, -1"},
        {"mov.u32 %r1, (1<<3)+WARP_SZ;", "mov.u32 %r1, 40"},
        {"mov.u32 %r1, WARP_SZ - 1;", "mov.u32 %r1, 31"},
        {"mov.u32 %r1, 1 + 2 * 3 - 8 / -4 | 0x10 & ~3 ^ 1;", "mov.u32 %r1, 25"},
        {"mov.u32 %r1, -8 >> 1;", "mov.u32 %r1, -4"},
        {"mov.u32 %r1, (1 << 70) + (-1 >> 70) + (1U >> 64);", "mov.u32 %r1, -1"},
        {"mov.u64 %rd1, 0x8000000000000000 / -1;", "mov.u64 %rd1, 0"},
        {"mov.u64 %rd1, (-0x7fffffffffffffff - 1) / -1;", "mov.u64 %rd1, -9223372036854775808"},
        {"mov.u32 %r1, 7 % 4;", "mov.u32 %r1, 3"},
        {"mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x"},
        {"mov.v4.u32 {%r1, %r2, %r3, _}, %ntid;", "mov.v4.u32 {%r1, %r2, %r3, _}, %ntid"},
        {"mov.u32 %r1, %envreg31;", "mov.u32 %r1, %envreg31"},
        {"mov.u64 %rd1, %pm7_64;", "mov.u64 %rd1, %pm7_64"},
        {"mov.u32 %r1, %dynamic_smem_size;", "mov.u32 %r1, %dynamic_smem_size"},
        {"mov.u64 %rd1, var+4;", "mov.u64 %rd1, var+4"},
        {"mov.b64 {%r1, _}, %rd1;", "mov.b64 {%r1, _}, %rd1"},
        {"ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+16];", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16]"},
        {"ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1];",
         "ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1]"},
        {"ld.global.f32 %f1, [%rd1+-8];", "ld.global.f32 %f1, [%rd1-8]"},
        {"ld.global.f32 %f1, [%rd1-8+4];", "ld.global.f32 %f1, [%rd1-4]"},
        {"ld.global.f32 %f1, [var+4];", "ld.global.f32 %f1, [var+4]"},
        {"ld.global.f32 %f1, [16];", "ld.global.f32 %f1, [16]"},
        {"ld.param.u64 %rd1, [x];", "ld.param.u64 %rd1, [x]"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile [%rd1], [%rd2, {%r1, 0}], [%rd3];",
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile [%rd1], [%rd2, {%r1, 0}], [%rd3]"},
        {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f5, %f6}];",
         "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}]"},
        {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1"},
        {"elect.sync _|%p1, -1;", "elect.sync _|%p1, -1"},
        {"setp.lt.and.f32 p|q, %f1, %f2, !%p3;", "setp.lt.and.f32 p|q, %f1, %f2, !%p3"},
        {"call.uni callee, (%r1);", "call.uni callee, (%r1)"},
        {"call (%r1), %rd1, (%r2, 3), x;", "call (%r1), %rd1, (%r2, 3), x"},
        {"call callee;", "call callee"},
        {"call callee, ();", "call callee, ()"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, p, 1, 1, 0, 0;",
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, p, 1, 1, 0, 0"},
        {"bra there; there:", "bra there"}};
    for (int i = 0; i < COUNT(cases); i++) assert_formats(cases[i][0], cases[i][1]);
}

static void formatting_is_cut_to_size(void **state) {
    (void)state;
    ptx_module *module = parse_statements("@%p1 fma.rn.f32 %f3, %f1, %f2, %f3;");
    char text[64];
    for (size_t size = 1; size < sizeof text; size++) {
        memset(text, 'x', sizeof text);
        ptx_format_instruction(kernel(module), 0, text, size);
        assert_true(strlen(text) < size);
        assert_memory_equal(text, "@%p1 fma.rn.f32 %f3, %f1, %f2, %f3", strlen(text));
    }
    ptx_free(module);
}

static void operands(void **state) {
    (void)state;
    ptx_module *module = parse_statements("setp.lt.and.f32 p|_, %f1, %v.y, !q;\nld.global.f32 %f1, [%rd1+-8];");
    const ptx_function *f = kernel(module);
    const ptx_operand *o = f->instructions[0].operands;
    assert_int_equal(f->instructions[0].operand_count, 4);
    assert_int_equal(f->instructions[0].guard, -1);
    assert_int_equal(o[0].kind, PTX_OPERAND_PAIR);
    assert_int_equal(o[0].element_count, 2);
    assert_string_equal(f->registers[o[0].elements[0].reg].name, "p");
    assert_int_equal(o[0].elements[1].kind, PTX_OPERAND_SINK);
    assert_int_equal(o[1].element, -1);
    assert_int_equal(o[2].element, 1);
    assert_int_equal(f->registers[o[2].reg].vector, 4);
    assert_int_equal(f->registers[o[2].reg].type, PTX_F32);
    assert_true(o[3].negated);
    o = f->instructions[1].operands;
    assert_int_equal(o[1].kind, PTX_OPERAND_ADDRESS);
    assert_int_equal(o[1].integer, -8);
    assert_int_equal(f->registers[o[1].reg].type, PTX_B64);
    ptx_free(module);
}

static void register_ranges(void **state) {
    (void)state;
    ptx_module *module = parse(HEAD ".entry k {\n.reg .f32 %f<4294967295>;\n.reg .b32 t<3>;\n"
                                    "mov.b32 %f4294967294, t2;\nmov.b32 %f4294967294, %f0;\n}");
    const ptx_function *f = kernel(module);
    assert_int_equal(f->register_count, 3);
    assert_string_equal(f->registers[0].name, "%f4294967294");
    assert_int_equal(f->registers[1].type, PTX_B32);
    assert_int_equal(f->instructions[1].operands[0].reg, 0);
    ptx_free(module);
}

static void scopes_hide_outer_names(void **state) {
    (void)state;
    ptx_module *module = parse(HEAD ".entry k {\n.reg .b32 %r<9>;\nmov.b32 %r1, 0;\n"
                                    "{ .reg .f32 %r<2>; mov.b32 %r1, 0; mov.b32 %r2, 0; }\n"
                                    "{ .reg .b64 %r1; mov.b32 %r1, 0; }\nmov.b32 %r1, 0;\n}");
    const ptx_function *f = kernel(module);
    static const ptx_type expected[] = {PTX_B32, PTX_F32, PTX_B32, PTX_B64, PTX_B32};
    for (int i = 0; i < COUNT(expected); i++)
        assert_int_equal(f->registers[f->instructions[i].operands[0].reg].type, expected[i]);
    assert_int_equal(f->instructions[4].operands[0].reg, f->instructions[0].operands[0].reg);
    ptx_free(module);
}

static void labels(void **state) {
    (void)state;
    ptx_module *module = parse_statements("first: second:\nbra END;\n{ bra LOOP; LOOP: bra LOOP; bra second; }\n"
                                          "{ LOOP: bra LOOP; { bra LOOP; bra OUT; } }\nOUT:\n.reg .b32 unused;\nEND:");
    const ptx_function *f = kernel(module);
    static const int targets[] = {7, 2, 2, 0, 4, 4, 7};
    assert_int_equal(f->instruction_count, COUNT(targets));
    for (int i = 0; i < COUNT(targets); i++) {
        assert_int_equal(f->instructions[i].operands[0].kind, PTX_OPERAND_LABEL);
        assert_int_equal(f->instructions[i].operands[0].integer, targets[i]);
    }
    static const int expected[] = {0, 2, 4, 7};
    assert_int_equal(f->label_count, COUNT(expected));
    for (int i = 0; i < COUNT(expected); i++) assert_int_equal(f->labels[i], expected[i]);
    ptx_free(module);
}

static void tables(void **state) {
    (void)state;
    ptx_module *module =
        parse_statements("A: ret;\nlist: .branchtargets A, B,\n A;\nbrx.idx %r1, list;\nB:\n"
                         "fs: .calltargets callee;\nproto : .callprototype (.param .b32 _) _ (.param .b32 _, .param "
                         ".align 8 .b8 _[16]) .noreturn;\ncall (%r1), %rd1, (%r2), proto;\nbrx.idx %r1, late;\n"
                         "late: .branchtargets A;");
    const ptx_function *f = kernel(module);
    assert_int_equal(f->table_count, 4);
    assert_string_equal(f->tables[0].name, "list");
    assert_int_equal(f->tables[0].kind, PTX_BRANCH_TARGETS);
    assert_int_equal(f->tables[0].count, 3);
    assert_int_equal(f->tables[0].targets[0], 0);
    assert_int_equal(f->tables[0].targets[1], 2);
    assert_int_equal(f->tables[1].kind, PTX_CALL_TARGETS);
    assert_string_equal(f->tables[1].symbols[0], "callee");
    assert_int_equal(f->tables[2].return_count, 1);
    assert_int_equal(f->tables[2].param_count, 2);
    assert_int_equal(f->tables[2].params[1].size, 16);
    assert_int_equal(f->instructions[1].operands[1].kind, PTX_OPERAND_SYMBOL);
    assert_string_equal(f->instructions[1].operands[1].symbol, "list");
    assert_int_equal(f->instructions[3].operands[1].kind, PTX_OPERAND_SYMBOL);
    assert_string_equal(f->instructions[3].operands[1].symbol, "late");
    ptx_free(module);
}

static void locals_are_told_apart(void **state) {
    (void)state;
    ptx_module *module = parse_statements("{ .param .b32 param0; st.param.b32 [param0+0], %r1; }\n"
                                          "{ .param .align 8 .b8 param0[12]; st.param.b32 [param0+4], %r1;\n"
                                          "call callee, (param0); }\n.shared .b32 var; ld.shared.b32 %r1, [var];");
    const ptx_function *f = kernel(module);
    assert_int_equal(f->local_count, 3);
    assert_string_equal(f->locals[0].name, "param0");
    assert_string_equal(f->locals[1].name, "param0@2");
    assert_int_equal(f->locals[1].size, 12);
    assert_int_equal(f->locals[1].align, 8);
    assert_string_equal(f->instructions[0].operands[0].symbol, "param0");
    assert_string_equal(f->instructions[1].operands[0].symbol, "param0@2");
    assert_string_equal(f->instructions[2].operands[1].elements[0].symbol, "param0@2");
    /* The module has a "var" too. */
    assert_string_equal(f->instructions[3].operands[1].symbol, f->locals[2].name);
    assert_string_not_equal(f->locals[2].name, "var");
    ptx_free(module);
}

static void variables(void **state) {
    (void)state;
    ptx_module *module = parse(HEAD ".extern .shared .align 16 .b8 sh[];\n.global .align 4 .b8 big[25165824];\n"
                                    ".visible .global .attribute(.managed) .u16 h = 0xFFFF;\n"
                                    ".weak .const .f32 f[2][2] = {{1.5, -0f3F800000}, {-2}};\n"
                                    ".global .v2 .f64 v[] = {{1, 0d3FF0000000000000}, {0f3F800000}};\n"
                                    ".extern .global .b32 e;\n.global .b32 e = 3;\n.extern .global .b32 e;\n"
                                    ".common .global .b64 c, d;");
    assert_int_equal(module->variable_count, 8);
    const ptx_variable *v = module->variables;
    assert_true(v[0].is_extern && v[0].is_array);
    assert_int_equal(v[0].space, PTX_SHARED);
    assert_int_equal(v[0].count, 0);
    assert_int_equal(v[0].size, 0);
    assert_int_equal(v[0].align, 16);
    assert_int_equal(v[1].size, 25165824);
    assert_null(v[1].init);
    assert_int_equal(v[1].line, 5);
    assert_true(v[2].is_visible && !v[2].is_array);
    assert_int_equal(v[2].align, 2);
    assert_memory_equal(v[2].init, "\xff\xff", 2);
    const float floats[] = {1.5f, -1, -2, 0};
    assert_true(v[3].is_weak);
    assert_int_equal(v[3].count, 4);
    assert_memory_equal(v[3].init, floats, sizeof floats);
    const double doubles[] = {1, 1, 1, 0};
    assert_int_equal(v[4].count, 2);
    assert_int_equal(v[4].vector, 2);
    assert_int_equal(v[4].align, 16);
    assert_int_equal(v[4].size, sizeof doubles);
    assert_memory_equal(v[4].init, doubles, sizeof doubles);
    assert_false(v[5].is_extern);
    assert_memory_equal(v[5].init, "\3\0\0\0", 4);
    assert_true(v[6].is_weak && v[7].is_weak);
    assert_string_equal(v[7].name, "d");
    ptx_free(module);
}

static void addresses_in_initial_values(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEAD ".func f;\n.global .b8 x[16];\n.global .u64 t[4] = {f, generic(x)+8, 7, x-1};\n"
                   ".global .u32 low = x;\n.global .u8 packed[9] = {3, 0XFF(generic(x)+8), 0xFF00(generic(x)+8), "
                   "0xFF0000(generic(x)+8), 0xFF000000(generic(x)+8), 0xFF00000000(generic(x)+8), "
                   "0xFF0000000000(generic(x)+8), 0xFF000000000000(generic(x)+8), 0xFF00000000000000(generic(x)+8)};");
    const ptx_variable *t = &module->variables[1], *low = &module->variables[2], *packed = &module->variables[3];
    assert_int_equal(t->relocation_count, 3);
    assert_string_equal(t->relocations[0].symbol, "f");
    assert_false(t->relocations[0].generic);
    assert_string_equal(t->relocations[1].symbol, "x");
    assert_true(t->relocations[1].generic);
    assert_int_equal(t->relocations[1].addend, 8);
    assert_int_equal(t->relocations[1].offset, 8);
    assert_int_equal(t->relocations[1].size, 8);
    assert_int_equal(t->init[16], 7);
    assert_int_equal(t->relocations[2].addend, -1);
    assert_int_equal(low->relocations[0].size, 4);
    assert_int_equal(packed->relocation_count, 1);
    assert_int_equal(packed->relocations[0].offset, 1);
    assert_int_equal(packed->relocations[0].size, 8);
    assert_int_equal(packed->relocations[0].addend, 8);
    assert_int_equal(packed->init[0], 3);
    ptx_free(module);
}

static void functions(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;\n"
                   ".func (.param .b32 r) f (.param .b32 a) .noreturn;\n"
                   ".visible .entry k(.param .u64 .ptr .global .align 16 x, .param .align 8 .b8 y[56])\n"
                   ".maxntid 256, 1, 1\n.reqntid 64\n.minnctapersm 2 .maxnreg 99 .explicitcluster\n"
                   ".reqnctapercluster 2, 1 .maxclusterrank 8 .pragma \"nounroll\";\n{ ret; }\n"
                   ".weak .func (.param .b32 r) f (.param .b32 a) .abi_preserve 8 { .reg .b32 %t; ret; }\n"
                   ".func (.param .b32 r) g (.param .b32 a);\n.alias g, f;\n"
                   ".func (.reg .u32 %o) old (.reg .u32 %i) { add.u32 %o, %i, 1; ret; }");
    assert_int_equal(module->function_count, 5);
    const ptx_function *f = find_function(module, "vprintf");
    assert_true(f->is_extern && !f->has_body && !f->is_entry);
    assert_int_equal(f->param_count, 2);
    assert_int_equal(f->return_count, 1);
    f = kernel(module);
    assert_true(f->is_entry && f->is_visible && f->has_body && f->explicitcluster);
    assert_int_equal(f->params[1].size, 56);
    assert_int_equal(f->params[1].align, 8);
    assert_int_equal(f->params[0].type, PTX_U64);
    assert_int_equal(f->params[0].align, 8);
    assert_int_equal(f->maxntid[0], 256);
    assert_int_equal(f->reqntid[0], 64);
    assert_int_equal(f->reqntid[2], 1);
    assert_int_equal(f->minnctapersm, 2);
    assert_int_equal(f->maxnreg, 99);
    assert_int_equal(f->reqnctapercluster[0], 2);
    assert_int_equal(f->maxclusterrank, 8);
    f = find_function(module, "f");
    assert_true(f->has_body && f->is_weak);
    assert_int_equal(f->register_count, 1);
    const ptx_function *alias = find_function(module, "g");
    assert_true(alias->has_body);
    assert_ptr_equal(alias->instructions, f->instructions);
    f = find_function(module, "old");
    assert_int_equal(f->params[0].space, PTX_REG);
    assert_string_equal(f->registers[f->instructions[0].operands[1].reg].name, "%i");
    assert_null(find_function(module, "none"));
    ptx_free(module);
}

static void locations(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEAD ".entry k {\nret;\n.loc 1 10 5\n.loc 2 20 3, function_name $L+8, inlined_at 1 10 5\nret;\n"
                   ".loc 1 30 7, function_name $M, inlined_at 2 20 3\nret;\n.loc 9 1 1, function_name $M, inlined_at "
                   "1 99 1\nret; }\n.file 1 \"a\"\n.file 2 \"b\"\n.section .debug_str {\n$L: .b8 1,{}\"}\" // }\n}\n");
    const ptx_function *f = kernel(module);
    assert_int_equal(f->instructions[0].location, -1);
    assert_int_equal(f->instructions[0].line, 5);
    const ptx_location *l = &f->locations[f->instructions[2].location];
    assert_int_equal(l->line, 30);
    l = &f->locations[l->inlined_at];
    assert_int_equal(l->line, 20);
    assert_int_equal(l->file, 2);
    l = &f->locations[l->inlined_at];
    assert_int_equal(l->line, 10);
    assert_int_equal(l->inlined_at, -1);
    l = &f->locations[f->instructions[3].location];
    assert_int_equal(l->file, -1); /* no such .file */
    assert_int_equal(f->locations[l->inlined_at].line, 99);
    ptx_free(module);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void assert_refused(const char *text, const char *expected) {
    char error[200] = "";
    ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);
    if (module) fail_msg("accepted, instead of: %s", expected);
    assert_string_equal(error, expected);
}

static void texts_that_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "PTX line 1: expected \".version\", found the end of the text"},
        {"x", "PTX line 1: expected \".version\", found \"x\""},
        {".version 10.0", "PTX line 1: PTX version \"10.0\" is newer than 9.9"},
        {".version 9", "PTX line 1: expected a PTX version, found \"9\""},
        {".version 9.0 .address_size 64", "PTX line 1: expected \".target\", found \".address_size\""},
        {".version 9.0 .target sm_90aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "PTX line 1: unknown target \"sm_90aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""},
        {".version 9.0 .target sm_90\n.address_size 32", "PTX line 2: address size 32: only 64 is known"},
        {HEAD ".foo", "PTX line 4: unknown directive \".foo\""},
        {HEAD "add", "PTX line 4: expected a directive, found \"add\""},
        {HEAD "/* x", "PTX line 4: the comment that starts here never ends"},
        {HEAD ".file 1 \"x\n\"", "PTX line 4: the string that starts here never ends"},
        {HEAD ".file 65536 \"x\"", "PTX line 4: file number out of range (at most 65535)"},
        {HEAD "\x01", "PTX line 4: unexpected character 0x01"},
        {HEAD "\xff", "PTX line 4: unexpected character 0xff"},
        {HEAD ".section .debug {\n{ }", "PTX line 4: the section that starts here never ends"},
        {HEAD ".global .b32;", "PTX line 4: expected a variable's name, found \";\""},
        {HEAD ".global x;", "PTX line 4: expected a type, found \"x\""},
        {HEAD ".global .b31 x;", "PTX line 4: unknown type \".b31\""},
        {HEAD ".global .b32 .b32 x;", "PTX line 4: a second type: \".b32\""},
        {HEAD ".global .align 3 .b32 x;", "PTX line 4: alignment 3 is no power of two"},
        {HEAD ".global .b32 x\n.global .b32 y;", "PTX line 5: expected \";\" behind the variable, found \".global\""},
        {HEAD ".global .b32 x;\n.global .b32 x;", "PTX line 5: duplicate name \"x\""},
        {HEAD ".global .b32 x[2147483648][2147483648];", "PTX line 4: the array \"x\" is larger than 1 TiB"},
        {HEAD ".global .b8 x[1099511627777];", "PTX line 4: array size out of range (at most 1099511627776)"},
        {HEAD ".global .b8 x[-1];", "PTX line 4: array size out of range (at most 1099511627776)"},
        {HEAD ".global .b8 x[1000000000] = {1};", "PTX line 4: more than 64 MiB of initial values"},
        {HEAD ".global .b8 x[40000000] = {1};\n.global .b8 y[40000000] = {1};",
         "PTX line 5: more than 64 MiB of initial values"},
        {HEAD ".global .b32 x[2] = {1, 2, 3};", "PTX line 4: more initial values than the variable has elements"},
        {HEAD ".global .b32 x[2][2] = {1, 2};", "PTX line 4: expected \"{\" before the initial values, found \"1\""},
        {HEAD ".global .b8 x = 256;", "PTX line 4: initial value 256 does not fit the variable's type"},
        {HEAD ".global .b8 x = -129;", "PTX line 4: initial value -129 does not fit the variable's type"},
        {HEAD ".global .b16 x = 1.5;", "PTX line 4: \"1.5\" does not fit the variable's type"},
        {HEAD ".global .u64 x = y;", "PTX line 4: \"y\" is no variable or function"},
        {HEAD ".global .b32 y;\n.global .u16 x = y;", "PTX line 5: an address does not fit the variable's type"},
        {HEAD ".global .b32 y;\n.global .u16 x[1] = {0xFF(y)};",
         "PTX line 5: bytes of an address in what is no byte array"},
        {HEAD ".global .b32 y;\n.global .u8 x[2] = {0xFE(y)};",
         "PTX line 5: a mask that is not one byte of an address"},
        {HEAD ".global .b32 y;\n.global .u8 x[2] = {0xFF(y), 0xFF0000(y)};",
         "PTX line 5: byte 2 of an address does not follow byte 1"},
        {HEAD ".global .b32 y;\n.global .u8 x[2] = {0xFF(y)};", "PTX line 5: 1 bytes of an address, neither 4 nor 8"},
        {HEAD ".entry k", "PTX line 4: expected \"{\" or \";\" behind the function's head, found the end of the text"},
        {HEAD ".entry k (.param .b32 a",
         "PTX line 4: expected \",\" or \")\" behind the parameter, found the end of the "
         "text"},
        {HEAD ".entry k (.b32 a);", "PTX line 4: expected a parameter, found \".b32\""},
        {HEAD ".entry k .foo {}", "PTX line 4: unknown directive \".foo\""},
        {HEAD ".entry k {}\n.entry k {}", "PTX line 5: duplicate name \"k\""},
        {HEAD ".entry k;\n.func k {}", "PTX line 5: \"k\" is declared both as .entry and as .func"},
        {HEAD ".func f;\n.func g;\n.alias g, f;", "PTX line 6: \"f\" is no function with a body"},
        {HEAD ".func f {}\n.func g {}\n.alias g, f;", "PTX line 6: the alias \"g\" has a body of its own"},
        {HEAD ".alias g, f;", "PTX line 4: \"g\" is no function"},
        {HEAD "}", "PTX line 4: expected a directive, found \"}\""}};
    for (int i = 0; i < COUNT(cases); i++) assert_refused(cases[i][0], cases[i][1]);
}

static void statements_that_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"add.s32 r1", "expected \";\" or \",\", found \"}\""},
        {"add.s32 %r1, %r2", "expected \";\" or \",\", found \"}\""},
        {"mov.u32 %r1, %foo;", "unknown register \"%foo\""},
        {"mov.u32 %r1, %r10;", "unknown register \"%r10\""},
        {"mov.u32 %r1, %r01;", "unknown register \"%r01\""},
        {"mov.u32 %r1, %envreg32;", "unknown register \"%envreg32\""},
        {"mov.u32 %r1, foo;", "\"foo\" is no register, label, variable or function here"},
        {"bra L;", "\"L\" is no register, label, variable or function here"},
        {"bra L; { L: }", "\"L\" is no register, label, variable or function here"},
        {"L: L: ret;", "duplicate name \"L\""},
        {".reg .b32 x; .reg .b64 x;", "duplicate name \"x\""},
        {".reg .b32 x", "expected \";\" behind the registers, found \"}\""},
        {".reg .b32 x<4294967296>;", "number of registers out of range (at most 4294967295)"},
        {"@%r1 ret;", "\"%r1\" is no predicate"},
        {"@%q1 ret;", "unknown register \"%q1\""},
        {"@%p1 L:", "\"L\" is no instruction"},
        {"@%p1 ret:", "expected a number, found \":\""},
        {"@%p1 ;", "expected an instruction, found \";\""},
        {"Add %r1;", "\"Add\" is no instruction"},
        {"add..s32 %r1;", "malformed opcode \"add.\""},
        {"add. %r1;", "malformed opcode \"add.\""},
        {"ld.b32 %r1, [%rd1+%r2];", "expected a number, found \"%r2\""},
        {"ld.b32 %r1, [%rx];", "unknown register \"%rx\""},
        {"ld.b32 %r1, [foo];", "unknown variable \"foo\""},
        {"ld.b32 %r1, [%r2;", "expected \"]\" or \",\", found \";\""},
        {"mov.b32 %r1.x, 1;", "\"%r1\" has no such component"},
        {"mov.b32 %v.q, 1;", "unknown component \".q\""},
        {"mov.b32 {%r1, {%r2}}, 1;", "expected a number, found \"{\""},
        {"mov.b32 {%r1, 1;", "expected \"}\" or \",\", found \";\""},
        {"mov.b32 %r1, !5;", "expected a register behind \"!\", found \"5\""},
        {"mov.b32 %r1, 1+;", "expected a number, found \";\""},
        {"mov.b32 %r1, (1;", "expected \")\" at the end of the expression, found \";\""},
        {"mov.b32 %r1, 1/(2-2);", "division by zero"},
        {"mov.b32 %r1, 18446744073709551616;", "number out of range: \"18446744073709551616\""},
        {"mov.b32 %r1, 1e999;", "number out of range: \"1e999\""},
        {"mov.b32 %r1, 12ab;", "malformed number \"12ab\""},
        {"mov.b32 %r1, 08;", "malformed number \"08\""},
        {"mov.b32 %r1, 0x;", "malformed number \"0x\""},
        {"mov.b32 %r1, 0f123;", "malformed number \"0f123\""},
        {"mov.b32 %r1, 1e+;", "malformed number \"1e+\""},
        {"mov.b32 %r1, %p1|5;", "no register behind \"|\""},
        {".foo 1;", "unknown directive \".foo\""},
        {".loc 1 2;", "expected a number, found \";\""},
        {".loc 1 2 3, foo", "expected \"function_name\" or \"inlined_at\", found \"foo\""},
        {"t: .calltargets k, foo;", "\"foo\" is no function"},
        {"t: .branchtargets t;", "a .branchtargets names \"t\""},
        {"ret;", NULL}};
    for (int i = 0; i < COUNT(cases); i++) {
        char text[500], expected[200], error[200] = "";
        snprintf(text, sizeof text,
                 HEAD ".entry k {.reg .pred %%p<9>; .reg .b32 %%r<10>; .reg .b64 %%rd<9>; .reg .v4 .f32 %%v; %s }",
                 cases[i][0]);
        snprintf(expected, sizeof expected, "PTX line 4: %s", cases[i][1] ? cases[i][1] : "");
        if (cases[i][1]) {
            assert_refused(text, expected);
        } else {
            ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);
            assert_non_null(module);
            ptx_free(module);
        }
    }
}

static void errors_are_cut_to_size(void **state) {
    (void)state;
    char error[64];
    for (size_t size = 0; size < sizeof error; size++) {
        memset(error, 'x', sizeof error);
        assert_null(ptx_parse("x", 1, error, size));
        assert_true(size == 0 || memchr(error, '\0', size) != NULL);
        assert_int_equal(error[size], 'x');
    }
}

static char *repeat(const char *head, const char *part, int count, const char *tail) {
    const size_t length = strlen(part);
    char *text = malloc(strlen(head) + length * (size_t)count + strlen(tail) + 1), *end = stpcpy(text, head);
    for (int i = 0; i < count; i++) end = stpcpy(end, part);
    stpcpy(end, tail);
    return text;
}

static void depth_and_length_are_bounded(void **state) {
    (void)state;
    static const struct {
        const char *head, *part;
        const char *error;
    } cases[] = {{HEAD ".entry k {", "{", "PTX line 4: blocks nested deeper than 99"},
                 {HEAD ".entry k { mov.u32 x, ", "(", "PTX line 4: expression nested deeper than 100"},
                 {HEAD ".entry k { mov.u32 x, ", "-", "PTX line 4: expression nested deeper than 100"},
                 {HEAD ".entry k { mov.u32 ", "_,", "PTX line 4: more than 1024 operands"},
                 {HEAD ".entry k { mov.u32 {", "_,", "PTX line 4: more than 1024 operands"},
                 {HEAD ".global .b32 x", "[1]", "PTX line 4: more than 99 dimensions"},
                 {HEAD ".global .b32 x = ", "{", "PTX line 4: expected a number, found \"{\""},
                 {HEAD ".section .x ", "{", "PTX line 4: the section that starts here never ends"},
                 {HEAD ".func .attribute", "(", "PTX line 4: the \"(\" that stands here is never closed"}};
    for (int i = 0; i < COUNT(cases); i++) {
        char *text = repeat(cases[i].head, cases[i].part, 1000000, "");
        assert_refused(text, cases[i].error);
        free(text);
    }
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static const char whole[] =
    HEAD ".file 1 \"a.cu\"\n.extern .shared .align 16 .b8 sh[];\n.func (.param .b32 r) f (.param .b32 a);\n"
         ".global .align 8 .u64 t[2] = {f, generic(sh)+8};\n.const .f32 c[2][2] = {{1.5, 0f3F800000}, {-2e3}};\n"
         ".visible .entry k(.param .u64 .ptr .global .align 16 x, .param .align 8 .b8 y[56])\n.maxntid 256, 1, 1\n{\n"
         ".reg .pred %p<5>;\n.reg .b32 %r<600>;\n.reg .b64 %rd<9>;\n.reg .v4 .f32 %v;\n.local .b8 depot[16];\n"
         ".loc 1 9 5, function_name $L__info, inlined_at 1 10 0\n.pragma \"nounroll\";\nL: mov.u32 %r1, %tid.x;\n"
         "@!%p1 bra L;\nsetp.lt.and.f32 %p1|%p2, %v.x, %v.w, !%p3;\nmov.b64 {%r1, _}, %rd1;\n"
         "ld.global.L2::128B.u32 %r1, [%rd1+-8]; /* c */\ncp.async.bulk.tensor [sh+4], [%rd1, {%r1, %r2}], [%rd2];\n"
         "{\n.param .b32 param0;\nproto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
         "call (param0), %rd1, (param0), proto;\n{ .reg .b32 q<2>; add.s32 q0, %r1, (1<<3)+WARP_SZ*-2; }\n}\n"
         "T: .branchtargets L, end;\nbrx.idx %r1, T;\nret;\nend:\n}\n.section .debug_str\n{\ninfo: .b8 95,0\n}\n";

static void every_truncation_is_told(void **state) {
    (void)state;
    const size_t length = sizeof whole - 1;
    ptx_free(parse(whole));
    int accepted = 0;
    for (size_t cut = 0; cut < length; cut++) {
        /* Of its own size, so that sanitizers and valgrind see a read behind it. */
        char *text = malloc(cut + 1), error[200] = "";
        memcpy(text, whole, cut);
        ptx_module *module = ptx_parse(text, cut, error, sizeof error);
        if (module)
            accepted++;
        else
            assert_memory_equal(error, "PTX line ", 9);
        ptx_free(module);
        free(text);
    }
    assert_in_range(accepted, 1, 60); /* between the directives of the module */
}

static void mutations_do_no_harm(void **state) {
    (void)state;
    static const char *const parts[] = {"{",    "}",    "(",  ")",           "[",  "]",  ";",  ",", ".",
                                        "%",    "%r1",  "0f", "99999999999", "/*", "\"", "<",  ">", ":",
                                        ".reg", ".b32", "@",  "|",           "!",  "-",  "\n", "="};
    uint32_t random = 12345;
    for (int round = 0; round < 5000; round++) {
        char text[2 * sizeof whole], error[200] = "";
        size_t length = sizeof whole - 1;
        memcpy(text, whole, length);
        for (int change = 0; change <= round % 4; change++) {
            random = random * 1664525u + 1013904223u;
            const size_t at = (random >> 8) % length;
            const char *part = parts[(random >> 4) % (unsigned)COUNT(parts)];
            const size_t size = strlen(part);
            if (random & 1) {
                text[at] = (char)(random >> 24);
            } else if (length + size < sizeof text) {
                memmove(text + at + size, text + at, length - at);
                memcpy(text + at, part, size);
                length += size;
            }
        }
        ptx_module *module = ptx_parse(text, length, error, sizeof error);
        assert_true(module || strncmp(error, "PTX line ", 9) == 0);
        char line[100];
        for (int i = 0; module && i < module->function_count; i++)
            for (int j = 0; j < module->functions[i].instruction_count; j++)
                ptx_format_instruction(&module->functions[i], j, line, sizeof line);
        ptx_free(module);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(module_head),
        cmocka_unit_test(final_nuls_are_ignored),
        cmocka_unit_test(instructions_keep_their_text),
        cmocka_unit_test(formatting_is_cut_to_size),
        cmocka_unit_test(operands),
        cmocka_unit_test(register_ranges),
        cmocka_unit_test(scopes_hide_outer_names),
        cmocka_unit_test(labels),
        cmocka_unit_test(tables),
        cmocka_unit_test(locals_are_told_apart),
        cmocka_unit_test(variables),
        cmocka_unit_test(addresses_in_initial_values),
        cmocka_unit_test(functions),
        cmocka_unit_test(locations),
        cmocka_unit_test(texts_that_are_refused),
        cmocka_unit_test(statements_that_are_refused),
        cmocka_unit_test(errors_are_cut_to_size),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(every_truncation_is_told),
        cmocka_unit_test(mutations_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
