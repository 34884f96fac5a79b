"""The figures of GEMV: gemv_ladder, gemv_size, gemv_search. All is FP16: the other types take the same time per byte."""

from report.figures.layout import (DARK, WHITE, Data, Label, Nothing, nice_ceiling, nothing, place_labels, quoted, row,
                                   runs)
from report.text import log2, significant

GRAPH, PDL, CEILING, CUBLAS = 5, 6, 8, 9  # line types of style.gp


def square(n):
    return f"{n} × {n}"


def thousands(x):
    """12345 -> 12 345; up to 9999 as it is."""
    x = "%.0f" % x
    return x[:-3] + " " + x[-3:] if len(x) > 4 else x


def megabytes(n):
    """Of an n x n matrix in FP16."""
    x = n * n * 2 / 1e6
    return (significant(x, 2) if x < 10 else thousands(x)) + " MB"


def gemv_ladder(db, part, gap, files):
    """bars: panel, row, length (1: the panel's longest), series, text; names: row, variant; panels: panel, title, where
    the ceiling's line stands, its text, the same of cuBLAS (-1: not measured); marks: the lines in text, as panel, row,
    where, letter; scale: the last row"""
    measured = part("bars")
    if not measured:
        raise nothing("1024 x 1024 or 4096 x 4096", files["gemv"])
    names = list(dict.fromkeys((one["variant"], one["mode"]) for one in measured))
    cases = {(one["variant"], one["mode"], one["n"]): one for one in measured}
    known = {(one["name"], one["n"]): one for one in part("lines")}
    bars, panels, marks = [], [], []
    for panel, n in enumerate((1024, 4096)):
        ceiling = known["read_ceiling", n]["gbps"] if ("read_ceiling", n) in known else 0
        cublas, cublas_us = ((known["cublas", n]["gbps"], known["cublas", n]["us"]) if ("cublas", n) in known
                             else (0, None))
        here = [cases.get((variant, mode, n)) for variant, mode in names]
        top = max([ceiling, cublas] + [one["gbps"] for one in here if one])
        ceiling_at = ceiling / top if ceiling > 0 else -1
        cublas_at = cublas / top if cublas_us is not None else -1
        for y, one in enumerate(here, 1):
            marks += [row(panel, -y, ceiling_at, "|"), row(panel, -y, cublas_at, ":")]
            if one:
                bars.append(row(panel, -y, one["gbps"] / top, PDL if one["mode"] == "pdl" else GRAPH,
                                quoted(f"{significant(one['us'], 3)} µs, {thousands(one['gbps'])}")))
        title = f"{square(n)}, {megabytes(n)}" + ("" if any(here) else ": not measured")
        of_cublas = significant(cublas_us, 3) if cublas_us is not None else ""
        panels.append(row(panel, quoted(title), ceiling_at, quoted(f"read ceiling, no PDL, {thousands(ceiling)} GB/s"),
                          cublas_at, quoted(f"cuBLAS {of_cublas} µs, {thousands(cublas)} GB/s")))
    data = Data()
    data.block("bars", bars)
    data.block("names", [row(-y, quoted(variant + (", PDL" if mode == "pdl" else "")))
                         for y, (variant, mode) in enumerate(names, 1)])
    data.block("panels", panels)
    data.block("marks", marks)
    data.scale(-len(names))
    return data


LINES = [("read_ceiling", CEILING, "read ceiling"), ("pdl", PDL, "best, PDL"), ("best", GRAPH, "best"),
         ("cublas", CUBLAS, "cuBLAS")]  # of a panel


