"""Which results of the block's 128 x 128 tile a thread owns in lds128 and in lds128_2x2."""

from _kernel import Kernel
from _svg import Drawing

NAMES = ("lds128", "lds128_2x2")


def owned(kernel, tid):
    """Rows and columns, from the addresses of a thread's fragments: two float4 of each."""
    rows = [kernel.index(f"&a_reg[{half}] =", "t.A", k=0, threadIdx_x=tid)[1] for half in (0, 4)]
    cols = [kernel.index(f"&b_reg[{half}] =", "t.B", k=0, threadIdx_x=tid)[1] for half in (0, 4)]
    return [[first + one for first in firsts for one in range(4)] for firsts in (rows, cols)]


def draw(sources):
    tiles = Kernel(sources, "step04_vectorized/tiles.cuh")
    bm, bn = tiles.value("BM"), tiles.value("BN")
    blocks = []
    for name in NAMES:
        rows, cols = owned(Kernel(sources, f"step04_vectorized/{name}.cu"), 0)
        blocks.append(f"In {name} thread 0 owns rows {rows[0]} to {rows[3]} and {rows[4]} to {rows[7]}, and columns "
                      f"{cols[0]} to {cols[3]} and {cols[4]} to {cols[7]}.")
    d = Drawing(f"The block's {bm} × {bn} results and those of warp 0, of its threads 0, 1 and 16 in colours. "
                + " ".join(blocks))
    cell, top = 1.36, 42
    for number, name in enumerate(NAMES):
        kernel = Kernel(sources, f"step04_vectorized/{name}.cu")
        left = 22 + number * 194
        d.text(left, 18, name, "title")
        for at in range(0, 129, 32):  # a scale: columns above, rows at the left
            d.text(left + at * cell, top - 5, at, "tiny", "middle")
            d.line(left + at * cell, top - 3, left + at * cell, top)
            d.line(left - 3, top + at * cell, left, top + at * cell)
            if 0 < at < bm:
                d.text(left - 4, top + at * cell + 3, at, "tiny", "end")
        d.box(left, top, bn * cell, bm * cell, "cell", 0)
        for tid, style in [(lane, "soft-d") for lane in range(32)] + [(0, "a"), (1, "b"), (16, "c")]:
            rows, cols = owned(kernel, tid)
            for i in range(0, 8, 4):
                for j in range(0, 8, 4):
                    d.box(left + cols[j] * cell, top + rows[i] * cell, 4 * cell - 0.3, 4 * cell - 0.3, style, 0)
    y = top + bm * cell + 18
    d.key(y, (10, "a", "thread 0: tx 0, ty 0"), (150, "b", "thread 1: tx 1"), (270, "c", "thread 16: ty 1"))
    d.key(y + 16, (10, "soft-d", "the other lanes of warp 0"))
    d.text(10, y + 34, f"Columns of the tile above, rows at the left: {bm} × {bn}.", "note")
    return {"owners": d.svg()}
