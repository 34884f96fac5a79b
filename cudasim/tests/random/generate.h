/* A random program. Half of what it computes comes from constants, thread numbers and loop counters by sums and
 * products, as addresses do, under predicates and in branches that only some threads take.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "operations.h"

/* The generator's own registers, behind the data's. */
enum {
    MASK = DATA,
    COUNTER = DATA + 8,
    INDEX = DATA + 16,
    SHARED_OWN,
    SHARED_4,
    SHARED_8,
    SHARED_BASE,
    FLAT,
    LINE,
    PHASE,
    FAR_PHASE,
    ROW,
    SLOT,
    MATRIX
};
enum { BASE_INPUT = DATA, BASE_COUNTERS, OWN, OWN_1, OWN_2, OWN_4, OWN_8, OWN_16, LOCAL_BASE, TABLE_BASE, ADDRESS };
#define DEPTH 6
/* OUTPUT: the slots of each thread, then for each size of access 4 places for each thread, those of all threads next to
 * one another. */
#define SPREAD_BYTES (4 * 31 * BLOCKS * THREADS)
#define ALL_OUTPUT   (OUTPUT_BYTES + SPREAD_BYTES)
#define INPUT_SLACK  256
#define SHARED_4_AT  (THREADS * 32)
#define SHARED_8_AT  (SHARED_4_AT + THREADS * 4)
#define SHARED_SUMS  (SHARED_8_AT + THREADS * 8)
#define SHARED_ROWS  (SHARED_SUMS + 64)
#define MATRIX_ROWS  64 /* of 16 bytes, a warp's */
#define SHARED_ALL   (SHARED_ROWS + THREADS / 32 * MATRIX_ROWS * 16)

/* Where the model has places in generic addresses; in their own, from PLAIN_BASE on, but for global memory. */
#define WINDOW(place) ((uint64_t)((place) + 1) << 40)
#define PLAIN_BASE    0x100u
RUN(window, x[0] - PLAIN_BASE + WINDOW(s->how[1]))
/* The block's own shared address as that of the block with rank x[1]: how[1] says whether it is a generic one. */
#define RANK_BIT(generic) ((generic) ? 48 : 24)
RUN(mapa, x[0] + ((x[1] + 1) << RANK_BIT(s->how[1])))

static struct {
    program_steps *p;
    bool affine[CLASSES][DATA]; /* likely so: of the kernel's, or the function's, registers */
    bool keeping;               /* the step at hand writes such a register */
    int kept;         /* of words and long ones, those below only ever get what add_affine and add_fresh make */
    int base;         /* 0, or REGISTERS in the function */
    int depth, loops; /* of branches; of loops, whose counters are COUNTER.. */
    int room;         /* steps left */
    bool may_exit;
} g;

/* ---- operands and steps ---- */

static operand reg(int class, int index) {
    return (operand){.kind = REGISTER, .class = (unsigned char)class, .index = index};
}
static operand number(uint64_t value) {
    return (operand){.kind = NUMBER, .number = value};
}
static operand special(int which) {
    return (operand){.kind = SPECIAL, .index = which};
}

static step *add_step(int kind, const char *opcode) {
    if (g.p->count == STEPS) abort();
    step *s = &g.p->steps[g.p->count++];
    *s = (step){.guard = -1};
    s->kind = kind;
    snprintf(s->opcode, sizeof s->opcode, "%s", opcode);
    g.room--;
    return s;
}

static void add_source(step *s, operand o) {
    if (o.kind == REGISTER) o.index += g.base;
    s->s[s->s_count++] = o;
}
static void add_result(step *s, operand o) {
    o.index += g.base;
    s->d[s->d_count++] = o;
}

/* A step that the program needs. */
static step *plain(const char *opcode, compute *run, value_type type, operand d, int sources, const operand *x) {
    step *s = add_step(STEP_COMPUTE, opcode);
    s->run = run;
    s->how[0] = type;
    s->fixed = true;
    add_result(s, d);
    for (int i = 0; i < sources; i++) add_source(s, x[i]);
    return s;
}
#define PLAIN(opcode, run, type, d, ...)                                                                               \
    plain(opcode, run, type, d, sizeof((operand[]){__VA_ARGS__}) / sizeof(operand), (operand[]){__VA_ARGS__})

