/* long: every kind of access is counted here, and each of them is a few lines. */
#include "watch/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "banks.h"
#include "isa/decode.h"
#include "isa/rows.h"
#include "watch/place.h"
#include "watch/ptxas.h"
#include "watch/sectors.h"

/* ---- what a worker keeps ----------------------------------------------------------------------------------------- */

#define MOST_SECTORS (LANES * 4) /* of one access: a row of a matrix may span several */

/* The sums of one instruction, and what its latest access came to: an access of the same pattern comes to the same. */
typedef struct access_count {
    access_sum sum;
    bool global_known, shared_known, atomic_known;
    banks_kind atomic; /* of an atomic operation */
    unsigned modulo;   /* of its first address in a sector */
    uint64_t sector;   /* the first address's */
    int sectors, lines;
    int lines_from[4]; /* lines, by the first address's sector modulo 4 */
    int l1;            /* clocks of L1 */
    banks_count banks;
    bool merges_known, merges; /* with neighbours */
    int quarters;              /* least of wavefronts then, in quarters */
    bool row_known[2];         /* of all lanes at one word; at words one after another */
    banks_count row_banks[2];
    int row_quarters[2];
    uint64_t marked_first, marked_step; /* loads of a dot product whose sectors have been marked */
    int64_t marked_rows;
    unsigned shared_modulo;
    unsigned copy_to, copy_from; /* of a copy, in their lines */
    uint32_t copy_reading;       /* its lanes that read; the others fill with zeros */
    int copy_sectors;            /* as Nsight Compute counts them of cp.async.cg */
    int64_t from[MOST_SECTORS];  /* its sectors, from that one on, ascending */
} access_count;

typedef struct function_counts {
    run_counts runs; /* first: frames point to it */
    const function *f;
    struct function_counts *next;
    access_count **at; /* by instruction */
} function_counts;

/* launch->watched */
typedef struct launch_counts {
    char *what, *problem;
    function_counts *workers[]; /* a list for each */
} launch_counts;

_Noreturn static void no_memory(void) {
    fprintf(stderr, "cudasim: no memory is left for the counters\n");
    _Exit(3);
}

static void *zeros(size_t count, size_t size) {
    void *p = calloc(count, size);
    if (p == NULL) no_memory();
    return p;
}

static char *copy_text(const char *text) {
    return strcpy(zeros(strlen(text) + 1, 1), text);
}

/* The loads of the dot product that begins at the instruction, none of them counted yet. */
static dot_rows *new_rows(const function *f, size_t pc) {
    size_t loads = 0;
    for (size_t k = pc; k < pc + f->code[pc].dot; k++) loads += f->watch[k].what == WATCH_READ;
    dot_rows *rows = zeros(1, sizeof *rows + loads * sizeof *rows->loads);
    rows->count = (int)loads;
    return rows;
}

static run_counts *counts_of(observer *o, worker *k, const function *f) {
    launch_counts *lc = k->launch->watched;
    function_counts **list = &lc->workers[k - k->launch->workers];
    for (function_counts *c = *list; c != NULL; c = c->next)
        if (c->f == f) return &c->runs;
    const size_t count = (size_t)f->source->instruction_count + 2;
    function_counts *c = zeros(1, sizeof *c);
    c->runs.runs = zeros(count, sizeof *c->runs.runs);
    c->runs.patterns = zeros(2 * count, sizeof *c->runs.patterns);
    c->runs.dots = zeros(count, sizeof *c->runs.dots);
    for (size_t k = 0; k < count - 2; k++)
        if (f->code[k].dot > 0) c->runs.dots[k] = new_rows(f, k);
    c->at = zeros(count, sizeof *c->at);
    c->f = f;
    c->next = *list;
    *list = c;
    return &c->runs;
}

