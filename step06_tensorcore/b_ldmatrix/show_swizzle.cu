/* --show swizzle: where the 16-byte chunks of a tile lie in shared memory, and what that costs. The tile has 16 rows of
 * 64 halves: 8 chunks, 128 bytes, all 32 banks. ldmatrix reads a column of chunks, eight rows per wavefront if their
 * banks differ:
 *
 *              plain                       padded: 9 chunks a row              XOR: chunk c of row r at c ^ r % 8
 *   banks   0.. 4.. 8.. 12..                0.. 4.. 8.. 12..                    0.. 4.. 8.. 12..
 *   row 0   [0]  1   2   3                  [0]  1   2   3                      [0]  1   2   3
 *   row 1   [0]  1   2   3                   7  [0]  1   2                       1  [0]  3   2
 *   row 2   [0]  1   2   3                   6   7  [0]  1                       2   3  [0]  1
 *           8 wavefronts                    1 wavefront, 1/9 of it wasted       1 wavefront, nothing wasted
 *
 * A warp does the stores and loads and records every address; the wavefronts are counted from these. */
#include "banks.h"
#include "gemm/gemm.h"
#include "gpu/error.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"

enum arrangement { PLAIN, PADDED, XORED, ARRANGEMENTS };
enum { LANES = 32, ROWS = 16, CHUNKS = 8, CHUNK = 16, HALVES = 8, TURNS = ROWS * CHUNKS / LANES, COLUMN = 2 };

/* Addresses in bytes from the start of the tile, one per lane, and what ldmatrix.x4 read; four instructions of each
 * kind. */
typedef struct {
    unsigned store[TURNS][LANES];
    unsigned column[TURNS][LANES], got_column[TURNS][LANES][4];
    unsigned row[TURNS][LANES], got_row[TURNS][LANES][4];
} record_of_warp;

template <arrangement HOW> __device__ int place(int row, int chunk) {
    return HOW == PLAIN    ? row * CHUNKS + chunk
           : HOW == PADDED ? row * (CHUNKS + 1) + chunk
                           : row * CHUNKS + (chunk ^ row % CHUNKS);
}

template <arrangement HOW> __global__ void use_tile(record_of_warp *seen) {
    __shared__ __align__(128) uint4 tile[ROWS * (CHUNKS + 1)];
    const unsigned begin = shared_address(tile);
    const int lane = threadIdx.x;
    for (int turn = 0; turn < TURNS; turn++) { /* the article's store: four rows at a time */
        const int row = turn * LANES / CHUNKS + lane / CHUNKS, chunk = lane % CHUNKS;
        const unsigned first = (unsigned)(row * CHUNKS + chunk) * HALVES, two = first | (first + 1) << 16;
        uint4 *to = &tile[place<HOW>(row, chunk)];
        *to = make_uint4(two, two + 0x20002, two + 0x40004, two + 0x60006);
        seen->store[turn][lane] = shared_address(to) - begin;
    }
    __syncwarp();
    for (int turn = 0; turn < TURNS; turn++) { /* 16x16 fragments: two columns of chunks */
        const unsigned from = shared_address(&tile[place<HOW>(lane % 16, 2 * turn + lane / 16)]);
        ldmatrix_x4(seen->got_column[turn][lane], from);
        seen->column[turn][lane] = from - begin;
    }
    for (int turn = 0; turn < TURNS; turn++) { /* the article's load: chunk after chunk of a row */
        const unsigned from = shared_address(&tile[place<HOW>(turn * LANES / CHUNKS + lane / CHUNKS, lane % CHUNKS)]);
        ldmatrix_x4(seen->got_row[turn][lane], from);
        seen->row[turn][lane] = from - begin;
    }
}

/* Did lane `lane` get the right two halves in register r, given that lane l pointed to chunk from[l]? */
static bool arrived(unsigned got, int lane, int r, const int from[LANES]) {
    const unsigned first = (unsigned)(from[8 * r + lane / 4] * HALVES + 2 * (lane % 4));
    return got == (first | (first + 1) << 16);
}

static int count_misplaced(const record_of_warp *seen) {
    int wrong = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        int column[LANES], row[LANES]; /* the chunks, numbered row by row */
        for (int lane = 0; lane < LANES; lane++) {
            column[lane] = lane % 16 * CHUNKS + 2 * turn + lane / 16;
            row[lane] = turn * LANES + lane;
        }
        for (int lane = 0; lane < LANES; lane++)
            for (int r = 0; r < 4; r++) {
                wrong += !arrived(seen->got_column[turn][lane][r], lane, r, column);
                wrong += !arrived(seen->got_row[turn][lane][r], lane, r, row);
            }
    }
    return wrong;
}

