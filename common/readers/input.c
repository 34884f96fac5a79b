/* zlib's inflate on what read() returns. Not its gzread, which ignores whatever follows the first gzip member: a second
 * member with one damaged byte at its start would be dropped silently. */
#include "readers/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, FIRST_WINDOW = 1 << 17 };

struct input {
    char *path;
    FILE *err;
    int fd;
    bool compressed, failed;
    bool raw_ended;     /* read() returned 0 */
    bool ended;         /* nothing will be added to the window */
    bool inside;        /* within a gzip member */
    z_stream stream;    /* next_in, avail_in: what is left in raw */
    uint64_t offset;    /* position of window[start] in the stream */
    unsigned char *raw; /* CHUNK bytes */
    unsigned char *window;
    size_t start, end, capacity;
};

static bool fail(input *in, const char *reason) {
    fprintf(in->err, "%s: %s\n", in->path, reason);
    in->failed = in->ended = true;
    return false;
}

/* Reads more raw bytes behind those that are left. False after a failure; raw_ended at the end. */
static bool refill(input *in) {
    z_stream *z = &in->stream;
    if (z->avail_in > 0 && z->next_in != in->raw) memmove(in->raw, z->next_in, z->avail_in);
    z->next_in = in->raw;
    while (z->avail_in < CHUNK) {
        const ssize_t got = read(in->fd, in->raw + z->avail_in, CHUNK - z->avail_in);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(in, strerror(errno));
        if (got == 0) {
            in->raw_ended = true;
            break;
        }
        z->avail_in += (unsigned)got;
        if (z->avail_in >= 2) break;
    }
    return true;
}

static bool at_gzip(const z_stream *z) {
    return z->avail_in >= 2 && z->next_in[0] == 0x1f && z->next_in[1] == 0x8b;
}

int input_open(const char *path, input **opened, FILE *err) {
    *opened = NULL;
    input *in = calloc(1, sizeof *in);
    if (in != NULL) {
        in->fd = -1;
        in->err = err;
        in->path = strdup(path);
        in->raw = malloc(CHUNK);
        in->window = malloc(FIRST_WINDOW);
        in->capacity = FIRST_WINDOW;
    }
    if (in == NULL || in->path == NULL || in->raw == NULL || in->window == NULL) {
        fprintf(err, "%s: out of memory\n", path);
        input_close(in);
        return 2;
    }
    struct stat about;
    in->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0 || fstat(in->fd, &about) != 0)
        fail(in, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        fail(in, "is a folder");
    else if (refill(in) && in->stream.avail_in == 1 && in->raw[0] == 0x1f)
        fail(in, "truncated: the gzip data ends early"); /* no text consists of this one byte */
    else if (!in->failed && at_gzip(&in->stream)) {
        in->compressed = true;
        in->inside = true;
        if (inflateInit2(&in->stream, 15 + 16) != Z_OK) {
            in->compressed = false;
            fail(in, "out of memory");
        }
    }
    if (in->failed) {
        input_close(in);
        return 2;
    }
    *opened = in;
    return 0;
}

void input_close(input *in) {
    if (in == NULL) return;
    if (in->compressed) inflateEnd(&in->stream);
    if (in->fd >= 0) close(in->fd);
    free(in->path);
    free(in->raw);
    free(in->window);
    free(in);
}

bool input_failed(const input *in) {
    return in->failed;
}

/* What follows a member: another one, zeros up to the end (which gzip allows), or the end. */
static bool next_member(input *in) {
    z_stream *z = &in->stream;
    while (z->avail_in < 2 && !in->raw_ended)
        if (!refill(in)) return false;
    if (at_gzip(z)) {
        in->inside = true;
        return inflateReset(z) == Z_OK || fail(in, "out of memory");
    }
    for (;;) {
        while (z->avail_in > 0 && *z->next_in == 0) {
            z->next_in++;
            z->avail_in--;
        }
        if (z->avail_in > 0) return fail(in, "damaged: bytes that are not gzip follow the gzip data");
        if (in->raw_ended) break;
        if (!refill(in)) return false;
    }
    in->ended = true;
    return true;
}

