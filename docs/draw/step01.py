"""Step 1: grid, block, warp and thread, each inside the one before, and where each of them runs; what a warp's loads
touch, the banks that they want, and what a scheduler's clocks go to."""

from _kernel import Kernel, multiprocessors, rows, sectors, wavefronts
from _svg import Drawing

SIDE, WARP = 4096, 32
PITCHES = (4096, 1000, 4095)
LDA = 4096  # words in a row
CORNER = 8  # rows and columns of blocks that are drawn of a grid


def draw_hierarchy(sources):
    block = Kernel(sources, "step01_naive/coalesced.cu").value("BLOCK")
    sms, side = multiprocessors(sources), SIDE // block
    first = [(tid % block, tid // block) for tid in range(WARP)]  # as CUDA numbers threads: x runs first
    wide, high = (1 + max(place) for place in zip(*first))  # of a warp in its block
    count = block * block // WARP
    levels = [
        ("grid", f"{side} × {side} = {side * side:,} blocks: all of C", f"spread over the GPU's {sms} SMs"),
        ("block", f"{block} × {block} threads: a tile of C", f"stays on one SM; {count} warps"),
        ("warp", f"{WARP} threads: {wide} × {high} elements of C", "issues one instruction for all its lanes"),
        ("thread", "one element of C", "is one lane of the warp"),
    ]
    d = Drawing(f"C has {SIDE} × {SIDE} elements. From the grid to the thread, each a part of the one before: " +
                "; ".join(f"{name}: {what}, {where}" for name, what, where in levels) + ".")
    d.text(10, 18, f"C has {SIDE} × {SIDE} elements. Each picture is the coloured", "note")
    d.text(10, 33, f"part of the one above it. Of the grid: {CORNER} × {CORNER} blocks.", "note")
    left, size, tops = 12, 96, [46, 166, 286]

    spot = size / CORNER  # the coloured block is at the lower edge: there it is nearest to its picture
    d.grid(left, tops[0], CORNER, CORNER, spot, spot, lambda *at: "c" if at == (CORNER - 1, 0) else "soft-d", round=0)
    d.line(left + spot, tops[0] + size, left + size, tops[1])
    d.line(left, tops[0] + size, left, tops[1])

    cell = size / block
    d.box(left, tops[1], size, size, "soft-c", 0)
    d.box(left, tops[1] + size - high * cell, wide * cell, high * cell, "b", 0)
    for line in range(high, block, high):
        d.line(left, tops[1] + line * cell, left + size, tops[1] + line * cell, style="thin")
    d.line(left + wide * cell, tops[1] + size, left + 376, tops[2])
    d.line(left, tops[1] + size, left, tops[2])

    cell = 376 / max(wide, 16)
    for x, y in first:
        d.box(left + x * cell, tops[2] + y * cell, cell - 1, cell - 1, "a" if (x, y) == (0, high - 1) else "b", 1)
    below = tops[2] + high * cell + 52
    d.line(left + cell - 1, tops[2] + high * cell, left + 40, below)
    d.line(left, tops[2] + high * cell, left, below)
    d.box(left, below, 40, 40, "a", 1)

    for (name, what, where), x, y in zip(levels, (124, 124, 124, 64),
                                         (tops[0] + 36, tops[1] + 36, below - 34, below + 22)):
        d.text(x, y, name, "title")
        d.text(x, y + 15, what)
        d.text(x, y + 30, where, "note")
    return d.svg()


def words_of(kernel, matrix, pitch=LDA):
    """The word that each lane of a warp loads at k = 0: lanes differ in threadIdx.x."""
    where = dict(blockIdx_x=0, blocks_n=1, threadIdx_y=0, k=0)
    pairs = [kernel.element("acc +=", matrix, threadIdx_x=lane, **where) for lane in range(32)]
    return [row * pitch + col for row, col in pairs]


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


def draw_lanes(sources):
    """Which words, sectors and lines of global memory a warp's loads touch, in the two kernels."""
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
    return d.svg()


def draw_pitch(sources):
    """The banks that uncoalesced's load of A wants, for rows of 4096, 1000 and 4095 words."""
    kernel = Kernel(sources, "step01_naive/uncoalesced.cu")
    waves = {pitch: wavefronts({lane: [word] for lane, word in enumerate(words_of(kernel, "A", pitch))}, 32)
             for pitch in PITCHES}
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
    return d.svg()


def draw_slots(sources):
    """What the issue slots of both kernels go to, as counted: FMAs, other instructions, nothing."""
    counted = {(row["variant"], row["metric"]): float(row["value"])
               for row in rows(sources, "plots/data/nvidia-h200/counters.csv")
               if row["step"] == "step01_naive"}
    bars = []
    for name in ("uncoalesced", "coalesced"):
        issued = counted[name, "smsp__issue_active.avg.pct_of_peak_sustained_active"]
        fma = (issued * counted[name, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] / WARP
               / counted[name, "smsp__inst_executed.sum"])
        bars.append((name, fma, issued - fma, 100 - issued))
    d = Drawing("The clocks of a scheduler, counted. " + " ".join(
        f"{name}: an FMA in {fma:.1f} %, another instruction in {other:.1f} %, none in {empty:.1f} %."
        for name, fma, other, empty in bars))
    d.text(10, 18, "A scheduler's clocks: each issues one instruction, or none", "note")
    top = 30
    for name, *shares in bars:
        d.text(10, top + 12, name, "title")
        left = 10
        for share, style in zip(shares, ("c", "soft-c", "cell")):
            d.box(left, top + 20, 3.8 * share, 26, style, 0)
            left += 3.8 * share
        d.text(10, top + 62, "{:.1f} % FMAs, {:.1f} % other instructions, {:.1f} % nothing".format(*shares))
        top += 76
    d.key(top + 10, (10, "c", "an FMA"), (100, "soft-c", "another instruction"), (260, "cell", "nothing"))
    return d.svg()
