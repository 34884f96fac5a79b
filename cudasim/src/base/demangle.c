#include "base/demangle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *readable_name(const char *mangled, char *text, size_t size) {
    snprintf(text, size, "%s", mangled);
    if (strncmp(mangled, "_Z", 2) != 0) return text; /* __cxa_demangle would read "f" as the type float */
    typedef char *demangler(const char *, char *, size_t *, int *);
    /* C++ programs have it; the others may not even have the library. */
    demangler *demangle = (demangler *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = demangle == NULL ? dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (library != NULL) demangle = (demangler *)dlsym(library, "__cxa_demangle");
    int failed = 1;
    char *name = demangle != NULL ? demangle(mangled, NULL, NULL, &failed) : NULL;
    if (name != NULL && failed == 0) snprintf(text, size, "%s", name);
    free(name);
    return text;
}
