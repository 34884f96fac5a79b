/* For the tests of the simulator's machine: PTX text -> fat binary -> module -> kernel -> launch, and what it says. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "load/module.h"
#include "ptx/fatbin.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Three lines of text. */
#define PTX_HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"

/* A kernel k(out) around instructions: %r1 is the thread, %rd1 out, %rd2 its word of it; `scope` is what stands before
 * the kernel. Without a scope the first line of the body is line 7. */
#define KERNEL(scope, body)                                                                                            \
    PTX_HEAD scope ".visible .entry k(.param .u64 out) {\n"                                                            \
                   ".reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<8>;\n"     \
                   "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;\n" body            \
                   "\nret;\n}\n"
#define FIRST_LINE 7
#define STORE      "st.global.u32 [%rd2], %r2;\n" /* out[thread] = %r2 */

/* `.loc` needs a file; it goes behind everything else. */
#define PTX_FILE ".file 1 \"case.cu\"\n"

/* ---- what was written to a stream ---- */

#define MOST_TEXT 65536

typedef struct capture {
    FILE *stream, *file;
    int saved;
} capture;

static capture capture_begin(FILE *stream) {
    capture c = {stream, tmpfile(), -1};
    assert_non_null(c.file);
    fflush(stream);
    c.saved = dup(fileno(stream));
    dup2(fileno(c.file), fileno(stream));
    return c;
}

static void capture_end(capture c, char *text) {
    fflush(c.stream);
    dup2(c.saved, fileno(c.stream));
    close(c.saved);
    rewind(c.file);
    size_t length = fread(text, 1, MOST_TEXT - 1, c.file);
    text[length] = '\0';
    fclose(c.file);
}

/* ---- modules and launches ---- */

#define OUT_WORDS 8192

typedef struct program {
    void *container;
    sim_module *module;
    char error[1024]; /* why the module was refused */
} program;

static uint32_t *out;                            /* the kernel's argument: zeros before a launch */
static char said[MOST_TEXT], printed[MOST_TEXT]; /* by the latest launch, to stderr and to stdout */

static program program_load(const char *ptx) {
    program p = {0};
    size_t length = strlen(ptx) + 1, padded = (length + 7) & ~(size_t)7;
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t size;
        uint16_t kind, one;
        uint32_t entry_header;
        uint64_t padded;
        uint32_t compressed, zero;
        uint16_t minor, major;
        uint32_t arch, name, name_length;
        uint64_t flags, unused, size_out;
    } head = {FATBIN_MAGIC, 1, 16, 64 + padded, FATBIN_PTX, 0x101, 64, padded, 0, 0, 0, 9, 90, 0, 0, 0x100000, 0, 0};
    _Static_assert(sizeof head == 80, "the layout of fatbin.h");
    p.container = calloc(1, sizeof head + padded);
    memcpy(p.container, &head, sizeof head);
    memcpy((char *)p.container + sizeof head, ptx, length);
    p.module = sim_module_load(p.container, p.error, sizeof p.error);
    return p;
}

static void program_unload(program *p) {
    sim_module_unload(p->module);
    free(p->container);
}

static sim_kernel *kernel_of(program *p, const char *name) {
    char error[1024];
    if (p->module == NULL) {
        fail_msg("the module is refused: %s", p->error);
    }
    sim_kernel *kernel = sim_module_kernel(p->module, name, error, sizeof error);
    if (kernel == NULL) {
        fail_msg("the kernel is refused: %s", error);
    }
    return kernel;
}

static sim_status launch_kernel(sim_kernel *kernel, sim_launch_config config, const void *params) {
    capture err = capture_begin(stderr), text = capture_begin(stdout);
    sim_status status = sim_launch(kernel, &config, params);
    sim_printf_flush();
    capture_end(text, printed);
    capture_end(err, said);
    return status;
}

static sim_launch_config shape(unsigned grid, unsigned block) {
    return (sim_launch_config){.grid = {grid, 1, 1}, .block = {block, 1, 1}, .cluster = {1, 1, 1}};
}

static void out_renew(void) {
    if (out != NULL) {
        memory_free((uint64_t)out);
    }
    out = (uint32_t *)memory_allocate(OUT_WORDS * 4, 256, MEMORY_DEVICE, NULL, NULL);
    assert_non_null(out);
}

/* Runs kernel k(out) of the text. */
static sim_status run_with(const char *ptx, sim_launch_config config) {
    out_renew();
    program p = program_load(ptx);
    sim_status status = launch_kernel(kernel_of(&p, "k"), config, &out);
    program_unload(&p);
    return status;
}

static sim_status run(const char *ptx, unsigned grid, unsigned block) {
    return run_with(ptx, shape(grid, block));
}

__attribute__((unused)) static void run_well(const char *ptx, unsigned grid, unsigned block) {
    sim_status status = run(ptx, grid, block);
    if (status != SIM_OK || said[0] != '\0') {
        fail_msg("status %d: %s", status, said);
    }
}

/* Is the text the pattern, with anything where "*" stands? */
static bool is_like(const char *text, const char *pattern) {
    size_t plain = strcspn(pattern, "*");
    if (strncmp(text, pattern, plain) != 0) return false;
    if (pattern[plain] == '\0') return text[plain] == '\0';
    for (text += plain;; text++) {
        if (is_like(text, pattern + plain + 1)) return true;
        if (*text == '\0') return false;
    }
}

/* The latest launch said this, and nothing else. */
__attribute__((format(printf, 1, 2), unused)) static void assert_said(const char *format, ...) {
    char expected[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    if (!is_like(said, expected)) {
        fail_msg("said:\n%sexpected:\n%s", said, expected);
    }
}

/* Runs kernel k(address). */
__attribute__((unused)) static sim_status run_at(const char *ptx, unsigned block, uint64_t address) {
    program p = program_load(ptx);
    sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, block), &address);
    program_unload(&p);
    return status;
}

/* A kernel whose threads each leave one word. */
typedef struct word_case {
    const char *name, *ptx;
    unsigned threads;
    uint32_t (*expected)(uint32_t thread);
} word_case;

__attribute__((unused)) static void check_words(const word_case *c) {
    run_well(c->ptx, 1, c->threads);
    for (uint32_t t = 0; t < c->threads; t++) {
        if (out[t] != c->expected(t)) {
            fail_msg("%s: thread %u has 0x%x, not 0x%x", c->name, t, out[t], c->expected(t));
        }
    }
}

/* With so many host threads ("1", "2"), or with so much patience. */
__attribute__((unused)) static void set_environment(const char *name, const char *value) {
    if (value != NULL) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}
