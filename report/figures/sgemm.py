"""The figures of FP32's GEMMs: progression, size, article, roofline."""

from report.figures.layout import (BASELINE, DARK, INK, NOT_OURS, WHITE, Data, Label, nice_ceiling, nothing,
                                   place_labels, power_of_two, quoted, row, runs, series, spread)
from report.text import log2, short_step, speed


def baseline_name(db):
    return db.execute("SELECT coalesce(baseline, 'no baseline') FROM gemm_about").fetchone()[0]


def progression(db, part, gap, files):
    """bars: y, series, TFLOP/s, variant, text; beside, inside: y, where the text of a bar begins (beside) or ends
    (inside), text, its colour; names: y, step; baseline: TFLOP/s, text; scale: greatest TFLOP/s, baseline, least y, where
    the texts end"""
    measured = part("bars")
    base = sum(one["tflops"] for one in part("baseline"))
    top = max([base] + [one["tflops"] for one in measured])
    if top == 0:
        raise nothing("4096^3", files["sgemm"])
    wide = 0.29 * top  # about the width of a bar's text
    right = 1.1 * top
    bars, beside, inside, names = [], [], [], []
    y, step = 0, None
    for one in measured:
        if one["step"] != step:
            step = one["step"]
            if y != 0:
                y -= 0.35
            names.append(row(y - 1, quoted(step)))
        y -= 1
        t, of = one["tflops"], series(step)
        text = speed(t) + (f" ({one['ratio']})" if one["ratio"] else "")
        bars.append(row(y, of, t, quoted(one["variant"]), quoted(text)))
        # A text that would cross the baseline's line stands inside its bar, if there is room on the line's left.
        x = min(t, base)
        if t + wide > base and x > wide:
            light = of in (4, 5, 6)  # on these colours ink is hard to read
            inside.append(row(y, x - 0.01 * top, quoted(text), WHITE if light else DARK))
            continue
        x = base if t + wide > base and t < base else t
        beside.append(row(y, x + 0.01 * top, quoted(text), INK))
        right = max(right, x + wide)
    data = Data()
    data.block("bars", bars)
    data.block("beside", beside, "NaN NaN - 0")
    data.block("inside", inside, "NaN NaN - 0")
    data.block("names", names)
    data.block("baseline", [row(base, quoted(f"{baseline_name(db)} {speed(base)}"))] if base > 0 else [], "NaN -")
    data.scale(top, base, y, right)
    return data


def size(db, part, gap, files):
    """lines: power-of-two sizes, TFLOP/s, series; hollow: the other sizes; labels; scale: greatest TFLOP/s, size"""
    points = {}  # (name, series): [(size, TFLOP/s)]
    for one in part("lines"):
        line = points.setdefault((f"{short_step(one['step'])} {one['variant']}", series(one["step"])), [])
        if one["m"] is not None:
            line.append((one["m"], one["tflops"]))
    points[baseline_name(db), BASELINE] = [(one["m"], one["tflops"]) for one in part("baseline")]
    everything = [point for line in points.values() for point in line]
    if not everything:
        raise nothing("square shapes", files["sgemm"])
    top = nice_ceiling(max(t for _, t in everything) * 1.04)
    largest = max(m for m, _ in everything)
    labels = [Label(name, of, *line[-1]) for (name, of), line in points.items() if line]
    data = Data()
    data.block("lines", runs([row(m, t, of) for m, t in line if power_of_two(m)] for (_, of), line in points.items()))
    data.block("hollow", [row(m, t, of) for (_, of), line in points.items() for m, t in line if not power_of_two(m)],
               "NaN NaN 1")
    data.block("labels", place_labels(labels, largest * 1.25, gap * top, 0.02 * top, 0.99 * top))
    data.scale(top, largest)
    return data


SIDES = (2048, 4096, 8192, 16384)
OF_THE_ARTICLE = 97.5  # % of cuBLAS on a T4


def article(db, part, gap, files):
    """lines: shape number, % of the baseline (median, min, max), series; labels; ticks: number, M = N; scale"""
    steps = {}
    for one in part("lines"):
        steps.setdefault(one["step"], []).append(one)
    if not steps:
        raise nothing("the article's shapes (K = 1024)", files["sgemm"])
    lines, labels, top = [], [], 0
    for step, shapes in steps.items():
        of = series(step)
        shares = [100 * one["ratio"] for one in shapes]
        numbers = [SIDES.index(one["m"]) + 1 for one in shapes]
        lines.append([row(number, share, 100 * (one["ratio_min"] or 0), 100 * (one["ratio_max"] or 0), of)
                      for number, share, one in zip(numbers, shares, shapes)])
        top = max([top] + shares + [100 * (one["ratio_max"] or 0) for one in shapes])
        mean = f", mean {sum(shares) / 4:.1f} %" if len(shapes) == 4 else ""
        labels.append(Label(f"{shapes[0]['short']} {shapes[0]['variant']}{mean}", of, numbers[-1], shares[-1]))
    labels.append(Label(baseline_name(db), BASELINE, 4.15, 100))
    labels.append(Label(f"the article's, on a T4: {OF_THE_ARTICLE} %", NOT_OURS, 4.15, OF_THE_ARTICLE))
    top = 110 if top < 107 else 10 * int(top * 1.03 / 10 + 1)
    data = Data()
    data.block("lines", runs(lines))
    data.block("labels", place_labels(labels, 4.3, gap * top, 0.02 * top, 0.98 * top))
    data.scale(top)
    return data


def roofline(db, part, gap, files):
    """points: FLOP/byte, TFLOP/s, series; beside, labels; scale: greatest TFLOP/s (of the roof where it is known), DRAM TB/s
    (0: not known), least TFLOP/s, points above the DRAM roof, the FP32 peak (0: not known), the greatest TFLOP/s above the
    DRAM roof"""
    measured = part("points")
    if not measured:
        raise nothing("4096^3", files["sgemm"])
    device = part("device")[0]
    dram, peak = device["dram"] or 0, device["peak"] or 0
    top = peak or max(one["tflops"] for one in measured)
    points, beside, labels, above = [], [], [], []
    for one in measured:
        x, t, of = one["flop_per_byte"], one["tflops"], series(one["step"])
        points.append(row(x, t, of))
        name = f"{one['short']} {one['variant']}"
        over = 0 < x * dram < t
        if over:
            above.append(t)
        if x < 16:  # room for its name beside it; above the roof, on its left, so as not to cross the roof
            beside.append(row(0.135, t * 1.3, quoted(name)) if over else row(x * 1.15, t, quoted(name)))
        else:
            labels.append(Label(name, of, x, log2(t)))
    low = min(one["tflops"] for one in measured)
    low = low / 2 if low < 0.5 else 0.25
    octaves = log2(top * 2 / low)
    lines = place_on_logarithm(labels, 110, gap * octaves, log2(low) + gap * octaves / 2, log2(top) - gap * octaves)
    data = Data()
    data.block("points", points)
    data.block("beside", beside, "NaN NaN -")
    data.block("labels", lines, "NaN NaN - 1 NaN NaN")
    data.scale(top, dram, low, len(above), peak, max(above + [0]))
    return data


def place_on_logarithm(labels, x, distance, low, high):
    """Labels whose y is a logarithm to base 2, placed in that and written as numbers again."""
    places = spread([label.y for label in labels], distance, low, high)
    return [row(x, 2 ** place, quoted(label.text), label.series, label.x, 2 ** label.y)
            for label, place in zip(labels, places)]


FIGURES = [progression, size, article, roofline]
