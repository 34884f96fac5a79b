/* Checks the format of the device's printf against its arguments. */
#pragma once

#include "machine/observe.h"

void formats_printf(observer *o, warp *w, const insn *i, uint32_t lane, const char *format);
