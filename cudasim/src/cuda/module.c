/* What a program registers: fat binaries, kernels, variables. Loaded at their first use, since a program may carry
 * more than it runs, and since registering has no way to report an error. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_model.h"
#include "base/environment.h"
#include "cuda/ending.h"
#include "cuda/runtime.h"
#include "exec/handlers.h"
#include "predict/predict.h"
#include "ptx/fatbin.h"
#include "watch/watch.h"

#pragma GCC visibility push(default)
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
void __cudaRegisterUnifiedTable(void **handle, const void *table);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
#pragma GCC visibility pop

typedef struct fatbin_wrapper {
    int magic, version;
    const void *container;
    void *unused;
} fatbin_wrapper;

/* Before a program's main there is no call that could return an error. */
_Noreturn static void registration_failed(void) {
    fprintf(stderr, "cudasim: " OUT_OF_MEMORY "\n");
    _Exit(3);
}

/* The first that a program calls, before its main: what is wrong with its surroundings is said here. */
void **__cudaRegisterFatBinary(void *wrapper) {
    environment_check();
    watch_begin();
    predict_begin();
    if (memory_tracks()) memory_guard();
    ending_begin();
    isa_choose();
    memory_arena();
    runtime_module *module = calloc(1, sizeof(*module));
    if (!module) registration_failed();
    const fatbin_wrapper *w = wrapper;
    if (w && w->magic == FATBIN_WRAPPER_MAGIC) {
        module->container = w->container;
        module->linked = w->version == FATBIN_WRAPPER_LINKED;
    }
    runtime_lock();
    if (!handle_add(HANDLE_MODULE, module, module)) registration_failed();
    runtime_unlock();
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
}

static void module_free(runtime_module *module) {
    handle_remove(HANDLE_MODULE, module);
    while (module->functions) {
        runtime_function *f = module->functions;
        module->functions = f->next;
        handle_remove(HANDLE_FUNCTION, f);
        if (f->host) handle_remove(HANDLE_FUNCTION, f->host);
        free(f->name);
        free(f);
    }
    while (module->variables) {
        runtime_variable *v = module->variables;
        module->variables = v->next;
        if (v->host) handle_remove(HANDLE_VARIABLE, v->host);
        if (v->managed_key) handle_remove(HANDLE_VARIABLE, v->managed_key);
        free(v->name);
        free(v);
    }
    if (module->loaded) sim_module_unload(module->loaded);
    free(module->owned);
    free(module);
}

void __cudaUnregisterFatBinary(void **handle) {
    machine_lock();
    sim_printf_flush();
    runtime_lock();
    runtime_module *module = handle_find(HANDLE_MODULE, handle);
    if (module) module_free(module);
    memory_quiesce();
    runtime_unlock();
    machine_unlock();
}

static runtime_function *function_new(runtime_module *module, const char *name, const void *host) {
    runtime_function *f = calloc(1, sizeof(*f));
    if (!f) return NULL;
    f->module = module;
    f->host = host;
    f->name = strdup(name);
    f->carveout = -1;
    if (f->name && handle_add(HANDLE_FUNCTION, f, f)) {
        if (!host || handle_add(HANDLE_FUNCTION, host, f)) {
            f->next = module->functions;
            module->functions = f;
            return f;
        }
        handle_remove(HANDLE_FUNCTION, f);
    }
    free(f->name);
    free(f);
    return NULL;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size) {
    runtime_lock();
    runtime_module *module = handle_find(HANDLE_MODULE, handle);
    if (module && !function_new(module, name, host)) registration_failed();
    runtime_unlock();
}

static void variable_new(void **handle, const void *host, void **managed, const char *name, size_t size) {
    runtime_lock();
    runtime_module *module = handle_find(HANDLE_MODULE, handle);
    if (module) {
        runtime_variable *v = calloc(1, sizeof(*v));
        if (!v) registration_failed();
        *v = (runtime_variable){.module = module, .host = host, .managed = managed, .size = size};
        v->name = strdup(name);
        v->next = module->variables;
        module->variables = v;
        if (!v->name || !handle_add(HANDLE_VARIABLE, host, v)) registration_failed();
    }
    runtime_unlock();
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global) {
    variable_new(handle, host, NULL, name, size);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global) {
    variable_new(handle, host, host, name, size);
}

