/* The matrix that a convolution multiplies, which is not in memory: a row a place of the result, a column a tap.
 *
 *                    taps (c, r, s)
 *                  +---------------+     the place (n, p, q) looks through a window of r x s pixels, whose corner is
 *   places         |               |     at (p * stride - pad, q * stride - pad) of image n. Its taps are `dilation`
 *   (n, p, q)      |   x[n][c] 0   |     pixels apart. An element is the pixel behind a tap, or 0 outside of the image.
 *                  +---------------+
 *
 * In NCHW images and filters have their channels outside (c, r, s), in NHWC inside (r, s, c). */
#pragma once

#include "tensor/matrix.h"

typedef struct {
    bool there;                         /* false: no windows, a matrix is what it is */
    bool nhwc;                          /* layout of images and results, else nchw */
    int n, c, h, w;                     /* images, their channels, rows and columns */
    int r, s;                           /* rows and columns of a filter */
    int stride[2], pad[2], dilation[2]; /* down, across */
    int p, q;                           /* rows and columns of a result */
} windows;

/* How many places a filter has on a side: 0 where it is larger than the padded image. */
KL_BOTH int64_t windows_places(int side, int taps, int stride, int pad, int dilation) {
    const int64_t room = (int64_t)side + 2 * (int64_t)pad - ((int64_t)taps - 1) * dilation - 1;
    return room < 0 ? 0 : room / stride + 1;
}

KL_BOTH int windows_rows(const windows *v) {
    return v->n * v->p * v->q;
}

KL_BOTH int windows_cols(const windows *v) {
    return v->c * v->r * v->s;
}

/* The number of the image element at (row, col); -1: it lies outside of its image, and is 0. */
KL_BOTH int64_t windows_index(const windows *v, int row, int col) {
    const int image = row / (v->p * v->q), p = row / v->q % v->p, q = row % v->q;
    const int c = v->nhwc ? col % v->c : col / (v->r * v->s), tap = v->nhwc ? col / v->c : col % (v->r * v->s);
    const int64_t i = (int64_t)p * v->stride[0] - v->pad[0] + (int64_t)(tap / v->s) * v->dilation[0];
    const int64_t j = (int64_t)q * v->stride[1] - v->pad[1] + (int64_t)(tap % v->s) * v->dilation[1];
    if (i < 0 || i >= v->h || j < 0 || j >= v->w) return -1;
    if (v->nhwc) return (((int64_t)image * v->h + i) * v->w + j) * v->c + c;
    return (((int64_t)image * v->c + c) * v->h + i) * v->w + j;
}

/* The element at (row, col); x holds the images without gaps. */
KL_BOTH double windows_at(const windows *v, const matrix *x, int row, int col) {
    const int64_t i = windows_index(v, row, col);
    return i < 0 ? 0.0 : dtype_load(x->type, x->elements, (size_t)i);
}

/* The number of the element of the result that belongs to a row and to filter number `k` of `filters`. */
KL_BOTH uint64_t windows_result(const windows *v, int row, int k, int filters) {
    const uint64_t places = (uint64_t)v->p * (uint64_t)v->q, at = (uint64_t)row;
    if (v->nhwc) return at * (uint64_t)filters + (uint64_t)k;
    return (at / places * (uint64_t)filters + (uint64_t)k) * places + at % places;
}
