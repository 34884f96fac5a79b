/* Decoding a function: where its variables and registers lie, its instructions one by one, and what is seen of all of
 * them together. */
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/demangle.h"
#include "isa/decode.h"

uint32_t function_shared_end(const ptx_function *s, uint32_t start) {
    uint64_t shared = SHARED_RESERVED + start;
    for (int k = 0; k < s->local_count; k++) {
        const ptx_variable *v = &s->locals[k];
        if (v->space != PTX_SHARED) continue;
        shared = align_up(shared, v->align < 16 ? 16 : v->align) + v->size;
        if (shared > 1u << 28) return 1u << 28;
    }
    return (uint32_t)(shared - SHARED_RESERVED);
}

/* Frame: the return values and parameters (of a function), then .local and .param variables. Shared arrays follow one
 * another from SHARED_RESERVED on, 16-byte aligned at least: demoted arrays are read by wider loads than they say. */
static bool place_variables(decoder *d) {
    function *f = d->f;
    const ptx_function *s = d->source;
    uint64_t frame = 0, shared = SHARED_RESERVED + f->shared_from, params = 0;
    int formals = s->return_count + s->param_count;
    f->formals = decode_take(d, ((size_t)formals + 1) * sizeof *f->formals);
    for (int k = 0; k < formals; k++) {
        const ptx_variable *v = k < s->return_count ? &s->returns[k] : &s->params[k - s->return_count];
        uint64_t *end = s->is_entry ? &params : &frame;
        *end = align_up(*end, v->align ? v->align : 1);
        f->formals[k] = (uint32_t)*end;
        *end += v->size;
        if (*end > 1u << 20) return refuse(d, "parameters of more than a megabyte"), false;
    }
    f->param_bytes = (uint32_t)params;
    d->locals = decode_scratch(d, ((size_t)s->local_count + 1) * sizeof *d->locals);
    f->locals = decode_take(d, ((size_t)s->local_count + 1) * sizeof *f->locals);
    f->local_count = 0;
    for (int k = 0; k < s->local_count; k++) {
        const ptx_variable *v = &s->locals[k];
        uint64_t *end = v->space == PTX_SHARED ? &shared : &frame;
        if (v->space != PTX_SHARED && v->space != PTX_LOCAL && v->space != PTX_PARAM) continue;
        if (v->is_extern && v->space == PTX_SHARED)
            return refuse(d, "extern shared %s inside a function", READABLE(v->name)), false;
        uint64_t align = v->space == PTX_SHARED && v->align < 16 ? 16 : v->align ? v->align : 1;
        *end = align_up(*end, align);
        d->locals[k].offset = *end;
        *end += v->size;
        if (v->space == PTX_LOCAL)
            f->locals[f->local_count++] = (shared_array){v->name, (uint32_t)d->locals[k].offset, (uint32_t)v->size};
        if (*end > 1u << 28) return refuse(d, "variables of more than 256 MB"), false;
    }
    f->frame_bytes = (uint32_t)align_up(frame, 16);
    f->shared_bytes = (uint32_t)(shared - SHARED_RESERVED);
    return true;
}

/* Lane arrays: predicates first, then 32-, 64- and 128-bit ones, each as aligned as it is long. */
static bool place_registers(decoder *d) {
    const ptx_function *s = d->source;
    static const unsigned lane_bytes[] = {4, 8, 16};
    uint64_t end = SLOT_SINK + 16 * LANES;
    d->register_slots = decode_scratch(d, ((size_t)s->register_count + 1) * sizeof *d->register_slots);
    for (int r = 0; r < s->register_count; r++) {
        if (s->registers[r].type != PTX_PRED) continue;
        d->register_slots[r] = (uint32_t)end;
        end += 4;
    }
    for (int c = 2; c >= 0; c--) {
        end = align_up(end, lane_bytes[c] * LANES);
        for (int r = 0; r < s->register_count; r++) {
            unsigned size = ptx_type_size(s->registers[r].type);
            unsigned vector = s->registers[r].vector > 1 ? s->registers[r].vector : 1;
            if (s->registers[r].type == PTX_PRED || (size > 4 ? size : 4) != lane_bytes[c]) continue;
            d->register_slots[r] = (uint32_t)end;
            end += (uint64_t)lane_bytes[c] * LANES * vector;
        }
        if (end > 1u << 30) return refuse(d, "more registers than fit a gigabyte"), false;
    }
    d->constant_end = (uint32_t)end;
    return true;
}