/* Only device code that refers to host variables by name would read these. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) {
}

void __cudaRegisterUnifiedTable(void **handle, const void *table) {
}

/* The error that the real runtime would give for a fat binary that cannot be loaded. */
static cudaError_t load_error(const void *container, const char *message) {
    char ignored[256];
    fatbin fat;
    if (!container || !fatbin_open(&fat, container, SIZE_MAX, ignored, sizeof(ignored))) {
        return cudaErrorInvalidKernelImage;
    }
    const device_model *model = device_model_current();
    unsigned arch = model->cc_major * 10 + model->cc_minor;
    bool chosen = fatbin_choose_ptx(&fat, arch, ignored, sizeof(ignored)) != NULL;
    fatbin_close(&fat);
    if (!chosen) return cudaErrorNoKernelImageForDevice;
    return strstr(message, "version") ? cudaErrorUnsupportedPtxVersion : cudaErrorInvalidPtx;
}

/* Managed variables are plain pointers to the host: here they get their values. False where there is no memory. */
static bool publish_managed(runtime_module *module) {
    for (runtime_variable *v = module->variables; v; v = v->next) {
        uint64_t address, size;
        if (!v->managed || !sim_module_variable(module->loaded, v->name, &address, &size)) continue;
        *v->managed = (void *)(uintptr_t)address;
        if (v->managed_key) handle_remove(HANDLE_VARIABLE, v->managed_key);
        v->managed_key = NULL;
        if (!handle_add(HANDLE_VARIABLE, *v->managed, v)) return false;
        v->managed_key = *v->managed;
    }
    return true;
}

/* Under the lock. */
static bool is_out_of_memory(const char *message) {
    if (strstr(message, OUT_OF_MEMORY) == NULL) return false;
    fprintf(stderr, "cudasim: %s\n", message);
    return true;
}

/* Under the lock. */
static cudaError_t module_load(runtime_module *module) {
    if (module->tried) return module->error;
    module->tried = true;
    char message[512] = "";
    if (module->container) {
        memory_access_begin(); /* its variables get their first values */
        module->loaded = sim_module_load(module->container, message, sizeof(message));
        memory_access_end();
    } else {
        snprintf(message, sizeof(message), "not a fat binary");
    }
    if (module->loaded && publish_managed(module)) return cudaSuccess;
    if (module->loaded) {
        sim_module_unload(module->loaded);
        module->loaded = NULL;
        snprintf(message, sizeof message, OUT_OF_MEMORY);
    }
    if (is_out_of_memory(message)) {
        module->tried = false; /* another time there may be some */
        return cudaErrorMemoryAllocation;
    }
    module->error = load_error(module->container, message);
    fprintf(stderr, "cudasim: %s\n",
            module->linked
                ? "this program's device code was linked from several files, which the simulator cannot run: "
                  "build it without -rdc=true (-dc)"
                : message);
    return module->error;
}

runtime_function *function_find(const void *func) {
    runtime_lock();
    runtime_function *f = handle_find(HANDLE_FUNCTION, func);
    runtime_unlock();
    return f;
}

/* Under the lock. */
static cudaError_t function_load(runtime_function *f) {
    cudaError_t error = module_load(f->module);
    if (error || f->tried) return error ? error : f->error;
    f->tried = true;
    char message[512] = "";
    f->kernel = sim_module_kernel(f->module->loaded, f->name, message, sizeof(message));
    if (is_out_of_memory(message)) {
        f->tried = false;
        return cudaErrorMemoryAllocation;
    }
    if (!f->kernel) {
        f->error = message[0] ? cudaErrorNotSupported : cudaErrorInvalidDeviceFunction;
        if (message[0]) fprintf(stderr, "cudasim: %s\n", message);
    }
    return f->error;
}

