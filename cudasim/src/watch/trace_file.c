#include "watch/trace_file.h"

#include <string.h>

#include "base/demangle.h"
#include "watch/place.h"
#include "watch/sink.h"

static const char *const pipe_names[] = {
#define PIPE(id, name) [PIPE_##id] = name,
#include "watch/pipes.def"
#undef PIPE
};

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_string(const char *s, FILE *to) {
    fputc('"', to);
    for (; *s != '\0'; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < ' ')
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

/* The file's own name is enough to find it, and a path in every event would be most of the text. */
static void put_place(const function *f, uint32_t pc, const function *last_f, uint32_t last_pc, FILE *to) {
    int line, last_line;
    const char *file = place_of(f, pc, &line), *last = place_of(last_f, last_pc, &last_line);
    if (file == NULL) return;
    const char *name = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
    char text[300];
    if (last != NULL && strcmp(last, file) == 0 && last_line != line)
        snprintf(text, sizeof text, "%s:%d to %d", name, line, last_line);
    else
        snprintf(text, sizeof text, "%s:%d", name, line);
    fputs(",\"source\":", to);
    put_string(text, to);
}

static const char *opcode_of(const function *f, uint32_t pc) {
    const ptx_function *s = f->source;
    if ((int)pc < s->instruction_count) return s->instructions[pc].opcode;
    return s->is_entry ? "exit" : "ret";
}

static void put_range(const char *name, shared_range r, FILE *to) {
    if (r.low < r.high) fprintf(to, ",\"%s\":\"0x%x to 0x%x\"", name, r.low, r.high);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

typedef struct writer {
    FILE *to;
    uint64_t events, ids;
    int process;
} writer;

/* Begins an event: its phase, its process, its track. */
static void begin(writer *w, char phase, uint32_t track) {
    fprintf(w->to, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%u", ftell(w->to) > 0 ? ",\n" : "", phase, w->process, track);
    w->events++;
}

static void put_metadata(writer *w, uint32_t track, const char *what, const char *name) {
    begin(w, 'M', track);
    fprintf(w->to, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    put_string(name, w->to);
    fputs("}}", w->to);
}

static void put_number(writer *w, uint32_t track, const char *what, const char *key, uint32_t number) {
    begin(w, 'M', track);
    fprintf(w->to, ",\"name\":\"%s\",\"args\":{\"%s\":%u}}", what, key, number);
}

static void name_tracks(writer *w, const traced_block *b) {
    const traced_launch *l = b->launch;
    char name[1024];
    snprintf(name, sizeof name, "block (%u,%u,%u) of %s%s%s%s%s", b->ctaid[0], b->ctaid[1], b->ctaid[2],
             READABLE(l->name), *l->what != '\0' ? ": " : "", l->what, *l->problem != '\0' ? ", " : "", l->problem);
    put_metadata(w, 0, "process_name", name);
    begin(w, 'M', 0);
    fputs(",\"name\":\"process_labels\",\"args\":{\"labels\":\"order, not time\"}}", w->to);
    put_number(w, 0, "process_sort_index", "sort_index", (uint32_t)w->process);
    for (uint32_t n = 0; n < (uint32_t)b->warp_count; n++) {
        const uint32_t *t = b->warps[n].tid;
        snprintf(name, sizeof name, "warp %u, from thread (%u,%u,%u) on", n, t[0], t[1], t[2]);
        put_metadata(w, n, "thread_name", name);
        put_number(w, n, "thread_sort_index", "sort_index", n);
    }
}

static void name_wait(const slice *s, char *name, size_t size) {
    if (s->wait == WAIT_BARRIER)
        snprintf(name, size, "waits at barrier %u", s->id);
    else if (s->wait == WAIT_MBARRIER)
        snprintf(name, size, "waits at mbarrier 0x%x", s->id);
    else
        snprintf(name, size, "%s",
                 s->wait == WAIT_CLUSTER ? "waits at the cluster's barrier" : "waits for its warpgroup");
}

static void put_slice(writer *w, const slice *s) {
    char name[64];
    const bool waits = s->warps == 0;
    if (waits) name_wait(s, name, sizeof name);
    begin(w, 'X', s->warp);
    fprintf(w->to, ",\"ts\":%llu,\"dur\":%llu,\"cat\":\"%s\",\"name\":\"%s\",\"args\":{", (unsigned long long)s->begin,
            (unsigned long long)(s->end - s->begin), waits ? "wait" : "instructions",
            waits ? name : pipe_names[s->pipe]);
    if (!waits)
        fprintf(w->to, "\"instructions\":%lld,\"threads\":%lld,\"first\":", (long long)s->warps, (long long)s->threads);
    else
        fputs("\"at\":", w->to);
    put_string(opcode_of(s->f, s->pc), w->to);
    put_range("shared", s->shared, w->to);
    put_place(s->f, s->pc, s->last_f, s->last_pc, w->to);
    fputs("}}", w->to);
}

/* "m64n256k16" of wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 */
static void put_shape(const char *opcode, FILE *to) {
    const char *at = strstr(opcode, ".m64n");
    if (at != NULL) fprintf(to, ",\"shape\":\"%.*s\"", (int)strcspn(at + 1, "."), at + 1);
}

static void name_span(const span *s, char *name, size_t size) {
    switch (s->kind) {
    case SPAN_CP_ASYNC:
        snprintf(name, size, "cp.async of warp %u", s->warp);
        break;
    case SPAN_LOAD:
        snprintf(name, size, "%s to mbarrier 0x%x", s->tensor ? "TMA load" : "bulk load", s->mbarrier);
        break;
    case SPAN_STORE:
        snprintf(name, size, "%s of warp %u", s->tensor ? "TMA store" : "bulk store", s->warp);
        break;
    default:
        snprintf(name, size, "wgmma of warpgroup %u", s->warp);
    }
}

/* Two events: it begins, and it ends. */
static void put_span(writer *w, const span *s) {
    static const char *const categories[] = {"cp.async", "bulk load", "bulk store", "wgmma"};
    const bool product = s->kind == SPAN_WGMMA;
    const uint32_t track = product ? s->warp * 4 : s->warp;
    const uint64_t id = w->ids++;
    char name[64];
    name_span(s, name, sizeof name);
    begin(w, 'b', track);
    fprintf(w->to, ",\"ts\":%llu,\"id\":\"0x%x%05llx\",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"%s\":%llu",
            (unsigned long long)s->begin, (unsigned)w->process, (unsigned long long)id, categories[s->kind], name,
            product ? "wgmmas" : "bytes", product ? (unsigned long long)s->count : (unsigned long long)s->bytes);
    if (product) put_shape(opcode_of(s->f, s->pc), w->to);
    if (s->kind == SPAN_LOAD) fprintf(w->to, ",\"mbarrier\":\"0x%x\",\"phase\":%u", s->mbarrier, s->phase);
    put_range(product ? "B from" : "to shared", s->to, w->to);
    put_range(product ? "A from" : "from shared", s->from, w->to);
    if (s->incomplete) fputs(",\"waited for\":false", w->to);
    put_place(s->f, s->pc, s->f, s->pc, w->to);
    fputs("}}", w->to);
    begin(w, 'e', track);
    fprintf(w->to, ",\"ts\":%llu,\"id\":\"0x%x%05llx\",\"cat\":\"%s\",\"name\":\"%s\"}", (unsigned long long)s->end,
            (unsigned)w->process, (unsigned long long)id, categories[s->kind], name);
}

uint64_t trace_write_launch(const traced_launch *l, FILE *text, int *processes) {
    writer w = {.to = text};
    for (uint64_t n = 0; n < l->traced; n++) {
        const traced_block *b = &l->list[n];
        if (!b->begun) continue;
        w.process = ++*processes;
        w.ids = 0;
        name_tracks(&w, b);
        for (int k = 0; k < b->slice_count; k++) put_slice(&w, &b->slices[k]);
        for (int k = 0; k < b->span_count; k++) put_span(&w, &b->spans[k]);
    }
    return w.events;
}

bool trace_put_file(const char *path, const char *events, const char *notes) {
    sink s;
    if (!sink_open(&s, path)) return false;
    fputs(
        "{\"otherData\":{\"made by\":\"cudasim\",\"time\":\"none: ts and dur count steps of an order, one for each "
        "instruction that a warp executes; a copy or a wgmma is in flight until somebody waits for it\",\"left out\":",
        s.to);
    put_string(notes, s.to);
    fprintf(s.to, "},\n\"traceEvents\":[\n%s\n]}\n", events);
    return sink_close(&s, path);
}