static bool is_kept(int class, int index) {
    return class >= CLASS_W && index < g.kept;
}

/* A register for a result: one of those, or of the others. */
static int pick_result(int class, bool kept) {
    if (class < CLASS_W) return (int)chance(DATA);
    return kept ? (int)chance((uint32_t)g.kept) : g.kept + (int)chance((uint32_t)(DATA - g.kept));
}

static int pick(int class, bool affine) {
    int index = (int)chance(DATA);
    for (int i = 0; affine && i < DATA && !g.affine[class][index]; i++) index = (index + 1) % DATA;
    return index;
}

/* A number as the class holds it: for h only what fits signed and unsigned. */
static operand chance_constant(int class) {
    const uint64_t value = chance_number();
    return number(class == CLASS_H ? value & 0x7fff : class == CLASS_W ? value & 0xffffffff : value);
}

static operand source(int class, bool affine, bool constants) {
    if (class == CLASS_P) {
        operand p = reg(CLASS_P, (int)chance(DATA));
        return p;
    }
    if (class == CLASS_W && g.base == 0 && g.loops > 0 && one_in(6))
        return reg(CLASS_W, COUNTER + (int)chance((uint32_t)g.loops));
    if (class == CLASS_W && one_in(16)) return special((int)chance(SPECIALS));
    if (constants && one_in(6)) return affine && one_in(2) ? number(1u << chance(5)) : chance_constant(class);
    if (g.keeping && class >= CLASS_W) return reg(class, (int)chance((uint32_t)g.kept));
    return reg(class, pick(class, affine || one_in(3)));
}

static void guard_sometimes(step *s) {
    if (!one_in(5)) return;
    s->guard = (int)chance(DATA) + g.base;
    s->guard_negated = one_in(2);
}

static void name_with_type(char *text, size_t size, const char *form, value_type type) {
    const char *percent = strchr(form, '%');
    if (percent == NULL)
        snprintf(text, size, "%s", form);
    else
        snprintf(text, size, "%.*s%s%s", (int)(percent - form), form, type_names[type], percent + 1);
}

static int class_of(char letter, value_type type) {
    switch (letter) {
    case 'p':
        return CLASS_P;
    case 'h':
        return CLASS_H;
    case 'w':
    case 's':
        return CLASS_W;
    case 'l':
        return CLASS_L;
    case '2':
        return type_class[type] + 1;
    default:
        return type_class[type];
    }
}

/* ---- computing ---- */

static value_type chance_type(unsigned types) {
    for (;;) {
        const value_type type = (value_type)chance(TYPES);
        if (types >> type & 1) return type;
    }
}

static bool all_affine(const step *s) {
    for (int i = 0; i < s->s_count; i++) {
        const operand *o = &s->s[i];
        const int index = o->index - g.base;
        if (o->kind == REGISTER && index < DATA && !g.affine[o->class][index]) return false;
    }
    return s->guard < 0;
}

/* Random results, which become what their sources are. */
static void add_results(step *s, const char *letters, value_type type) {
    const bool affine = all_affine(s);
    for (; *letters != '='; letters++) {
        const int class = class_of(*letters, type);
        int index;
        do { /* d of two that are the same: which one stays, nobody says */
            index = pick_result(class, g.keeping);
        } while ((s->d_count > 0 && s->d[0].index == index + g.base) ||
                 (s->d_count > 1 && s->d[1].index == index + g.base) ||
                 (s->d_count > 2 && s->d[2].index == index + g.base));
        add_result(s, reg(class, index));
        g.affine[class][index] = affine;
    }
}

static void add_operation(const operation *o, value_type type, bool affine) {
    char text[48];
    name_with_type(text, sizeof text, o->text, type);
    step *s = add_step(STEP_COMPUTE, text);
    s->run = o->run;
    s->how[0] = type;
    memcpy(&s->how[1], o->how, sizeof o->how);
    if (strncmp(text, "dp", 2) == 0) { /* how[0]: is the first signed? */
        s->how[0] = type == S8;
    }
    s->d_form = o->d_form, s->s_form = o->s_form;
    for (const char *letter = strchr(o->form, '=') + 1; *letter; letter++) {
        if (*letter == 'i') {
            add_source(s, number(chance(256)));
        } else if (*letter == 's' && one_in(2)) {
            add_source(s, number(chance(one_in(4) ? 80 : 32)));
        } else {
            const int class = class_of(*letter, type);
            add_source(s, source(class, affine, o->s_form != 'v' && o->d_form != 'v' && !is_float(type)));
        }
    }
    guard_sometimes(s);
    add_results(s, o->form, type);
}

