#include "machine/call.h"
#include "machine/cluster.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_model.h"
#include "exec/memory.h"
#include "isa/specials.h"
#include "machine/report.h"

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* What differs from lane to lane; false for other special registers. */
static bool special_lanes(const warp *w, int which, uint32_t *values) {
    switch ((special)which) {
    case SPECIAL_TID_X:
    case SPECIAL_TID_Y:
    case SPECIAL_TID_Z:
        memcpy(values, w->tid[which - SPECIAL_TID_X], sizeof w->tid[0]);
        return true;
    case SPECIAL_LANEID:
        for (uint32_t l = 0; l < LANES; l++) values[l] = l;
        return true;
    case SPECIAL_LANEMASK_EQ:
        for (uint32_t l = 0; l < LANES; l++) values[l] = 1u << l;
        return true;
    case SPECIAL_LANEMASK_LE:
        for (uint32_t l = 0; l < LANES; l++) values[l] = (2u << l) - 1;
        return true;
    case SPECIAL_LANEMASK_LT:
        for (uint32_t l = 0; l < LANES; l++) values[l] = (1u << l) - 1;
        return true;
    case SPECIAL_LANEMASK_GE:
        for (uint32_t l = 0; l < LANES; l++) values[l] = ~((1u << l) - 1);
        return true;
    case SPECIAL_LANEMASK_GT:
        for (uint32_t l = 0; l < LANES; l++) values[l] = ~((2u << l) - 1);
        return true;
    default:
        return false;
    }
}

