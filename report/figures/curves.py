"""The figures of lines: size, article, tensorcore_size, tensorcore_error, gemv_size, knn_...; and the roofline."""

from math import ceil, floor, log2, log10
from statistics import geometric_mean

from report.figures.ladders import baseline_name, megabytes
from report.figures.layout import (
    BASELINE,
    NOT_OURS,
    Axis,
    Figure,
    Line,
    Nothing,
    chart,
    data,
    nice_ceiling,
    nothing,
    power_of_two,
    powers,
    quoted,
    row,
    series,
    spread,
    steps,
)
from report.text import short_step, tenth

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SPEEDS = "tflops, tflops * ms_median / ms_max AS least, tflops * ms_median / ms_min AS most"


def sizes(least, most, every=1):
    """An axis of powers of two."""
    return powers(round(log2(least)), round(log2(most)), 2, every, lambda i: str(2 ** i))


def axis_of(points):
    top = 1.04 * max(y for _, y, *more in points for y in (y, *more) if y is not None)
    return Axis(0, top, [(x, f"{x:g}") for x in steps(top)])


def size(db, files, gap):
    """TFLOP/s against size: each step's best variant and the baseline."""
    found = {}
    for one in db.execute(f"SELECT step, variant, m, {SPEEDS} FROM gemm_step LEFT JOIN (SELECT best.*, m, tflops, "
                          "ms_median, ms_min, ms_max FROM best JOIN gemm USING (step, variant) WHERE shape = 'square') "
                          "USING (step) ORDER BY step, m"):
        found.setdefault((one["step"], one["variant"]), []).extend([(one["m"], *one[3:])] if one["m"] else [])
    named = {(f"{short_step(step)} {variant}", series(step)): points for (step, variant), points in found.items()}
    named[baseline_name(db), BASELINE] = [(one["m"], one["tflops"], None, None) for one in db.execute(
        "SELECT m, tflops FROM gemm_baseline WHERE m = n AND n = k AND m >= 256 ORDER BY m")]
    points = [point for line in named.values() for point in line]
    if not points:
        raise nothing("square shapes", files["sgemm"])
    lines = [Line([one for one in points if power_of_two(one[0])], of, name) for (name, of), points in named.items()]
    lines += [Line([one for one in points if not power_of_two(one[0])], of, "", "hollow") for (_, of), points
              in named.items()]
    for line, its in zip(lines, named.values()):
        line.points = line.points or its[-1:]  # a name needs a line
    largest = max(m for m, *_ in points)
    room = max(0.36, 0.0185 * max(len(name) for name, _ in named))
    return chart([("", lines)], sizes(256, max(512, 2 ** int(log2(largest)))), axis_of(points), gap, room)


SIDES = (2048, 4096, 8192, 16384)
OF_THE_ARTICLE = 97.5  # % of cuBLAS on a T4


def article(db, files, gap):
    """The SGEMM article's four shapes (K = 1024): each step's best variant as a share of the baseline."""
    found = {}
    for one in db.execute("SELECT step, short, variant, m, ratio, ratio_min, ratio_max FROM gemm_step JOIN best USING "
                          "(step) JOIN gemm USING (step, variant) WHERE m = n AND k = 1024 AND m IN (2048, 4096, 8192, "
                          "16384) AND ratio > 0 ORDER BY step, m"):
        found.setdefault(one["step"], []).append(one)
    if not found:
        raise nothing("the article's shapes (K = 1024)", files["sgemm"])
    lines = []
    for step, shapes in found.items():
        shares = [tuple(one[end] and 100 * one[end] for end in ("ratio", "ratio_min", "ratio_max")) for one in shapes]
        mean = f", mean {sum(share for share, *_ in shares) / 4:.1f} %" if len(shapes) == 4 else ""
        lines.append(Line([(one["m"], *share) for one, share in zip(shapes, shares)], series(step),
                          f"{shapes[0]['short']} {shapes[0]['variant']}{mean}"))
    top = max(most or share for line in lines for _, share, _, most in line.points)
    for share, name, of in (100, baseline_name(db), BASELINE), (OF_THE_ARTICLE,
                                                                f"the article's, on a T4: {OF_THE_ARTICLE} %",
                                                                NOT_OURS):
        lines.append(Line([(side, share) for side in (SIDES[0], SIDES[-1])], of, name, "dashed"))
    y = Axis(0, max(110, top * 1.03), [(x, f"{x:g}") for x in steps(max(110, top))])
    return chart([("", lines)], sizes(*(SIDES[0], SIDES[-1])), y, gap, 0.75)


