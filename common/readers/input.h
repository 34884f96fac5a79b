/* A file, or the data in a gzip file, as a stream of bytes. gzip is recognised by its first bytes, whatever the name.
 */
#ifndef KL_INPUT_H
#define KL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct input input;

/* Opens `path` (a pipe will do). Returns 0 and *in (to be closed), or 2 after one line on `err` naming the file and the
 * reason. */
int input_open(const char *path, input **in, FILE *err);
void input_close(input *in);

/* The next bytes of the stream, without consuming them, *length of them: at least `wanted`, except at the end and after
 * a failure (input_failed tells which). They stay valid until the next call of input_peek. */
const unsigned char *input_peek(input *in, size_t wanted, size_t *length);

/* Consumes `count` of the bytes that input_peek has returned. */
void input_take(input *in, size_t count);

/* Reads up to `count` bytes into `to`. Returns how many; fewer than `count` as with input_peek. */
size_t input_read(input *in, void *to, size_t count);

/* The rest of a stream as one block of bytes: a plain file is mapped, anything else is read into memory. */
typedef struct {
    const unsigned char *bytes;
    size_t length;
    void *memory;  /* malloc'ed, or */
    size_t mapped; /* this many bytes are mapped there */
} input_block;

/* Takes the rest of the stream, of which at most `most` bytes are needed (a plain file is mapped whole). False after a
 * failure, which has been reported (input_failed). Free with input_release, also after a failure. A mapped file must
 * not be truncated by others while it is in use. */
bool input_rest(input *in, size_t most, input_block *block);
void input_release(input_block *block);

/* True after a failure (a read error, gzip data that is damaged or ends early, out of memory). It has already been
 * reported in one line on `err` of input_open, so the reader only cleans up. */
bool input_failed(const input *in);

#endif