cudaError_t function_resolve(const void *func, runtime_function **function) {
    runtime_lock();
    runtime_function *f = handle_find(HANDLE_FUNCTION, func);
    bool ready = f && f->tried;
    cudaError_t error = f ? f->error : func ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    runtime_unlock();
    *function = f;
    if (!f || ready) return error;
    runtime_lock();
    error = function_load(f);
    runtime_unlock();
    return error;
}

cudaError_t function_decode(runtime_function *f) {
    char message[512] = "";
    runtime_lock();
    if (!f->error && !sim_kernel_decode(f->kernel, message, sizeof(message)) && !is_out_of_memory(message)) {
        f->error = cudaErrorNotSupported;
        fprintf(stderr, "cudasim: %s\n", message);
    }
    const cudaError_t error = is_out_of_memory(message) ? cudaErrorMemoryAllocation : f->error;
    runtime_unlock();
    return error;
}

cudaError_t function_describe(const void *func, runtime_function **function, sim_kernel_info *info) {
    cudaError_t error = function_resolve(func, function);
    if (error) return error;
    runtime_lock();
    sim_kernel_describe((*function)->kernel, info);
    runtime_unlock();
    return cudaSuccess;
}

cudaError_t symbol_resolve(const void *symbol, uint64_t *address, uint64_t *size) {
    runtime_lock();
    runtime_variable *v = handle_find(HANDLE_VARIABLE, symbol);
    cudaError_t error = v ? module_load(v->module) : cudaErrorInvalidSymbol;
    if (!error && !sim_module_variable(v->module->loaded, v->name, address, size)) error = cudaErrorInvalidSymbol;
    runtime_unlock();
    return error;
}

char __cudaInitModule(void **handle) {
    runtime_lock();
    runtime_module *module = handle_find(HANDLE_MODULE, handle);
    bool loaded = module && module_load(module) == cudaSuccess;
    runtime_unlock();
    return loaded;
}

static void module_unload(runtime_module *module) {
    if (module->loaded) sim_module_unload(module->loaded);
    module->loaded = NULL;
    module->tried = false;
    module->error = cudaSuccess;
    for (runtime_function *f = module->functions; f; f = f->next) {
        f->tried = false;
        f->kernel = NULL;
        f->error = cudaSuccess;
    }
}

/* Every module of the program stays registered, and is loaded anew at its next use; libraries go. */
void modules_unload(void) {
    const void *key;
    runtime_module *module, *list = NULL;
    while ((module = handle_any(HANDLE_LIBRARY, &key)) != NULL) {
        handle_remove(HANDLE_LIBRARY, key);
        module_free(module);
    }
    while ((module = handle_any(HANDLE_MODULE, &key)) != NULL) {
        handle_remove(HANDLE_MODULE, key);
        module_unload(module);
        module->next = list;
        list = module;
    }
    for (; list; list = list->next)
        if (!handle_add(HANDLE_MODULE, list, list)) registration_failed();
}

void modules_close(void) {
    const void *key;
    runtime_module *module;
    while ((module = handle_any(HANDLE_LIBRARY, &key)) != NULL) {
        handle_remove(HANDLE_LIBRARY, key);
        module_free(module);
    }
    while ((module = handle_any(HANDLE_MODULE, &key)) != NULL) module_free(module);
}

/* ---- kernel handles ---------------------------------------------------------------------------------------------- */

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    runtime_function *f = function_find(host);
    /* An unknown one keeps the host's pointer, so that the launch reports it. */
    *kernel = f ? (cudaKernel_t)(void *)f : (cudaKernel_t)(uintptr_t)host;
    return f ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    if (!kernel) return runtime_result(cudaErrorInvalidValue);
    runtime_function *f = function_find(host);
    if (!f) return runtime_result(cudaErrorInvalidDeviceFunction);
    *kernel = (cudaKernel_t)(void *)f;
    return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
    if (!function) return runtime_result(cudaErrorInvalidValue);
    runtime_function *f;
    cudaError_t error = function_resolve(symbol, &f);
    if (error) return runtime_result(error);
    *function = (cudaFunction_t)(void *)f;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *func) {
    runtime_function *f = function_find(func);
    if (!name) return runtime_result(cudaErrorInvalidValue);
    if (!f) return runtime_result(cudaErrorInvalidDeviceFunction);
    *name = f->name;
    return cudaSuccess;
}

