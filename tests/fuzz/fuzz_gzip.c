/* Gzip: any bytes as gzip data; or, if the first byte is odd, bytes packed here, then complete, truncated or modified.
 * Complete data must come back byte for byte, truncated data must be refused. scripts/fuzz.sh builds and runs it. */
#include <zlib.h>

#include "readers/input.h"
#include "table_fuzz.h"

/* The bytes unpacked, malloc'ed; NULL where it was refused, in one line. */
static uint8_t *unpack(const uint8_t *data, size_t size, size_t *length) {
    static char said[4096];
    memset(said, 0, sizeof said);
    FILE *err = fmemopen(said, sizeof said, "w");
    require(err != NULL);
    input *in;
    uint8_t *bytes = NULL;
    *length = 0;
    bool failed = input_open(table_fuzz_path("x", data, size), &in, err) != 0;
    if (!failed) {
        size_t capacity = 0, got = 1;
        while (got > 0 && *length < (size_t)1 << 24) {
            if (*length == capacity) bytes = realloc(bytes, capacity = capacity * 2 + 1000);
            require(bytes != NULL);
            size_t ready;
            input_peek(in, *length % 3000, &ready);
            got = input_read(in, bytes + *length, capacity - *length);
            *length += got;
        }
        failed = input_failed(in);
        input_close(in);
    }
    fclose(err);
    require(failed == (said[0] != '\0') && (!failed || strchr(said, '\n') == said + strlen(said) - 1));
    if (!failed) return bytes;
    free(bytes);
    return NULL;
}

static void packed_here(const uint8_t *data, size_t size) {
    const uint8_t kind = data[0] / 2 % 3;
    const size_t where = data[1] | (size_t)data[2] << 8, plain = size - 3;
    z_stream z = {0};
    uint8_t *packed = malloc(plain + 1000);
    require(packed != NULL && deflateInit2(&z, data[0] / 8 % 10, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)(data + 3);
    z.avail_in = (unsigned)plain;
    z.next_out = packed;
    z.avail_out = (unsigned)plain + 1000;
    require(deflate(&z, Z_FINISH) == Z_STREAM_END);
    size_t length = z.total_out, got;
    deflateEnd(&z);
    if (kind == 1) length = 2 + where % (length - 2);
    if (kind == 2) packed[where % length] ^= 1 << data[1] % 8;
    uint8_t *back = unpack(packed, length, &got);
    require(kind != 0 || (back != NULL && got == plain && memcmp(back, data + 3, plain) == 0));
    require(kind != 1 || back == NULL);
    free(back);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t length;
    if (size > 3 && data[0] % 2 == 1 && data[0] != 0x1f) {
        packed_here(data, size);
    } else {
        free(unpack(data, size, &length));
        table *t = table_fuzz_read("x", data, size, TABLE_HEADER_AUTO, NULL);
        if (t != NULL) table_fuzz_use(t);
        table_free(t);
    }
    return 0;
}
