"""The sectors of C that one store instruction of a warp touches where C cannot be written 16 bytes at a time."""

from _kernel import Kernel, sectors
from _svg import Drawing

# words in a row of C, and which of a thread's eight rows is stored: one that begins within a sector
PITCH, ROW = 4097, 1


def scalar(sources):
    """lds128_2x2: the first of the four words that each lane stores one by one."""
    kernel = Kernel(sources, "step04_vectorized/lds128_2x2.cu")
    _, row, col, _ = kernel.arguments("gemm_store4<STORE4>", "gemm_store4<STORE4>")
    where = dict(i=ROW, j=0, row0=0, col0=0)
    return [(kernel.compute(row, threadIdx_x=lane, **where), kernel.compute(col, threadIdx_x=lane, **where))
            for lane in range(32)]


def exchanged(sources):
    """coalesced_store: x counts from the lane in steps of 32, and row r of the exchange is a row of C."""
    kernel = Kernel(sources, "step04_vectorized/coalesced_store.cu")
    kernel.line("for (int x = lane; x < BN; x += 32)")
    where = dict(i=ROW, r=0, row0=0, col0=0)
    return [(kernel.value("row", threadIdx_x=lane, **where), kernel.value("col", x=lane, **where)) for lane
            in range(32)]


def draw(sources):
    panels = [("lds128_2x2, word by word", scalar(sources)), ("coalesced_store", exchanged(sources))]
    touched = [(name, sectors([row * PITCH + col for row, col in cells]), cells) for name, cells in panels]
    d = Drawing("The sectors of C that one store instruction of a warp touches. " + " ".join(
        f"{name}: {len(found)} sectors for 128 bytes." for name, found, _ in touched))
    d.text(10, 18, f"One store instruction, 32 lanes, rows of {PITCH} words.", "note")
    d.text(10, 33, "Eight cells are a sector. Blue: words that are written.", "note")
    top, wide = 43, 10
    for name, found, cells in touched:
        words = {row * PITCH + col for row, col in cells}
        d.text(10, top + 12, name, "title")
        d.text(10, top + 27, f"{len(found)} sectors, {4 * len(words)} of {32 * len(found)} bytes written", "note")
        for number, sector in enumerate(found):
            x, y = 10 + number % 4 * (8 * wide + 16), top + 34 + number // 4 * 17
            for word in range(8):
                d.box(x + word * wide, y, wide - 1, 13, "a" if sector * 8 + word in words else "cell", 1)
        top += 34 + -(-len(found) // 4) * 17 + 12
    return {"stores": d.svg()}
