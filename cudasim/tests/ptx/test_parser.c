/* PTX that the parser accepts. */
#include "parser_case.h"

/* ---- what is accepted -------------------------------------------------------------------------------------------- */

static void types(void **state) {
    assert_int_equal(ptx_type_named("u32", 3), PTX_U32);
    assert_int_equal(ptx_type_named("bf16x2", 6), PTX_BF16X2);
    assert_int_equal(ptx_type_named("u3", 2), PTX_NO_TYPE);
    assert_int_equal(ptx_type_size(PTX_B128), 16);
    assert_int_equal(ptx_type_size(PTX_PRED), 1);
    assert_int_equal(ptx_type_size(PTX_F16X2), 4);
}

static void module_head(void **state) {
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
    char error[100];
    const char text[] = HEAD "\0\0";
    ptx_module *module = ptx_parse(text, sizeof text, error, sizeof error);
    assert_non_null(module);
    ptx_free(module);
}

static void instructions_keep_their_text(void **state) {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
