"""Step 7's kernels: which multiprocessors have a block, who reads which bytes of A, how sums are added, what is in
flight, how launches overlap."""

import math
import re
from fractions import Fraction

from _kernel import Kernel, multiprocessors
from _svg import Drawing

STEP = "step07_gemv/"
SIDE, HALF = 1024, 2  # n = k; bytes of an element
SECTOR, LINE = 32, 128


def kernel(sources, name, **given):
    """A rung, for halves: 16 bytes are so many of them."""
    header = Kernel(sources, STEP + "gemv.cuh")
    count = header.compute(header.declared("COUNT").replace("sizeof(T)", str(HALF)))
    return Kernel(sources, f"{STEP}{name}.cu", TILE_K=count, COUNT=count, **launched(sources, name), **given)


def launched(sources, name):
    """The template's parameters of a rung that has configurations."""
    found = re.search(r"return launch_at<(\d+), (\d+)>", sources.text(f"{STEP}{name}.cu"))
    return dict(zip(("BLOCK_N", "REDUCE_THREADS"), map(int, found.groups()))) if found else {}


def balanced(sources):
    """splitk_balanced has its own TILE_K."""
    return Kernel(sources, STEP + "splitk_balanced.cu", **launched(sources, "splitk_balanced"))


def block_of(one):
    """The threads of a block, across and down."""
    if "launch_at<" in one.text:
        return one.value("BLOCK_N"), one.value("REDUCE_THREADS")
    if "dim3(" not in one.text:
        return one.value("THREADS"), 1
    return [one.compute(side) for side in one.arguments("return gemv_launch_kernel", "dim3")]


def place(one, thread):
    """Row and element of A that a thread of block 0 reads first."""
    return one.value("row", blockIdx_x=0, **thread), one.value("k0" if "int k0 =" in one.text else "k", **thread)


