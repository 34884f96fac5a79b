#ifndef KL_ARRAY_H
#define KL_ARRAY_H

/* Elements of an array (not of a pointer). */
#define ARRAY_SIZE(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
