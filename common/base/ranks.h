/* The processes, called ranks, that `mpirun -np R` of Open MPI starts together, and the messages between them. MPI
 * itself is in a library of its own, step08_knn/ranks/mpi.c, which is loaded when there are several ranks: a program
 * needs no MPI to be built or to run alone.
 *
 * Only rank 0 prints: what the others write to stdout is dropped, and to stderr, kept back. A rank that ends with an
 * error ends all. If it is rank 0, it has said why; any other gives rank 0 some seconds, as the same error may be
 * everybody's and one sentence is enough, and then prints what it kept back. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The messages. What is sent may be changed, and what is received is there, when a call returns. */
typedef struct {
    void (*start)(void);
    void (*broadcast)(void *data, size_t bytes); /* everybody gets what rank 0 has in `data` */
    void (*send)(int to, const void *data, size_t bytes);
    void (*receive)(int from, void *data, size_t bytes);
    void (*wait)(void); /* returns when all have called it */
    void (*stop)(void);
    void (*abort)(int status);
} ranks_calls;

extern const ranks_calls *ranks_mpi; /* NULL: not started, or stopped */

/* From mpirun's environment, so they are known before MPI is. Alone: 0 of 1, on this host, too. */
int ranks_rank(void);
int ranks_count(void);
int ranks_local(void);
int ranks_local_count(void);

/* Must be called first in main. */
void ranks_arrive(void);

/* Loads MPI. Returns false after one line on `err`. */
bool ranks_start(FILE *err);

/* Memory that all ranks see at once, if they are on one host: a message in it travels nowhere. All ranks call it
 * together; NULL where it cannot be. Ends with munmap. */
void *ranks_share(size_t bytes);

/* All ranks call it when nothing remains to be said; a rank that ends without it ends all. */
void ranks_stop(void);
