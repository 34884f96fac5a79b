/* Output files that this process already has open as its standard output or standard error. */
#ifndef KL_OUTPUT_H
#define KL_OUTPUT_H

/* The descriptor `path` refers to: N for /dev/fd/N and /proc/self/fd/N, or 1 or 2 where `path` is the file that
 * standard output or standard error goes to (/dev/stdout, say, or f in `--out f >f`); -1 if none. Opening such a path
 * again would start at the beginning of the file, or truncate it, and destroy what has already been written. */
int output_descriptor(const char *path);

/* A duplicate of it (to be closed), after flushing what stdout and stderr have buffered; -1 with errno set. */
int output_duplicate(int descriptor);

#endif
