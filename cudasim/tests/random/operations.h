/* The instructions that compute: how they are spelled, what they take, and what runs them in the model. */
#pragma once

#include "arithmetic.h"

/* `text` with the type's name for %; `form` is destinations = sources: p h w l registers, t one of the type's class, 2
 * of twice its width, s a 32-bit shift count or place, i a number below 256. how[0] is the type. */
typedef struct operation {
    const char *text, *form;
    unsigned types;
    compute *run;
    int how[4]; /* the step's from how[1] on */
    char d_form, s_form;
} operation;

#define ONE(type)  (1u << (type))
#define UNSIGNED   (ONE(U16) | ONE(U32) | ONE(U64))
#define SIGNED     (ONE(S16) | ONE(S32) | ONE(S64))
#define INTEGERS   (UNSIGNED | SIGNED)
#define NARROW     (ONE(U16) | ONE(S16) | ONE(U32) | ONE(S32))
#define WORDS      (ONE(U32) | ONE(S32))
#define LARGE      (WORDS | ONE(U64) | ONE(S64))
#define RAW        (ONE(B16) | ONE(B32) | ONE(B64))
#define RAW_LARGE  (ONE(B32) | ONE(B64))
#define KEPT_TYPES (LARGE | RAW_LARGE)
#define FLOATS     (ONE(F32) | ONE(F64))

