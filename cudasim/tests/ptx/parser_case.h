/* What tests of the parser share. */
#pragma once

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

static inline ptx_module *parse(const char *text) {
    char error[200] = "";
    ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);
    if (!module) fail_msg("%s", error);
    return module;
}

/* A kernel k with these statements and a register of each kind. */
static inline ptx_module *parse_statements(const char *statements) {
    char text[4000];
    snprintf(text, sizeof text,
             HEAD
             ".global .b32 var[8];\n.func callee (.param .b32 a);\n.entry k(.param .u64 x)\n{\n.reg .pred %%p<9>, p, "
             "q;\n.reg .b32 %%r<99>;\n.reg .b64 %%rd<9>;\n.reg .f32 %%f<99>;\n.reg .v4 .f32 %%v;\n%s\n}\n",
             statements);
    return parse(text);
}

/* NULL if there is none. */
static inline const ptx_function *find_function(const ptx_module *module, const char *name) {
    for (int i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0) return &module->functions[i];
    return NULL;
}

static inline const ptx_function *kernel(const ptx_module *module) {
    const ptx_function *function = find_function(module, "k");
    assert_non_null(function);
    return function;
}

static inline void assert_formats(const char *statement, const char *expected) {
    ptx_module *module = parse_statements(statement);
    assert_int_equal(kernel(module)->instruction_count, 1);
    char text[300];
    assert_string_equal(ptx_format_instruction(kernel(module), 0, text, sizeof text), expected);
    ptx_free(module);
}