static access_count *access_at(function_counts *c, uint32_t pc) {
    if (c->at[pc] == NULL) c->at[pc] = zeros(1, sizeof *c->at[pc]);
    return c->at[pc];
}
static access_count *access_of(const warp *w, uint32_t pc) {
    function_counts *c = (function_counts *)w->frame->counts;
    return c != NULL ? access_at(c, pc) : NULL;
}

/* A matrix's rows (wmma) are longer than a lane's access: 16 bytes of each at a time. */
static banks_count bank_rows(uint32_t mask, const unsigned *address, unsigned bytes) {
    banks_count all = {0, 0};
    for (unsigned at = 0; at < bytes; at += 16) {
        unsigned part[LANES];
        for (int l = 0; l < LANES; l++) part[l] = address[l] + at;
        const banks_count one = banks_request(part, mask, 16, BANKS_ROWS);
        all.wavefronts += one.wavefronts;
        all.phases += one.phases;
    }
    return all;
}
static banks_count find_banks(uint32_t mask, const unsigned *offsets, unsigned bytes, banks_kind kind) {
    return bytes > 16 ? bank_rows(mask, offsets, bytes) : banks_request(offsets, mask, (int)bytes, kind);
}

static void offsets_of(const uint64_t *address, unsigned *offsets) {
    for (int l = 0; l < LANES; l++) offsets[l] = (unsigned)address[l];
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* Puts a sector into the ascending list, unless it is there. */
static void put_sector(access_count *c, int64_t sector) {
    int at = c->sectors;
    while (at > 0 && c->from[at - 1] > sector) at--;
    if (at > 0 && c->from[at - 1] == sector) return;
    memmove(&c->from[at + 1], &c->from[at], (size_t)(c->sectors - at) * sizeof *c->from);
    c->from[at] = sector;
    c->sectors++;
}

static void find_sectors(access_count *c, uint32_t mask, const uint64_t *address, unsigned bytes) {
    c->sectors = 0;
    for (; mask != 0; mask &= mask - 1) {
        const uint64_t a = address[__builtin_ctz(mask)], last = (a + bytes - 1) / SECTOR_BYTES;
        for (uint64_t s = a / SECTOR_BYTES; s <= last && c->sectors < MOST_SECTORS; s++)
            put_sector(c, (int64_t)(s - c->sector));
    }
}

static int count_lines(const access_count *c, uint64_t sector) {
    int lines = 0;
    uint64_t latest = 0;
    for (int k = 0; k < c->sectors; k++) {
        const uint64_t line = (sector + (uint64_t)c->from[k]) / 4;
        lines += k == 0 || line != latest;
        latest = line;
    }
    return lines;
}

/* As long as the bank with the most words takes, and a lookup of four lines a clock. */
static int find_l1(const access_count *c, uint32_t mask, const uint64_t *address, unsigned bytes) {
    unsigned offsets[LANES];
    offsets_of(address, offsets);
    const int words = find_banks(mask, offsets, bytes, BANKS_LOAD).wavefronts, lookups = (c->lines_from[0] + 3) / 4;
    return words > lookups ? words : lookups;
}

static void count_global(access_count *c, uint32_t mask, const uint64_t *address, unsigned bytes, bool same, bool read,
                         bool written) {
    const uint64_t first = address[__builtin_ctz(mask)], sector = first / SECTOR_BYTES;
    const unsigned modulo = first % SECTOR_BYTES;
    const bool pattern = same && c->global_known && modulo == c->modulo;
    if (!pattern || sector != c->sector) {
        c->sector = sector;
        c->modulo = modulo;
        c->global_known = true;
        if (!pattern) {
            find_sectors(c, mask, address, bytes);
            for (uint64_t k = 0; k < 4; k++) c->lines_from[k] = count_lines(c, (1ull << 40) + k);
            c->l1 = read && !written ? find_l1(c, mask, address, bytes) : 0;
        }
        c->lines = c->lines_from[sector % 4];
        sectors_mark(sector, c->from, c->sectors, read, written);
    }
    c->sum.requests++;
    c->sum.sectors += c->sectors;
    c->sum.lines += c->lines;
    c->sum.l1_clocks += c->l1;
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static void count_shared(access_count *c, const ptx_function *f, uint32_t pc, uint32_t mask, const uint64_t *address,
                         unsigned bytes, bool same, banks_kind kind) {
    const unsigned modulo = address[__builtin_ctz(mask)] % BANKS_BYTES;
    if (!same || !c->shared_known || modulo != c->shared_modulo) {
        unsigned offsets[LANES];
        offsets_of(address, offsets);
        c->banks = find_banks(mask, offsets, bytes, kind);
        c->merges = c->merges_known ? c->merges : kind <= BANKS_STORE && ptxas_may_merge(f, pc, bytes);
        c->merges_known = true;
        c->quarters =
            c->merges ? ptxas_quarters(offsets, mask, bytes, kind, c->banks.wavefronts) : 4 * c->banks.wavefronts;
        c->shared_modulo = modulo;
        c->shared_known = true;
    }
    c->sum.shared_requests++;
    c->sum.shared_wavefronts += c->banks.wavefronts;
    c->sum.shared_phases += c->banks.phases;
    c->sum.least_quarters += c->quarters;
}

/* Constant memory serves one address of a warp after the other: as many as its lanes want different ones. */
static void count_constant(access_count *c, uint32_t mask, const uint64_t *address) {
    int different = 0;
    for (uint32_t left = mask; left != 0; different++) {
        const uint64_t one = address[__builtin_ctz(left)];
        for (int l = 0; l < LANES; l++)
            if (address[l] == one) left &= ~(1u << l);
    }
    c->sum.constant_requests++;
    c->sum.constant_words += different;
}

static banks_kind atomic_kind(access_count *c, const ptx_function *f, uint32_t pc) {
    if (!c->atomic_known) c->atomic = ptxas_atomic_kind(f, &f->instructions[pc]);
    c->atomic_known = true;
    return c->atomic;
}

/* ---- what the machine tells -------------------------------------------------------------------------------------- */

static void after(observer *o, const observed_access *a) {
    access_count *c = access_of(a->w, a->i->pc);
    if (c == NULL) return;
    const bool matrix = a->function->watch[a->i->pc].what == WATCH_MATRIX;
    if (a->space == PTX_GLOBAL)
        count_global(c, a->mask, a->address, a->bytes, a->same_pattern, a->kind != ACCESS_WRITE,
                     a->kind != ACCESS_READ);
    else if (a->space == PTX_SHARED || a->space == PTX_SHARED_CLUSTER)
        count_shared(c, a->function->source, a->i->pc, a->mask, a->address, a->bytes, a->same_pattern,
                     matrix                     ? BANKS_ROWS
                     : a->kind == ACCESS_READ   ? BANKS_LOAD
                     : a->kind == ACCESS_ATOMIC ? atomic_kind(c, a->function->source, a->i->pc)
                                                : BANKS_STORE);
    else if (a->space == PTX_CONST || a->space == PTX_PARAM)
        count_constant(c, a->mask, a->address);
}

/* Counts accesses that cost the same as the latest one. */
static void repeated(observer *o, run_counts *runs, const function *f, uint32_t pc) {
    access_count *c = ((function_counts *)runs)->at[pc];
    access_pattern *p = &runs->patterns[2 * pc];
    const bool global = f->code[pc].space == PTX_GLOBAL, writes = f->watch[pc].stores;
    int64_t times = p->stays, lines = p->stays * c->lines;
    for (int k = 0; k < p->moves; k++) {
        times += p->times[k];
        c->sector = p->to[k];
        c->lines = c->lines_from[c->sector % 4];
        lines += p->times[k] * c->lines;
    }
    if (p->moves > 0) sectors_mark_each(p->to, p->moves, c->from, c->sectors, !writes, writes);
    if (global) {
        c->sum.requests += times;
        c->sum.sectors += times * c->sectors;
        c->sum.lines += lines;
        c->sum.l1_clocks += times * c->l1;
    } else {
        c->sum.shared_requests += times;
        c->sum.shared_wavefronts += times * c->banks.wavefronts;
        c->sum.shared_phases += times * c->banks.phases;
        c->sum.least_quarters += times * c->quarters;
    }
    p->stays = 0;
    p->moves = 0;
}

/* The sectors of `rows` reads of so many bytes. */
static void mark_rows(access_count *c, uint64_t first, uint64_t step, int64_t rows, unsigned bytes) {
    if (c->marked_first == first && c->marked_step == step && c->marked_rows >= rows) return; /* other warps' */
    c->marked_first = first;
    c->marked_step = step;
    c->marked_rows = rows;
    first -= first % 4;
    const uint64_t near = bytes > SECTOR_BYTES ? bytes : SECTOR_BYTES; /* no sector lies between them */
    const uint64_t last = first + (uint64_t)(rows - 1) * step;
    if (step <= near) {
        sectors_mark_range(first, last - first + bytes, true, false);
    } else if (-step <= near) {
        sectors_mark_range(last, first - last + bytes, true, false);
    } else {
        for (; rows > 0; rows--, first += step) sectors_mark_range(first, bytes, true, false);
    }
}

/* Places in a line, by words, come again after 32 rows at the latest. */
static void count_global_rows(access_count *c, uint64_t first, uint64_t step, int64_t rows) {
    const bool apart = first & DOT_APART;
    mark_rows(c, first, step, rows, apart ? BANKS_LINE : BANKS_BYTES);
    c->sum.requests += rows;
    c->sum.l1_clocks += rows;
    if (!apart) {
        c->sum.sectors += rows;
        c->sum.lines += rows;
        return;
    }
    for (int k = 0; k < LANES && k < rows; k++, first += step) {
        const int64_t times = (rows - k + LANES - 1) / LANES;
        c->sum.sectors += times * (first % SECTOR_BYTES < 4 ? 4 : 5);
        c->sum.lines += times * (first % BANKS_LINE < 4 ? 1 : 2);
    }
}

/* Lanes at one word, or at words one after another, meet the banks in the same way wherever that is. */
static void count_shared_rows(access_count *c, const ptx_function *f, uint32_t pc, uint64_t first, int64_t rows) {
    const unsigned apart = first & DOT_APART;
    if (!c->row_known[apart]) {
        unsigned offsets[LANES];
        for (unsigned l = 0; l < LANES; l++) offsets[l] = l * apart * BANKS_BYTES;
        c->row_banks[apart] = banks_request(offsets, UINT32_MAX, BANKS_BYTES, BANKS_LOAD);
        c->row_quarters[apart] =
            ptxas_may_merge(f, pc, BANKS_BYTES) ? ptxas_quarters(offsets, UINT32_MAX, BANKS_BYTES, BANKS_LOAD, 1) : 4;
        c->row_known[apart] = true;
    }
    c->sum.shared_requests += rows;
    c->sum.shared_wavefronts += rows * c->row_banks[apart].wavefronts;
    c->sum.shared_phases += rows * c->row_banks[apart].phases;
    c->sum.least_quarters += rows * c->row_quarters[apart];
}

/* Counts the loads of a dot product. */
static void loaded(observer *o, run_counts *runs, const function *f, uint32_t pc, int loads) {
    function_counts *c = (function_counts *)runs;
    const dot_rows *of = runs->dots[pc];
    for (int k = 0; k < loads && of->rows > 0; pc++) {
        if (f->watch[pc].what != WATCH_READ) continue;
        if (f->code[pc].space == PTX_GLOBAL)
            count_global_rows(access_at(c, pc), of->loads[k].first, of->loads[k].step, of->rows);
        else
            count_shared_rows(access_at(c, pc), f->source, pc, of->loads[k].first, of->rows);
        k++;
    }
}

/* A copy past L1 counts a sector for each sector of its destination and line of its source that this comes from. */
static int sectors_past_l1(const observed_async *a) {
    int count = 0;
    for (uint32_t lanes = a->reading; lanes != 0; lanes &= lanes - 1) {
        const int l = __builtin_ctz(lanes);
        bool known = false;
        for (uint32_t before = a->reading & ((1u << l) - 1); before != 0; before &= before - 1) {
            const int k = __builtin_ctz(before);
            known = known || (a->to[k] / SECTOR_BYTES == a->to[l] / SECTOR_BYTES &&
                              a->from[k] / BANKS_LINE == a->from[l] / BANKS_LINE);
        }
        count += !known;
    }
    return count;
}

/* Lanes that fill with zeros, which read nothing, are not among those that the rule was measured with. */
static void find_copy(access_count *c, const observed_async *a) {
    unsigned to[LANES], from[LANES];
    const bool past_l1 = strncmp(a->function->source->instructions[a->i->pc].opcode, "cp.async.cg", 11) == 0;
    for (int l = 0; l < LANES; l++) {
        to[l] = (unsigned)a->to[l];
        from[l] = (unsigned)a->from[l];
    }
    c->banks = a->reading == 0 ? banks_request(to, a->lanes, (int)a->width, BANKS_ROWS)
                               : banks_copy(to, from, a->reading, (int)a->width);
    if (past_l1 && a->reading != 0) c->banks.wavefronts = banks_copy_past_l1(to, from, a->reading);
    c->copy_sectors = past_l1 ? sectors_past_l1(a) : c->sectors;
}

static void async(observer *o, const observed_async *a) {
    if (a->stage != COPY_ISSUED) return;
    access_count *c = access_of(a->w, a->i->pc);
    if (c == NULL) return;
    const unsigned to = (unsigned)a->to[__builtin_ctz(a->lanes)] % BANKS_LINE;
    const unsigned from = a->reading != 0 ? (unsigned)a->from[__builtin_ctz(a->reading)] % BANKS_LINE : 0;
    if (a->reading != 0) count_global(c, a->reading, a->from, a->width, a->same_from, true, false);
    if (!a->same_to || !a->same_from || !c->shared_known || to != c->copy_to || from != c->copy_from ||
        a->reading != c->copy_reading)
        find_copy(c, a);
    if (a->reading != 0) c->sum.sectors += c->copy_sectors - c->sectors;
    c->shared_known = true;
    c->copy_to = to;
    c->copy_from = from;
    c->copy_reading = a->reading;
    c->sum.shared_requests++;
    c->sum.shared_wavefronts += c->banks.wavefronts;
    c->sum.shared_phases += c->banks.phases;
}

/* What a tensor copy moves, as a GPU counts it: the sectors that each row touches inside of the tensor, of loads also
 * those that what it fills the rest with would take, as whole rows outside do. Rows of a multicast that begin in the
 * middle of 64 bytes count whole pairs of sectors. */
typedef struct moved_rows {
    bool reads, multicast;
    int64_t bytes, rows;
} moved_rows;

static int64_t whole_units(uint64_t first, uint64_t bytes, unsigned unit) {
    return (int64_t)((first + bytes + unit - 1) / unit - first / unit) * unit;
}

static void move_row(void *context, const tensor_row *r) {
    moved_rows *m = context;
    sectors_mark_range(r->global, r->bytes, m->reads, !m->reads);
    const bool pairs = m->multicast && r->global % (2 * SECTOR_BYTES) == SECTOR_BYTES;
    m->bytes += whole_units(r->global, r->bytes, pairs ? 2 * SECTOR_BYTES : SECTOR_BYTES);
    if (m->reads) m->bytes += whole_units(0, r->width - r->bytes, SECTOR_BYTES);
    m->rows += r->width;
}

static void bulk(observer *o, const observed_bulk *b) {
    if (b->stage != COPY_ISSUED) return;
    function_counts *f = (function_counts *)counts_of(o, b->w->worker, b->function);
    if (f->at[b->i->pc] == NULL) f->at[b->i->pc] = zeros(1, sizeof *f->at[b->i->pc]);
    access_sum *sum = &f->at[b->i->pc]->sum;
    const char *opcode = b->function->source->instructions[b->i->pc].opcode;
    moved_rows moved = {.reads = b->to_block != NULL, .multicast = strstr(opcode, ".multicast") != NULL};
    if (moved.reads && b->global == 0 && b->map == NULL) return; /* within shared memory, or st.async */
    sum->requests++;
    if (b->map != NULL)
        tensormap_rows(b->map, b->at, !moved.reads, move_row, &moved);
    else
        move_row(&moved, &(tensor_row){.global = b->global, .bytes = b->bytes, .width = (uint32_t)b->bytes});
    if (moved.reads)
        sum->bytes_in += moved.bytes + (int64_t)b->bytes - moved.rows;
    else
        sum->bytes_out += moved.bytes;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

static counted_kernel *kernels, **last_kernel = &kernels;
static char *current_what, *current_problem;

void counters_of(const char *what, const char *problem) {
    free(current_what);
    free(current_problem);
    current_what = what != NULL ? copy_text(what) : NULL;
    current_problem = what != NULL ? copy_text(problem) : NULL;
}

static void launch_begins(observer *o, launch *la) {
    launch_counts *lc = zeros(1, sizeof *lc + (size_t)la->worker_count * sizeof *lc->workers);
    lc->what = copy_text(current_what != NULL ? current_what : "");
    lc->problem = copy_text(current_problem != NULL ? current_problem : "");
    la->watched = lc;
}

static bool same_shape(const counted_kernel *k, const launch *la) {
    const sim_launch_config *g = la->config;
    return memcmp(k->grid, g->grid, sizeof k->grid) == 0 && memcmp(k->block, g->block, sizeof k->block) == 0 &&
           memcmp(k->cluster, g->cluster, sizeof k->cluster) == 0 && k->dynamic_shared == g->dynamic_shared;
}

static counted_kernel *kernel_of(const launch *la) {
    const launch_counts *lc = la->watched;
    const char *name = la->entry->source->name;
    for (counted_kernel *k = kernels; k != NULL; k = k->next)
        if (strcmp(k->name, name) == 0 && strcmp(k->what, lc->what) == 0 && strcmp(k->problem, lc->problem) == 0 &&
            same_shape(k, la) && k->registers == la->registers)
            return k;
    counted_kernel *k = zeros(1, sizeof *k);
    k->what = copy_text(lc->what);
    k->problem = copy_text(lc->problem);
    k->name = copy_text(name);
    memcpy(k->grid, la->config->grid, sizeof k->grid);
    memcpy(k->block, la->config->block, sizeof k->block);
    memcpy(k->cluster, la->config->cluster, sizeof k->cluster);
    k->dynamic_shared = la->config->dynamic_shared;
    k->registers = la->registers;
    k->static_shared = la->static_shared;
    *last_kernel = k;
    last_kernel = &k->next;
    return k;
}

/* Where the function's instructions begin in the kernel's. */
static int part_of(counted_kernel *k, const function *f) {
    const ptx_function *s = f->source;
    for (int p = 0; p < k->part_count; p++)
        if (k->parts[p].source == s && k->parts[p].count == s->instruction_count + 1) return k->parts[p].first;
    k->parts = realloc(k->parts, (size_t)(k->part_count + 1) * sizeof *k->parts);
    k->instructions = realloc(k->instructions, (size_t)(k->count + s->instruction_count + 1) * sizeof *k->instructions);
    if (k->parts == NULL || k->instructions == NULL) no_memory();
    const int first = k->count;
    k->parts[k->part_count].source = s;
    k->parts[k->part_count].count = s->instruction_count + 1;
    k->parts[k->part_count++].first = first;
    for (int n = 0; n <= s->instruction_count; n++) {
        counted_insn *i = &k->instructions[k->count++];
        *i = (counted_insn){.class = row_class(f->code[n].row)};
        if (n == s->instruction_count) { /* the end of the text */
            i->opcode = copy_text(s->is_entry ? "exit" : "ret");
            continue;
        }
        i->opcode = copy_text(s->instructions[n].opcode);
        const char *file = place_of(f, (uint32_t)n, &i->line);
        if (file != NULL) i->file = copy_text(file);
    }
    return first;
}

static void add_sum(access_sum *to, const access_sum *from) {
    to->requests += from->requests;
    to->sectors += from->sectors;
    to->lines += from->lines;
    to->shared_requests += from->shared_requests;
    to->shared_wavefronts += from->shared_wavefronts;
    to->shared_phases += from->shared_phases;
    to->constant_requests += from->constant_requests;
    to->constant_words += from->constant_words;
    to->bytes_in += from->bytes_in;
    to->bytes_out += from->bytes_out;
    to->least_quarters += from->least_quarters;
    to->l1_clocks += from->l1_clocks;
}

static void add_function(observer *o, counted_kernel *k, function_counts *c) {
    const int first = part_of(k, c->f);
    int64_t warps = 0, threads = 0;
    for (int n = 0; n <= c->f->source->instruction_count; n++)
        if (c->runs.dots[n] != NULL) o->loaded(o, &c->runs, c->f, (uint32_t)n, c->runs.dots[n]->count);
    for (int n = 0; n <= c->f->source->instruction_count; n++) {
        counted_insn *i = &k->instructions[first + n];
        warps += c->runs.runs[n].warps;
        threads += c->runs.runs[n].threads;
        i->warps += warps;
        i->threads += threads;
        if (c->runs.patterns[2 * n].stays > 0 || c->runs.patterns[2 * n].moves > 0)
            repeated(NULL, &c->runs, c->f, (uint32_t)n);
        if (c->at[n] != NULL) add_sum(&i->sum, &c->at[n]->sum);
    }
}

static void free_function(function_counts *c) {
    for (int n = 0; n <= c->f->source->instruction_count; n++) {
        free(c->at[n]);
        free(c->runs.dots[n]);
    }
    free(c->at);
    free(c->runs.dots);
    free(c->runs.runs);
    free(c->runs.patterns);
    free(c);
}

static void launch_ends(observer *o, launch *la) {
    launch_counts *lc = la->watched;
    counted_kernel *k = kernel_of(la);
    int64_t read, written;
    for (int n = 0; n < la->worker_count; n++)
        while (lc->workers[n] != NULL) {
            function_counts *c = lc->workers[n];
            lc->workers[n] = c->next;
            add_function(o, k, c);
            free_function(c);
        }
    sectors_take(&read, &written);
    k->sectors_read += read;
    k->sectors_written += written;
    k->launches++;
    free(lc->what);
    free(lc->problem);
    free(lc);
    la->watched = NULL;
}

observer counters_observer = {.launch_begin = launch_begins,
                              .launch_end = launch_ends,
                              .after = after,
                              .repeated = repeated,
                              .loaded = loaded,
                              .async = async,
                              .bulk = bulk,
                              .counts = counts_of};

const counted_kernel *counters_all(void) {
    return kernels;
}

void counters_free(void) {
    while (kernels != NULL) {
        counted_kernel *k = kernels;
        kernels = k->next;
        for (int n = 0; n < k->count; n++) {
            free((char *)k->instructions[n].opcode);
            free((char *)k->instructions[n].file);
        }
        free(k->instructions);
        free(k->parts);
        free(k->what);
        free(k->problem);
        free(k->name);
        free(k);
    }
    last_kernel = &kernels;
    counters_of(NULL, NULL);
}