static const operation operations[] = {
    {"add.%", "t=tt", INTEGERS, run_add, {0}, 0, 0},
    {"sub.%", "t=tt", INTEGERS, run_sub, {0}, 0, 0},
    {"add.sat.s32", "w=ww", ONE(S32), run_add_sat, {0}, 0, 0},
    {"sub.sat.s32", "w=ww", ONE(S32), run_sub_sat, {0}, 0, 0},
    {"add.%x2", "w=ww", ONE(U16) | ONE(S16), run_add_x2, {0}, 0, 0},
    {"min.%x2", "w=ww", ONE(U16) | ONE(S16), run_min_x2, {0}, 0, 0},
    {"max.%x2", "w=ww", ONE(U16) | ONE(S16), run_max_x2, {0}, 0, 0},
    {"mul.lo.%", "t=tt", INTEGERS, run_mul, {0}, 0, 0},
    {"mul.hi.%", "t=tt", INTEGERS, run_mul_hi, {0}, 0, 0},
    {"mul.wide.%", "2=tt", NARROW, run_mul, {0}, 0, 0},
    {"mad.lo.%", "t=ttt", INTEGERS, run_mad, {0}, 0, 0},
    {"mad.hi.%", "t=ttt", INTEGERS, run_mad_hi, {0}, 0, 0},
    {"mad.wide.%", "2=tt2", NARROW, run_mad, {0}, 0, 0},
    {"mad.hi.sat.s32", "w=www", ONE(S32), run_mad_hi_sat, {0}, 0, 0},
    {"mul24.lo.%", "w=ww", WORDS, run_mul24_lo, {0}, 0, 0},
    {"mul24.hi.%", "w=ww", WORDS, run_mul24_hi, {0}, 0, 0},
    {"mad24.lo.%", "w=www", WORDS, run_mad24_lo, {0}, 0, 0},
    {"mad24.hi.%", "w=www", WORDS, run_mad24_hi, {0}, 0, 0},
    {"div.%", "t=tt", INTEGERS, run_div, {0}, 0, 0},
    {"rem.%", "t=tt", INTEGERS, run_rem, {0}, 0, 0},
    {"abs.%", "t=t", SIGNED, run_abs, {0}, 0, 0},
    {"neg.%", "t=t", SIGNED, run_neg, {0}, 0, 0},
    {"sad.%", "t=ttt", INTEGERS, run_sad, {0}, 0, 0},
    {"min.%", "t=tt", INTEGERS, run_min, {0}, 0, 0},
    {"max.%", "t=tt", INTEGERS, run_max, {0}, 0, 0},
    {"popc.%", "w=t", RAW_LARGE, run_popc, {0}, 0, 0},
    {"clz.%", "w=t", RAW_LARGE, run_clz, {0}, 0, 0},
    {"brev.%", "t=t", RAW_LARGE, run_brev, {0}, 0, 0},
    {"bfind.%", "w=t", LARGE, run_bfind, {0}, 0, 0},
    {"bfind.shiftamt.%", "w=t", LARGE, run_bfind, {1}, 0, 0},
    {"bfe.%", "t=tss", LARGE, run_bfe, {0}, 0, 0},
    {"bfi.%", "t=ttss", RAW_LARGE, run_bfi, {0}, 0, 0},
    {"and.%", "t=tt", RAW, run_and, {0}, 0, 0},
    {"or.%", "t=tt", RAW, run_or, {0}, 0, 0},
    {"xor.%", "t=tt", RAW, run_xor, {0}, 0, 0},
    {"not.%", "t=t", RAW, run_not, {0}, 0, 0},
    {"cnot.%", "t=t", RAW, run_cnot, {0}, 0, 0},
    {"and.pred", "p=pp", ONE(B16), run_and, {0}, 0, 0},
    {"or.pred", "p=pp", ONE(B16), run_or, {0}, 0, 0},
    {"xor.pred", "p=pp", ONE(B16), run_xor, {0}, 0, 0},
    {"not.pred", "p=p", ONE(B16), run_not, {0}, 0, 0},
    {"mov.pred", "p=p", ONE(B16), run_mov, {0}, 0, 0},
    {"lop3.b32", "w=wwwi", ONE(B32), run_lop3, {0}, 0, 0},
    {"lop3.or.b32", "wp=wwwip", ONE(B32), run_lop3, {1}, 'p', 0},
    {"lop3.and.b32", "wp=wwwip", ONE(B32), run_lop3, {2}, 'p', 0},
    {"shl.%", "t=ts", RAW, run_shl, {0}, 0, 0},
    {"shr.%", "t=ts", RAW | INTEGERS, run_shr, {0}, 0, 0},
    {"shf.l.wrap.b32", "w=wws", ONE(B32), run_shf_l, {0}, 0, 0},
    {"shf.l.clamp.b32", "w=wws", ONE(B32), run_shf_l, {1}, 0, 0},
    {"shf.r.wrap.b32", "w=wws", ONE(B32), run_shf_r, {0}, 0, 0},
    {"shf.r.clamp.b32", "w=wws", ONE(B32), run_shf_r, {1}, 0, 0},
    {"prmt.b32", "w=www", ONE(B32), run_prmt, {0}, 0, 0},
    {"prmt.b32.f4e", "w=www", ONE(B32), run_prmt, {1}, 0, 0},
    {"prmt.b32.b4e", "w=www", ONE(B32), run_prmt, {2}, 0, 0},
    {"prmt.b32.rc8", "w=www", ONE(B32), run_prmt, {3}, 0, 0},
    {"prmt.b32.ecl", "w=www", ONE(B32), run_prmt, {4}, 0, 0},
    {"prmt.b32.ecr", "w=www", ONE(B32), run_prmt, {5}, 0, 0},
    {"prmt.b32.rc16", "w=www", ONE(B32), run_prmt, {6}, 0, 0},
    {"mov.%", "t=t", RAW | INTEGERS | FLOATS, run_mov, {0}, 0, 0},
    {"selp.%", "t=ttp", RAW | INTEGERS | FLOATS, run_selp, {0}, 0, 0},
    {"slct.%.s32", "t=ttw", RAW | INTEGERS | FLOATS, run_slct, {0}, 0, 0},
    {"dp4a.u32.u32", "w=www", ONE(U8), run_dp4a, {0}, 0, 0},
    {"dp4a.u32.s32", "w=www", ONE(U8), run_dp4a, {1}, 0, 0},
    {"dp4a.s32.s32", "w=www", ONE(S8), run_dp4a, {1}, 0, 0},
    {"dp2a.lo.u32.u32", "w=www", ONE(U8), run_dp2a, {0}, 0, 0},
    {"dp2a.hi.s32.u32", "w=www", ONE(S8), run_dp2a, {0, 1}, 0, 0},
    {"dp2a.hi.u32.s32", "w=www", ONE(U8), run_dp2a, {1, 1}, 0, 0},
    {"mov.b32", "w=hh", ONE(B16), run_pack, {0}, 0, 'v'},
    {"mov.b64", "l=ww", ONE(B32), run_pack, {0}, 0, 'v'},
    {"mov.b64", "l=hhhh", ONE(B16), run_pack, {0}, 0, 'v'},
    {"mov.b32", "hh=w", ONE(B32), run_mov, {0}, 'v', 0},
    {"mov.b64", "ww=l", ONE(B64), run_mov, {0}, 'v', 0},
    {"mov.b64", "hhhh=l", ONE(B64), run_mov, {0}, 'v', 0},
    {"copysign.%", "t=tt", FLOATS, run_copysign, {0}, 0, 0},
    {"testp.finite.%", "p=t", FLOATS, run_testp, {0, 0, 0, 0}, 0, 0},
    {"testp.infinite.%", "p=t", FLOATS, run_testp, {0, 0, 0, 1}, 0, 0},
    {"testp.number.%", "p=t", FLOATS, run_testp, {0, 0, 0, 2}, 0, 0},
    {"testp.notanumber.%", "p=t", FLOATS, run_testp, {0, 0, 0, 3}, 0, 0},
    {"testp.normal.%", "p=t", FLOATS, run_testp, {0, 0, 0, 4}, 0, 0},
    {"testp.subnormal.%", "p=t", FLOATS, run_testp, {0, 0, 0, 5}, 0, 0},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

/* Those of uniform and affine registers: addresses, counters, and what is done to them. */
static const char *const affine_texts[] = {
    "add.%", "sub.%", "mul.lo.%", "mad.lo.%", "mul.wide.%", "mad.wide.%", "neg.%", "shl.%", "mov.%", "selp.%",  "min.%",
    "max.%", "and.%", "shr.%",    "not.%",    "abs.%",      "or.%",       "xor.%", "div.%", "rem.%", "mul.hi.%"};
