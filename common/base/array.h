/* Arrays whose length the compiler knows. */
#pragma once

/* The number of elements of an array (not of a pointer). */
#define ARRAY_SIZE(a) ((int)(sizeof(a) / sizeof((a)[0])))
