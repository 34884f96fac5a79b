#include "gpu/cudnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gpu/library.h"

/* The few entry points needed, declared here so that a step builds without cuDNN's headers. */
typedef struct cudnnContext *handle_t;
enum { STATUS_SUCCESS = 0 };

static struct {
    void *library;
    handle_t handle;
    char version[32];
    int (*destroy)(handle_t);
    int (*set_stream)(handle_t, cudaStream_t);
    int (*create_descriptor)(int, cudnn_descriptor *);
    int (*destroy_descriptor)(cudnn_descriptor);
    int (*set_attribute)(cudnn_descriptor, int, int, int64_t, const void *);
    int (*get_attribute)(cudnn_descriptor, int, int, int64_t, int64_t *, void *);
    int (*finalize)(cudnn_descriptor);
    int (*execute)(handle_t, cudnn_descriptor, cudnn_descriptor);
} cudnn;

/* The package's folder, as Python knows it. */
static void *open_beside_python(void) {
    char name[1024] = "";
    FILE *python = popen("\"${PYTHON:-python3}\" -c 'import importlib.util as u; "
                         "print(u.find_spec(\"nvidia.cudnn\").submodule_search_locations[0])' 2>/dev/null",
                         "r");
    if (python == NULL) return NULL;
    const bool found = fgets(name, sizeof name - 32, python) != NULL;
    pclose(python);
    if (!found) return NULL;
    strcpy(name + strcspn(name, "\n"), "/lib/libcudnn.so.9");
    return library_open((const char *const[]){name, NULL});
}

const char *cudnn_open(void) {
    int (*create)(handle_t *);
    size_t (*get_version)(void);
    const library_entry entries[] = {{"cudnnCreate", &create},
                                     {"cudnnDestroy", &cudnn.destroy},
                                     {"cudnnSetStream", &cudnn.set_stream},
                                     {"cudnnGetVersion", &get_version},
                                     {"cudnnBackendCreateDescriptor", &cudnn.create_descriptor},
                                     {"cudnnBackendDestroyDescriptor", &cudnn.destroy_descriptor},
                                     {"cudnnBackendSetAttribute", &cudnn.set_attribute},
                                     {"cudnnBackendGetAttribute", &cudnn.get_attribute},
                                     {"cudnnBackendFinalize", &cudnn.finalize},
                                     {"cudnnBackendExecute", &cudnn.execute}};
    static const char *const names[] = {"libcudnn.so.9", CUDA_LIB_DIR "/libcudnn.so.9", NULL};
    const char *reason = NULL;
    if (cudnn.handle != NULL) return NULL;
    cudnn.library = library_open(names);
    if (cudnn.library == NULL) cudnn.library = open_beside_python();
    if (cudnn.library == NULL)
        return "cuDNN is not installed (libcudnn.so.9; make deps WHEELS=1 or pip install nvidia-cudnn-cu13 brings it)";
    if (!library_find(cudnn.library, entries, ARRAY_SIZE(entries)))
        reason = "this cuDNN is too old";
    else if (create(&cudnn.handle) != STATUS_SUCCESS)
        reason = "cuDNN does not start on this GPU";
    if (reason != NULL) {
        cudnn.handle = NULL;
        cudnn_close();
        cudaGetLastError();
        return reason;
    }
    const size_t version = get_version();
    snprintf(cudnn.version, sizeof cudnn.version, "%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
    return NULL;
}

void cudnn_close(void) {
    if (cudnn.handle != NULL) cudnn.destroy(cudnn.handle);
    if (cudnn.library != NULL) library_close(cudnn.library);
    memset(&cudnn, 0, sizeof cudnn);
}

const char *cudnn_version(void) {
    return cudnn.version;
}

const void *cudnn_handle(void) {
    return &cudnn.handle;
}

cudnn_descriptor cudnn_create(int kind) {
    cudnn_descriptor d = NULL;
    return cudnn.create_descriptor(kind, &d) == STATUS_SUCCESS ? d : NULL;
}

void cudnn_destroy(cudnn_descriptor d) {
    if (d != NULL) cudnn.destroy_descriptor(d);
}

bool cudnn_set(cudnn_descriptor d, int attribute, int type, int64_t count, const void *elements) {
    return d != NULL && cudnn.set_attribute(d, attribute, type, count, elements) == STATUS_SUCCESS;
}

bool cudnn_finalize(cudnn_descriptor d) {
    return d != NULL && cudnn.finalize(d) == STATUS_SUCCESS;
}

int cudnn_get(cudnn_descriptor d, int attribute, int type, int64_t room, void *elements) {
    int64_t count = 0;
    if (d == NULL || cudnn.get_attribute(d, attribute, type, room, &count, elements) != STATUS_SUCCESS) return 0;
    return (int)count;
}

cudaError_t cudnn_execute(cudnn_descriptor plan, cudnn_descriptor pack, cudaStream_t stream) {
    if (cudnn.set_stream(cudnn.handle, stream) == STATUS_SUCCESS &&
        cudnn.execute(cudnn.handle, plan, pack) == STATUS_SUCCESS)
        return cudaSuccess;
    const cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaErrorNotSupported;
}