def gemv_size(db, part, gap, files):
    """lines: octaves above n = 256 (in the right panel so many more), GB/s, series; labels; ticks: the same octaves, n,
    megabytes; panels: the middle of one's sizes, its title; scale: greatest GB/s, octaves of the largest size, of the
    right panel's beginning"""
    points = {}
    for one in part("points"):
        points.setdefault((one["cache"], one["what"]), []).append((one["n"], one["gbps"]))
    if not points:
        raise nothing("square shapes", files["gemv"])
    largest = max(n for line in points.values() for n, _ in line)
    octaves = log2(largest / 256)
    right = octaves + 3.7
    top = nice_ceiling(max(y for line in points.values() for _, y in line) * 1.04)
    lines, labels, ticks, panels = [], [], [], []
    for panel, cache in enumerate(("cold", "warm")):
        ends = []
        for what, of, text in LINES:
            line = points.get((cache, what), [])
            if line:
                lines.append([row(log2(n / 256) + panel * right, y, of) for n, y in line])
                ends.append(Label(text, of, log2(line[-1][0] / 256) + panel * right, line[-1][1]))
        labels += place_labels(ends, octaves + 0.45 + panel * right, 1.26 * gap * top, 0.02 * top, 0.98 * top) or [
            "NaN NaN - 1 NaN NaN"]
        n = 256
        while n <= largest:
            ticks.append(row(log2(n / 256) + panel * right, quoted(n), quoted(megabytes(n))))
            n *= 4
        title = ("cold: A comes from DRAM", "warm: A stays in the L2, if it fits")[panel]
        panels.append(row(octaves / 2 + panel * right, quoted(title + ("" if ends else " (not measured)"))))
    data = Data()
    data.block("lines", runs(lines))
    data.block("labels", labels)
    data.block("ticks", ticks)
    data.block("panels", panels)
    data.scale(top, octaves, right)
    return data


def slower(t):
    """In percent."""
    return "best" if t == 1 else "+%.0f" % (100 * (t - 1))


def heat(t):
    """From blue (1: the best) to a light grey (2 and slower), as 65536 * red + 256 * green + blue."""
    s = 1 if t >= 2 else log2(t)
    return 65536 * int(0 + s * 235) + 256 * int(90 + s * 145) + int(160 + s * 75)


def gemv_search(db, part, gap, files):
    """A heat map for each size, one above the other: across, threads per row; down, 16-byte loads in flight per thread. Candidates
    that differ in rows per block alone share a field.

    boxes: left, right, bottom, top, colour, 1 where persistent, 2 where rows are split, and 1 where it is the best; texts:
    x and y of the box's middle, rows per block, how much slower than the best, colour, 1 where the box is narrow; cells: the
    middle of a field and how much slower the best in it is, with P where that is persistent, S where it is split; columns:
    x, threads per row; rows: y, loads in flight; panels: y of the middle, title, the best candidate, its microseconds;
    scale: columns, least y"""
    candidates = part("candidates")
    winners = part("winners")
    if not winners:
        raise Nothing("no search at 1024 x 1024, 4096 x 4096 or 16384 x 16384 in "
                      f"{files['gemv_search']}, nothing to draw: `make bench` records it")
    columns = sorted({one["threads"] for one in candidates})
    rows = sorted({one["in_flight"] for one in candidates})
    boxes, texts, cells, row_texts, panels = [], [], [], [], []
    top = 0
    for winner in winners:
        for r, in_flight in enumerate(rows, 1):
            y = top - r + 0.5
            row_texts.append(row(y, quoted(in_flight)))
            for c, threads in enumerate(columns, 1):
                field = [one for one in candidates if
                         (one["n"], one["threads"], one["in_flight"]) == (winner["n"], threads, in_flight)]
                field.sort(key=lambda one: one["block_n"])
                for i, one in enumerate(field):
                    wide = 0.96 / len(field)
                    x = c - 1 + 0.02 + i * wide
                    t = one["us"] / winner["us"]
                    boxes.append(row(x, x + wide, y - 0.47, y + 0.47, heat(t), one["kind"],
                                     int(one["candidate"] == winner["candidate"])))
                    texts.append(row(x + wide / 2, y, quoted(f"n{one['block_n']}"), quoted(slower(t)),
                                     WHITE if t < 1.35 else DARK, int(len(field) > 3)))
                if field:
                    best = min(field, key=lambda one: one["us"])
                    mark = slower(best["us"] / winner["us"]) + ("", "P", "S")[best["kind"]]
                    cells.append(row(c - 0.5, y, quoted(mark)))
        panels.append(row(top - len(rows) / 2, quoted(square(winner["n"])), quoted(winner["candidate"]),
                          quoted(significant(winner["us"], 3) + " µs")))
        top -= len(rows) + 0.7
    data = Data()
    data.block("boxes", boxes)
    data.block("texts", texts)
    data.block("cells", cells)
    data.block("columns", [row(i - 0.5, quoted(threads)) for i, threads in enumerate(columns, 1)])
    data.block("rows", row_texts)
    data.block("panels", panels)
    data.scale(len(columns), top + 0.7)
    return data


FIGURES = [gemv_ladder, gemv_size, gemv_search]
