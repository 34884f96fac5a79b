/* Replaces libFuzzer where there is none: passes every file, or every file of a folder, to the fuzz target once, then a
 * few hundred mutations of it that are the same on every run. REPLAY_MUTATIONS=N changes their number. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long inputs;

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Exactly as long as the input, so that AddressSanitizer sees a byte read too many. */
static void give(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

static void give_file(const char *path, long mutations) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file || fstat(fileno(file), &about) != 0) {
        perror(path);
        exit(2);
    }
    size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size + 1), *changed = malloc(size + 1);
    if (!data || !changed || fread(data, 1, size, file) != size) {
        perror(path);
        exit(2);
    }
    fclose(file);
    give(data, size);
    uint32_t state = 2463534242u;
    for (long i = 0; i < mutations && size > 0; i++) {
        memcpy(changed, data, size);
        const uint32_t changes = 1 + next_random(&state) % 4;
        for (uint32_t k = 0; k < changes; k++) {
            uint8_t *at = &changed[next_random(&state) % size];
            const uint32_t kind = next_random(&state) % 3;
            if (kind == 0)
                *at ^= (uint8_t)(1u << next_random(&state) % 8);
            else if (kind == 1)
                *at = (uint8_t)next_random(&state);
            else
                *at = data[next_random(&state) % size];
        }
        give(changed, next_random(&state) % 4 == 0 ? next_random(&state) % size : size);
    }
    free(changed);
    free(data);
}

int main(int argc, char **argv) {
    const char *wanted = getenv("REPLAY_MUTATIONS");
    const long mutations = wanted ? strtol(wanted, NULL, 10) : 500;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            give_file(argv[i], mutations);
            continue;
        }
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            give_file(path, mutations);
        }
        closedir(folder);
    }
    printf("%ld inputs\n", inputs);
    return inputs > 0 ? 0 : 2;
}
