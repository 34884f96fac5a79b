"""The figures of the tensor cores: tensorcore_ladder, tensorcore_size, tensorcore_error."""

from report.figures.layout import (Data, Label, Nothing, nice_ceiling, nothing, place_labels, quoted, row, runs)
from report.text import fast_speed, log2

OF_F16, OF_OTHERS = 6, 3  # line types of style.gp


def tensorcore_ladder(db, part, gap, files):
    """bars: y, series, TFLOP/s, variant, text; baseline and limit: TFLOP/s, text; scale: greatest TFLOP/s, cuBLAS's, least
    y, the power-limited peak"""
    measured = part("bars")
    if not measured:
        raise nothing("4096^3, tn", files["tensorcore"])
    base = sum(one["tflops"] for one in part("baseline"))
    limit = (part("limit") or [None])[0]
    limit_tflops = limit["tflops"] if limit else 0
    bars = []
    for y, one in enumerate(measured, 1):
        dtype = one["dtype"]
        name = one["variant"] + {"f16": "", "tf32x3": ", FP32"}.get(dtype, ", " + dtype)
        text = fast_speed(one["tflops"]) + (f" ({one['ratio']})" if one["ratio"] else "")
        bars.append(row(-y, OF_F16 if dtype == "f16" else OF_OTHERS, one["tflops"], quoted(name), quoted(text)))
    data = Data()
    data.block("bars", bars)
    data.block("baseline", [row(base, quoted(f"cuBLAS, f16: {fast_speed(base)}"))] if base > 0 else [], "NaN -")
    data.block("limit", [row(limit_tflops, quoted(f"peak of f16 at the sustained clock, {limit['clock'] / 1000:.2f} GHz: "
                                                  f"{fast_speed(limit_tflops)}"))] if limit else [], "NaN -")
    data.scale(max([base, limit_tflops] + [one["tflops"] for one in measured]), base, -len(bars), limit_tflops)
    return data


def whole_ceiling(x):
    """A top for the axis: whole steps of tensorcore_size.gp's marks, so that little of the height is empty."""
    if x <= 300:
        return nice_ceiling(x)
    unit = 200 if x > 800 else 100
    top = unit
    while top < x:
        top += unit
    return top


TYPES = [("f16", 6), ("bf16", 2), ("s8", 5), ("tf32", 4), ("tf32x3", 1)]  # with their series


def tensorcore_size(db, part, gap, files):
    """lines: m, TFLOP/s, series; theirs: cuBLAS's, timed alternately with that line's point; labels: of a series, and 1 where
    it is cuBLAS's; scale: greatest TFLOP/s, least size, greatest size"""
    measured = part("points")
    if not measured:
        raise nothing("square shapes, tn", files["tensorcore"])
    lines, theirs, labels = [], [], []
    for of_cublas, runs_of, column in (0, lines, "tflops"), (1, theirs, "theirs"):
        for dtype, of in TYPES:
            line = [(one["m"], one[column]) for one in measured if one["dtype"] == dtype and one[column] is not None]
            if not line:
                continue
            runs_of.append([row(m, y, of) for m, y in line])
            if of_cublas:
                name = "cuBLAS " + ("FP32" if dtype == "tf32x3" else dtype)
            else:
                name = f"best {dtype}"
            labels.append(Label(name, f"{of} {of_cublas}", *line[-1]))
    sizes = [one["m"] for one in measured]
    top = whole_ceiling(max(max(one["tflops"], one["theirs"] or 0) for one in measured) * 1.04)
    data = Data()
    data.block("lines", runs(lines))
    data.block("theirs", runs(theirs), "NaN NaN 1")
    data.block("labels", place_labels(labels, max(sizes) * 1.2, gap * top, 0.02 * top, 0.99 * top))
    data.scale(top, min(sizes), max(sizes))
    return data


ERRORS = [("tf32", 2, "TF32"), ("f32", 9, "FP32"), ("tf32x3", 6, "tf32x3")]  # type, series, name
PANELS = ["signed", "positive"]


def tensorcore_error(db, part, gap, files):
    """Coordinates are logarithms to base 2: of K, and of the error. means, maxima: log2 K, log2 of the error, series;
    labels; ticks: log2 K, K; panels: the middle, its title; scale: lowest and highest power of two, octaves of K, where
    the right panel begins"""
    points = {(one["values"], one["dtype"], one["k"]): one for one in part("points")}
    largest = max([k for _, _, k in points] + [0])
    if largest < 2:
        raise Nothing(f"no errors in {files['tensorcore_error']}, nothing to draw: `make errors` records them")
    sizes = [2 ** i for i in range(int(log2(largest)) + 1)]
    right = log2(largest) + 7

    def lines(column):
        found = []
        for panel, values in enumerate(PANELS):
            for dtype, of, _ in ERRORS:
                line = [(k, points[values, dtype, k][column]) for k in sizes if (values, dtype, k) in points]
                found.append([(log2(k) + panel * right, log2(error), of) for k, error in line if error > 0])
        return found

    means, maxima = lines("error_mean"), lines("error_max")
    all_y = [point[1] for line in means + maxima for point in line]
    low, high = min(all_y + [0]), max(all_y + [-100])
    low, high = -(int(0.5 - low) + (0.5 - low > int(0.5 - low))), -int(-high - 1)
    labels = []
    for panel in range(2):
        ends = [Label(name, of, line[-1][0], line[-1][1])
                for (_, of, name), line in zip(ERRORS, means[3 * panel:3 * panel + 3]) if line]
        labels += place_labels(ends, log2(largest) + 0.9 + panel * right, 0.065 * (high - low), low, high)
    data = Data()
    data.block("means", runs([row(*point) for point in line] for line in means))
    data.block("maxima", runs([row(*point) for point in line] for line in maxima))
    data.block("labels", labels)
    data.block("ticks", [row(log2(k) + panel * right, quoted(k)) for panel in range(2)
                         for k in (16 ** i for i in range(20)) if k <= largest])
    data.block("panels", [row(log2(largest) / 2, quoted("values in [-1, 1)")),
                          row(log2(largest) / 2 + right, quoted("values in [0, 1]: nothing cancels"))])
    data.scale(low, high, log2(largest), right)
    return data


FIGURES = [tensorcore_ladder, tensorcore_size]
ERROR_FIGURES = [tensorcore_error]
