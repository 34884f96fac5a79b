/* NVIDIA's libraries of kernels that the program is linked with. Their kernels are machine code without PTX, and they ask
 * the GPU's driver for what they need: none of it is here, and what they say of that names neither. */
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Those that the program and its libraries are linked with have been loaded when this library's constructors run. */
static int note_library(struct dl_phdr_info *object, size_t size, void *text) {
    static const char *const names[] = {"libcublas.",   "libcublasLt.", "libcufft.",  "libcurand.", "libcusolver.",
                                        "libcusparse.", "libcudnn.",    "libnccl.",   "libnvjpeg.", "libcutensor.",
                                        "libcufftw.",   "libnpp",       "libnvinfer."};
    (void)size;
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
