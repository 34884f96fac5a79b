"""Step 8's kernels: tiles, networks, the bar of warpselect, digits, and the screen's bounds, computed as the
kernels do it."""

import math
import random
import re
import struct

from _kernel import Kernel
from _svg import Drawing

STEP = "step08_knn/"


def f32(x):
    """Rounded to FP32."""
    return struct.unpack("f", struct.pack("f", x))[0]


def draw_knn_tile(sources):
    one = Kernel(sources, STEP + "distance_direct.cu")
    bm, bn, tm = (one.value(name) for name in ("BM", "BN", "TM"))
    words = tm + one.value("TN")
    d = Drawing(f"A block's tile of {bm} queries by {bn} points, and what two of its {one.value('THREADS')} threads "
                f"compute: {words} words loaded for {tm * one.value('TN')} pairs.")
    d.text(10, 18, f"direct: a block has {bm} queries × {bn} points. Coloured: pairs", "note")
    d.text(10, 33, "of threads 0 and 37; their rows of X and columns of Y.", "note")
    cell, left, top = 2.3, 60, 64
    d.box(left, top, bn * cell, bm * cell, "cell", 1)
    d.box(left, top - 18, bn * cell, 12, "cell", 1)
    d.box(left - 18, top, 12, bm * cell, "cell", 1)
    d.text(left + bn * cell + 6, top - 8, "Y")
    d.text(left - 18, top + bm * cell + 14, "X")
    for thread, style in ((0, "a"), (37, "b")):
        row = one.value("row", threadIdx_x=thread)
        col = one.value("col", threadIdx_x=thread)
        d.box(left - 18, top + row * cell, 12, tm * cell, style, 0.5)
        for first in (col, one.compute("col + BN / 2", threadIdx_x=thread)):
            d.box(left + first * cell, top + row * cell, 4 * cell, tm * cell, style, 0.5)
            d.box(left + first * cell, top - 18, 4 * cell, 12, style, 0.5)
    d.text(left, top + bm * cell + 16, f"{words} words loaded, {tm * one.value('TN')} pairs, 2 instructions each",
           "note")
    return d.svg()


def draw_knn_cancel(sources):
    """The expanded form of one coordinate, in the order of norms.cuh and of a GEMM with alpha = -2, beta = 1."""
    Kernel(sources, STEP + "paper/norms.cu").line("of_queries[at / n] + of_points[at % n]")
    x, y = 4096.625, 4097.625
    sums = f32(f32(x * x) + f32(y * y))
    product = f32(x * y)
    result = f32(sums - 2 * product)
    exact, exact_product = x * x + y * y, 2 * x * y
    step = 2 ** (math.floor(math.log2(sums)) - 23)
    d = Drawing(f"|x|² + |y|² and 2xy for x = {x}, y = {y} on the numbers that FP32 has, {step:.0f} apart. In real "
                f"numbers they differ by {exact - exact_product:.0f}, rounded by {result:.0f}.")
    d.text(10, 18, f"x = {x}, y = {y}. Ticks: the numbers FP32 has", "note")
    d.text(10, 33, f"there, {step:.0f} apart. Blue: exact. Orange: as FP32 rounds.", "note")
    low = sums - 2 * step
    left, wide = 30, 68 / step

    def at(value):
        return left + (value - low) * wide

    for number, (what, real,
                 rounded) in enumerate((("|x|² + |y|²", exact, sums), ("2xy", exact_product, f32(2 * product)))):
        y0 = 84 + number * 62
        d.text(10, y0 - 24, what, "title")
        d.line(left, y0, at(low + 5 * step), y0)
        for tick in range(6):
            value = low + tick * step
            d.line(at(value), y0 - 5, at(value), y0 + 5)
            d.text(at(value), y0 + 18, f"…{int(value) % 10000:04d}", "tiny", "middle")
        d.box(at(real) - 4, y0 - 9, 8, 8, "a", 4)
        d.box(at(rounded) - 4, y0 + 1, 8, 8, "b", 4)
    d.text(10, 196, f"Exact {exact - exact_product:.0f}, rounded {result:.0f}: a squared distance below 0.")
    return d.svg()


# ---- networks


