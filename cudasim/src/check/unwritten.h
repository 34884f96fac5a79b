/* Reads of unwritten memory, of registers that were never assigned and of lanes that take no part are reported where
 * an instruction computes with the value. */
#pragma once

#include "check/checked.h"

/* Keeps a read into registers until an instruction computes with the value, or reports it at once. */
void unwritten_load(warp *w, const unwritten_read *r);
void say_unwritten(const warp *w, const unwritten_read *r, const char *verb, site use);

/* For the observer (machine/observe.h). */
void unwritten_step(observer *o, warp *w, const insn *i, uint32_t mask);
void unwritten_register(observer *o, warp *w, const insn *i, uint32_t mask);
void unwritten_shuffle(observer *o, warp *w, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from);