TYPES = [("f16", 6), ("bf16", 2), ("s8", 5), ("tf32", 4), ("tf32x3", 1)]  # with their series


def tensorcore_size(db, files, gap):
    """The tensor cores' TFLOP/s against size: the best variant of each type, and cuBLAS (dashed, hollow)."""
    measured = db.execute(f"SELECT dtype, m, {SPEEDS}, CASE WHEN baseline_ms > 0 THEN 2.0 * m * n * k / baseline_ms / "
                          "1e9 END AS theirs FROM tensor WHERE stands AND layout = 'tn' AND load = 'burst' AND m = n "
                          "AND n = k AND m IN (SELECT side FROM tensor_side) ORDER BY m").fetchall()
    if not measured:
        raise nothing("square shapes, tn", files["tensorcore"])
    lines = []
    for dtype, of in TYPES:
        mine = [one for one in measured if one["dtype"] == dtype]
        lines.append(Line([(one["m"], one["tflops"], one["least"], one["most"]) for one in mine], of, f"best {dtype}"))
        lines.append(Line([(one["m"], one["theirs"]) for one in mine if one["theirs"]], of,
                          "cuBLAS " + ("FP32" if dtype == "tf32x3" else dtype), "theirs"))
    points = [point for line in lines for point in line.points]
    return chart([("", lines)], sizes(min(points)[0], max(points)[0]), axis_of(points), gap, 0.3)


def tensorcore_error(db, files, gap):
    """tf32x3's error against K beside FP32's and plain TF32's: values of either sign on the left, positive ones on the
    right. Lines with points are means, dashed ones the largest of all elements.

    Sums in the simulator are not a GPU's."""
    points = {}
    for one in db.execute("SELECT max(rowid), \"values\", dtype, k, error_mean, error_max FROM tensorcore_error WHERE "
                          "device NOT LIKE '%simulated%' GROUP BY \"values\", dtype, k ORDER BY k"):
        for what in "error_mean", "error_max":
            if one[what] > 0 and power_of_two(one["k"]):
                points.setdefault((one["values"], one["dtype"], what), []).append((one["k"], one[what]))
    everything = [point for line in points.values() for point in line]
    if max([k for k, _ in everything] + [0]) < 2:
        raise Nothing(f"no errors in {files['tensorcore_error']}, nothing to draw: `make errors` records them")
    logs = [log2(error) for _, error in everything]
    y = powers(int(min(logs)) - 1, int(max(logs)) + (max(logs) > 0), 2, 4, lambda i: "2" +
               str(i).translate(SUPERSCRIPTS))
    panels = [(title, [Line(points.get((values, dtype, what), []), of, name + ending, style)
                       for dtype, of, name in (("tf32", 2, "TF32"), ("f32", BASELINE, "FP32"), ("tf32x3", 6, "tf32x3"))
                       for what, style, ending in (("error_mean", "lines", ""), ("error_max", "dashed", ", largest"))])
              for values, title in (("signed", "values in [-1, 1)"), ("positive", "values in [0, 1]: nothing cancels"))]
    return chart(panels, sizes(1, max(k for k, _ in everything), 4), y, gap, 0.62, every=True,
                 rules=[2.0 ** (int(min(logs)) - 1)])


