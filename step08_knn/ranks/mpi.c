/* The messages of base/ranks.h by MPI: build/step08/ranks.so, made where Open MPI is found. A message of MPI has at
 * most 2^31 - 1 elements, so a longer one goes in parts. An error of MPI's own ends all ranks, as is its default. */
#include <mpi.h>
#include <unistd.h>

#include "base/ranks.h"

static const size_t PART = (size_t)1 << 30;

static int part_of(size_t bytes) {
    return (int)(bytes < PART ? bytes : PART);
}

static void start(void) {
    MPI_Init(NULL, NULL);
}

static void broadcast(void *data, size_t bytes) {
    for (char *at = data; bytes > 0; bytes -= (size_t)part_of(bytes), at += PART)
        MPI_Bcast(at, part_of(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void send(int to, const void *data, size_t bytes) {
    for (const char *at = data; bytes > 0; bytes -= (size_t)part_of(bytes), at += PART)
        MPI_Send(at, part_of(bytes), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void receive(int from, void *data, size_t bytes) {
    for (char *at = data; bytes > 0; bytes -= (size_t)part_of(bytes), at += PART)
        MPI_Recv(at, part_of(bytes), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

/* On a busy machine mpirun (of Open MPI 4.1) now and then sees that a rank has gone before it sees that the rank has
 * finalized, and calls it a failure. */
static void stop(void) {
    MPI_Finalize();
    usleep(100000);
}

static void end_all(int status) {
    MPI_Abort(MPI_COMM_WORLD, status);
}

__attribute__((visibility("default")))
const ranks_calls ranks_by_mpi = {start, broadcast, send, receive, wait, stop, end_all};
