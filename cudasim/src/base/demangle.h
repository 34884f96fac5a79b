/* Names of C++ for people. */
#pragma once

#include <stddef.h>

/* A kernel's name as the program's source has it, where the host has libstdc++ to tell; else as in PTX. Returns `text`.
 */
const char *readable_name(const char *mangled, char *text, size_t size);

/* The same, for as long as the block lasts. */
#define READABLE(mangled) readable_name(mangled, (char[512]){""}, 512)
