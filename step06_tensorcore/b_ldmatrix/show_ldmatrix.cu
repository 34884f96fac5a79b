/* --show ldmatrix: which lane gives the address of which row, and what each lane gets. Every lane has a row of its own
 * somewhere in shared memory, eight 16-bit elements that encode their owner, and gives the address of that row. What
 * comes back then identifies the lane that gave the address, and the column.
 *
 *   T5's row, element 3: 5 * 8 + 3 = 43          T21 gets 43 in the upper half of its r0?
 *                                                a1 of T21 is column 3 of the row that T5 pointed to
 */
#include "../a_mma/fragment.h"
#include "gemm/gemm.h"
#include "gpu/error.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"

enum { LANES = FRAGMENT_LANES, COLUMNS = 8, FORMS = 6, REGISTERS = 4 };

__global__ void ask_ldmatrix(unsigned (*got)[LANES][REGISTERS]) {
    __shared__ __align__(16) unsigned short rows[LANES][COLUMNS];
    const int lane = threadIdx.x, somewhere = lane * 11 % LANES;
    for (int col = 0; col < COLUMNS; col++) rows[somewhere][col] = (unsigned short)(lane * COLUMNS + col);
    __syncwarp();
    const unsigned row = shared_address(rows[somewhere]);
    ldmatrix_x1(got[0][lane], row);
    ldmatrix_x2(got[1][lane], row);
    ldmatrix_x4(got[2][lane], row);
    ldmatrix_x1_trans(got[3][lane], row);
    ldmatrix_x2_trans(got[4][lane], row);
    ldmatrix_x4_trans(got[5][lane], row);
}

/* common/ptx/ldmatrix.cuh: element e is half e % 2 of register e / 2, and register i comes from matrix i. */
static void document(fragment *f, bool transposed) {
    for (int lane = 0; lane < LANES; lane++)
        for (int e = 0; e < f->elements; e++) {
            const int matrix = e / 2, across = lane / 4, along = 2 * (lane % 4) + e % 2;
            f->at[lane][e] = {8 * matrix + (transposed ? along : across), transposed ? across : along};
        }
}

extern "C" bool show_ldmatrix(const device_facts *device, FILE *out) {
    (void)device;
    static const char *const names[FORMS] = {"x1", "x2", "x4", "x1.trans", "x2.trans", "x4.trans"};
    static unsigned got[FORMS][LANES][REGISTERS];
    unsigned(*on_device)[LANES][REGISTERS];
    CUDA_ALLOCATE(&on_device, sizeof got);
    ask_ldmatrix<<<1, LANES>>>(on_device);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(got, on_device, sizeof got, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(on_device));

    fprintf(out,
            "\nEach lane gives the address of a row of 8 halves (16 bytes). A line below is one of these rows, and\n"
            "begins with the lane that gave its address; a0 and a1 are the halves of a lane's first register, a2\n"
            "and a3 of its second, and so on. x1 and x2 take the first 8 and 16 rows of x4 and nothing else.\n");
    bool ok = true;
    for (int form = 0; form < FORMS; form++) {
        const int matrices = 1 << form % 3;
        fragment found = {"given by", "lane", 'a', 8 * matrices, COLUMNS, 2 * matrices, 2, {}}, documented = found;
        for (int lane = 0; lane < LANES; lane++)
            for (int e = 0; e < found.elements; e++) {
                const int tag = (int)(got[form][lane][e / 2] >> 16 * (e % 2) & 0xffff);
                found.at[lane][e] = {tag / COLUMNS, tag % COLUMNS};
            }
        document(&documented, form >= 3);
        if (matrices == REGISTERS) {
            fprintf(out, "\nldmatrix.%s:\n", names[form]);
            fragment_draw(&found, out);
        }
        if (fragment_same(&found, &documented, out)) continue;
        fprintf(out, "in ldmatrix.%s\n", names[form]);
        ok = false;
    }
    if (ok)
        fprintf(out,
                "So the device says, and so it is documented.\n\n"
                "The registers of x4 are those of A in mma.m16n8k16 where lanes 0-7 point to rows 0-7, lanes 8-15 to\n"
                "rows 8-15, and lanes 16-31 to the same rows, 8 halves on. x2.trans gives B from row-major memory: a0\n"
                "and a1 are neighbours in a column, from two rows.\n");
    return ok;
}