/* Adds to the window, which has room. */
static void add(input *in) {
    z_stream *z = &in->stream;
    const size_t room = in->capacity - in->end;
    if (!in->compressed) {
        if (z->avail_in == 0 && !in->raw_ended && !refill(in)) return;
        const size_t count = room < z->avail_in ? room : z->avail_in;
        memcpy(in->window + in->end, z->next_in, count);
        z->next_in += count;
        z->avail_in -= (unsigned)count;
        in->end += count;
        if (z->avail_in == 0 && in->raw_ended) in->ended = true;
        return;
    }
    if (!in->inside) {
        next_member(in);
        return;
    }
    if (z->avail_in == 0 && !in->raw_ended && !refill(in)) return;
    z->next_out = in->window + in->end;
    z->avail_out = room < CHUNK ? (unsigned)room : CHUNK;
    const unsigned before = z->avail_out;
    const int status = inflate(z, Z_NO_FLUSH);
    in->end += before - z->avail_out;
    if (status == Z_STREAM_END)
        in->inside = false;
    else if (status == Z_MEM_ERROR)
        fail(in, "out of memory");
    else if (status != Z_OK && status != Z_BUF_ERROR)
        fail(in, z->msg != NULL && strstr(z->msg, "check") != NULL ? "damaged: its gzip checksum does not match"
                                                                   : "damaged gzip data");
    else if (z->avail_in == 0 && in->raw_ended && before == z->avail_out)
        fail(in, "truncated: the gzip data ends early");
}

const unsigned char *input_peek(input *in, size_t wanted, size_t *length) {
    if (in->end - in->start < wanted && !in->ended) {
        if (in->start > 0) {
            memmove(in->window, in->window + in->start, in->end - in->start);
            in->end -= in->start;
            in->start = 0;
        }
        if (wanted > in->capacity) {
            size_t capacity = in->capacity;
            while (capacity < wanted && capacity <= SIZE_MAX / 4) capacity *= 2;
            unsigned char *more = capacity >= wanted ? realloc(in->window, capacity) : NULL;
            if (more == NULL) {
                fail(in, "out of memory");
            } else {
                in->window = more;
                in->capacity = capacity;
            }
        }
        /* Fills the window: a caller that takes one line at a time then comes back once per window. */
        while (!in->ended && in->end < in->capacity) add(in);
    }
    *length = in->end - in->start;
    return in->window + in->start;
}

void input_take(input *in, size_t count) {
    in->start += count;
    in->offset += count;
}

size_t input_read(input *in, void *to, size_t count) {
    size_t done = 0;
    while (done < count) {
        size_t length;
        const unsigned char *from = input_peek(in, 1, &length);
        if (length == 0) break;
        if (length > count - done) length = count - done;
        memcpy((char *)to + done, from, length);
        input_take(in, length);
        done += length;
    }
    return done;
}

/* ---- all at once ---- */

/* False if it cannot be mapped; it is then read. */
static bool map(input *in, input_block *block) {
    struct stat about;
    if (in->compressed || fstat(in->fd, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    if (about.st_size <= 0 || (uint64_t)about.st_size < in->offset || (uint64_t)about.st_size > SIZE_MAX) return false;
    void *memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, in->fd, 0);
    if (memory == MAP_FAILED) return false;
    *block = (input_block){.bytes = (unsigned char *)memory + in->offset,
                           .length = (size_t)about.st_size - (size_t)in->offset,
                           .memory = memory,
                           .mapped = (size_t)about.st_size};
    return true;
}

bool input_rest(input *in, size_t most, input_block *block) {
    *block = (input_block){0};
    if (map(in, block)) return true;
    size_t capacity = 0;
    while (block->length < most) {
        if (block->length == capacity) {
            const size_t twice = capacity == 0 ? FIRST_WINDOW : capacity <= SIZE_MAX / 4 ? capacity * 2 : 0;
            void *more = twice > 0 ? realloc(block->memory, twice) : NULL;
            if (more == NULL) return fail(in, "out of memory");
            block->memory = more;
            capacity = twice;
        }
        const size_t room = (most < capacity ? most : capacity) - block->length;
        const size_t got = input_read(in, (char *)block->memory + block->length, room);
        block->length += got;
        if (got < room) break;
    }
    block->bytes = block->memory;
    return !in->failed;
}

void input_release(input_block *block) {
    if (block->mapped > 0)
        munmap(block->memory, block->mapped);
    else
        free(block->memory);
    *block = (input_block){0};
}
