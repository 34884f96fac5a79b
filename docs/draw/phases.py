"""The banks that eight lanes want from B in one 16-byte load, in lds128 and in lds128_2x2, and the phases of A's
load."""

from _kernel import Kernel, wavefronts
from _svg import Drawing

NAMES = ("lds128", "lds128_2x2")


def words_of(sources, name, lanes):
    """The four words of B that each lane loads first, at k = 0."""
    kernel = Kernel(sources, f"step04_vectorized/{name}.cu")
    words = {}
    for lane in lanes:
        _, column = kernel.index("&b_reg[0] =", "t.B", k=0, threadIdx_x=lane)
        words[lane] = list(range(column, column + 4))
    return words


def banks(sources):
    waves = {name: wavefronts(words_of(sources, name, range(8)), 8) for name in NAMES}
    d = Drawing("The eight lanes of one phase of a 16-byte load of B. " + " ".join(
        f"{name} takes {len(waves[name])} wavefront{'s' * (len(waves[name]) > 1)}." for name in NAMES))
    d.text(10, 18, "One phase: lanes 0 to 7 load 16 bytes of B each. A row is a", "note")
    d.text(10, 33, "wavefront, a box four banks; in it the lane that it serves.", "note")
    top, wide = 44, 44.5
    for name in NAMES:
        count = len(waves[name])
        d.text(10, top + 14, f"{name}: {count} wavefront{'s' * (count > 1)}", "title")
        d.banks(top + 22, waves[name], 30)
        top += 22 + count * 30
        for group in range(8):
            d.text(22 + group * wide + wide / 2, top + 10, f"{4 * group}–{4 * group + 3}", "tiny", "middle")
        top += 18
    d.text(10, top + 10, "Below the boxes: their banks. Framed: a conflict, two words", "note")
    d.text(10, top + 25, "wanted from one bank. Grey: banks that deliver nothing.", "note")
    return d.svg()


def merged(sources):
    """The load of A: whose words the lanes of each phase want."""
    kernel = Kernel(sources, "step04_vectorized/lds128.cu")
    rows = [kernel.index("&a_reg[0] =", "t.A", k=0, threadIdx_x=lane)[1] for lane in range(32)]
    pairs = all(rows[lane] == rows[lane + 1] for lane in range(0, 32, 2))
    if not pairs or len(set(rows[:16])) > 1 or len(set(rows[16:])) > 1:
        kernel.refuse("lanes that share the words of A as the drawing has it")
    d = Drawing("The four phases of lds128's load of A. In phases 1 and 2 all lanes want the same 16 bytes, in phases "
                "3 and 4 others. Phases whose lanes share addresses with their neighbours merge in pairs: two "
                "wavefronts, not four.")
    d.text(10, 18, "lds128, the load of A by a whole warp. In a box: lane, and", "note")
    d.text(10, 33, "below it the row of A where its 16 bytes begin.", "note")
    wide = 34
    for phase in range(4):
        y = 42 + phase * 36 + (phase // 2) * 8
        d.text(10, y + 19, f"phase {phase + 1}")
        for one in range(8):
            lane = phase * 8 + one
            d.box(66 + one * wide, y, wide - 2, 32, "soft-a" if rows[lane] == rows[0] else "soft-b")
            d.text(66 + one * wide + 16, y + 13, lane, "", "middle")
            d.text(66 + one * wide + 16, y + 27, rows[lane], "note", "middle")
    for pair in range(2):
        y = 42 + pair * 80
        d.box(62, y - 3, 8 * wide + 6, 74, "frame", 4)
        d.text(346, y + 32, "one")
        d.text(346, y + 46, "wave-")
        d.text(346, y + 60, "front")
    return d.svg()


def draw(sources):
    return {"phases": banks(sources), "merge": merged(sources)}