def gemv_size(db, files, gap):
    """GEMV's GB/s against size: best, cuBLAS and the read ceiling, cold on the left, warm on the right."""
    points = {}
    for one in db.execute("""SELECT g.cache, CASE WHEN name = 'best' AND g.mode = 'pdl' THEN 'pdl' ELSE name END AS
                             what, g.n, g.gbps, g.gbps * ms_median / ms_max AS least, g.gbps * ms_median / ms_min AS
                             most FROM gemv_all AS g LEFT JOIN gemv_row AS r ON r.line = g.line
                             WHERE g.op = 'gemv' AND g.dtype = 'f16' AND g.n = g.k AND g.n >= 256 AND g.gbps IS NOT
                             NULL AND (name = 'best' AND g.mode IN ('graph', 'pdl') OR name IN ('read_ceiling',
                             'cublas') AND g.mode = 'graph') ORDER BY g.n"""):
        points.setdefault((one["cache"], one["what"]), []).append((one["n"], *one[3:]))
    everything = [point for line in points.values() for point in line]
    if not everything:
        raise nothing("square shapes", files["gemv"])
    named = [("read_ceiling", NOT_OURS, "read ceiling"), ("pdl", 6, "best, PDL"), ("best", 5, "best"),
             ("cublas", BASELINE, "cuBLAS")]
    panels = []
    for cache, title in ("cold", "cold: A comes from DRAM"), ("warm", "warm: A stays in the L2, if it fits"):
        lines = [Line(points.get((cache, what), []), of, name) for what, of, name in named]
        panels.append((title if any(line.points for line in lines) else title + " (not measured)", lines))
    largest = 2 ** int(log2(max(n for n, *_ in everything)) + 1e-9)
    x = powers(8, max(9, round(log2(largest))), 2, 2, lambda i: f"{2 ** i}\\n{megabytes(2 ** i)}")
    return chart(panels, x, axis_of(everything), gap, 0.46, every=True)


def random(db, files, gap):
    """Ratios to the strongest call at shapes drawn at random, against the product's size: a panel a set. Blue: shapes
    that kernels were tuned at, orange: others; dashed: the geometric mean and the 10th percentile of both."""
    sets = {}
    for name, *one in db.execute('SELECT "set", draw IS \'final\', flops, ratio FROM random_row WHERE ratio > 0 '
                                 'ORDER BY place, flops'):
        sets.setdefault(name, []).append(one)
    sizes, everything = ([one[i] for those in sets.values() for one in those] for i in (1, 2))
    if not sizes:
        raise nothing("random shapes", files["random"], "make bench SWEEPS=random")
    many = len(sets) > 2  # labels at a panel's ends would meet the next panel's
    x = powers(floor(log10(min(sizes))), ceil(log10(max(sizes))) + 1, every=3 if many else 1,
               text=lambda i: "10" + str(i).translate(SUPERSCRIPTS) if not many or i % 6 == 3 else "")
    low, high = min(-1, floor(log2(min(everything)) - 0.5)), max(1, ceil(log2(max(everything))))
    y = Axis(2.0 ** low, 1.3 * 2.0 ** high, [(2.0 ** i, f"{2.0 ** i:g}") for i in range(low, high + 1)], log2)
    left, right = 10.0 ** x.low, 10.0 ** (x.low + x.wide)
    panels, notes = [], []
    for name, those in sets.items():
        ratios = [ratio for *_, ratio in those]
        mean, worse = geometric_mean(ratios), tenth(ratios)
        notes += [(len(panels), left, 2.0 ** (low + 0.3), f"mean {mean:.2f}"),
                  (len(panels), left, 2.0 ** (low + 0.1), f"10th pct. {worse:.2f}")]
        panels.append((name.replace(" ", "\\n", 1),
                       [Line([one[1:] for one in those if one[0] == last], (5, 2)[last], "", "points")
                        for last in (0, 1)] +
                       [Line([(left, share), (right, share)], of, "", "dashed")
                        for share, of in ((mean, BASELINE), (worse, NOT_OURS))]))
    return chart(panels, x, y, gap, 0, notes, rules=(1,), space=0.15)