static void fill_constants(decoder *d, uint32_t from) {
    function *f = d->f;
    f->constant_offset = from;
    f->constant_bytes = d->constant_end - from;
    f->constants = decode_aligned(d, f->constant_bytes);
    for (int k = 0; k < d->constants->count; k++) {
        const struct constant *c = &d->constants->entries[k];
        for (int l = 0; l < LANES; l++) {
            uint8_t *to = f->constants + (c->slot - from) + (size_t)l * c->bytes;
            if (c->bytes == 4) {
                uint32_t word = (uint32_t)c->value;
                memcpy(to, &word, 4);
            } else {
                uint64_t high = c->bytes == 16 && (int64_t)c->value < 0 ? UINT64_MAX : 0;
                memcpy(to, &c->value, 8);
                if (c->bytes == 16) memcpy(to + 8, &high, 8);
            }
        }
    }
    f->register_bytes = (uint32_t)align_up(d->constant_end, 128);
}

void decode_free(function *f) {
    if (f->watched != NULL) {
        free(f->watched->loose);
        free(*f->watched->meetings);
    }
    f->arrays = NULL;
    f->locals = NULL;
    f->array_count = f->local_count = 0;
    arena_free(&f->memory);
    f->watched = NULL;
    f->code = f->made = NULL;
    f->constants = NULL;
    f->affine_constants = NULL;
    f->affine_bytes = 0;
    f->spreads = NULL;
    f->specials = NULL;
    f->formals = NULL;
    f->calls = NULL;
    f->wgmma = NULL;
    f->call_count = f->special_count = 0;
}

/* Does the instruction only compute, load or store? */
static bool is_plain(const insn *i) {
    const op_class class = row_class(i->row);
    return i->guard == SLOT_TRUE && i->guard_invert == 0 && (class <= CLASS_MOVE || class == CLASS_MEMORY);
}

/* A run's length is bounded: where the compiler makes calls of the jumps between its instructions, so is the stack. */
#define LONGEST_STRAIGHT 256

sim_handler *decode_next(const decode_context *c, const insn *i, bool watched) {
    const sim_other_handlers *o = &c->others[i->row];
    const bool branches = i->row == ROW_op_bra || i->row == ROW_op_bra_back;
    const bool tells = i->imm != (int64_t)i->pc && i->imm != (int64_t)i->pc + 1; /* does the pc, whether it is taken? */
    if (i->straight == 0)
        return branches && (!watched || tells) && o->next != NULL ? o->next : c->handlers[ROW_op_stop];
    if (i->run == c->handlers[i->row] && o->next != NULL) return o->next;
    if (i->run == o->affine && o->affine_next != NULL) return o->affine_next;
    return c->handlers[ROW_op_next];
}

static void link_straight(const decode_context *c, insn *code, int count) {
    uint32_t straight = 0;
    for (int k = count; k >= 0; k--) {
        insn *i = &code[k];
        i->pc = (uint32_t)k;
        i->straight = straight = k < count && is_plain(i) && straight < LONGEST_STRAIGHT ? straight + 1 : 0;
        i->next = decode_next(c, i, false);
    }
    row_use(ROW_op_next);
    row_use(ROW_op_stop);
}

static bool decode_instructions(decoder *d) {
    const ptx_function *s = d->source;
    d->code = decode_take(d, ((size_t)s->instruction_count + 1) * sizeof *d->code);
    for (int k = 0; k < s->instruction_count; k++) {
        d->index = k;
        d->text = &s->instructions[k];
        d->i = &d->code[k];
        if (!decode_instruction(d) || d->failed) return false;
        if (d->constant_end > 1u << 30) return refuse(d, "more constants than fit a gigabyte"), false;
    }
    insn *last = &d->code[s->instruction_count];
    last->row = s->is_entry ? ROW_op_exit : ROW_op_ret;
    last->run = d->context->handlers[last->row];
    return true;
}

/* False where something has been refused, or there is no memory. */
static bool decode_all(decoder *d) {
    if (setjmp(d->no_memory) != 0) return false;
    if (!place_variables(d) || !place_registers(d)) return false;
    const uint32_t constants_from = d->constant_end;
    if (!decode_instructions(d)) return false;
    fill_constants(d, constants_from);
    if (affine_function(d, d->code)) row_use(ROW_op_spread);
    if (wgmma_guard_function(d, d->code)) row_use(ROW_op_wgmma_guard);
    link_straight(d->context, d->code, d->source->instruction_count);
    dot_function(d, d->code);
    d->f->uses_stack = d->f->frame_bytes > 0 || d->f->call_count > 0;
    return true;
}

bool decode_function(function *f, const decode_context *context, char *error, size_t error_size) {
    constant_map constants = {0};
    decoder d = {.context = context,
                 .f = f,
                 .source = f->source,
                 .constants = &constants,
                 .error = error,
                 .error_size = error_size};
    const bool ok = decode_all(&d);
    arena_free(&d.scratch);
    if (ok)
        f->made = d.code;
    else
        decode_free(f);
    return ok;
}

void function_publish(function *f) {
    __atomic_store_n(&f->code, f->made, __ATOMIC_RELEASE);
    f->made = NULL;
}
