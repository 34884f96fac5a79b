/* The device's printf. What it writes waits in a buffer (sim_printf_flush, machine/launch.h). */
#pragma once

#include "machine/machine.h"

/* One lane's, between printf_begin and printf_end, so that a warp's lines stay together; the number of arguments, or -1
 * where an address is bad. */
void printf_begin(void);
int printf_lane(warp *w, int lane, uint64_t format_address, uint64_t argument_address);
void printf_end(void);

/* The string at a device address, at most `room` - 1 bytes; false where it runs out of its memory. */
bool printf_string(warp *w, int lane, uint64_t address, char *text, size_t room);