/* ---- libraries: modules loaded by hand --------------------------------------------------------------------------- */

static cudaError_t library_new(cudaLibrary_t *library, const void *code, void *owned) {
    runtime_module *module = calloc(1, sizeof(*module));
    if (!module) return cudaErrorMemoryAllocation;
    const fatbin_wrapper *w = code;
    module->container = w->magic == FATBIN_WRAPPER_MAGIC ? w->container : code;
    runtime_lock();
    cudaError_t error = module_load(module);
    if (!error && !handle_add(HANDLE_LIBRARY, module, module)) {
        sim_module_unload(module->loaded);
        error = cudaErrorMemoryAllocation;
    }
    if (error) {
        free(module);
    } else {
        module->owned = owned;
        *library = (cudaLibrary_t)(void *)module;
    }
    runtime_unlock();
    return error;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *options, void **values,
                                unsigned count, enum cudaLibraryOption *library_options, void **library_values,
                                unsigned library_count) {
    TOUCH_DEVICE();
    if (!library || !code) return runtime_result(cudaErrorInvalidValue);
    return runtime_result(library_new(library, code, NULL));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    machine_lock();
    runtime_lock();
    runtime_module *module = handle_find(HANDLE_LIBRARY, library);
    if (module) {
        handle_remove(HANDLE_LIBRARY, library);
        module_free(module);
    }
    runtime_unlock();
    machine_unlock();
    return runtime_result(module ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    if (!kernel || !name) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    cudaError_t error = cudaErrorInvalidResourceHandle;
    runtime_module *module = handle_find(HANDLE_LIBRARY, library);
    if (module) {
        runtime_function *f = module->functions;
        while (f && strcmp(f->name, name) != 0) f = f->next;
        if (!f) f = function_new(module, name, NULL);
        error = f ? function_load(f) : cudaErrorMemoryAllocation;
        if (error == cudaErrorInvalidDeviceFunction) error = cudaErrorSymbolNotFound;
        if (!error) *kernel = (cudaKernel_t)(void *)f;
    }
    return runtime_leave(error);
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
    if (!name) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    cudaError_t error = cudaErrorInvalidResourceHandle;
    runtime_module *module = handle_find(HANDLE_LIBRARY, library);
    uint64_t at, size;
    if (module) {
        error = sim_module_variable(module->loaded, name, &at, &size) ? cudaSuccess : cudaErrorSymbolNotFound;
        if (!error && address) *address = (void *)(uintptr_t)at;
        if (!error && bytes) *bytes = size;
    }
    return runtime_leave(error);
}

/* ---- NVIDIA's libraries of kernels ------------------------------------------------------------------------------- */

/* Their kernels are machine code without PTX, and they ask the GPU's driver for what they need: none of it is here, and
 * what they say of that names neither. */
/* Those that the program and its libraries are linked with have been loaded when this library's constructors run. */
static int note_library(struct dl_phdr_info *object, size_t size, void *text) {
    static const char *const names[] = {"libcublas.",   "libcublasLt.", "libcufft.",  "libcurand.", "libcusolver.",
                                        "libcusparse.", "libcudnn.",    "libnccl.",   "libnvjpeg.", "libcutensor.",
                                        "libcufftw.",   "libnpp",       "libnvinfer."};
    const char *slash = strrchr(object->dlpi_name, '/'), *file = slash != NULL ? slash + 1 : object->dlpi_name;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strncmp(file, names[k], strlen(names[k])) != 0) continue;
        const size_t used = strlen(text);
        snprintf((char *)text + used, 400 - used, "%s%s", used > 0 ? ", " : "", file);
        return 0;
    }
    return 0;
}

__attribute__((constructor)) static void say_libraries(void) {
    char names[400] = "";
    dl_iterate_phdr(note_library, names);
    if (names[0] != '\0')
        fprintf(stderr,
                "cudasim: this program is linked with %s: the calls of such libraries fail here, since they want the "
                "GPU's driver and their kernels have no PTX; where it is simulated, use a library of the CPU's or "
                "kernels of your own instead\n",
                names);
}
