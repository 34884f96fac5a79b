/* Files that are this process's standard output or standard error already. */
#ifndef KL_OUTPUT_H
#define KL_OUTPUT_H

/* The descriptor that `path` stands for: N of /dev/fd/N and /proc/self/fd/N, or 1 or 2 where `path` is the file that
 * standard output or standard error goes to (/dev/stdout does; so does f in `--out f >f`). -1: none. Opening such a
 * path anew would start at the file's beginning, or cut it off, and destroy what has been written to it. */
int output_descriptor(const char *path);

/* A duplicate of it (close it), what stdout and stderr have buffered written before; -1 with errno set. */
int output_duplicate(int descriptor);

#endif