RIVALS = [("ann_kdtree", "ANN, kd-tree", 1), ("ann_brute", "ANN, brute force", 2),
          ("openblas", "OpenBLAS, all cores", BASELINE),
          ("bf_garcia", "bf_garcia", 5), ("gemm_cublas+auto", "the paper's (gemm_cublas+auto)", 6)]


def exact_of(db):
    """The exact method: exact_tc, where it runs."""
    found = db.execute("SELECT 1 FROM knn_case WHERE (variant, k, how) = ('exact_tc', 25, 'device')").fetchone()
    return "exact_tc" if found else "direct+radix"


def knn_table(db, files, gap):
    """The speed-up of exact_tc over the others, against n: a panel per dimension; both axes logarithmic."""
    points = {}
    for one in db.execute("""SELECT rival.variant, own.n, own.d, rival.ms_median / own.ms_median AS times, rival.ms_min
                             / own.ms_median AS least, rival.ms_max / own.ms_median AS most
                             FROM knn_case AS own JOIN knn_case AS rival USING (n, d, k)
                             WHERE own.variant = ? AND own.how = 'device' AND k = 25 AND own.n BETWEEN 1024 AND 32768
                             AND rival.how = CASE WHEN rival.variant IN ('ann_kdtree', 'ann_brute', 'openblas') THEN
                             'cpu' ELSE 'device' END ORDER BY own.n""", [exact_of(db)]):
        if one["variant"] in [name for name, _, _ in RIVALS] and power_of_two(one["n"]):
            points.setdefault((one["variant"], one["d"]), []).append((one["n"], *one[3:]))
    times = [log10(y) for line in points.values() for _, y, *_ in line]
    if not times:
        raise nothing("m = 1200, k = 25", files["knn"], "make knn-paper")
    low, high = min(0, int(min(times) - 1 + 1e-9)), max(1, int(max(times) + 1 - 1e-9))
    panels = [(f"d = {d}", [Line(points.get((variant, d), []), of, name) for variant, name, of in RIVALS]) for d
              in (32, 64, 128, 256)]
    for line in panels[-1][1]:  # named behind the last panel, though they may have ended before
        line.name = line.name if line.points else ""
    x = powers(10, 15, 2, 2, lambda i: f"{2 ** (i - 10)}K")
    return chart(panels, x, powers(low, high, text=lambda i: f"{10.0 ** i:g}" if i < 0 else str(10 ** i)), gap, 2.7,
                 rules=(1,), space=0.2)


def knn_select(db, files, gap):
    """A search's time against k for each way to select, both axes logarithmic; the paper's two cross where it is
    marked."""
    ways = [("direct+kpass", 6), ("direct+bitonic", 5), ("direct+warpselect", 2), ("direct+radix", 4)]
    ways += [("exact_tc", 1)] if exact_of(db) == "exact_tc" else []
    lines = [Line(db.execute("SELECT k, ms_median, ms_min, ms_max FROM knn_case WHERE (n, d, how, variant) = (16384, "
                             "32, 'device', ?) AND k BETWEEN 1 AND 512 ORDER BY k", [way]).fetchall(), of,
                  way.replace("direct+", "")) for way, of in ways]
    points = [point for line in lines for point in line.points]
    last = max([k for k, *_ in points] + [0])
    if last < 2:
        raise Nothing(f"no times against k at n = 16384, d = 32 in {files['knn']}, nothing to draw: `make knn-paper` "
                      f"records them")
    logs = [log10(ms) for _, ms, *_ in points]
    low = min(logs) // 1
    y = Axis(10 ** min(logs) / 1.5, 10 ** max(logs) * 1.3, [(10.0 ** i, f"{10.0 ** i:g}") for i in range(int(low), 6)
                                                           if min(logs) - 0.2 < i < max(logs) + 0.12], log10)
    cross = [(0, one["k"], one["ms"], f"k = {one['k']} (paper: 46)")
             for one in db.execute("SELECT k, ms FROM knn_crossover")]
    x = powers(0, round(log2(last)), 2, 1, lambda i: str(2 ** i))
    return chart([("", lines)], x, y, gap, 0.26, marked=cross, rules=[10 ** min(logs) / 1.5])


