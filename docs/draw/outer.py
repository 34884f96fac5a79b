"""The outer product of step 3: a fragment of A and one of B, and which elements of the block's tile a thread owns."""

from _kernel import Kernel
from _svg import Drawing

CONSTANTS = ("BM", "BN", "BK", "TM", "TN")


def variant(sources, name):
    sizes = Kernel(sources, f"step03_regblock/{name}.cu")
    return Kernel(sources, "step03_regblock/regblock.cuh", **{one: sizes.value(one) for one in CONSTANTS})


def owned(kernel, tid):
    """Rows and columns of the tile whose results a thread keeps: those of its fragments of A and B."""
    rows = [kernel.index("a_reg[i] =", "As", i=i, k=0, threadIdx_x=tid)[0] for i in range(kernel.value("TM"))]
    cols = [kernel.index("b_reg[j] =", "Bs", j=j, k=0, threadIdx_x=tid)[1] for j in range(kernel.value("TN"))]
    return rows, cols


def draw(sources):
    kernel = variant(sources, "tile4x4")
    bm, bn, tm, tn = (kernel.value(name) for name in ("BM", "BN", "TM", "TN"))
    rows, cols = owned(kernel, 0)
    next_rows, next_cols = owned(kernel, 1)
    d = Drawing(f"One thread of tile4x4 multiplies {tm} values of A by {tn} of B: {tm + tn} loads, {tm * tn} FMAs. In "
                f"the block's {bm} × {bn} tile thread 0 owns rows {', '.join(map(str, rows))} and columns "
                f"{', '.join(map(str, cols))}; its neighbour owns the columns beside these.")
    d.text(10, 20, "one thread, one k", "title")
    size, left, top = 27, 44, 60
    for j in range(tn):
        d.label(left + j * size, top - size - 4, size - 2, size - 2, f"b{j}", "soft-b")
    for i in range(tm):
        d.label(left - size - 4, top + i * size, size - 2, size - 2, f"a{i}", "soft-a")
        for j in range(tn):
            d.label(left + j * size, top + i * size, size - 2, size - 2, "+=", "soft-c")
    d.text(10, top + tm * size + 20, f"{tm + tn} loads,")
    d.text(10, top + tm * size + 35, f"{tm * tn} FMAs: {tm * tn / (tm + tn):g} per load")
    d.text(190, 20, f"the block's {bm} × {bn} results", "title")
    cell, x0, y0 = 3.1, 190, 30
    d.box(x0, y0, bn * cell, bm * cell, "cell", 1)
    for mine, others, style in ((rows, cols, "c"), (next_rows, next_cols, "d")):
        for row in mine:
            for col in others:
                d.box(x0 + col * cell, y0 + row * cell, cell, cell, style, 0)
    d.text(190, y0 + bm * cell + 15, "green: thread 0's results")
    d.text(190, y0 + bm * cell + 30, "violet: those of thread 1")
    return {"outer": d.svg()}
