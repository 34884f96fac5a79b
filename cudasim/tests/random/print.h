/* A program as PTX. */
#pragma once

#include <stdarg.h>

#include "flow.h"

typedef struct text {
    char *start, *end, *at;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(t->at, (size_t)(t->end - t->at), format, arguments);
    va_end(arguments);
    if (length >= t->end - t->at) abort();
    t->at += length;
}

static const char *const register_names[CLASSES] = {"%p", "%h", "%r", "%rd"};

static void put_operand(text *t, const operand *o) {
    switch (o->kind) {
    case REGISTER:
        put(t, "%s%s%d", o->negated ? "!" : "", register_names[o->class], o->index % REGISTERS);
        break;
    case SPECIAL:
        put(t, "%s", special_names[o->index]);
        break;
    case PARAMETER:
        put(t, "[p%d]", o->index);
        break;
    default:
        put(t, "0x%llx", (unsigned long long)o->number);
    }
}

static void put_operands(text *t, const operand *o, int count, char form) {
    if (form == 'v') put(t, "{");
    for (int i = 0; i < count; i++) {
        if (i > 0) put(t, "%s", form == 'p' ? "|" : ", ");
        put_operand(t, &o[i]);
    }
    if (form == 'v') put(t, "}");
}

static void put_address(text *t, const step *s) {
    put(t, "[");
    put_operand(t, &s->s[0]);
    put(t, "+%lld]", (long long)s->offset);
}

static void put_place(text *t, const step *s) {
    static const char *const names[] = {"[p0]", "[p1]", "[p2]", "sh", "loc", "tab"};
    const char *name = names[s->place];
    const bool wide_one = s->d[0].class == CLASS_L;
    put(t, "%s ", name[0] == '[' ? "ld.param.u64" : wide_one ? "mov.u64" : "mov.u32");
    put_operand(t, &s->d[0]);
    put(t, ", %s", name);
}

/* Arguments and the result go by way of parameters, as nvcc has it. */
static void put_call(text *t, const step *s) {
    put(t, "{ .param .b32 ret; .param .b32 a; .param .b32 b; .param .b64 c; ");
    static const char *const names[] = {"b32 [a]", "b32 [b]", "b64 [c]"};
    for (int i = 0; i < 3; i++) {
        put(t, "st.param.%s, ", names[i]);
        put_operand(t, &s->s[i]);
        put(t, "; ");
    }
    put(t, "call.uni (ret), f, (a, b, c); ld.param.b32 ");
    put_operand(t, &s->d[0]);
    put(t, ", [ret]; }\n");
}

static void put_step(text *t, const step *s) {
    if (s->off) return;
    if (s->kind == STEP_LABEL) {
        put(t, "L%d:\n", s->label);
        return;
    }
    if (s->kind == STEP_CALL) {
        put_call(t, s);
        return;
    }
    put(t, "    ");
    if (s->guard >= 0) put(t, "@%s%%p%d ", s->guard_negated ? "!" : "", s->guard % REGISTERS);
    switch (s->kind) {
    case STEP_ADDRESS:
        put_place(t, s);
        break;
    case STEP_BRANCH:
        put(t, "bra L%d", s->label);
        break;
    case STEP_INDEXED:
        put(t, "brx.idx ");
        put_operand(t, &s->s[0]);
        put(t, ", T%d", s->targets[0]);
        break;
    case STEP_RETURN:
        put(t, "st.param.b32 [ret], ");
        put_operand(t, &s->s[0]);
        put(t, "; ret");
        break;
    case STEP_ARRIVE:
        if (s->s_count == 0) {
            put(t, "%s", s->opcode);
        } else {
            put(t, "mapa.shared::cluster.u32 %%r62, far, ");
            put_operand(t, &s->s[0]);
            put(t, "; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%r62]");
        }
        break;
    case STEP_BARRIER:
    case STEP_CLUSTER:
        if (s->s_count == 0) {
            put(t, "%s", s->opcode);
        } else {
            put(t, "W%d: mbarrier.try_wait.parity%s %%p63, [%s], ", s->label,
                s->kind == STEP_CLUSTER ? ".acquire.cluster.shared::cta.b64" : ".shared.b64",
                s->kind == STEP_CLUSTER ? "far" : "mb");
            put_operand(t, &s->s[0]);
            put(t, "; @!%%p63 bra W%d", s->label);
        }
        break;
    case STEP_MMA:
        put(t, "%s ", s->opcode);
        put_operands(t, s->d, s->d_count, 'v');
        put(t, ", {");
        put_operand(t, &s->s[0]);
        put(t, "}, {");
        put_operand(t, &s->s[1]);
        put(t, "}, ");
        put_operands(t, &s->s[2], 2, 'v');
        break;
    case STEP_STMATRIX:
    case STEP_STORE:
        put(t, "%s ", s->opcode);
        put_address(t, s);
        put(t, ", ");
        put_operands(t, &s->s[1], s->s_count - 1, s->s_form);
        break;
    case STEP_LDMATRIX:
    case STEP_LOAD:
        put(t, "%s ", s->opcode);
        put_operands(t, s->d, s->d_count, s->d_form);
        put(t, ", ");
        put_address(t, s);
        break;
    case STEP_ATOMIC:
        put(t, "%s ", s->opcode);
        put_operands(t, s->d, s->d_count, 0);
        put(t, "%s", s->d_count > 0 ? ", " : "");
        put_address(t, s);
        put(t, ", ");
        put_operands(t, &s->s[1], s->s_count - 1, 0);
        break;
    default:
        put(t, "%s ", s->opcode);
        put_operands(t, s->d, s->d_count, s->d_form);
        put(t, "%s", s->d_count > 0 && s->s_count > 0 ? ", " : "");
        put_operands(t, s->s, s->s_count, s->s_form);
    }
    put(t, ";\n");
}

