"""Step 8's kernels: tiles, networks, the bar of warpselect, digits, and the screen's bounds, computed as the kernels do it."""

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


def f16(x):
    return struct.unpack("e", struct.pack("e", x))[0]


# ---- tiles


def tile(sources):
    one = Kernel(sources, STEP + "distance_direct.cu")
    bm, bn, tm = (one.value(name) for name in ("BM", "BN", "TM"))
    words = tm + one.value("TN")
    d = Drawing(f"A block's tile of {bm} queries by {bn} points, and what two of its {one.value('THREADS')} threads compute: {words} "
                f"words loaded for {tm * one.value('TN')} pairs.")
    d.text(10, 18, f"direct: {bm} queries × {bn} points a block. Colours: the pairs", "note")
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
    d.text(left, top + bm * cell + 16, f"{words} words loaded, {tm * one.value('TN')} pairs, 2 instructions each", "note")
    return d.svg()


# ---- cancellation


def cancel(sources):
    """The expanded form of one coordinate, in the order of norms.cuh and of a GEMM with alpha = -2, beta = 1."""
    Kernel(sources, STEP + "paper/norms.cu").line("of_queries[at / n] + of_points[at % n]")
    x, y = 4096.625, 4097.625
    sums = f32(f32(x * x) + f32(y * y))
    product = f32(x * y)
    result = f32(sums - 2 * product)
    exact, exact_product = x * x + y * y, 2 * x * y
    step = 2 ** (math.floor(math.log2(sums)) - 23)
    d = Drawing(f"|x|² + |y|² and 2xy for x = {x}, y = {y} on the numbers that FP32 has, {step:.0f} apart. In real numbers they differ "
                f"by {exact - exact_product:.0f}, rounded by {result:.0f}.")
    d.text(10, 18, f"x = {x}, y = {y}. Ticks: the numbers FP32 has", "note")
    d.text(10, 33, f"there, {step:.0f} apart. Blue: exact. Orange: as FP32 rounds.", "note")
    low = sums - 2 * step
    left, wide = 30, 68 / step

    def at(value):
        return left + (value - low) * wide

    for number, (what, real, rounded) in enumerate((("|x|² + |y|²", exact, sums), ("2xy", exact_product, f32(2 * product)))):
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


def network(sources):
    one = Kernel(sources, STEP + "paper/select_kpass.cu")
    half_of = one.declared("half")
    values = [7, 2, 4, 5, 3, 9, 1]
    count, columns, pairs = len(values), [list(values)], []
    while count > 1:
        half = one.compute(half_of, count=count)
        now = list(columns[-1])
        pairs.append([(i, i + half) for i in range(count - half)])
        for i, j in pairs[-1]:
            now[i], now[j] = min(now[i], now[j]), max(now[i], now[j])
        columns.append(now)
        count = half
    d = Drawing(f"The network of kpass on {values}: {len(pairs)} steps of " + ", ".join(str(len(one)) for one in pairs) +
                f" comparisons bring the least, {columns[-1][0]}, to the front; all others stay in the vector.")
    d.text(10, 18, "kpass: the smaller of each pair goes up. Blue: the part", "note")
    d.text(10, 33, "that the next step works on.", "note")
    wide, high, top = 88, 26, 48
    live = [len(values)] + [one.compute(half_of, count=c) for c in (7, 4, 2)][:len(pairs)]
    for c, column in enumerate(columns):
        for i, value in enumerate(column):
            d.label(20 + c * wide, top + i * high, 26, 20, value, "a" if i < live[c] else "cell", "on" if i < live[c] else "")
    for c, group in enumerate(pairs):
        for number, (i, j) in enumerate(group):
            x = 20 + c * wide + 36 + number * 12
            d.line(x, top + i * high + 10, x, top + j * high + 10)
            for end in (i, j):
                d.box(x - 2.5, top + end * high + 7.5, 5, 5, "b", 2.5)
    d.text(20, top + 7 * high + 14, "the minimum is first; the next pass takes the other six", "note")
    return d.svg()


def bitonic(sources):
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
    d = Drawing(f"The bitonic network for {length} keys: {len(steps)} steps of {length // 2} comparisons sort {values}.")
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


# ---- warpselect: the bar


def bar(sources):
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
    d = Drawing(f"The first {total} distances of a warp in random order. {len(passed)} pass the bar, the last of the {32 * regs} least so "
                f"far, and {merges} merges lower it.")
    d.text(10, 18, f"{total} distances, 32 a step, one warp. Orange:", "note")
    d.text(10, 33, f"the {len(passed)} below the bar (line). Grey: the others.", "note")
    left, top, wide, high = 24, 44, 360 / n, 180
    for step, value, ok in shown:
        d.box(left + step * wide + 1, top + (1 - value) * high, 2.6, 2.6, "b" if ok else "cell", 1.3)
    for step in range(1, n):
        y0, y1 = (top + (1 - min(1, bars[i])) * high for i in (step - 1, step))
        d.line(left + step * wide, y0, left + (step + 1) * wide, y1)
    d.text(left, top + high + 16, "time →   up: larger distance", "note")
    d.text(left, top + high + 32, f"k·(1 + ln(n/k)) = {32 * (1 + math.log(total / 32)):.0f} pass a bar that is never late", "note")
    return d.svg()


