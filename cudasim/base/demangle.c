#include "base/demangle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *readable_name(const char *mangled, char *text, size_t size) {
    typedef char *demangler(const char *, char *, size_t *, int *);
    /* C++ programs have it; the others may not even have the library. */
    demangler *demangle = (demangler *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = demangle == NULL ? dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (library != NULL) demangle = (demangler *)dlsym(library, "__cxa_demangle");
    int failed = 1;
    char *name = demangle != NULL ? demangle(mangled, NULL, NULL, &failed) : NULL;
    snprintf(text, size, "%s", name != NULL && failed == 0 ? name : mangled);
    free(name);
    return text;
}
