/* Shared libraries that a program can do without, loaded at run time. */
#pragma once

#include <stdbool.h>

/* An entry point, and the function pointer that takes it. */
typedef struct {
    const char *name;
    void *function; /* address of a function pointer */
} library_entry;

/* The file names of a library of the CUDA Toolkit, for library_open: the loader's own search first, then the toolkit
 * that this program was built with. `name` is a string literal: "libcublas". */
#define LIBRARY_OF_TOOLKIT(name)                                                                                       \
    (const char *const[]) {                                                                                            \
        name ".so.13", CUDA_LIB_DIR "/" name ".so.13", name ".so.12", name ".so", CUDA_LIB_DIR "/" name ".so", 0       \
    }

/* Loads the first that there is of the files `names`, the last of which is NULL. NULL: there is none. Removes
 * NVIDIA_TF32_OVERRIDE from the environment first: it would turn the FP32 of cuBLAS and cublasLt into TF32. */
void *library_open(const char *const *names);
void library_close(void *library);

/* Sets all function pointers (one that is not found to NULL). Returns whether all were found. */
bool library_find(void *library, const library_entry *entries, int count);