static void add_affine(void) {
    const char *text = affine_texts[one_in(3) ? chance(sizeof affine_texts / sizeof *affine_texts) : chance(8)];
    for (size_t i = 0; i < OPERATIONS; i++)
        if (strcmp(operations[i].text, text) == 0) {
            g.keeping = g.kept > 0 && !one_in(3);
            value_type type = chance_type(operations[i].types & (g.keeping ? KEPT_TYPES : ~FLOATS));
            if (type_bits[type] == 16) type = chance_type(operations[i].types & ~FLOATS); /* less often */
            add_operation(&operations[i], type, true);
            g.keeping = false;
            return;
        }
}

static int chance_rounding(void) {
    return one_in(2) ? 1 : 1 + (int)chance(4);
}
static const char *const rounding_names[] = {"", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi"};

static void add_float(void) {
    static const struct {
        const char *name, *form;
        char which;
    } kinds[] = {{"add", "t=tt", '+'},  {"sub", "t=tt", '-'}, {"mul", "t=tt", '*'}, {"fma", "t=ttt", 'f'},
                 {"fma", "t=ttt", 'f'}, {"div", "t=tt", '/'}, {"rcp", "t=t", 'r'},  {"sqrt", "t=t", 'q'}};
    const unsigned k = chance(one_in(3) ? 8 : 5);
    const value_type type = k < 5 && one_in(4) ? F16 : one_in(3) ? F64 : F32;
    const bool pair = type == F16 && one_in(2);
    const int rounding = type == F16 ? 1 : chance_rounding();
    const bool ftz = type != F64 && one_in(4), sat = type != F64 && k < 5 && one_in(6);
    char text[48];
    snprintf(text, sizeof text, "%s%s%s%s.%s%s", kinds[k].name, rounding_names[rounding], ftz ? ".ftz" : "",
             sat ? ".sat" : "", type_names[type], pair ? "x2" : "");
    step *s = add_step(STEP_COMPUTE, text);
    s->run = pair ? run_float_x2 : run_float;
    s->how[0] = type, s->how[1] = rounding, s->how[2] = ftz, s->how[3] = sat, s->how[4] = kinds[k].which;
    const value_type holder = pair ? B32 : type;
    for (const char *letter = strchr(kinds[k].form, '=') + 1; *letter; letter++)
        add_source(s, source(type_class[holder], false, false));
    guard_sometimes(s);
    add_results(s, kinds[k].form, holder);
}

static void add_float_bits(void) {
    const value_type type = (value_type)(F16 + chance(3));
    const bool ftz = type != F64 && one_in(3), min_max = one_in(2), second = one_in(2),
               nan = min_max && type != F64 && one_in(3);
    char text[48];
    snprintf(text, sizeof text, "%s%s%s.%s",
             min_max  ? second ? "max" : "min"
             : second ? "neg"
                      : "abs",
             ftz ? ".ftz" : "", nan ? ".NaN" : "", type_names[type]);
    step *s = add_step(STEP_COMPUTE, text);
    s->run = min_max ? run_float_min_max : run_sign;
    s->how[0] = type, s->how[2] = ftz, s->how[3] = nan, s->how[4] = min_max ? second : second ? 'n' : 'a';
    for (int i = 0; i < 1 + min_max; i++) add_source(s, source(type_class[type], false, false));
    guard_sometimes(s);
    add_results(s, "t=", type);
}

static void add_comparison(bool affine) {
    static const value_type types[] = {B16, B32, B64, U16, S16, U32, S32, U64, S64, F16, F32, F64, U32, S32, F32};
    const value_type type = types[chance(affine ? 9 : 15)];
    const int set = !affine && one_in(6) && type != F16;
    const int which = (int)chance(is_float(type) ? 18 : type >= B16 ? 2 : is_signed(type) ? 6 : 10);
    const int how = is_float(type) && which >= 6 && which < 10 ? 2 : which;
    const int with = one_in(3) ? 1 + (int)chance(3) : 0;
    const bool ftz = (type == F32 || type == F16) && one_in(3), ones = set && one_in(2), two = !set && one_in(3);
    static const char *const withs[] = {"", ".and", ".or", ".xor"};
    char text[48];
    snprintf(text, sizeof text, "%s.%s%s%s%s.%s", set ? "set" : "setp", comparisons[how], withs[with],
             ftz ? ".ftz" : "", set ? ones ? ".f32" : ".u32" : "", type_names[type]);
    step *s = add_step(STEP_COMPUTE, text);
    s->run = set ? run_set : run_setp;
    s->how[0] = type, s->how[1] = how, s->how[2] = ftz, s->how[3] = with, s->how[4] = ones;
    for (int i = 0; i < 2; i++) add_source(s, source(type_class[type], affine, i == 1 && !is_float(type)));
    if (with) {
        operand p = source(CLASS_P, false, false);
        p.negated = one_in(3);
        add_source(s, p);
    }
    s->d_form = two ? 'p' : 0;
    guard_sometimes(s);
    add_results(s, set ? "w=" : two ? "pp=" : "p=", type);
}

static void add_conversion(bool affine) {
    static const value_type types[] = {U8, S8, U16, S16, U32, S32, U64, S64, F16, F32, F64};
    g.keeping = affine && g.kept > 0 && one_in(2);
    const unsigned least = g.keeping ? 4 : 0, most = affine ? 8 : 11;
    const value_type from = types[least + chance(most - least)], to = types[least + chance(most - least)];
    int rounding = 0;
    bool ftz = false, sat = one_in(6);
    if (is_float(from) && !is_float(to)) rounding = 5 + (int)chance(4);
    if (!is_float(from) && is_float(to)) rounding = chance_rounding();
    if (is_float(from) && is_float(to))
        rounding = type_bits[to] < type_bits[from] ? chance_rounding() : to == from ? 5 + (int)chance(4) : 0;
    if (from == F32 && to != F16) ftz = one_in(4);
    if (!is_float(from) && !is_float(to) && from == to) sat = false;
    char text[48];
    snprintf(text, sizeof text, "cvt%s%s%s.%s.%s", rounding_names[rounding], ftz ? ".ftz" : "", sat ? ".sat" : "",
             type_names[to], type_names[from]);
    step *s = add_step(STEP_COMPUTE, text);
    s->run = run_cvt;
    s->how[0] = from, s->how[1] = to, s->how[2] = rounding, s->how[3] = ftz, s->how[4] = sat;
    /* Registers may be wider than integers. */
    int source_class = type_class[from], result_class = type_class[to];
    if (!is_float(from) && !g.keeping && one_in(3)) source_class += (int)chance((uint32_t)(CLASS_L - source_class + 1));
    if (!is_float(to) && !g.keeping && one_in(3)) result_class += (int)chance((uint32_t)(CLASS_L - result_class + 1));
    add_source(s, reg(source_class, g.keeping ? (int)chance((uint32_t)g.kept) : pick(source_class, affine)));
    guard_sometimes(s);
    static const char *const forms[] = {"p=", "h=", "w=", "l="};
    add_results(s, forms[result_class], to);
    g.keeping = false;
}

/* Sums, differences and products of twice the width, all under one predicate or none. */
static void add_carries(void) {
    const value_type type = chance_type(LARGE);
    const int class = type_class[type], subtract = one_in(3), product = !subtract && one_in(3);
    const int parts = product ? 2 : 2 + (int)chance(2), guard = one_in(4) ? (int)chance(DATA) + g.base : -1;
    int results[3];
    for (int i = 0; i < 3; i++) results[i] = pick_result(class, false);
    for (int i = 0; i < parts; i++) {
        const bool last = i == parts - 1;
        char text[48];
        snprintf(text, sizeof text, "%s%s%s%s.%s",
                 product    ? "mad"
                 : subtract ? "sub"
                            : "add",
                 i > 0 ? "c" : "", product ? i > 0 ? ".hi" : ".lo" : "", last ? "" : ".cc", type_names[type]);
        step *s = add_step(STEP_COMPUTE, text);
        s->run = run_carry;
        s->how[0] = type, s->how[1] = i > 0, s->how[2] = !last, s->how[3] = subtract, s->how[4] = product ? i + 1 : 0;
        for (int k = 0; k < 2 + product; k++) add_source(s, source(class, false, false));
        s->guard = guard;
        add_result(s, reg(class, results[i]));
        g.affine[class][results[i]] = false;
        s->fixed = true; /* one without the other is another program */
    }
}

/* A register that is the same in all threads, or their number times something. */
static void add_fresh(void) {
    static const uint64_t strides[] = {1,          2,          4,          8,          12,         16, 32,
                                       0xffffffff, 0xfffffffc, 0x08000000, 0x10000000, 0x80000001, 3,  0};
    const bool wide_one = one_in(3);
    const int class = wide_one ? CLASS_L : CLASS_W, index = pick_result(class, g.kept > 0 && one_in(2));
    operand d = reg(class, index);
    const uint64_t constant = chance_number();
    if (one_in(3)) {
        const operand x = wide_one || one_in(2) ? number(wide_one ? constant : constant & 0xffffffff)
                                                : special((int)chance(SPECIALS));
        PLAIN(wide_one ? "mov.b64" : "mov.b32", run_mov, wide_one ? B64 : B32, d, x)->fixed = false;
    } else {
        const operand by = number(strides[chance(sizeof strides / sizeof *strides)]);
        const operand x = one_in(3) ? special(LANE) : special(TID),
                      plus = reg(class, is_kept(class, index) ? index : pick(class, true));
        if (wide_one)
            PLAIN(one_in(2) ? "mad.wide.u32" : "mad.wide.s32", run_mad, S32, d, x, by, plus);
        else
            PLAIN("mad.lo.u32", run_mad, U32, d, x, by, one_in(2) ? number(constant & 0xffffffff) : plus);
        step *s = &g.p->steps[g.p->count - 1];
        s->fixed = false;
        if (strcmp(s->opcode, "mad.wide.u32") == 0) s->how[0] = U32;
    }
    g.affine[class][index] = true;
}

/* Numbers that grow from thread to thread past the largest one, and what becomes of them in a register twice as wide.
 */
static void add_wrapping(void) {
    static const uint32_t starts[] = {0xfffffff0, 0x7ffffff0, 0xffffff00, 0x80000010, 0, 0xffffffff, 0x7fffffff};
    static const uint32_t strides[] = {1, 4, 0xffffffff, 0xfffffffc, 16, 0x04000000, 0x10000000, 0};
    const bool kept = g.kept > 0 && !one_in(4), is_signed = one_in(2), converts = one_in(2);
    const int narrow = pick_result(CLASS_W, kept), result = pick_result(CLASS_L, kept);
    const operand start = number(starts[chance(7)]), stride = number(strides[chance(8)]), x = reg(CLASS_W, narrow);
    PLAIN("mad.lo.u32", run_mad, U32, x, special(one_in(4) ? LANE : TID), stride, start)->fixed = false;
    g.affine[CLASS_W][narrow] = g.affine[CLASS_L][result] = true;
    step *s;
    if (converts)
        s = PLAIN(is_signed ? "cvt.s64.s32" : "cvt.u64.u32", run_cvt, is_signed ? S32 : U32, reg(CLASS_L, result), x);
    else
        s = PLAIN(is_signed ? "mul.wide.s32" : "mul.wide.u32", run_mul, is_signed ? S32 : U32, reg(CLASS_L, result), x,
                  number(1 + chance(8)));
    s->fixed = false;
    s->how[1] = converts ? is_signed ? S64 : U64 : 0;
    guard_sometimes(s);
}

static void add_computation(void) {
    const uint32_t what = chance(100);
    if (what < 32)
        add_affine();
    else if (what < 35)
        add_wrapping();
    else if (what < 45)
        add_fresh();
    else if (what < 52)
        add_comparison(true);
    else if (what < 57)
        add_comparison(false);
    else if (what < 62)
        add_conversion(true);
    else if (what < 67)
        add_conversion(false);
    else if (what < 77)
        add_float();
    else if (what < 80)
        add_float_bits();
    else if (what < 83)
        add_carries();
    else {
        const operation *o = &operations[chance(OPERATIONS)];
        add_operation(o, chance_type(o->types), one_in(3));
    }
}
