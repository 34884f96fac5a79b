#include "conv/conv_operands.h"

#include "bench/options.h"

const char *conv_case_complete(conv_case *c) {
    windows *v = &c->seen;
    const int64_t p = windows_places(v->h, v->r, v->stride[0], v->pad[0], v->dilation[0]);
    const int64_t q = windows_places(v->w, v->s, v->stride[1], v->pad[1], v->dilation[1]);
    const struct {
        const char *name;
        double value;
    } limited[] = {
        {"n*h*w", (double)v->n * v->h * v->w},
        {"n*p*q", (double)v->n * (double)p * (double)q},
        {"n*c", (double)v->n * v->c},
        {"n*k", (double)v->n * c->k},
        {"c*h*w", (double)v->c * v->h * v->w},
        {"h + 2*pad", v->h + 2.0 * v->pad[0]},
        {"w + 2*pad", v->w + 2.0 * v->pad[1]},
        {"dilation*r", (double)v->dilation[0] * v->r},
        {"dilation*s", (double)v->dilation[1] * v->s},
        {"p*q", (double)p * (double)q},
        {"c*r*s", (double)v->c * v->r * v->s},
    };
    for (int i = 0; i < ARRAY_SIZE(limited); i++)
        if (limited[i].value > OPTIONS_MAX_SIZE) return limited[i].name;
    v->there = true;
    v->p = (int)p;
    v->q = (int)q;
    return NULL;
}

shape conv_shape(const conv_case *c) {
    return (shape){windows_rows(&c->seen), c->k, windows_cols(&c->seen)};
}

operand_spec conv_operands(const conv_case *c) {
    const windows *v = &c->seen;
    const int images = v->nhwc ? v->n * v->h * v->w : v->n * v->c, pixels = v->nhwc ? v->c : v->h * v->w;
    const int results = v->nhwc ? windows_rows(v) : v->n * c->k, places = v->nhwc ? c->k : v->p * v->q;
    operand_spec spec = {.like = {.a = operand_outline(c->type, images, pixels, 0, c->misalign),
                                  .b = operand_outline(c->type, c->k, windows_cols(v), 0, c->misalign),
                                  .c = operand_outline(c->type, results, places, 0, c->misalign)},
                         .names = "xfyb",
                         .alpha = c->alpha,
                         .beta = c->beta,
                         .arithmetic = c->type == DTYPE_F32 ? VERIFY_FMA : VERIFY_TENSOR,
                         .b_transposed = true,
                         .seen = *v,
                         .seed = c->seed};
    if (c->bias) spec.like.d = operand_outline(c->type, 1, c->k, 0, c->misalign);
    if (c->plant == CONV_PLANT_NONE) return spec;
    matrix *in = c->plant == CONV_PLANT_X ? &spec.like.a : &spec.like.c;
    in->planted = (uint64_t)in->rows * (uint64_t)in->cols / 2 + 1;
    in->plant = c->planted;
    return spec;
}

conv_problem conv_problem_on(const conv_case *c, const operand_set *set) {
    const windows *v = &c->seen;
    conv_problem p = {.type = c->type, .nhwc = v->nhwc, .k = c->k, .p = v->p, .q = v->q};
    p.n = v->n, p.c = v->c, p.h = v->h, p.w = v->w, p.r = v->r, p.s = v->s;
    for (int i = 0; i < 2; i++) p.stride[i] = v->stride[i], p.pad[i] = v->pad[i], p.dilation[i] = v->dilation[i];
    p.alpha = c->alpha, p.beta = c->beta;
    p.x = set->a.elements, p.f = set->b.elements, p.y = set->c.elements, p.bias = set->d.elements;
    p.workspace = set->workspace.elements;
    return p;
}

conv_problem conv_problem_of(const conv_case *c) {
    const operand_spec spec = conv_operands(c);
    return conv_problem_on(c, &spec.like);
}