# ---- radix: digits


def digits(sources):
    one = Kernel(sources, STEP + "select_radix.cu")
    bits, k, n = one.compute("BITS"), 46, 16384
    rng = random.Random(3)
    row = [f32(sum((rng.random() - rng.random()) ** 2 for _ in range(32))) for _ in range(n)]  # 32 dimensions
    order = [struct.unpack("I", struct.pack("f", x))[0] | 1 << 31 for x in row]
    left, here, wanted, steps = 32, order, k, []
    while left > 0:
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
        f"{digit} bits: {before} certainly among the k, {still} with the same digit" for digit, before, still, _ in steps) + ".")
    d.text(10, 18, f"radix: the {k}-th smallest of {n:,} distances, d = 32", "note")
    top, wide = 30, 11.4
    known = 0
    for number, (digit, before, still, wanted) in enumerate(steps):
        y = top + number * 74
        d.text(10, y + 14, f"pass {number + 1}: the next {digit} bits", "title")
        for bit in range(32):
            style = "soft-a" if bit < known else "a" if bit < known + digit else "cell"
            d.box(10 + bit * wide, y + 22, wide - 1.5, 14, style, 1)
        known += digit
        d.text(10, y + 52, f"smaller digits: {before}, all among the k. The same digit: {still}.")
    d.text(10, top + len(steps) * 74 + 6, "Dark: counted in this pass. Light: known before.", "note")
    return d.svg()


# ---- fused


