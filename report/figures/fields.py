"""The figures that are neither bars nor lines: roofline, gemv_search."""

from math import log2

from report.figures.layout import Nothing, data, nothing, quoted, row, series, spread
from report.text import significant


def roofline(db, files, gap):
    """Every variant at 4096^3 over its intensity, FLOP per byte that its blocks load. An unknown device has no DRAM
    bandwidth; its FP32 peak is what `run` computed of the device's attributes."""
    measured = db.execute("SELECT v.step, v.short, v.variant, flop_per_byte, tflops, tflops * ms_median / ms_max AS "
                          "least, tflops * ms_median / ms_min AS most FROM variant AS v JOIN gemm USING (step, "
                          "variant) JOIN ladder USING (step, variant) WHERE v.family = 'gemm' AND (m, n, k) = (4096, "
                          "4096, 4096) AND flop_per_byte > 0 ORDER BY step, place").fetchall()
    if not measured:
        raise nothing("4096^3", files["sgemm"])
    dram, peak = (x or 0 for x in db.execute("SELECT dram_gbps / 1000, coalesce(peak, fp32_tflops) FROM gemm_about "
                                             "LEFT JOIN devices ON devices.name = device").fetchone())
    top = peak or max(one["tflops"] for one in measured)
    points, beside, labels, above = [], [], [], []
    for one in measured:
        x, t, of = one["flop_per_byte"], one["tflops"], series(one["step"])
        points.append(row(x, t, one["least"], one["most"], of))
        name = f"{one['short']} {one['variant']}"
        over = 0 < x * dram < t
        above += [t] if over else []
        if x >= 16:
            labels.append((name, of, x, t))
        elif over or x < 1:  # above the roof or at the left edge; above it on its left, so as not to cross the roof
            beside.append(row(0.135 if over else x * 1.15, t * (1.3 if over else 1), quoted(name), 0))
        else:  # below it, where no line to another's name passes
            beside.append(row(x, t / 1.45, quoted(name), 1))
    low = min(one["tflops"] for one in measured)
    low = low / 2 if low < 0.5 else 0.25
    octaves = log2(top * 2 / low)
    places = spread([log2(t) for *_, t in labels], gap * octaves, log2(low) + gap * octaves / 2,
                    log2(top) - gap * octaves)
    return data({"points": points, "beside": [line for line in beside if line.endswith("0")],
                 "below": [line for line in beside if line.endswith("1")],
                 "labels": [row(110, 2 ** place, quoted(name), of, x, t) for (name, of, x, t), place
                            in zip(labels, places)]}, top, dram, low, len(above), peak, max(above + [0]))


def slower(t):
    """In percent."""
    return "best" if t == 1 else "+%.0f %%" % (100 * (t - 1))


def heat(t):
    """From blue (1: the best) to a light grey (2 and slower), as 65536 * red + 256 * green + blue."""
    s = 1 if t >= 2 else log2(t)
    return 65536 * int(0 + s * 235) + 256 * int(90 + s * 145) + int(160 + s * 75)


def gemv_search(db, files, gap):
    """The autotuner's searches at three sizes, one below the other: across, threads per row; down, 16-byte loads in
    flight per thread; not the candidates for rows that are short or lie otherwise. Of candidates that differ in rows
    per block alone the fastest is shown.

    boxes: x, y, colour, text, colour of the text, 1 where persistent, 2 where rows are split, and 1 where it is the
    best"""
    found = {}
    for one in db.execute("""SELECT n, candidate, us, threads, block_n, in_flight, CASE
                             WHEN candidate LIKE '% persistent' THEN 1 WHEN candidate LIKE '% split' THEN 2 ELSE 0 END
                             AS kind FROM candidate
                             WHERE variant = 'best' AND dtype = 'f16' AND n = k AND n IN (1024, 4096, 16384) AND
                             (cache, mode) = ('cold', 'graph') AND candidate NOT LIKE '% unaligned' AND candidate NOT
                             LIKE '% short' ORDER BY n, us DESC, row DESC"""):
        found.setdefault(one["n"], {})[one["threads"], one["in_flight"]] = one  # the last, the fastest
    if not found:
        raise Nothing("no search at 1024 x 1024, 4096 x 4096 or 16384 x 16384 in "
                      f"{files['gemv_search']}, nothing to draw: `make bench` records it")
    columns, rows = (sorted({key[i] for fields in found.values() for key in fields}) for i in (0, 1))
    boxes, ticks, panels, y = [], [], [], 0
    for n, fields in found.items():
        best = min(fields.values(), key=lambda one: one["us"])
        for in_flight in rows:
            y -= 1
            ticks.append(row(y, quoted(in_flight)))
            for x, threads in enumerate(columns):
                one = fields.get((threads, in_flight))
                if one:
                    t = one["us"] / best["us"]
                    boxes.append(row(x, y, heat(t), quoted(f"n{one['block_n']} {slower(t)}"), 0xFFFFFF if t < 1.35
                                     else 0x101010, one["kind"], int(one is best)))
        panels.append(row(y + (len(rows) - 1) / 2, quoted(f"{n} × {n}"), quoted(f"{significant(best['us'], 3)} µs"),
                          quoted(f"{best['threads']} threads a row"),
                          quoted(f"{best['block_n']} rows a block, {best['in_flight']} loads")))
        y -= 0.7
    kinds = {one["kind"] for fields in found.values() for one in fields.values()}
    key = [text for kind, text in ((1, "orange frame: persistent blocks"), (2, "green frame: split rows")) if kind
           in kinds]
    return data({"boxes": boxes, "columns": [row(x, quoted(threads)) for x, threads in enumerate(columns)],
                 "rows": ticks, "panels": panels,
                 "key": [row(0, quoted("; ".join(["n: rows per block of the fastest", *key])))]}, len(columns), y)


FIGURES = {"sgemm": [roofline], "gemv": [gemv_search]}
