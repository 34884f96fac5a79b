/* Decoding a module's functions: before a launch, all that it may call. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exec/handlers.h"
#include "load/loaded.h"
#include "machine/functions.h"

static pthread_mutex_t decode_lock = PTHREAD_MUTEX_INITIALIZER;

bool functions_make(sim_module *m, char *error, size_t error_size) {
    const ptx_module *p = m->ptx;
    bool numbered = true;
    for (int k = 0; k < p->function_count; k++) {
        m->functions[k] = (function){.source = &p->functions[k], .files = p->files, .file_count = p->file_count};
        if (p->functions[k].has_body) numbered = function_add(&m->functions[k]) && numbered;
    }
    if (!numbered) snprintf(error, error_size, "more than %d functions", MOST_FUNCTIONS);
    return numbered;
}

void functions_free(sim_module *m) {
    for (int k = 0; k < m->ptx->function_count; k++) {
        function_remove(&m->functions[k]);
        decode_free(&m->functions[k]);
    }
}

/* Decodes what is not yet: a function, what it calls, and what that calls. Each is put in front of the list `made`. */
static bool make(sim_module *m, function *f, function **made, char *error, size_t error_size) {
    const decode_context context = {.handlers = sim_handlers, .others = sim_others, .symbol = symbol_find, .module = m};
    if (f->code != NULL || f->made != NULL) return true;
    if (!decode_function(f, &context, error, error_size)) return false;
    f->next_made = *made;
    *made = f;
    bool ok = true;
    for (int k = 0; ok && k < f->call_count; k++)
        if (f->calls[k].callee != NULL) ok = make(m, f->calls[k].callee, made, error, error_size);
    return ok;
}

/* All of them become callable or none, so that a second attempt reports the same error. */
static bool decode(sim_module *m, function *f, char *error, size_t error_size) {
    function *made = NULL;
    const bool ok = make(m, f, &made, error, error_size);
    for (function *next; made != NULL; made = next) {
        next = made->next_made;
        if (ok)
            function_publish(made);
        else
            decode_free(made);
    }
    return ok;
}

bool functions_decode(sim_module *m, function *f, char *error, size_t error_size) {
    pthread_mutex_lock(&decode_lock);
    const bool ok = decode(m, f, error, error_size);
    pthread_mutex_unlock(&decode_lock);
    return ok;
}

bool functions_watch(sim_module *m, const function *entry) {
    bool ok = true;
    const decode_context context = {.handlers = sim_handlers, .others = sim_others, .symbol = symbol_find, .module = m};
    pthread_mutex_lock(&decode_lock);
    for (int k = 0; k < m->ptx->function_count; k++)
        if (&m->functions[k] == entry || !m->ptx->functions[k].is_entry)
            ok = watch_function(&m->functions[k], &context) && ok;
    pthread_mutex_unlock(&decode_lock);
    return ok;
}

/* Notes why a function cannot be called. */
static bool refuse_function(sim_module *m, function *f, const char *why) {
    char *text = arena_take(&m->memory, strlen(why) + 1);
    if (text == NULL || strstr(why, OUT_OF_MEMORY) != NULL) return false;
    __atomic_store_n(&f->refused, strcpy(text, why), __ATOMIC_RELEASE);
    return true;
}

bool functions_decode_named(sim_module *m, char *error, size_t error_size) {
    char why[512];
    bool ok = true;
    pthread_mutex_lock(&decode_lock);
    for (bool more = true; more && ok;) { /* what is decoded may name others */
        more = false;
        for (int k = 0; k < m->ptx->function_count && ok; k++) {
            function *f = &m->functions[k];
            if (!m->named[k] || f->code != NULL || f->refused != NULL) continue;
            more = true;
            ok = decode(m, f, why, sizeof why) || refuse_function(m, f, why);
        }
    }
    pthread_mutex_unlock(&decode_lock);
    if (!ok) snprintf(error, error_size, "%s for a function", OUT_OF_MEMORY);
    return ok;
}
