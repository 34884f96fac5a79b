/* Arrays whose length the compiler knows. */
#ifndef KL_ARRAY_H
#define KL_ARRAY_H

/* The number of elements of an array (not of a pointer). */
#define ARRAY_SIZE(a) ((int)(sizeof(a) / sizeof((a)[0])))

#endif
