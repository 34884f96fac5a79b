"""The banks that uncoalesced's load of A wants, for rows of 4096, 1000 and 4095 words."""

from _kernel import Kernel, wavefronts
from _svg import Drawing

PITCHES = (4096, 1000, 4095)


def draw(sources):
    kernel = Kernel(sources, "step01_naive/uncoalesced.cu")
    where = dict(blockIdx_x=0, blocks_n=1, threadIdx_y=0, k=0)
    waves = {}
    for pitch in PITCHES:
        words = {}
        for lane in range(32):
            row, col = kernel.element("acc +=", "A", threadIdx_x=lane, **where)
            words[lane] = [row * pitch + col]
        waves[pitch] = wavefronts(words, 32)
    d = Drawing("The banks of the 32 words of A that a warp of uncoalesced loads at once. " + " ".join(
        f"Rows of {pitch} words: {len(waves[pitch])} wavefront{'s' * (len(waves[pitch]) > 1)}." for pitch in PITCHES))
    d.text(10, 18, "A column is a bank, 0 to 31. A box is a word that a lane", "note")
    d.text(10, 33, "wants from it. A bank gives one word in each wavefront.", "note")
    top, wide, high = 46, 11.8, 4
    for pitch in PITCHES:
        count = len(waves[pitch])
        d.text(10, top + 12, f"rows of {pitch} words: {count} wavefront{'s' * (count > 1)}", "title")
        top += 20
        for bank in range(32):
            d.box(11 + bank * wide, top + count * (high + 1) + 2, wide - 1.5, 4, "cell", 0)
            for number, wave in enumerate(waves[pitch]):
                if bank in wave:
                    d.box(11 + bank * wide, top + (count - 1 - number) * (high + 1), wide - 1.5, high, "a", 0)
        top += count * (high + 1) + 20
    return {"pitch": d.svg()}
