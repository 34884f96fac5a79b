/* The running program's own code. */
#pragma once

/* 16 hexadecimal digits that change when the program's code does, its kernels' or the host's, but not with its version
 * or debug information: whatever was found out by timing this code holds for the same digits. */
const char *program_build(void);
