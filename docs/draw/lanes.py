"""Which words, sectors and lines of global memory a warp's loads touch, in step 1's two kernels."""

from _kernel import Kernel, sectors
from _svg import Drawing

LDA = 4096  # words in a row


def words_of(kernel, matrix):
    """The word that each lane of a warp loads at k = 0: lanes differ in threadIdx.x."""
    where = dict(blockIdx_x=0, blocks_n=1, threadIdx_y=0, k=0)
    pairs = [kernel.element("acc +=", matrix, threadIdx_x=lane, **where) for lane in range(32)]
    return [row * LDA + col for row, col in pairs]


def panel(d, top, title, words):
    touched = sectors(words)
    used = len(set(words)) * 4
    d.text(10, top + 12, title, "title")
    d.text(10, top + 27, f"{len(touched)} sector{'s' * (len(touched) > 1)} of 32 bytes, {used} of {32 * len(touched)} "
           "bytes used", "note")
    wide, columns = 9, 4
    for number, sector in enumerate(touched):
        x, y = 10 + number % columns * (8 * wide + 22), top + 35 + number // columns * 15
        for word in range(8):
            lanes = [lane for lane, one in enumerate(words) if one == sector * 8 + word]
            d.box(x + word * wide, y, wide - 1, 11, "a" if lanes else "cell", 1)
    return top + 35 + -(-len(touched) // columns) * 15 + 12


def draw(sources):
    slow = Kernel(sources, "step01_naive/uncoalesced.cu")
    fast = Kernel(sources, "step01_naive/coalesced.cu")
    loads = [(name, matrix, words_of(kernel, matrix)) for name, kernel in (("uncoalesced", slow), ("coalesced", fast))
             for matrix in "AB"]
    counts = [f"{name}: {len(sectors(words))} for {matrix}" for name, matrix, words in loads]
    d = Drawing("The sectors that the two loads of a warp touch. " + "; ".join(counts) + ".")
    d.text(10, 18, "One load instruction of 32 lanes. Eight cells are a sector,", "note")
    d.text(10, 33, "which memory moves as a whole. Blue: words that lanes want.", "note")
    top = 46
    for name, matrix, words in loads:
        same = len(set(words)) == 1
        top = panel(d, top, f"{name}, load of {matrix}" + (": one word for all lanes" if same else ""), words)
    return {"lanes": d.svg()}
