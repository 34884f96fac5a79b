/* Arrays whose length the compiler knows. */
#ifndef KL_ARRAY_H
#define KL_ARRAY_H

/* Elements of an array (not of a pointer). */
#define ARRAY_SIZE(a) ((int)(sizeof(a) / sizeof((a)[0])))

#endif