def fused(sources):
    one = Kernel(sources, STEP + "fused.cu")
    bq, bp, half, queue = (one.value(name) for name in ("BQ", "BP", "HALF", "QUEUE"))
    rows = re.search(r"tile \+ \(([^()]+)\) \* TILE_PITCH", one.text)
    if not rows:
        one.refuse("the rows that a thread stores")
    mine = [one.compute(rows[1], r=r, ty=3) for r in range(8)]
    columns = [4 * 5 + c for c in range(4)] + [64 + 4 * 5 + c for c in range(4)]
    d = Drawing(f"fused's tile of {bq} queries by {bp} points; the 64 pairs of one thread; {half} points at a time go to shared "
                f"memory, where a warp looks at a query's row and puts the few that are near into a queue of {queue}.")
    d.text(10, 18, f"fused: a tile of {bq} queries × {bp} points in registers.", "note")
    d.text(10, 33, "Blue: the 64 pairs of one thread. Nothing goes to memory.", "note")
    cell, left, top = 1.35, 10, 46
    d.box(left, top, bp * cell, bq * cell, "cell", 1)
    for row in mine:
        for column in columns:
            d.box(left + column * cell, top + row * cell, cell, cell, "a", 0)
    d.line(left + half * cell, top, left + half * cell, top + bq * cell)
    d.text(left, top + bq * cell + 16, f"half the points: {half}", "note")
    x = left + bp * cell + 14
    d.line(x - 10, top + 60, x + 8, top + 60, arrow=True)
    d.text(x + 14, top + 20, "shared memory")
    d.text(x + 14, top + 36, "a warp a query's row:", "note")
    d.text(x + 14, top + 52, "below its k-th?", "note")
    for i in range(queue // 2):
        d.box(x + 14 + i * 9, top + 66, 7, 10, "b" if i < 3 else "cell", 1)
    d.text(x + 14, top + 92, f"queue of {queue}", "note")
    d.line(x + 70, top + 98, x + 70, top + 114, arrow=True)
    d.box(x + 14, top + 120, 150, 12, "c", 1)
    d.text(x + 14, top + 148, "the k nearest so far,", "note")
    d.text(x + 14, top + 162, "sorted; its last is the bar", "note")
    return d.svg()


# ---- the screen


def gamma(sources, steps):
    """exact_screen.cuh's, from its source."""
    one = Kernel(sources, STEP + "best/exact_screen.cuh")
    found = re.search(r"return \(\(float\)\(steps \* BK\) \* \(1\.0f \+ 1\.0f / (\d+)\) \+ (\d+)\) \* 0x1p-(\d+)f;", one.text)
    if not found:
        one.refuse("gamma as the drawing knows it")
    part, more, power = map(int, found.groups())
    return (steps * one.value("BK") * (1 + 1 / part) + more) * 2.0 ** -power


def rough(sources, dimensions, count, spread):
    """A query and points: (true distance, lower and upper bound of it by FP16), all in the scaled space."""
    rng = random.Random(5)
    g = gamma(sources, -(-dimensions // 64))
    vectors = [[rng.uniform(-spread, spread) for _ in range(dimensions)] for _ in range(count + 1)]
    rounded = [[f16(v) for v in one] for one in vectors]
    e = [math.dist(a, b) for a, b in zip(vectors, rounded)]
    norm = [sum(v * v for v in one) for one in rounded]
    found = []
    for i in range(1, count + 1):
        t = -2 * sum(a * b for a, b in zip(rounded[0], rounded[i]))
        low, high = (max(0, norm[0] * (1 + s * g) + norm[i] * (1 + s * g) + t) ** 0.5 for s in (-1, 1))
        found.append((math.dist(vectors[0], vectors[i]), low - e[0] - e[i], high + e[0] + e[i]))
    return found


def screen(sources):
    k, points = 3, sorted(rough(sources, 32, 22, 1000.0), key=lambda one: one[0])
    radius = sorted(high for _, _, high in points)[k - 1]
    kept = [one for one in points if one[1] <= radius]
    widest = max((high - low) / true for true, low, high in points)
    d = Drawing(f"22 points by distance from a query, d = 32. The radius is the {k}rd smallest upper bound. {len(points) - len(kept)} points "
                f"are certainly farther and are dropped, {len(kept)} are kept. A bound is at most {100 * widest:.2f} % wide.")
    d.text(10, 18, f"22 points, k = {k}. Line: a radius that surely holds {k}.", "note")
    d.text(10, 33, "Blue: kept, their distance is computed. Grey: dropped.", "note")
    left, long, top = 20, 340, 44
    first, last = points[0][1] * 0.97, points[-1][2] * 1.01
    at = lambda x: left + (x - first) / (last - first) * long
    for i, (true, low, high) in enumerate(points):
        d.box(at(low) - 2.5, top + i * 8, max(5, at(high) - at(low) + 5), 6, "a" if low <= radius else "cell", 1)
    d.line(at(radius) + 4, top - 4, at(radius) + 4, top + len(points) * 8 + 4)
    d.text(left, top + len(points) * 8 + 18, "distance →", "note")
    d.text(10, top + len(points) * 8 + 36, f"Drawn wider: a bound is {100 * widest:.2f} % of its distance.", "note")
    return d.svg()


def triangle(sources):
    """Two points of the plane, rounded to a grid that is coarse enough to see."""
    grid, scale = 40.0, 1.0
    x, y = (58.0, 132.0), (330.0, 66.0)
    hx, hy = (tuple(round(v / grid) * grid for v in one) for one in (x, y))
    ex, ey, real, seen = math.dist(x, hx), math.dist(y, hy), math.dist(x, y), math.dist(hx, hy)
    gamma(sources, 1)
    d = Drawing(f"Two points and what rounding makes of them. e(x) = {ex:.0f}, e(y) = {ey:.0f}; between the points {real:.0f}, between "
                f"their roundings {seen:.0f}: the two differ by {abs(real - seen):.0f}, no more than e(x) + e(y) = {ex + ey:.0f}.")
    d.text(10, 18, "Rounding moves each point to a grid (here a coarse one).", "note")
    for i in range(10):
        for j in range(1, 5):
            d.box(i * grid * scale + 18.5, j * grid * scale - 1.5, 3, 3, "cell", 1.5)
    off = 20
    d.line(x[0] + off, x[1], y[0] + off, y[1])
    d.line(hx[0] + off, hx[1], hy[0] + off, hy[1])
    for (a, b), name, style in ((x, "x", "a"), (y, "y", "a"), (hx, "h(x)", "b"), (hy, "h(y)", "b")):
        d.box(a + off - 4, b - 4, 8, 8, style, 4)
    d.text(x[0] + off + 8, x[1] + 16, "x")
    d.text(y[0] + off + 8, y[1] - 8, "y")
    d.text(hx[0] + off - 34, hx[1] - 8, "h(x)")
    d.text(hy[0] + off - 8, hy[1] + 22, "h(y)")
    d.text(150, 74, f"s √D = {real:.0f}")
    d.text(212, 130, f"√H = {seen:.0f}")
    d.text(10, 196, f"e(x) = {ex:.0f}, e(y) = {ey:.0f}. |s √D − √H| = {abs(real - seen):.0f} ≤ {ex + ey:.0f}")
    return d.svg()


def draw(sources):
    return {"knn_tile": tile(sources), "knn_cancel": cancel(sources), "knn_network": network(sources),
            "knn_bitonic": bitonic(sources), "knn_bar": bar(sources), "knn_digits": digits(sources), "knn_fused": fused(sources),
            "knn_screen": screen(sources), "knn_triangle": triangle(sources)}
