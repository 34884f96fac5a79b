#include "conv/conv_map.h"

/* Pixels from a window's first tap to its last, down (0) or across (1). */
static int reach(const conv_problem *p, int i) {
    const int taps = i == 0 ? p->r : p->s;
    return (taps - 1) * p->dilation[i];
}

/* Where a window's corner may be, from the last row or column on: so far, and one that far is one of them. */
static int upper(const conv_problem *p, int i) {
    return p->pad[i] - reach(p, i);
}

const char *conv_map_refuses(const conv_problem *p) {
    const size_t chunk = 16 / dtype_size(p->type);
    if (!p->nhwc) return "takes nhwc";
    if (((uintptr_t)p->x | (uintptr_t)p->f) % 16 != 0) return "takes x and f aligned to 16 bytes";
    if ((size_t)p->c % chunk != 0) return "takes channels of whole 16 bytes";
    for (int i = 0; i < 2; i++) {
        if (p->stride[i] > 8) return "takes strides of up to 8";
        if (p->pad[i] > 128 || upper(p, i) > 127 || upper(p, i) < -128 || reach(p, i) > 255)
            return "takes windows whose corners lie within 128 pixels of the image's, and taps within 255 of them";
    }
    return NULL;
}

cudaError_t conv_map_x(CUtensorMap *map, const conv_problem *p, int places) {
    const cuuint64_t c = (cuuint64_t)p->c * dtype_size(p->type), w = (cuuint64_t)p->w, h = (cuuint64_t)p->h;
    const tensor_outline x = {p->type, p->x, 4, {(cuuint64_t)p->c, w, h, (cuuint64_t)p->n}, {c, c * w, c * w * h}, 128};
    const int lower[2] = {-p->pad[1], -p->pad[0]}, uppers[2] = {upper(p, 1), upper(p, 0)};
    const cuuint32_t steps[2] = {(cuuint32_t)p->stride[1], (cuuint32_t)p->stride[0]};
    return tensor_map_im2col(map, &x, lower, uppers, steps, places);
}

cudaError_t conv_map_f(CUtensorMap *map, const conv_problem *p, int filters) {
    return conv_map_narrow_f(map, p, 128, filters);
}

cudaError_t conv_map_narrow_f(CUtensorMap *map, const conv_problem *p, int bytes, int filters) {
    const cuuint64_t c = (cuuint64_t)p->c * dtype_size(p->type), taps = (cuuint64_t)p->r * (cuuint64_t)p->s;
    const tensor_outline f = {p->type, p->f, 3, {(cuuint64_t)p->c, taps, (cuuint64_t)p->k}, {c, c * taps}, bytes};
    const cuuint32_t box[3] = {(cuuint32_t)bytes / (cuuint32_t)dtype_size(p->type), 1, (cuuint32_t)filters};
    return tensor_map_tiled(map, &f, box);
}

static cudaError_t map_boxes(CUtensorMap *map, const tensor_outline *a, int channels, int across, int down) {
    const cuuint32_t box[4] = {(cuuint32_t)channels, (cuuint32_t)across, (cuuint32_t)down, 1};
    return tensor_map_tiled(map, a, box);
}

cudaError_t conv_map_pixels(CUtensorMap *map, const conv_problem *p, int row, int bytes, int across, int down) {
    const cuuint64_t size = dtype_size(p->type), c = (cuuint64_t)p->c * size, w = (cuuint64_t)row, h = (cuuint64_t)p->h;
    const tensor_outline x = {
        p->type, p->x, 4, {(cuuint64_t)p->c, (cuuint64_t)p->w, h, (cuuint64_t)p->n}, {c, c * w, c * w * h}, bytes};
    return map_boxes(map, &x, bytes / (int)size, across, down);
}

cudaError_t conv_map_y(CUtensorMap *map, const conv_problem *p, int filters, int across, int down) {
    const cuuint64_t k = (cuuint64_t)p->k * dtype_size(p->type), q = (cuuint64_t)p->q, rows = (cuuint64_t)p->p;
    const tensor_outline y = {p->type, p->y, 4, {(cuuint64_t)p->k, q, rows, (cuuint64_t)p->n}, {k, k * q, k * q * rows},
                              128};
    return map_boxes(map, &y, filters, across, down);
}