def knn_rates(db, files, gap):
    """KDD Cup 1999: share of the attacks detected (above) and of normal records taken for attacks (below, on a scale of
    its own) against k, means of the samples; the test's records from the same file on the left, from “corrected” on
    the right."""
    measured = db.execute("SELECT protocol, class, k, detection, detection_least, detection_most, false_alarms, "
                          "false_alarms_least, false_alarms_most FROM rate JOIN rate_method USING (method) WHERE k "
                          "BETWEEN 1 AND 15 ORDER BY k").fetchall()
    if not measured:
        raise Nothing(f"no rates in {files['knn_rates']}, nothing to draw: `make knn-paper` records them")
    classes = [("DoS", 5), ("Probe", 4), ("R2L", 6), ("U2R", 1)]
    most = 100 * max([one["false_alarms_most"] for one in measured if one["class"] in dict(classes)] + [0.001])
    top = nice_ceiling(most)
    panels = []
    for protocol, title in ("same", "test: the same file, no record twice"), ("corrected",
                                                                              "test: another file, “corrected”"):
        mine = {name: [one for one in measured if (one["protocol"], one["class"]) == (protocol, name)] for name, _
                in classes}
        lines = [Line([(one["k"], *(0.4 + 0.6 * one[3 + i] for i in range(3))) for one in mine[name]], of, name)
                 for name, of in classes]
        lines += [Line([(one["k"], *(0.3 * 100 * one[6 + i] / top for i in range(3))) for one in mine[name]], of)
                  for name, of in classes]
        panels.append((title, lines))
    y = Axis(0, 1, [(0.4 + 0.6 * x / 100, f"{x} %") for x in (0, 25, 50, 75, 100)] +
             [(0.3 * x / top, f"{x:g} %") for x in steps(top, 3)])
    notes = [(panel, 1, 0.345, "above: attacks detected; below: false alarms") for panel in (0, 1)]
    return chart(panels, Axis(1, 15, [(k, k) for k in range(1, 16, 2)]), y, gap, 0.22, notes, every=True,
                 rules=(0, 0.4))


def roofline(db, files, gap):
    """Roofline at m = n = k = 4096. A kernel stands at its counted intensity: FLOP per byte that its blocks ask of
    global memory, whichever of caches and DRAM serves them.

    An unknown device has no DRAM bandwidth; its FP32 peak is what `run` computed of the device's attributes."""
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


FIGURES = {
    "sgemm": [Figure(size, "Square SGEMM, best variant of each step (hollow: size no power of two)", "m = n = k",
                     "TFLOP/s, FP32"),
              Figure(article, "The article's shapes, K = 1024: best variant of each step against {}", "M = N",
                     "% of {}"),
              Figure(roofline, script="roofline")],
    "tensorcore": [Figure(tensorcore_size, "Square GEMM on tensor cores, A row by row, B column by column", "m = n = k",
                          "TFLOP/s (s8: TOP/s)")],
    "tensorcore_error": [Figure(tensorcore_error, "FP32 from three products of TF32: error against K", "K",
                                "|c - ref| / |A||B|")],
    "gemv": [Figure(gemv_size, "GEMV in FP16: GB/s against size (PDL: programmatic dependent launch)",
                    "n of the n × n matrix A, and its bytes", "GB/s")],
    "random": [Figure(random, "Shapes drawn at random: ratio to the strongest call of cuBLAS or cuDNN",
                      "FLOP (2 m n k)", "times as fast")],
    "knn": [Figure(knn_table, "{}, 1200 queries, k = 25: speed-up", "n points", "times as fast as the other"),
            Figure(knn_select, "1200 queries, 16384 points, d = 32: milliseconds against k", "k", "ms")],
    "knn_rates": [Figure(knn_rates, "KDD Cup 1999: attacks detected, and false alarms, against k", "k",
                         "share of the records")],
}