def bytes_of(one, size):
    """For each lane of warp 0: the bytes of A, from its beginning, of its first load of `size` bytes."""
    across, _ = block_of(one)
    where = [place(one, dict(threadIdx_x=t % across, threadIdx_y=t // across)) for t in range(32)]
    return [(row * SIDE * HALF + k * HALF, size) for row, k in where]


def touched(loads, unit):
    """How many units of so many bytes these loads touch."""
    return len({byte // unit for first, size in loads for byte in range(first, first + size, HALF)})


def draw_gemv_blocks(sources):
    name, sms = "H200", multiprocessors(sources)
    rungs = [(one, kernel(sources, one).value("BLOCK_N")) for one in ("naive", "naive_wide")]
    counts = {one: -(-SIDE // rows) for one, rows in rungs}
    d = Drawing(f"The {sms} multiprocessors of an {name} at n = {SIDE}, and those that have a block. " + " ".join(
        f"{one}: {counts[one]} blocks of {rows} rows." for one, rows in rungs))
    d.text(10, 18, f"A box is a multiprocessor of an {name}, {sms} of them.", "note")
    d.text(10, 33, f"Blue: it has a block, at n = {SIDE}.", "note")
    top, columns, wide = 44, 33, 11.5
    for one, rows in rungs:
        d.text(10, top + 14, f"{one}: {counts[one]} blocks of {rows} rows", "title")
        for sm in range(sms):
            d.box(10 + sm % columns * wide, top + 22 + sm // columns * wide, wide - 2, wide - 2,
                  "a" if sm < counts[one] else "cell")
        top += 22 + -(-sms // columns) * wide + 10
    return d.svg()


# ---- who reads which bytes of A


def request(d, top, title, loads, rows_shown=6):
    """What one load of a warp touches, row by row of A; a cell is a sector."""
    pitch = SIDE * HALF
    used = sum(size for _, size in loads)
    count, lines = touched(loads, SECTOR), touched(loads, LINE)
    d.text(10, top + 13, title, "title")
    d.text(10, top + 28, f"{lines} lines, {count} sectors of 32 bytes; {used} of {count * SECTOR} bytes wanted", "note")
    rows = sorted({first // pitch for first, _ in loads})
    top += 36
    for number, row in enumerate(rows[:rows_shown]):
        y = top + number * 14
        d.text(10, y + 9, f"row {row}", "tiny")
        here = [(first - row * pitch, size) for first, size in loads if first // pitch == row]
        for sector in range(16):
            x = 44 + sector * 21.5
            d.box(x, y, 19.5, 10, "cell", 1)
            for first, size in here:
                low, high = max(first, sector * SECTOR), min(first + size, (sector + 1) * SECTOR)
                if low < high:
                    d.box(x + (low - sector * SECTOR) * 19.5 / SECTOR, y, (high - low) * 19.5 / SECTOR, 10, "a", 0.5)
    top += min(len(rows), rows_shown) * 14
    if len(rows) > rows_shown:
        d.text(44, top + 9, f"... and so on to row {rows[-1]}", "note")
        top += 14
    return top + 12


def requests(sources, size, *names):
    found = {one: bytes_of(kernel(sources, one) if one != "splitk_balanced" else balanced(sources), size) for one
             in names}
    d = Drawing("The bytes of A that one load instruction of a warp wants, in f16. " + " ".join(
        f"{one}: {touched(loads, LINE)} lines, {touched(loads, SECTOR)} sectors." for one, loads in found.items()))
    d.text(10, 18, "One load of A by 32 lanes. A cell is a sector of 32 bytes,", "note")
    d.text(10, 33, "four cells a cache line. Blue: the bytes that lanes want.", "note")
    top = 42
    for one, loads in found.items():
        top = request(d, top, one, loads)
    return d.svg()


def draw(sources):
    return {"gemv_narrow": requests(sources, 2, "splitk_atomic", "splitk_balanced"),
            "gemv_wide": requests(sources, 16, "vectorized", "row_per_block")}


def draw_gemv_split(sources):
    """Whose element each of the first of row 0 is, in the two kernels that split K."""
    kernels = {"splitk_atomic": kernel(sources, "splitk_atomic"), "splitk_balanced": balanced(sources)}
    d = Drawing("The first 64 elements of a row of A and the threads, by threadIdx.y, that take them. splitk_atomic "
                "deals them out one by one, splitk_balanced in pieces of "
                f"{kernels['splitk_balanced'].value('TILE_K')}.")
    d.text(10, 18, "The first 64 elements of row 0 of A, 16 a line.", "note")
    d.text(10, 33, "The number is threadIdx.y of the thread that takes it.", "note")
    top, wide = 44, 23.4
    for name, one in kernels.items():
        taken = {}
        for y in range(32):
            first = place(one, dict(threadIdx_x=0, threadIdx_y=y))[1]
            run = one.value("TILE_K") if name == "splitk_balanced" else 1
            for step in range(64):
                for e in range(run):
                    taken[first + step * one.value("BLOCK_K") + e] = y
        d.text(10, top + 14, name, "title")
        for e in range(64):
            style = {0: "a", 1: "b", 2: "c"}.get(taken[e], "cell")
            d.label(10 + e % 16 * wide, top + 22 + e // 16 * 22, wide - 1.5, 18, taken[e], style)
        top += 22 + 4 * 22 + 12
    d.key(top + 3, (10, "a", "thread 0"), (110, "b", "thread 1"), (210, "c", "thread 2"))
    return d.svg()


# ---- how the sums of a row become one


def halves(one):
    """The values of `half` in the loop of a reduction."""
    start = one.must_have("a loop over half", re.search(r"for \(int half = ([^;]+); half > 0; half /= 2\)", one.text))
    half, found = one.compute(start[1]), []
    while half > 0:
        found.append(half)
        half //= 2
    return found


def draw_gemv_tree(sources):
    one = kernel(sources, "tree")
    source = one.subscripts("+= sums[", "sums")  # what is added to: sums[tk][tn]
    levels = halves(one)
    threads = 2 * levels[0]
    d = Drawing(f"The {threads} sums of a row. With atomics {threads} additions to one word follow one another. In a "
                f"tree {len(levels)} levels add pairs: " + ", ".join(f"{half} additions" for half in levels) + ".")
    wide = 380 / threads
    d.text(10, 16, f"vectorized: {threads} atomics, one by one", "title")
    for i in range(threads):
        d.box(10 + i * wide, 24 + i * 2.2, wide - 1.5, 5, "b", 0.5)
    top = 24 + threads * 2.2 + 20
    d.text(10, top, f"tree: {len(levels)} levels, a barrier after each", "title")
    top += 8
    for i in range(threads):
        d.box(10 + i * wide, top, wide - 1.5, 9, "soft-a", 1)
    for half in levels:
        for tk in range(half):
            to = one.compute(source[0], threadIdx_x=0, threadIdx_y=tk)
            d.line(10 + (to + half) * wide + wide / 2, top + 9, 10 + to * wide + wide / 2, top + 26)
        top += 26
        for tk in range(half):
            d.box(10 + tk * wide, top, wide - 1.5, 9, "a", 1)
        d.text(388, top + 9, f"half = {half}", "tiny", "end")
    d.text(10, top + 26, "time goes down; a box is one thread's addition", "note")
    return d.svg()


def draw_gemv_shuffle(sources):
    one = kernel(sources, "shuffle")
    levels = halves(one)
    one.line("__shfl_down_sync(0xffffffffu, acc, half)")
    d = Drawing("The 32 lanes of a warp add their sums with shuffles: " + ", ".join(
        f"lane i gets lane i + {half}'s" for half in levels) + ". No shared memory and no barrier.")
    d.text(10, 16, "shuffle: lane i + half gives lane i its sum", "title")
    wide, top = 380 / 32, 40
    for lane in range(32):
        d.box(10 + lane * wide, top, wide - 1.5, 12, "soft-a", 1)
        if lane % 4 == 0:
            d.text(10 + lane * wide, top - 5, f"lane {lane}" if lane == 0 else lane, "tiny")
    for half in levels:
        for lane in range(half):
            d.line(10 + (lane + half) * wide + wide / 2, top + 12, 10 + lane * wide + wide / 2, top + 29)
        top += 29
        for lane in range(32):
            d.box(10 + lane * wide, top, wide - 1.5, 12, "a" if lane < half else "cell", 1)
        d.text(388, top - 5, f"half = {half}", "tiny", "end")
    d.text(10, top + 29, "Blue: lanes whose sum still counts. Grey lanes add, too,", "note")
    d.text(10, top + 44, "and nobody reads it: a warp executes for all its lanes.", "note")
    return d.svg()


# ---- bytes in flight

# DRAM's latency and rate in latency.csv and limits.csv, rounded; columns of A.
LATENCY_US, GBPS, COLUMNS = 0.35, 4600, 4096
# Loads of A in a round of the loop, and how often a thread waits for them, in nvcc 13.0's machine code (make ptx).
LOADS = {"naive": (4, 1), "naive_wide": (4, 1), "tree": (4, 3), "shuffle": (4, 2), "streaming": (None, 1),
         "row_per_block": (4, 2)}


def in_flight(sources):
    """(rung, blocks, threads per block, bytes per load, loads per wait), for so many rows that all blocks fit."""
    found = []
    for name, (loads, waits) in LOADS.items():
        one = kernel(sources, name)
        if name.startswith("naive"):
            one = Kernel(sources, STEP + "naive.cuh", BLOCK_N=one.value("BLOCK_N"))
            threads, rows, size = one.value("THREADS"), one.given["BLOCK_N"], HALF
        else:
            threads, rows, size = math.prod(block_of(one)), one.value("BLOCK_N") if "BLOCK_N" in one.text else 1, 16
        found.append((name, SIDE // rows, threads, size, Fraction(loads or one.value("LOADS"), waits)))
    return found


def draw_gemv_flight(sources):
    need = LATENCY_US * GBPS * 1e3

    def text(x):
        return f"{x / 1e6:.1f} MB" if x >= 1e5 else f"{x / 1e3:.0f} KB"

    rungs = [(name, float(math.prod(of)), of) for name, *of in in_flight(sources)]
    d = Drawing(f"Bytes of A that are on their way at once, {SIDE} rows of {COLUMNS} halves: " +
                ", ".join(f"{name} {text(x)}" for name, x, _ in rungs) +
                f". DRAM's full rate takes {text(need)}: tree and shuffle have less, streaming and row_per_block more.")
    d.text(10, 18, f"Bytes of A on their way, {SIDE} rows of {COLUMNS} halves", "title")
    d.text(10, 34, "blocks × threads × bytes of a load × loads for each wait", "note")
    left, long, top = 108, 104, 46
    for name, x, parts in rungs:
        d.text(10, top + 12, name)
        d.box(left, top + 1, max(1, x / need * long), 14, "a" if x >= need else "b")
        d.line(left + long, top - 3, left + long, top + 19)
        d.text(left, top + 30, " × ".join(map(str, parts)) + " = " + text(x), "note")
        top += 38
    d.text(10, top + 10, f"Line: {text(need)}, {GBPS / 1000} TB/s × {LATENCY_US} µs, the least for DRAM's", "note")
    d.text(10, top + 25, "full rate. Orange: cannot reach it.", "note")
    return d.svg()


# ---- launches that overlap

# What is drawn of a kernel: (words of the source, words in the drawing, length, style).
PHASES = {"next": ("griddepcontrol_launch_dependents()", None, 0, None),
          "wait": ("griddepcontrol_wait()", "wait", 0, "soft-b"),
          "A": (r"gemv_load\(a|load_chunk<true>\(a, lane", "A", 4, "a"),
          "x": (r"gemv_load\(x|load_chunk<false>\(x", "x", 2.2, "b"),
          "sum": ("gemv_write<T>", "sum", 2.2, "c")}
LAUNCH = 2.2


def phases(sources, name):
    """The phases of a kernel in the order of its source, where gemv_begin() stands for its two instructions."""
    one, header = kernel(sources, name), Kernel(sources, STEP + "gemv.cuh").text
    begin = re.search(r"void gemv_begin\(\) {(.*?)}", header, re.DOTALL)
    text = one.text[one.text.index("__global__"):].replace("gemv_begin()", begin[1] if begin else "")
    found = {}
    for phase, (words, *_) in PHASES.items():
        at = re.search(words if "|" in words else re.escape(words), text)
        found[phase] = one.must_have(words, at).start()
    return sorted(found, key=found.get)


def timeline(order, start, ready):
    """([(phase, start, end)], when the next kernel may be launched): a kernel whose x is there at `ready`."""
    done, now, after = [("launch", start, start + LAUNCH)], start + LAUNCH, None
    for phase in order:
        if phase == "next":
            after = now
        end = max(now, ready) if phase == "wait" else now + PHASES[phase][2]
        if end > now:
            done.append((phase, now, end))
        now = end
    return done, after


def draw_gemv_pdl(sources):
    shown = []
    for title, name, overlaps in (("one after the other", "streaming", False),
                                  ("shuffle with PDL: waits, then loads", "shuffle", True),
                                  ("streaming with PDL: loads A, then waits", "streaming", True)):
        steps = phases(sources, name)
        first, after = timeline(steps, 0, 0)
        end = first[-1][2]
        second, _ = timeline(steps, after if overlaps else end, end)
        shown.append((title, first, second))
    total = max(second[-1][2] for _, _, second in shown)
    d = Drawing("Two kernels, time from left to right. One after the other, the second is launched when the first has "
                "ended. With programmatic dependent launch it is launched while the first runs. shuffle then waits for "
                "the first before it loads anything; streaming loads A meanwhile, and waits before x.")
    d.text(10, 18, "Two kernels; the second needs what the first computes.", "note")
    d.text(10, 33, "Time runs right, and is not to scale.", "note")
    top, scale = 44, 380 / total
    for title, first, second in shown:
        d.text(10, top + 14, title, "title")
        for number, one in enumerate((first, second)):
            y = top + 22 + number * 25
            for phase, start, end in one:
                words, style = ("launch", "cell") if phase == "launch" else PHASES[phase][1::2]
                d.label(10 + start * scale, y, (end - start) * scale - 1.5, 22, words, style)
        x = 10 + first[-1][2] * scale - 0.75
        d.line(x, top + 18, x, top + 74)
        top += 88
    d.text(10, top + 4, "Line: the first kernel has ended, and its y is there.", "note")
    return d.svg()


def draw_gemv_candidates(sources):
    """Threads per row and bytes in flight per thread of every configuration that takes aligned rows of any length."""
    text = sources.text(STEP + "best/direct.cu")
    found = [tuple(map(int, one)) for one in re.findall(r"^    DIRECT\((\d+), (\d+), (\d+), (\d+)\)", text, re.M)]
    persistent = [tuple(map(int, one)) for one in
                  re.findall(r"^    PERSISTENT\((\d+), (\d+), (\d+), (\d+)\)", sources.text(STEP + "best/best.cu"),
                             re.M)]
    points = [(r, u * v * 16, "a") for _, r, u, v in found] + [(r, u * n * 16, "b") for n, r, u, _ in persistent]
    across = sorted({x for x, _, _ in points})
    up = sorted({y for _, y, _ in points})
    d = Drawing(f"{len(found)} direct and {len(persistent)} persistent configurations of best: threads that share a "
                f"row, from {across[0]} to {across[-1]}, and bytes of A in flight for each thread, from {up[0]} to "
                f"{up[-1]}.")
    d.text(10, 18, f"{len(found)} direct (blue) and {len(persistent)} persistent (orange) candidates", "note")
    left, top, wide, high = 78, 34, 312 / len(across), 24
    for j, y in enumerate(reversed(up)):
        d.text(left - 8, top + j * high + 16, f"{y} bytes", "note", "end")
        for i, x in enumerate(across):
            here = [style for a, b, style in points if (a, b) == (x, y)]
            d.box(left + i * wide, top + j * high, wide - 2, high - 2, "cell")
            for number, style in enumerate(here):
                d.box(left + i * wide + 3 + number * 6.5, top + j * high + 6, 5, 10, style, 1)
    bottom = top + len(up) * high
    for i, x in enumerate(across):
        d.text(left + i * wide + wide / 2, bottom + 12, x, "note", "middle")
    d.text(10, bottom + 28, "threads that share a row; up: bytes in flight per thread", "note")
    return d.svg()
