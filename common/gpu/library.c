#include "gpu/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

void *library_open(const char *const *names) {
    void *library = NULL;
    unsetenv("NVIDIA_TF32_OVERRIDE");
    for (int i = 0; names[i] != NULL && library == NULL; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

void library_close(void *library) {
    dlclose(library);
}

/* ISO C cannot convert an object pointer to a function pointer; POSIX guarantees this one. */
bool library_find(void *library, const library_entry *entries, int count) {
    bool all = true;
    for (int i = 0; i < count; i++) {
        void **function = entries[i].function;
        *function = dlsym(library, entries[i].name);
        all = all && *function != NULL;
    }
    return all;
}
