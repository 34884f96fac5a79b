/* The watched copy of a function's code: op_observe stands in front of the handlers of instructions that access memory.
 * All else is shared with the function. */
#include <string.h>

#include "isa/arrays.h"
#include "isa/cas.h"
#include "isa/decode.h"
#include "isa/loose.h"
#include "isa/writes.h"

static bool reads(const insn *i) {
    return (i->row >= ROW_op_load_global_u8 && i->row <= ROW_op_load_shared_u64) || i->row == ROW_op_load ||
           i->row == ROW_op_ldmatrix || i->row == ROW_op_wmma_load;
}
static bool writes(const insn *i) {
    return (i->row >= ROW_op_store_global_u8 && i->row <= ROW_op_store_shared_u64) || i->row == ROW_op_store ||
           i->row == ROW_op_stmatrix || i->row == ROW_op_wmma_store;
}

/* Is `word` one of the opcode's parts? */
static bool has_part(const char *opcode, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strchr(opcode, '.'); at != NULL; at = strchr(at + 1, '.'))
        if (strncmp(at + 1, word, length) == 0 && (at[1 + length] == '.' || at[1 + length] == '\0')) return true;
    return false;
}

static watch_order order_of(const insn *i, const char *opcode) {
    if (has_part(opcode, "volatile")) return ORDER_VOLATILE;
    if (has_part(opcode, "acq_rel")) return ORDER_ACQUIRE_RELEASE;
    if (has_part(opcode, "acquire")) return ORDER_ACQUIRE;
    if (has_part(opcode, "release")) return ORDER_RELEASE;
    if (has_part(opcode, "relaxed") || has_part(opcode, "mmio") || i->row == ROW_op_atomic) return ORDER_RELAXED;
    return ORDER_WEAK;
}

static watch_scope scope_of(const char *opcode) {
    if (has_part(opcode, "cta")) return SCOPE_CTA;
    if (has_part(opcode, "cluster")) return SCOPE_CLUSTER;
    if (has_part(opcode, "sys") || has_part(opcode, "volatile")) return SCOPE_SYSTEM;
    return SCOPE_GPU;
}

/* False if the instruction accesses no memory for which observers have a hook. */
static bool watch_insn(const insn *i, const char *opcode, watched_insn *w) {
    if (i->row == ROW_op_cp_async)
        w->what = WATCH_ASYNC;
    else if (i->row == ROW_op_ldmatrix || i->row == ROW_op_stmatrix)
        w->what = WATCH_MATRIX;
    else if (i->row == ROW_op_wmma_load || i->row == ROW_op_wmma_store)
        w->what = WATCH_WMMA;
    else if (i->row == ROW_op_atomic)
        w->what = WATCH_ATOMIC;
    else if (reads(i) || writes(i))
        w->what = reads(i) ? WATCH_READ : WATCH_WRITE;
    else
        return false;
    w->stores = writes(i);
    w->run = i->run;
    w->constant = strncmp(opcode, "ld.const", 8) == 0;
    w->order = order_of(i, opcode);
    w->scope = scope_of(opcode);
    w->bytes = w->what == WATCH_MATRIX   ? 16
               : i->row == ROW_op_atomic ? (uint8_t)(i->width * i->vector)
                                         : (uint8_t)(ptx_type_size((ptx_type)i->type) * i->vector);
    return true;
}

static bool touches_loose(const function *f, const ptx_instruction *t) {
    for (int r = 0; f->loose != NULL && r < f->source->register_count; r++)
        if (f->loose[r] != 0 && (loose_reads(t, r) || loose_assigns(t, r))) return true;
    return false;
}

static bool is_read(const ptx_function *s, int reg) {
    for (int k = 0; k < s->instruction_count; k++)
        if (loose_reads(&s->instructions[k], reg)) return true;
    return false;
}

/* Does anything read one of the registers that it assigns to? */
static bool has_readers(const ptx_function *s, const ptx_instruction *t) {
    for (int r = 0; r < s->register_count; r++)
        if (loose_assigns(t, r) && is_read(s, r)) return true;
    return false;
}

/* Most kernels have no such register. */
static void find_loose(function *f) {
    if (f->source->is_entry) f->loose = loose_registers(f->source, &f->loose_count);
    if (f->loose_count > 0) return;
    free(f->loose);
    f->loose = NULL;
}

/* A dot product stays in one piece unless observers follow a register in it. */
static void keep_dots(function *twin, const decode_context *context) {
    for (int k = 0; k < twin->source->instruction_count; k++) {
        bool loose = false;
        for (int n = 0; n < twin->code[k].dot; n++) loose = loose || twin->watch[k + n].loose;
        if (twin->code[k].dot > 0 && !loose) twin->code[k].next = context->handlers[ROW_op_dot_watched];
    }
}

bool watch_function(function *f, const decode_context *context) {
    if (f->watched != NULL || f->code == NULL) return true;
    const size_t count = (size_t)f->source->instruction_count;
    function *twin = arena_take(&f->memory, sizeof *twin);
    insn *code = arena_take(&f->memory, (count + 1) * sizeof *code);
    watched_insn *watch = arena_take(&f->memory, (count + 1) * sizeof *watch);
    int **meetings = arena_take(&f->memory, sizeof *meetings);
    if (twin == NULL || code == NULL || watch == NULL || meetings == NULL) return false;
    memcpy(code, f->code, (count + 1) * sizeof *code);
    *twin = *f;
    twin->code = code;
    twin->watch = watch;
    twin->meetings = meetings;
    uint8_t *arrays = arrays_of(f);
    find_loose(twin);
    twin->writes = writes_of(f);
    const bool has_cas = cas_any(f->source);
    for (size_t k = 0; k < count; k++) {
        watch[k].loose = touches_loose(twin, &f->source->instructions[k]);
        watch[k].run = code[k].run;
        code[k].next = decode_next(context, &code[k], true);
        if (!watch_insn(&code[k], f->source->instructions[k].opcode, &watch[k]) && !watch[k].loose) continue;
        watch[k].learns = watch[k].what == WATCH_ATOMIC && has_readers(f->source, &f->source->instructions[k]);
        watch[k].guarded = has_cas && watch[k].what == WATCH_READ && cas_guards_load(f->source, (int)k);
        watch[k].array = arrays != NULL ? arrays[k] : ARRAY_UNKNOWN;
        code[k].run = context->handlers[ROW_op_observe];
        if (code[k].straight == 0) continue;
        if (code[k].next != context->handlers[ROW_op_next]) watch[k].next = code[k].next;
        code[k].next = context->others[ROW_op_observe].next;
    }
    keep_dots(twin, context);
    free(arrays);
    __atomic_store_n(&f->watched, twin, __ATOMIC_RELEASE);
    return true;
}
