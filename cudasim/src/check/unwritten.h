/* Reads of what nothing has written, of registers to which nothing has been assigned, and of lanes that take no part:
 * named where somebody computes with it. */
#ifndef SIM_UNWRITTEN_H
#define SIM_UNWRITTEN_H

#include "check/checked.h"

/* It has been read into registers, and is kept until somebody computes with it; or is said at once. */
void unwritten_load(warp *w, const unwritten_read *r);
void say_unwritten(const warp *w, const unwritten_read *r, const char *verb, site use);

/* For the observer (machine/observe.h). */
void unwritten_step(observer *o, warp *w, const insn *i, uint32_t mask);
void unwritten_register(observer *o, warp *w, const insn *i, uint32_t mask);
void unwritten_shuffle(observer *o, warp *w, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from);

#endif