/* Eight lines of 128 bytes as they lie in memory: which chunk was stored where. */
static void draw(const record_of_warp *seen, const char *title, FILE *out) {
    fprintf(out, "\n%s\n    banks    ", title);
    for (int i = 0; i < CHUNKS; i++) fprintf(out, "  %2d-%-2d", BANKS / CHUNKS * i, BANKS / CHUNKS * i + 3);
    for (int line = 0; line < CHUNKS; line++) {
        bool before = false; /* was the chunk before this one of the column? */
        fprintf(out, "\n    byte %4d", line * BANKS_LINE);
        for (int i = 0; i < CHUNKS; i++) {
            int chunk = -1;
            for (int c = 0; c < ROWS * CHUNKS; c++)
                if (seen->store[c / LANES][c % LANES] == (unsigned)(line * BANKS_LINE + i * CHUNK)) chunk = c;
            const bool read = chunk >= 0 && chunk % CHUNKS == COLUMN;
            fprintf(out, "%c   %c", before ? ']' : ' ', read ? '[' : ' ');
            fprintf(out, chunk >= 0 ? "%2d" : "--", chunk);
            before = read;
        }
        if (before) fprintf(out, "]");
    }
    fprintf(out, "\n");
}

static int sum_wavefronts(const unsigned addresses[TURNS][LANES]) {
    int sum = 0;
    for (int turn = 0; turn < TURNS; turn++) sum += banks_wavefronts(addresses[turn], LANES, CHUNK);
    return sum;
}

typedef struct {
    const char *title, *name;
    void (*kernel)(record_of_warp *seen);
    int row_bytes, store, column, row; /* wavefronts of the four instructions of each kind, as they should be */
} arrangement_facts;

extern "C" bool show_swizzle(const device_facts *device, FILE *out) {
    (void)device;
    static const arrangement_facts all[ARRANGEMENTS] = {
        {"Plain: row after row.", "plain", use_tile<PLAIN>, 128, 16, 128, 16},
        {"Padded: a chunk of nothing (--) after each row.", "padded", use_tile<PADDED>, 144, 16, 16, 16},
        {"XOR: chunk c of row r lies where c ^ r % 8 would (8..15: ^1, 16..23: ^2, ...).", "XOR", use_tile<XORED>, 128,
         16, 16, 16},
    };
    static record_of_warp seen[ARRANGEMENTS];
    record_of_warp *on_device;
    bool ok = true;
    CUDA_ALLOCATE(&on_device, sizeof *on_device);
    fprintf(out,
            "\nA tile of %d rows of 64 halves in chunks of 16 bytes, numbered row by row: chunk 8r + c. Chunks in\n"
            "the same column below lie in the same banks. [ ]: those that one 8x8 matrix of ldmatrix takes.\n",
            ROWS);
    for (int how = 0; how < ARRANGEMENTS; how++) {
        all[how].kernel<<<1, LANES>>>(on_device);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(&seen[how], on_device, sizeof *on_device, cudaMemcpyDeviceToHost));
        draw(&seen[how], all[how].title, out);
    }
    CUDA_CHECK(cudaFree(on_device));

    fprintf(out,
            "\nWavefronts of the whole tile, counted from the addresses; 16 is the least (2048 bytes, 128 in each):\n\n"
            "                          store     ldmatrix.x4 of 16x16     ldmatrix.x4 row by row\n"
            "            bytes   (conflicts)              (conflicts)                (conflicts)\n");
    for (int how = 0; how < ARRANGEMENTS; how++) {
        const arrangement_facts *a = &all[how];
        const int store = sum_wavefronts(seen[how].store), column = sum_wavefronts(seen[how].column),
                  row = sum_wavefronts(seen[how].row), least = ROWS * CHUNKS * CHUNK / BANKS_LINE;
        fprintf(out, "    %-8s %4d  %5d (%d) %16d (%3d) %20d (%d)\n", a->name, ROWS * a->row_bytes, store,
                store - least, column, column - least, row, row - least);
        const int misplaced = count_misplaced(&seen[how]);
        if (misplaced > 0) fprintf(out, "WRONG: %d registers do not hold what was stored\n", misplaced);
        if (store != a->store || column != a->column || row != a->row)
            fprintf(out, "WRONG: should be %d, %d and %d\n", a->store, a->column, a->row);
        ok = ok && misplaced == 0 && store == a->store && column == a->column && row == a->row;
    }
    fprintf(out,
            "\nA store of rows is free of conflicts in all three, and so is a load of rows. The article's program\n"
            "reads its 8x8 matrices so, row by row: it would have no conflict without the XOR either. But a 16x16\n"
            "fragment of a wider tile is two columns of chunks. That is what padding and the XOR are for, and the\n"
            "XOR takes no memory.\n");
    return ok;
}