/* What is the same in all lanes. */
static uint32_t special_value(const warp *w, int which) {
    const launch *la = w->launch;
    const sim_launch_config *c = la->config;
    switch ((special)which) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return c->block[which - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return w->block->ctaid[which - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return c->grid[which - SPECIAL_NCTAID_X];
    case SPECIAL_WARPID:
        return w->index;
    case SPECIAL_NWARPID:
        return device_model_current()->max_threads_per_sm / LANES;
    case SPECIAL_SMID:
        return (uint32_t)(w->block->index % device_model_current()->sms);
    case SPECIAL_NSMID:
        return device_model_current()->sms;
    case SPECIAL_ENVREG1: /* cooperative groups: the grid's workspace, high half first */
        return (uint32_t)(la->grid_workspace >> 32);
    case SPECIAL_ENVREG2:
        return (uint32_t)la->grid_workspace;
    case SPECIAL_TOTAL_SMEM:
        return la->shared_end - SHARED_RESERVED;
    case SPECIAL_AGGR_SMEM:
        return la->shared_end;
    case SPECIAL_DYNAMIC_SMEM:
        return (uint32_t)c->dynamic_shared;
    case SPECIAL_RESERVED_END:
    case SPECIAL_RESERVED_CAP:
        return SHARED_RESERVED;
    case SPECIAL_SHARED_BASE:
        return cluster_base(w->block);
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
        return w->block->ctaid[which - SPECIAL_CLUSTERID_X] / c->cluster[which - SPECIAL_CLUSTERID_X];
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
        return c->grid[which - SPECIAL_NCLUSTERID_X] / c->cluster[which - SPECIAL_NCLUSTERID_X];
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
        return w->block->ctaid[which - SPECIAL_CLUSTER_CTAID_X] % c->cluster[which - SPECIAL_CLUSTER_CTAID_X];
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
        return c->cluster[which - SPECIAL_CLUSTER_NCTAID_X];
    case SPECIAL_CLUSTER_CTARANK:
        return w->block->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return la->cluster_size;
    default:
        return 0;
    }
}

/* Those that a block's warps have to be told anew when the next block begins in their place. */
static bool special_of_block(int which) {
    switch ((special)which) {
    case SPECIAL_SHARED_BASE:
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
    case SPECIAL_SMID:
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
    case SPECIAL_CLUSTER_CTARANK:
        return true;
    default:
        return false;
    }
}

static void fill_special(const warp *w, const function *f, const special_slot *s, uint8_t *registers) {
    uint32_t lanes[LANES];
    if (!special_lanes(w, s->special, lanes)) {
        const uint32_t value = special_value(w, s->special);
        for (int l = 0; l < LANES; l++) lanes[l] = value;
    }
    if (s->bytes == 8) {
        uint64_t *wide = (uint64_t *)(registers + s->slot);
        for (int l = 0; l < LANES; l++) wide[l] = lanes[l] + s->addend;
    } else {
        uint32_t *word = (uint32_t *)(registers + s->slot);
        for (int l = 0; l < LANES; l++) word[l] = lanes[l] + (uint32_t)s->addend;
    }
    if (f->affine_constants == NULL) return;
    const uint32_t step = lanes[1] - lanes[0];
    bool is = true;
    for (uint32_t l = 0; l < LANES; l++) is = is && lanes[l] == (uint64_t)lanes[0] + l * (uint64_t)step;
    affine *a = (affine *)(registers + f->register_bytes) + s->slot / AFFINE_UNIT;
    const uint64_t base = lanes[0] + s->addend;
    *a = (affine){s->bytes == 8 ? base : (uint32_t)base, step, is ? AFFINE_AND_LANES : LANES_ONLY, s->bytes};
}

void frame_fill(warp *w, const function *f, uint8_t *registers, bool all) {
    if (all) {
        const uint32_t fixed[3] = {ALL_LANES, 0, 0}; /* SLOT_TRUE, SLOT_SINK_P, SLOT_FALSE */
        memcpy(registers, fixed, sizeof fixed);
        memcpy(registers + f->constant_offset, f->constants, f->constant_bytes);
        if (f->affine_constants != NULL) {
            affine *a = (affine *)(registers + f->register_bytes);
            const uint32_t first = f->constant_offset / AFFINE_UNIT;
            memset(a, 0, first * sizeof *a);
            memcpy(a + first, f->affine_constants, f->affine_bytes - first * sizeof *a);
        }
    }
    for (int k = 0; k < f->special_count; k++)
        if (all || special_of_block(f->specials[k].special)) fill_special(w, f, &f->specials[k], registers);
}

frame *frame_new(worker *k, const function *f) {
    const uint32_t bytes = f->register_bytes + f->affine_bytes;
    frame *new = calloc(1, sizeof *new);
    uint8_t *registers = new != NULL ? aligned_alloc(128, bytes) : NULL;
    if (registers == NULL) {
        free(new);
        report_no_memory(k, bytes, "a warp's registers");
    }
    memset(registers, 0, bytes);
    *new = (frame){.function = f, .capacity = bytes, .registers = registers};
    new->affine = (affine *)(registers + f->register_bytes);
    return new;
}

static uint8_t *stack_of(const warp *w, int lane) {
    return w->stack + (uint64_t)lane * w->launch->stack_bytes;
}

/* The frame of lanes that made the very same call and are still in it, or NULL: those that come later join them, so
 * that they can meet inside. */
static frame *live_frame(const warp *w, const function *callee, const call_site *site) {
    for (int g = 0; g < w->group_count; g++) {
        if (w->groups[g].lanes == 0) continue;
        for (frame *f = w->groups[g].frame; f != NULL; f = f->caller)
            if (f->caller == w->frame && f->site == site && f->function == callee && f->return_pc == w->pc) return f;
    }
    return NULL;
}

frame *frame_enter(warp *w, const insn *i, const function *callee, const call_site *site, uint32_t lanes) {
    worker *k = w->worker;
    char error[512];
    if (__atomic_load_n(&callee->code, __ATOMIC_ACQUIRE) == NULL &&
        !module_function_ready((function *)callee, error, sizeof error))
        sim_fault(w, i, lanes, SIM_UNSUPPORTED, "%s", error);
    const frame *caller = w->frame;
    const uint64_t base = (uint64_t)caller->local_base + caller->function->frame_bytes;
    if (base + callee->frame_bytes > w->launch->stack_bytes || caller->depth > 100000)
        sim_fault(w, i, lanes, SIM_STACK_ERROR,
                  "the stack of %llu bytes a thread is used up, %d calls deep (cudaDeviceSetLimit(cudaLimitStackSize))",
                  (unsigned long long)w->launch->stack_bytes, caller->depth);
    frame *f = live_frame(w, callee, site);
    const bool joins = f != NULL;
    for (frame **at = &k->free_frames; !joins && *at != NULL; at = &(*at)->caller)
        if ((*at)->capacity >= callee->register_bytes + callee->affine_bytes) {
            f = *at;
            *at = f->caller;
            break;
        }
    if (f == NULL) {
        f = frame_new(k, callee);
        f->next = k->frames;
        k->frames = f;
    }
    uint8_t *registers = f->registers;
    if (joins)
        f->lanes |= lanes;
    else
        *f = (frame){.caller = w->frame,
                     .function = callee,
                     .registers = registers,
                     .affine = (affine *)(registers + callee->register_bytes),
                     .capacity = f->capacity,
                     .next = f->next,
                     .local_base = (uint32_t)base,
                     .return_pc = w->pc,
                     .site = site,
                     .lanes = lanes,
                     .depth = caller->depth + 1};
    if (!joins) frame_fill(w, callee, registers, true);
    for (int l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        uint8_t *stack = stack_of(w, l);
        for (int p = 0; p < site->param_count; p++) {
            const ptx_variable *v = &callee->source->params[p];
            const uint32_t size = site->sizes[site->return_count + p];
            memcpy(stack + base + callee->formals[site->return_count + p],
                   stack + caller->local_base + site->offsets[site->return_count + p], size < v->size ? size : v->size);
        }
    }
    return f;
}

void frame_results(warp *w, const frame *f, uint32_t lanes) {
    const call_site *site = f->site;
    for (int l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        uint8_t *stack = stack_of(w, l);
        for (int r = 0; r < site->return_count; r++) {
            const ptx_variable *v = &f->function->source->returns[r];
            const uint32_t size = site->sizes[r];
            memcpy(stack + f->caller->local_base + site->offsets[r], stack + f->local_base + f->function->formals[r],
                   size < v->size ? size : v->size);
        }
    }
}

void frame_leave(warp *w, frame *f) {
    f->caller = w->worker->free_frames;
    w->worker->free_frames = f;
}

/* ---- printf ------------------------------------------------------------------------------------------------------ */

static pthread_mutex_t printf_lock = PTHREAD_MUTEX_INITIALIZER;
static char *printf_text;
static size_t printf_length, printf_room;

/* Room for so many bytes more; false where there is no memory: then they are left out, as from a GPU's full buffer. */
static bool printf_reserve(size_t bytes) {
    if (bytes <= printf_room - printf_length) return true;
    const size_t room = 2 * (printf_length + bytes) + 4096;
    char *text = realloc(printf_text, room);
    if (text == NULL) return false;
    printf_text = text;
    printf_room = room;
    return true;
}

static void printf_append(const char *text, size_t length) {
    if (length == 0 || !printf_reserve(length)) return;
    memcpy(printf_text + printf_length, text, length);
    printf_length += length;
}

/* A conversion and its value; false where its width or precision is more than a GPU's whole buffer. */
__attribute__((format(printf, 1, 2))) static bool printf_convert(const char *spec, ...) {
    enum { LONGEST = 1 << 20 };
    for (const char *at = spec; *at != '\0'; at++)
        if (isdigit((unsigned char)*at) && strtoul(at, NULL, 10) > LONGEST) return false;
    va_list values, again;
    va_start(values, spec);
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, spec, values);
    if (length >= 0 && printf_reserve((size_t)length + 1)) {
        vsnprintf(printf_text + printf_length, (size_t)length + 1, spec, again);
        printf_length += (size_t)length;
    }
    va_end(again);
    va_end(values);
    return length >= 0;
}