def draw_knn_passes(sources):
    """The paper's figure of its first method, n = 15 and k = 4: the first pass step by step, then the others."""
    one = Kernel(sources, STEP + "paper/select_kpass.cu")
    vector, k = [11, 4, 14, 7, 2, 9, 15, 1, 12, 6, 13, 3, 10, 5, 8], 4
    columns = [("given", list(vector), 0, len(vector))]
    for done in range(k):
        count, step = len(vector) - done, 0
        while count > 1:
            half = one.compute(one.declared("half"), count=count)
            for i in range(done, done + count - half):
                vector[i], vector[i + half] = sorted((vector[i], vector[i + half]))
            count, step = half, step + 1
            if done == 0 or count == 1:
                columns.append((f"pass {done + 1}" if count == 1 else f"step {step}", list(vector), done, count))
    d = Drawing(f"kpass on {len(vector)} distances, k = {k}: four steps bring the least to the front, and each further "
                f"pass the least of the rest behind it. What is left over stays in the vector.")
    for c, (title, column, done, live) in enumerate(columns):
        d.text(10 + c * 49, 16, title, "note")
        for i, value in enumerate(column):
            style = "b" if i < done else "a" if i < done + live else "cell"
            d.label(12 + c * 49, 24 + i * 20, 30, 17, value, style)
    d.key(342, (10, "a", "the next step's, or the minimum"), (250, "b", "set aside"))
    return d.svg()


def draw_knn_flow(sources):
    """The paper's figure of the whole: what runs where, and what is copied."""
    for name in "norms", "distance_gemm_cublas", "select_auto", "vote":
        sources.text(f"{STEP}paper/{name}.cu")
    d = Drawing("The paper's search from host to host: records in, norms, distances, selection, vote, labels out.")
    d.text(60, 16, "host", "title", "middle")
    d.text(250, 16, "GPU", "title", "middle")
    for place, what in enumerate(("norms", "distances: one GEMM", "k passes, or bitonic sort", "vote")):
        d.label(130, 70 + place * 44, 250, 28, what, "soft-a")
        d.line(250, 54 + place * 44 if place else 40, 250, 68 + place * 44, arrow=True)
    d.label(8, 26, 110, 28, "records, labels")
    d.line(118, 40, 250, 40)
    d.label(8, 246, 110, 28, "labels")
    d.line(250, 230, 250, 260)
    d.line(250, 260, 120, 260, arrow=True)
    return d.svg()


