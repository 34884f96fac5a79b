/* Does the device half of the verification agree with the host half? Both fill, compare and judge the same matrices of
 * every type and layout, correct ones and wrong ones. */
#pragma once

/* How many times they disagree; each is printed as "FAIL ...". */
int halves_differ(void);