void sim_printf_flush(void) {
    pthread_mutex_lock(&printf_lock);
    if (printf_length > 0) {
        fwrite(printf_text, 1, printf_length, stdout);
        fflush(stdout);
    }
    free(printf_text);
    printf_text = NULL;
    printf_length = printf_room = 0;
    pthread_mutex_unlock(&printf_lock);
}

/* The string at a device address, at most `room` - 1 bytes; false where it runs out of its memory. */
static bool read_string(warp *w, int lane, uint64_t address, char *text, size_t room) {
    for (size_t k = 0; k + 1 < room; k++) {
        const uint8_t *p = access_peek(w, lane, address + k, 1);
        if (p == NULL) return false;
        text[k] = (char)*p;
        if (text[k] == '\0') return true;
    }
    text[room - 1] = '\0';
    return true;
}

/* Arguments lie one after another, each aligned to its size. */
typedef struct arguments {
    warp *w;
    int lane;
    uint64_t at;
    bool bad;
} arguments;

static uint64_t next_argument(arguments *a, unsigned bytes) {
    uint64_t value = 0;
    a->at = (a->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    const uint8_t *p = access_peek(a->w, a->lane, a->at, bytes);
    if (p == NULL)
        a->bad = true;
    else
        memcpy(&value, p, bytes);
    a->at += bytes;
    return value;
}

/* One lane's printf; the number of arguments, or -1 where an address is bad. */
static int print_lane(warp *w, int lane, uint64_t format_address, uint64_t argument_address) {
    char format[4096], spec[64];
    int count = 0;
    if (!read_string(w, lane, format_address, format, sizeof format)) return -1;
    arguments a = {w, lane, argument_address, false};
    for (const char *at = format; *at != '\0';) {
        size_t plain = strcspn(at, "%");
        printf_append(at, plain);
        at += plain;
        if (*at == '\0') break;
        if (at[1] == '%') {
            printf_append("%", 1);
            at += 2;
            continue;
        }
        /* %[flags][width][.precision][length]conversion */
        size_t used = 0;
        const char *start = at++;
        spec[used++] = '%';
        while (*at != '\0' && strchr("-+ #0123456789.*", *at) != NULL && used < 40) {
            if (*at == '*') {
                used += (size_t)snprintf(spec + used, 16, "%d", (int)next_argument(&a, 4));
                count++;
            } else {
                spec[used++] = *at;
            }
            at++;
        }
        bool is_long = false;
        int halves = 0;
        while (*at != '\0' && strchr("hljztL", *at) != NULL) {
            if (strchr("ljzt", *at) != NULL) is_long = true;
            halves += *at == 'h';
            at++;
        }
        const char conversion = *at;
        bool fits;
        if (conversion != '\0' && strchr("di", conversion) != NULL) {
            snprintf(spec + used, sizeof spec - used, "ll%c", conversion);
            long long value = is_long ? (long long)next_argument(&a, 8) : (int32_t)next_argument(&a, 4);
            if (halves > 0) value = halves > 1 ? (signed char)value : (short)value;
            fits = printf_convert(spec, value);
        } else if (conversion != '\0' && strchr("uoxX", conversion) != NULL) {
            snprintf(spec + used, sizeof spec - used, "ll%c", conversion);
            unsigned long long value = next_argument(&a, is_long ? 8 : 4);
            if (halves > 0) value &= halves > 1 ? 0xff : 0xffff;
            fits = printf_convert(spec, value);
        } else if (conversion == 'c') {
            snprintf(spec + used, sizeof spec - used, "c");
            fits = printf_convert(spec, (int)next_argument(&a, 4));
        } else if (conversion != '\0' && strchr("aAeEfFgG", conversion) != NULL) {
            uint64_t bits = next_argument(&a, 8);
            double value;
            memcpy(&value, &bits, sizeof value);
            snprintf(spec + used, sizeof spec - used, "%c", conversion);
            fits = printf_convert(spec, value);
        } else if (conversion == 'p') {
            snprintf(spec + used, sizeof spec - used, "p");
            fits = printf_convert(spec, (void *)next_argument(&a, 8));
        } else if (conversion == 's') {
            char text[4096];
            uint64_t address = next_argument(&a, 8);
            if (address == 0)
                strcpy(text, "(null)");
            else if (!read_string(w, lane, address, text, sizeof text))
                return -1;
            snprintf(spec + used, sizeof spec - used, "s");
            fits = printf_convert(spec, text);
        } else { /* not a conversion: as it stands */
            printf_append(start, (size_t)(at - start) + (conversion != '\0'));
            at += conversion != '\0';
            continue;
        }
        at++;
        count++;
        if (a.bad) return -1;
        if (!fits) printf_append(start, (size_t)(at - start));
    }
    return count;
}

/* ---- builtins ---------------------------------------------------------------------------------------------------- */

static uint64_t argument(const warp *w, const call_site *site, int lane, int which) {
    uint64_t value = 0;
    const int k = site->return_count + which;
    memcpy(&value, stack_of(w, lane) + w->frame->local_base + site->offsets[k],
           site->sizes[k] < 8 ? site->sizes[k] : 8);
    return value;
}

static void result(const warp *w, const call_site *site, int lane, uint64_t value) {
    if (site->return_count > 0)
        memcpy(stack_of(w, lane) + w->frame->local_base + site->offsets[0], &value,
               site->sizes[0] < 8 ? site->sizes[0] : 8);
}

static void assert_failed(warp *w, const insn *i, const call_site *site, int lane) {
    char message[512] = "?", file[256] = "?", function[512] = "?";
    read_string(w, lane, argument(w, site, lane, 0), message, sizeof message);
    read_string(w, lane, argument(w, site, lane, 1), file, sizeof file);
    read_string(w, lane, argument(w, site, lane, 3), function, sizeof function);
    const block *b = w->block;
    sim_printf_flush();
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
            (unsigned)argument(w, site, lane, 2), function, b->ctaid[0], b->ctaid[1], b->ctaid[2], w->tid[0][lane],
            w->tid[1][lane], w->tid[2][lane], message);
    sim_fault(w, i, 1u << lane, SIM_ASSERT, "assertion `%s` failed", message);
}