def draw_knn_bitonic(sources):
    one = Kernel(sources, STEP + "paper/select_bitonic.cu")
    index, length = one.declared("i"), 8
    one.line("((first + i) & size) == 0")
    values = [6, 2, 7, 4, 1, 8, 5, 3]
    steps = []
    size = 2
    while size <= length:
        stride = size // 2
        while stride > 0:
            steps.append((size, stride, [one.compute(index, pair=pair, stride=stride) for pair in range(length // 2)]))
            stride //= 2
        size *= 2
    d = Drawing(f"The bitonic network for {length} keys: {len(steps)} steps of {length // 2} comparisons sort "
                f"{values}.")
    d.text(10, 18, f"bitonic: {len(steps)} steps for {length} keys. The arrow points to where", "note")
    d.text(10, 33, "the larger of the two keys goes.", "note")
    top, high = 64, 24
    width = {stride: 14 + stride * 10 for _, stride, _ in steps}
    x = 34
    for i, value in enumerate(values):
        d.text(12, top + i * high + 4, value)
        d.line(26, top + i * high, 368, top + i * high)
    now = list(values)
    for size, stride, firsts in steps:
        d.text(x + width[stride] / 2 - 4, 52, f"{size}/{stride}", "tiny", "middle")
        for first in firsts:
            second, rising = first + stride, first & size == 0
            at = x + first % stride * 10 if stride > 1 else x
            low, high_end = (first, second) if rising else (second, first)
            d.line(at, top + low * high, at, top + high_end * high - (4 if rising else -4), arrow=True)
            if (now[first] > now[second]) == rising:
                now[first], now[second] = now[second], now[first]
        x += width[stride]
    for i, value in enumerate(now):
        d.text(376, top + i * high + 4, value)
    d.text(10, top + 8 * high + 4, "above: size / stride of the step", "note")
    return d.svg()


def draw_knn_bar(sources):
    """One warp of eight, on a row in random order: which distances pass the bar, as the kernel has it for k <= 32."""
    text = sources.text(STEP + "select_warpselect.cu")
    regs, queue = map(int, re.search(r"kernels\[\]\)\(knn_rows\) = {knn_warpselect<(\d+), (\d+)>", text).groups())
    rng, n = random.Random(8), 64
    keys, bars, passed, merges, waiting = [], [], [], 0, [[] for _ in range(32)]
    threshold = math.inf
    shown = []
    for step in range(n):
        row = [rng.random() for _ in range(32)]
        for lane, value in enumerate(row):
            ok = value < threshold
            shown.append((step, value, ok))
            if ok:
                waiting[lane].append(value)
                passed.append(value)
        if any(len(one) == queue for one in waiting):
            keys = sorted(keys + [v for one in waiting for v in one])[:32 * regs]
            threshold = keys[32 * regs - 1] if len(keys) == 32 * regs else math.inf
            waiting = [[] for _ in range(32)]
            merges += 1
        bars.append(threshold)
    total = 32 * n
    d = Drawing(f"The first {total} distances of a warp in random order. {len(passed)} pass the bar, the last of the "
                f"{32 * regs} least so far, and {merges} merges lower it.")
    d.text(10, 18, f"{total} distances, 32 per step, one warp. Orange:", "note")
    d.text(10, 33, f"the {len(passed)} below the bar (line). Grey: the others.", "note")
    left, top, wide, high = 24, 44, 360 / n, 180
    for step, value, ok in shown:
        d.box(left + step * wide + 1, top + (1 - value) * high, 2.6, 2.6, "b" if ok else "cell", 1.3)
    for step in range(1, n):
        y0, y1 = (top + (1 - min(1, bars[i])) * high for i in (step - 1, step))
        d.line(left + step * wide, y0, left + (step + 1) * wide, y1)
    d.text(left, top + high + 16, "time →   up: larger distance", "note")
    d.text(left, top + high + 32, f"k·(1 + ln(n/k)) = {32 * (1 + math.log(total / 32)):.0f} pass a bar that is never "
                                  f"late", "note")
    return d.svg()


def draw_knn_digits(sources):
    one = Kernel(sources, STEP + "select_radix.cu")
    bits, k, n = one.compute("BITS"), 46, 16384
    rng = random.Random(3)
    row = [f32(sum((rng.random() - rng.random()) ** 2 for _ in range(32))) for _ in range(n)]  # 32 dimensions
    order = [struct.unpack("I", struct.pack("f", x))[0] | 1 << 31 for x in row]
    left, here, wanted, steps = 32, order, k, []
    one.line("left > wanted;")
    while left > 0 and len(here) > wanted:
        digit = min(bits, left)
        left -= digit
        counts = {}
        for x in here:
            counts[x >> left & (1 << digit) - 1] = counts.get(x >> left & (1 << digit) - 1, 0) + 1
        before, bin_ = 0, None
        for value in sorted(counts):
            if before + counts[value] >= wanted:
                bin_ = value
                break
            before += counts[value]
        here = [x for x in here if x >> left & (1 << digit) - 1 == bin_]
        steps.append((digit, before, len(here), wanted))
        wanted -= before
    d = Drawing(f"Radix selection of the {k}-th of {n} distances, digit by digit: " + "; ".join(
        f"{digit} bits: {before} certainly among the k, {still} with the same digit" for digit, before, still, _
        in steps) + ".")
    d.text(10, 18, f"radix: the {k}-th smallest of {n:,} distances, d = 32", "note")
    top, wide = 30, 11.4
    known = 0
    for number, (digit, before, still, _) in enumerate(steps):
        y = top + number * 74
        d.text(10, y + 14, f"pass {number + 1}: the next {digit} bits", "title")
        for bit in range(32):
            style = "soft-a" if bit < known else "a" if bit < known + digit else "cell"
            d.box(10 + bit * wide, y + 22, wide - 1.5, 14, style, 1)
        known += digit
        d.text(10, y + 52, f"smaller digits: {before}, all among the k. The same digit: {still}.")
    d.text(10, top + len(steps) * 74 + 6, "Dark: counted in this pass. Light: known before.", "note")
    d.text(10, top + len(steps) * 74 + 22, f"As many have these {known} bits as are needed: no further pass.", "note")
    return d.svg()


def draw_knn_vote(sources):
    one = Kernel(sources, STEP + "paper/vote.cu")
    one.line("atomicAdd(&counts[label], 1)")
    one.line("(uint64_t)(unsigned)count << 32 | (0xffffffffu - (unsigned)label)")
    labels = [2, 0, 1, 2, 1, 3, 1, 2, 0]
    counts = [labels.count(label) for label in range(4)]
    keys = [count << 32 | 0xffffffff - label for label, count in enumerate(counts)]
    winner = keys.index(max(keys))
    d = Drawing(f"{len(labels)} neighbours with labels {labels} vote: one thread a neighbour adds 1 to the counter of "
                f"its label. Counts {counts}; the largest key, count first and then the smaller label, is that of "
                f"label {winner}.")
    d.text(10, 18, f"vote: one block per query, thread i has neighbour i, k = {len(labels)}.", "note")
    d.text(10, 33, "Lines: one atomicAdd each, on counters in shared memory.", "note")
    styles, top, left = ["a", "b", "c", "d"], 58, 66
    d.text(10, top + 14, "label")
    for i, label in enumerate(labels):
        d.label(left + i * 34, top, 26, 20, label, styles[label])
        d.line(left + i * 34 + 13, top + 22, left + 24 + label * 80 + 14, top + 76, arrow=True)
    d.text(10, top + 94, "count")
    for label, count in enumerate(counts):
        d.label(left + 24 + label * 80, top + 80, 28, 20, count, "soft-" + styles[label])
        d.text(left + 38 + label * 80, top + 116, f"of {label}", "note", "middle")
    d.text(10, top + 140, "key")
    for label, key in enumerate(keys):
        d.text(left + 38 + label * 80, top + 140, f"{key >> 32:x}'{key & 0xffffffff:08x}", "title" if label == winner
               else "tiny", "middle")
    d.text(10, top + 162, f"The largest key wins: label {winner}, of equal counts the smaller.", "note")
    return d.svg()


def draw_knn_one_kernel(sources):
    one = Kernel(sources, STEP + "one_kernel.cu")
    bm, bn, tm, tn, kept = (one.value(name) for name in ("BM", "BN", "TM", "TN", "LIST"))
    one.line("min(list[low], max(key, low > 0 ? list[low - 1] : 0))")
    warp, thread = 2, 2 * 32 + 5
    rows = sorted({one.value("row", threadIdx_x=t) + i for t in range(warp * 32, warp * 32 + 32) for i in range(tm)})
    row, col = one.value("row", threadIdx_x=thread), one.value("col", threadIdx_x=thread)
    columns = [one.compute("col + j / 4 * (BN / 2) + j % 4", col=col, j=j) for j in range(tn)]
    d = Drawing(f"A tile of {bm} queries by {bn} points in registers. A warp holds {len(rows)} whole rows of it, "
                f"{rows[0]} to {rows[-1]}, and a thread {tm * tn} pairs. A distance below the k-th so far is inserted "
                f"into its query's sorted list.")
    d.text(10, 18, f"one_kernel: {bm} queries × {bn} points a block, in registers.", "note")
    d.text(10, 33, f"Light: the rows of warp {warp}. Dark: one thread's pairs.", "note")
    cell, left, top = 1.6, 10, 46
    d.box(left, top, bn * cell, bm * cell, "cell", 1)
    d.box(left, top + rows[0] * cell, bn * cell, len(rows) * cell, "soft-a", 0)
    for i in range(tm):
        for column in columns:
            d.box(left + column * cell, top + (row + i) * cell, cell, cell, "a", 0)
    x = left + bn * cell + 16
    d.text(x, top + 16, "below the k-th so far?")
    d.text(x, top + 34, "Nearly always no.", "note")
    d.text(x, top + 52, f"Yes: into the list, {kept}", "note")
    d.text(x, top + 66, "keys in shared memory", "note")
    before, key, y = [2, 4, 7, 9], 5, top + bm * cell + 28
    after = [min(own, max(key, before[i - 1] if i else 0)) for i, own in enumerate(before)]
    d.text(10, y, f"A newcomer, {key}. Each place takes", "title")
    d.text(10, y + 16, "min(own, max(newcomer, the place before)):", "mono")
    for i, (own, now) in enumerate(zip(before, after)):
        d.label(110 + i * 56, y + 28, 40, 20, own)
        d.label(110 + i * 56, y + 68, 40, 20, now, "a" if now != own else "cell")
        d.line(130 + i * 56, y + 50, 130 + i * 56, y + 65, arrow=True)
        if i:
            d.line(130 + (i - 1) * 56 + 8, y + 50, 130 + i * 56 - 8, y + 65, arrow=True)
    d.text(10, y + 42, "before")
    d.text(10, y + 82, "after")
    d.text(10, y + 106, f"All at once, one lane a place: {before[-1]} drops out.", "note")
    return d.svg()


# ---- the screen


def gamma(one, terms):
    """A screen's bound of the error of a sum of so many terms, from its source."""
    found = one.must_have("gamma as the drawing knows it", re.search(
        r"return \(.* \* \(1\.0f \+ 1\.0f / (\d+)\) \+ (\d+)\) \* 0x1p-(\d+)f;", one.text))
    part, more, power = map(int, found.groups())
    return (terms * (1 + 1 / part) + more) * 2.0 ** -power


def lower_bounds(sources, dimensions, count, offset):
    """A query and points: (true distance, screen.cu's lower bound of it), not squared."""
    one = Kernel(sources, STEP + "screen.cu")
    one.line("fmaf(x.x + y.x, 1.0f - gamma_of(k), -2.0f * product)")
    one.line("1.0f - 0x1p-22f, -(x.y + y.y))")
    g = gamma(one, dimensions)
    rng = random.Random(2)
    vectors = [[offset + rng.uniform(-1, 1) for _ in range(dimensions)] for _ in range(count + 1)]
    rounded = [struct.unpack(f"{dimensions}e", struct.pack(f"{dimensions}e", *vector)) for vector in vectors]
    e = [math.dist(a, b) for a, b in zip(vectors, rounded)]
    norm = [sum(v * v for v in vector) for vector in rounded]
    points = []
    for i in range(1, count + 1):
        h = (norm[0] + norm[i]) * (1 - g) - 2 * sum(a * b for a, b in zip(rounded[0], rounded[i]))
        points.append((math.dist(vectors[0], vectors[i]), max(0, h) ** 0.5 * (1 - 2.0 ** -22) - e[0] - e[i]))
    return points


def draw_knn_screen(sources):
    k, dimensions, offset = 3, 16, 64
    points = sorted(lower_bounds(sources, dimensions, 16, offset), key=lambda one: one[1])
    nearest = sorted(true for true, _ in points)[:k]
    bar = max(true for true, _ in points[:k])
    kept = sum(low <= bar for _, low in points)
    d = Drawing(f"{len(points)} points by the lower bound of their distance from a query. The farthest of the {k} with "
                f"the smallest bounds is the bar. {len(points) - kept} points have a bound above it and are dropped "
                f"unseen. The other {kept} get their distance; {k} of them are the nearest.")
    d.text(10, 18, f"{len(points)} points, k = {k}, sorted by L. Coordinates {offset - 1} to {offset + 1},", "note")
    d.text(10, 33, "so that FP16 is off by enough to see.", "note")
    left, long, top, high = 30, 340, 58, 13
    first, last = points[0][1] * 0.98, points[-1][0] * 1.02

    def at(x):
        return left + (x - first) / (last - first) * long

    for i, (true, low) in enumerate(points):
        y, style = top + i * high, "a" if low <= bar else "cell"
        d.line(at(low), y + 4, at(true), y + 4)
        d.box(at(low) - 4, y, 8, 8, style, 1)
        d.box(at(true) - 4, y, 8, 8, "b" if true in nearest else style, 4)
        if i < k:
            d.text(10, y + 8, i + 1, "tiny")
    bottom = top + len(points) * high
    d.line(at(bar), top - 6, at(bar), bottom)
    d.text(at(bar), top - 9, "bar", "note", "middle")
    d.text(left, bottom + 12, "distance →", "note")
    d.lines(10, bottom + 30, (
        "Square: lower bound L. Circle: the distance.", f"Bar: the farthest of the {k} with the smallest L.",
        f"Grey: L beyond the bar, dropped. Blue: kept, {kept}.",
        f"Orange: the {k} nearest, all of them among the kept."))
    return d.svg()


def draw_knn_triangle(sources):
    """Two points of the plane, rounded to a grid that is coarse enough to see."""
    grid = 40.0
    x, y = (58.0, 132.0), (330.0, 66.0)
    hx, hy = (tuple(round(v / grid) * grid for v in one) for one in (x, y))
    ex, ey, real, seen = math.dist(x, hx), math.dist(y, hy), math.dist(x, y), math.dist(hx, hy)
    gamma(Kernel(sources, STEP + "best/exact_bounds.cuh"), 1)
    d = Drawing(f"Two points and what rounding makes of them. e(x) = {ex:.0f}, e(y) = {ey:.0f}; between the points "
                f"{real:.0f}, between their roundings {seen:.0f}: the two differ by {abs(real - seen):.0f}, no more "
                f"than e(x) + e(y) = {ex + ey:.0f}.")
    d.text(10, 18, "Rounding moves each point to a grid (here a coarse one).", "note")
    d.grid(18.5, grid - 1.5, 4, 10, grid, grid, "cell", grid - 3)
    off = 20
    d.line(x[0] + off, x[1], y[0] + off, y[1])
    d.line(hx[0] + off, hx[1], hy[0] + off, hy[1])
    for (a, b), style in ((x, "a"), (y, "a"), (hx, "b"), (hy, "b")):
        d.box(a + off - 4, b - 4, 8, 8, style, 4)
    d.text(x[0] + off + 8, x[1] + 16, "x")
    d.text(y[0] + off + 8, y[1] - 8, "y")
    d.text(hx[0] + off - 34, hx[1] - 8, "h(x)")
    d.text(hy[0] + off - 8, hy[1] + 22, "h(y)")
    d.text(150, 74, f"s √D = {real:.0f}")
    d.text(212, 130, f"√H = {seen:.0f}")
    d.text(10, 196, f"e(x) = {ex:.0f}, e(y) = {ey:.0f}. |s √D − √H| = {abs(real - seen):.0f} ≤ {ex + ey:.0f}")
    return d.svg()


def draw_knn_radius(sources):
    """exact_tc's radius in the plane, with a grid that is coarse enough to see, and sums that lose nothing."""
    one = Kernel(sources, STEP + "best/exact_bounds.cuh")
    one.line("const double near = w + e;")
    one.line("* (1 + 0x1p-40) + e;")
    k, grid, sample, rng = 2, 16.0, 5, random.Random(362)

    def on_grid(point):
        return tuple(round(v / grid) * grid for v in point)

    query = (204.0, 186.0)
    hx = on_grid(query)
    ex = math.dist(query, hx)
    points = [(rng.uniform(24, 376), rng.uniform(60, 300)) for _ in range(22)]
    found = [(math.dist(on_grid(y), hx), math.dist(y, on_grid(y)), y) for y in points]
    w = sorted(h + e for h, e, _ in found[:sample])[k - 1]
    r = w + ex + ex
    kept = [one for one in found if one[0] <= r + one[1]]
    nearest = sorted(math.dist(y, query) for y in points)[:k]
    d = Drawing(f"A query, {len(points)} points, {sample} of them the sample, k = {k}. A circle around the query holds "
                f"{k} points of the sample for certain. Of all points {len(kept)} may be as near and are kept; the "
                f"{k} nearest are among them, and none of them is in the sample.")
    d.text(10, 18, f"Orange: the query. Blue: a sample of {sample} points. k = {k}.", "note")
    d.text(10, 33, f"Inner circle, w + e(x) around x: surely {k} of the sample.", "note")
    for (a, b), size in ((query, w + ex), (hx, r)):
        d.box(a - size, b - size, 2 * size, 2 * size, "frame", size)
    for number, (h, e, (a, b)) in enumerate(found):
        style = "a" if number < sample else "c" if h <= r + e else "cell"
        d.box(a - 4, b - 4, 8, 8, style, 4)
        if math.dist((a, b), query) in nearest:
            d.box(a - 7, b - 7, 14, 14, "frame", 7)
    d.box(query[0] - 4, query[1] - 4, 8, 8, "b", 4)
    bottom = max(hx[1] + r, 300)
    d.text(10, bottom + 20, "Outer circle, r around h(x): what lies in it, or at most", "note")
    d.text(10, bottom + 35, f"e(y) beyond it, is kept, {len(kept)} of {len(points)}. The others are dropped.", "note")
    d.text(10, bottom + 50, f"Ringed: the {k} nearest, not in the sample, but kept.", "note")
    return d.svg()
