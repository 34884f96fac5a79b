"""Who holds what: the fragments of mma.m16n8k16 as mma_sync loads them, and the rows that the lanes of ldmatrix name."""

from _kernel import Kernel
from _svg import Drawing

COLOURS = ("a", "b", "c", "d")


def held(kernel, line, array, registers, **given):
    """{(row, first number of the word): (lane, register)} of one fragment."""
    found = {}
    for lane in range(32):
        for r in range(registers):
            row, column = kernel.index(line, array, r=r, g=lane // 4, t=lane % 4, k=0, **given)
            found[row, column] = lane, r
    return found


def grid(d, x, y, words, rows, columns, name, transposed=False):
    """A matrix of words, two numbers each, with their lanes; its registers in colours."""
    wide, high = 17, 13
    for (row, column), (lane, r) in words.items():
        down, right = (column // 2, row) if transposed else (row, column // 2)
        if not (0 <= down < rows and 0 <= right < columns):
            raise ValueError("a word outside of the matrix")
        d.box(x + right * wide, y + down * high, wide - 1, high - 1, "soft-" + COLOURS[r])
        d.text(x + right * wide + wide / 2, y + down * high + 9.5, lane, "tiny", "middle")
    d.text(x, y - 5, name)
    return y + rows * high


def fragments(sources):
    kernel = Kernel(sources, "step06_tensorcore/a_mma/mma_sync.cu")
    a = held(kernel, "a_frag[i][r] =", "a", 4, wm=0, i=0)
    b = held(kernel, "b_frag[j][r] =", "b", 2, wn=0, j=0)
    c = {}
    for lane in range(32):
        row = kernel.compute("row0 + wm + i * 16 + g", row0=0, wm=0, i=0, g=lane // 4)
        column = kernel.compute("col0 + wn + j * 8 + t * 2", col0=0, wn=0, j=0, t=lane % 4)
        kernel.line("store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);")
        c[row, column], c[row + 8, column] = (lane, 0), (lane, 1)
    if len(a) != 128 or len(b) != 64 or len(c) != 64:
        kernel.refuse("fragments that cover A, B and C once")
    d = Drawing("The fragments of mma.m16n8k16: which lane holds which word of A, 16 rows of 16 k, of B, 16 k of 8 columns, and "
                "of C, 16 by 8. Lane 4g + t has row g, or column g, and of it word t.")
    d.text(10, 18, "A box: one register, two numbers. In it: the lane.", "note")
    grid(d, 250, 46, b, 8, 8, "B: 16 k × 8 columns", True)
    end = grid(d, 40, 186, a, 16, 8, "A: 16 rows × 16 k")
    grid(d, 250, 186, c, 16, 4, "C: 16 rows × 8 columns")
    for r, text in enumerate(("register 0", "register 1", "register 2", "register 3")):
        d.box(40, 46 + r * 17, 12, 12, "soft-" + COLOURS[r])
        d.text(58, 56 + r * 17, text + (" (of C: 0 and 1)", " (of C: 2 and 3)", "", "")[r], "note")
    d.text(10, end + 16, "A row by row, B column by column: both are indexed alike.", "note")
    return d.svg()


def lanes(sources):
    kernel = Kernel(sources, "step06_tensorcore/b_ldmatrix/ldmatrix.cu")
    line = kernel.line("int row = wm + i * 16")
    row_of, chunk_of = (part.split("=", 1)[1].strip(" ;") for part in line.strip().removeprefix("int ").split(", "))
    d = Drawing("ldmatrix.x4 of 16 rows of 16 k. Lanes 0 to 15 name the left halves of rows 0 to 15, lanes 16 to 31 the right "
                "halves; each quarter is one 8 by 8 matrix and becomes one register.")
    d.text(10, 18, "ldmatrix.x4: each lane names one row of 16 bytes.", "note")
    names = {}
    for lane in range(32):
        row, chunk = kernel.compute(row_of, wm=0, i=0, lane=lane), kernel.compute(chunk_of, k=0, lane=lane)
        names[row, chunk] = lane
    for (row, chunk), lane in names.items():
        matrix = lane // 8
        d.label(60 + chunk * 142, 42 + row * 15 + row // 8 * 8, 138, 14, f"lane {lane}", "soft-" + COLOURS[matrix])
    for row in (0, 7, 8, 15):
        d.text(50, 53 + row * 15 + row // 8 * 8, row, "note", "end")
    d.text(60, 36, "bytes 0–15", "note")
    d.text(202, 36, "bytes 16–31", "note")
    d.text(10, 318, "Lane 4g + t receives word t of row g of each matrix:", "note")
    d.text(10, 333, "blue r[0], orange r[1], green r[2], violet r[3].", "note")
    return d.svg()


def draw(sources):
    return {"fragments": fragments(sources), "ldmatrix": lanes(sources)}
