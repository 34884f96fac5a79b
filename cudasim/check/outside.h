/* Accesses to an allocation whose parts are known (base/parts.h) outside of these. */
#ifndef SIM_OUTSIDE_H
#define SIM_OUTSIDE_H

#include "check/global.h"

/* By lanes of an instruction, before it is executed; and one of a copy. */
void outside_touch(const observed_access *a);
void outside_touch_range(const global_range *r);

#endif
