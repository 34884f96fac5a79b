"""Where load_tiles of step 4 puts A: one float4 of global memory goes to four rows of As, and the banks of a warp's
store."""

from _kernel import Kernel, wavefronts
from _svg import Drawing

SHOWN = (0, 1, 2, 3)  # threads whose words are drawn


def stores(kernel, part, threads, pitch):
    words = {}
    for tid in threads:
        k, row = kernel.index(f"t->A[a_k + {part}]", "t->A", threadIdx_x=tid)
        words[tid] = [k * pitch + row]
    return words


def draw(sources):
    kernel = Kernel(sources, "step04_vectorized/tiles.cuh")
    bk, bm, pitch = (kernel.value(name) for name in ("BK", "BM", "A_ROW"))
    counts = {one: len(wavefronts(stores(kernel, 0, range(32), one), 32)) for one in (bm, pitch)}
    d = Drawing(f"A thread loads four neighbouring words of a row of A and stores them into four rows of As, one below "
                f"the other. With rows of {pitch} words a warp's store takes {counts[pitch]} wavefront, with rows of "
                f"{bm} it takes {counts[bm]}.")
    cell, gap = 19, 1.5
    styles = ["a", "b", "soft-a", "soft-b"]
    d.text(10, 18, "A in global memory", "title")
    d.text(10, 32, "one 16-byte load per thread", "note")
    for tid in SHOWN:
        row, k0 = kernel.value("a_row", threadIdx_x=tid), kernel.value("a_k", threadIdx_x=tid)
        for part in range(4):
            x, y = 10 + (k0 + part) * cell, 44 + row * cell
            d.label(x, y, cell - gap, cell - gap, f"{tid}", styles[tid], "on" if tid < 2 else "")
    for row in range(2, 4):
        for k in range(bk):
            d.box(10 + k * cell, 44 + row * cell, cell - gap, cell - gap)
    d.text(10, 44 + 4 * cell + 12, f"k: 0 to {bk - 1}  ->", "note")
    x0 = 206
    d.text(x0, 18, "As in shared memory", "title")
    d.text(x0, 32, "four 4-byte stores per thread", "note")
    for k in range(bk):
        for row in range(9):
            d.box(x0 + row * cell, 44 + k * cell, cell - gap, cell - gap)
    for tid in SHOWN:
        for part in range(4):
            k, row = kernel.index(f"t->A[a_k + {part}]", "t->A", threadIdx_x=tid)
            d.label(x0 + row * cell, 44 + k * cell, cell - gap, cell - gap, f"{tid}", styles[tid], "on" if tid < 2
                    else "")
    d.text(x0, 44 + bk * cell + 12, f"row of A: 0 to {bm - 1}  ->", "note")
    d.text(10, 150, "The number is the thread.")
    d.text(10, 165, "As has a row for each k,")
    d.text(10, 180, "so what lay side by side")
    d.text(10, 195, "lies one below the other.")
    top, wide = 240, 11.8
    for one in (pitch, bm):
        waves = wavefronts(stores(kernel, 0, range(32), one), 32)
        d.text(10, top, f"rows of {one} words: {len(waves)} wavefront{'s' * (len(waves) > 1)} per store", "title")
        for number, wave in enumerate(waves):
            for bank in range(32):
                d.box(11 + bank * wide, top + 6 + number * 9, wide - 1.5, 7, "a" if bank in wave else "cell", 0.5)
        top += 6 + len(waves) * 9 + 20
    d.text(10, top - 2, "Columns: the 32 banks. Blue: banks that the store fills.", "note")
    return {"transpose": d.svg()}
