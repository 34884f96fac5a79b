/* PTX that the parser refuses, and damaged PTX. */
#include "parser_case.h"

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void assert_refused(const char *text, const char *expected) {
    char error[200] = "";
    ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);
    if (module) fail_msg("accepted, instead of: %s", expected);
    assert_string_equal(error, expected);
}

static void texts_that_are_refused(void **state) {
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
        cmocka_unit_test(texts_that_are_refused),   cmocka_unit_test(statements_that_are_refused),
        cmocka_unit_test(errors_are_cut_to_size),   cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(every_truncation_is_told), cmocka_unit_test(mutations_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
