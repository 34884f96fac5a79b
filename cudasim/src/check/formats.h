/* Checks the format of the device's printf against its arguments. */
#ifndef CHECK_FORMATS_H
#define CHECK_FORMATS_H

#include "machine/observe.h"

void formats_printf(observer *o, warp *w, const insn *i, uint32_t lane, const char *format);

#endif
