"""Step 4: which results a thread owns in lds128 and in lds128_2x2, the banks that eight lanes want from B in one
16-byte load and the phases of A's, where load_tiles puts A, and the sectors that a store of C touches."""

from _kernel import Kernel, sectors, wavefronts
from _svg import Drawing

NAMES = ("lds128", "lds128_2x2")
SHOWN = (0, 1, 2, 3)  # threads whose words of A are drawn
# words in a row of C, and which of a thread's eight rows is stored: one that begins within a sector
PITCH, ROW = 4097, 1


def owned(kernel, tid):
    """Rows and columns, from the addresses of a thread's fragments: two float4 of each."""
    rows = [kernel.index(f"&a_reg[{half}] =", "t.A", k=0, threadIdx_x=tid)[1] for half in (0, 4)]
    cols = [kernel.index(f"&b_reg[{half}] =", "t.B", k=0, threadIdx_x=tid)[1] for half in (0, 4)]
    return [[first + one for first in firsts for one in range(4)] for firsts in (rows, cols)]


def draw_owners(sources):
    """Which results of the block's 128 x 128 tile a thread owns."""
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
    return d.svg()


def draw_phases(sources):
    waves = {}
    for name in NAMES:
        kernel = Kernel(sources, f"step04_vectorized/{name}.cu")
        first = [kernel.index("&b_reg[0] =", "t.B", k=0, threadIdx_x=lane)[1] for lane in range(8)]
        waves[name] = wavefronts({lane: range(column, column + 4) for lane, column in enumerate(first)}, 8)
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


def draw_merge(sources):
    """The load of A: whose words the lanes of each phase want."""
    kernel = Kernel(sources, "step04_vectorized/lds128.cu")
    rows = [kernel.index("&a_reg[0] =", "t.A", k=0, threadIdx_x=lane)[1] for lane in range(32)]
    kernel.must_have("lanes that share the words of A as the drawing has it",
                     len(set(rows[:16])) == len(set(rows[16:])) == 1)
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
        d.lines(346, y + 32, ("one", "wave-", "front"), 14, "")
    return d.svg()


def stored_words(kernel, part, threads, pitch):
    words = {}
    for tid in threads:
        k, row = kernel.index(f"t->A[a_k + {part}]", "t->A", threadIdx_x=tid)
        words[tid] = [k * pitch + row]
    return words


def draw_transpose(sources):
    kernel = Kernel(sources, "step04_vectorized/tiles.cuh")
    bk, bm, pitch = (kernel.value(name) for name in ("BK", "BM", "A_ROW"))
    counts = {one: len(wavefronts(stored_words(kernel, 0, range(32), one), 32)) for one in (bm, pitch)}
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
            d.label(x, y, cell - gap, cell - gap, f"{tid}", styles[tid])
    d.grid(10, 44 + 2 * cell, 2, bk, cell, cell, "cell", gap)
    d.text(10, 44 + 4 * cell + 12, f"k: 0 to {bk - 1}  ->", "note")
    x0 = 206
    d.text(x0, 18, "As in shared memory", "title")
    d.text(x0, 32, "four 4-byte stores per thread", "note")
    d.grid(x0, 44, bk, 9, cell, cell, "cell", gap)
    for tid in SHOWN:
        for part in range(4):
            k, row = kernel.index(f"t->A[a_k + {part}]", "t->A", threadIdx_x=tid)
            d.label(x0 + row * cell, 44 + k * cell, cell - gap, cell - gap, f"{tid}", styles[tid])
    d.text(x0, 44 + bk * cell + 12, f"row of A: 0 to {bm - 1}  ->", "note")
    d.lines(10, 150, ("The number is the thread.", "As has a row for each k,", "so what lay side by side",
                      "lies one below the other."), style="")
    top, wide = 240, 11.8
    for one in (pitch, bm):
        waves = wavefronts(stored_words(kernel, 0, range(32), one), 32)
        d.text(10, top, f"rows of {one} words: {len(waves)} wavefront{'s' * (len(waves) > 1)} per store", "title")
        for number, wave in enumerate(waves):
            for bank in range(32):
                d.box(11 + bank * wide, top + 6 + number * 9, wide - 1.5, 7, "a" if bank in wave else "cell", 0.5)
        top += 6 + len(waves) * 9 + 20
    d.text(10, top - 2, "Columns: the 32 banks. Blue: banks that the store fills.", "note")
    return d.svg()


def draw_stores(sources):
    """The sectors of C that one store of a warp touches where C cannot be written 16 bytes at a time."""
    scalar, exchange = (Kernel(sources, f"step04_vectorized/{name}.cu") for name in ("lds128_2x2", "coalesced_store"))
    _, row, col, _ = scalar.arguments("gemm_store4<STORE4>", "gemm_store4<STORE4>")
    exchange.line("for (int x = lane; x < BN; x += 32)")  # row r of the exchange is a row of C
    where = [dict(threadIdx_x=lane, x=lane, i=ROW, j=0, r=0, row0=0, col0=0) for lane in range(32)]
    panels = [("lds128_2x2, word by word", [(scalar.compute(row, **at), scalar.compute(col, **at)) for at in where]),
              ("coalesced_store", [(exchange.value("row", **at), exchange.value("col", **at)) for at in where])]
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
    return d.svg()