void call_builtin(warp *w, const insn *i, const call_site *site, uint32_t lanes) {
    static const int params[] = {
        [BUILTIN_VPRINTF] = 2, [BUILTIN_ASSERTFAIL] = 5, [BUILTIN_MALLOC] = 1, [BUILTIN_FREE] = 1};
    if (site->param_count != params[site->builtin])
        sim_fault(w, i, lanes, SIM_UNSUPPORTED, "a call with %d arguments where %d are taken", site->param_count,
                  params[site->builtin]);
    int bad = -1;
    if (site->builtin == BUILTIN_VPRINTF) pthread_mutex_lock(&printf_lock);
    for (int l = 0; l < LANES && bad < 0; l++) {
        if (!(lanes >> l & 1)) continue;
        switch (site->builtin) {
        case BUILTIN_VPRINTF: {
            int count = print_lane(w, l, argument(w, site, l, 0), argument(w, site, l, 1));
            if (count < 0) bad = l;
            result(w, site, l, (uint64_t)(int64_t)count);
            break;
        }
        case BUILTIN_ASSERTFAIL:
            assert_failed(w, i, site, l);
            break;
        case BUILTIN_MALLOC:
            result(w, site, l, heap_allocate(argument(w, site, l, 0)));
            break;
        default:
            if (argument(w, site, l, 0) != 0 && !heap_free(argument(w, site, l, 0))) bad = l;
        }
    }
    if (site->builtin == BUILTIN_VPRINTF) pthread_mutex_unlock(&printf_lock);
    if (bad >= 0)
        sim_fault(w, i, 1u << bad, SIM_ILLEGAL_ADDRESS,
                  site->builtin == BUILTIN_VPRINTF ? "printf: its format or an argument cannot be read"
                                                   : "free: 0x%llx is nothing that malloc gave",
                  (unsigned long long)argument(w, site, bad, 0));
}