static void put_registers(text *t) {
    put(t, "    .reg .pred %%p<%d>; .reg .b16 %%h<%d>; .reg .b32 %%r<%d>; .reg .b64 %%rd<%d>;\n", REGISTERS, REGISTERS,
        REGISTERS, REGISTERS);
}

static void put_tables(text *t, const program_steps *p, int from, int to) {
    for (int i = from; i < to; i++) {
        const step *s = &p->steps[i];
        if (s->kind == STEP_INDEXED)
            put(t, "T%d: .branchtargets L%d, L%d, L%d, L%d;\n", s->targets[0], s->targets[0], s->targets[1],
                s->targets[2], s->targets[3]);
    }
}

#define TEXT_BYTES (1 << 18)

/* Into TEXT_BYTES bytes. */
static void print_program(const program_steps *p, char *into) {
    text t = {into, into + TEXT_BYTES, into};
    put(&t, ".version 9.0\n.target sm_90a\n.address_size 64\n.const .align 16 .b8 tab[%d] = {", TABLE_BYTES);
    for (int i = 0; i < TABLE_BYTES; i++) put(&t, "%s%u", i > 0 ? ", " : "", p->table[i]);
    put(&t, "};\n.func (.param .b32 ret) f(.param .b32 a, .param .b32 b, .param .b64 c) {\n");
    put_registers(&t);
    put(&t, "    ld.param.b32 %%r0, [a]; ld.param.b32 %%r1, [b]; ld.param.b64 %%rd0, [c];\n");
    for (int i = p->function; i < p->count; i++) put_step(&t, &p->steps[i]);
    put(&t,
        "}\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u32 p4, .param "
        ".u16 p5, "
        ".param .u8 p6) {\n    .shared .align 16 .b8 sh[%d]; .local .align 16 .b8 loc[%d];\n"
        "    .shared .align 8 .b64 mb; .shared .align 8 .b64 far;\n",
        SHARED_ALL, LOCAL_BYTES);
    put_registers(&t);
    put(&t,
        "    mov.u32 %%r62, %%tid.x; mov.u32 %%r63, %%tid.y; or.b32 %%r63, %%r62, %%r63;\n"
        "    setp.eq.u32 %%p63, %%r63, 0; @%%p63 mbarrier.init.shared.b64 [mb], %u;\n"
        "    @%%p63 mbarrier.init.shared.b64 [far], %u;\n",
        p->threads, p->threads);
    put_tables(&t, p, 0, p->function);
    for (int i = 0; i < p->function; i++) put_step(&t, &p->steps[i]);
    put(&t, "}\n");
}
