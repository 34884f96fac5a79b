"""The figures of nearest neighbours: knn_table, knn_select, knn_rates."""

from report.figures.layout import Data, Label, Nothing, nice_ceiling, nothing, place_labels, quoted, row, runs
from report.text import log2, log10

DIMENSIONS = (32, 64, 128, 256)
COUNTS = (1024, 2048, 4096, 8192, 16384, 32768)
PANEL = 6.2  # octaves of n that a panel takes
RIVALS = [("ann_kdtree", "ANN, kd-tree", 1), ("ann_brute", "ANN, brute force", 2), ("openblas", "OpenBLAS, all cores", 9),
          ("bf_garcia", "bf_garcia", 5), ("gemm_cublas+auto", "the paper's (gemm_cublas+auto)", 6)]


def exact_of(db):
    """The exact method: exact_tc, where it runs."""
    found = db.execute("SELECT 1 FROM knn_case WHERE (variant, k, how) = ('exact_tc', 25, 'device')").fetchone()
    return "exact_tc" if found else "direct+radix"


def knn_table(db, part, gap, files):
    """Speed-up against n, a panel per dimension. lines: x, log10 of the speed-up, series; labels; ticks: x, n;
    panels: x, title; scale: lowest and highest power of ten, a panel's width, panels"""
    measured = part("points", exact=exact_of(db))
    times = {(one["variant"], one["d"], one["n"]): log10(one["times"]) for one in measured
             if one["variant"] in [rival for rival, _, _ in RIVALS]}
    if not times:
        raise nothing("m = 1200, k = 25", files["knn"], "make knn-paper")
    low, high = 0, 1
    while max(times.values()) > high:
        high += 1
    while min(times.values()) < low:
        low -= 1
    lines, labels = [], []
    for rival, name, of in RIVALS:
        end = None
        for panel, d in enumerate(DIMENSIONS):
            line = [(panel * PANEL + log2(n / COUNTS[0]), times[rival, d, n]) for n in COUNTS if (rival, d, n) in times]
            lines.append([row(x, y, of) for x, y in line])
            end = line[-1] if line else end
        if end:
            labels.append(Label(name, of, *end))
    data = Data()
    data.block("lines", runs(lines))
    data.block("labels", place_labels(labels, 3 * PANEL + 5.4, gap * (high - low) * 1.1, low, high))
    data.block("ticks", [row(panel * PANEL + log2(n / COUNTS[0]), quoted(f"{n // 1024}K"))
                         for panel in range(4) for n in (1024, 4096, 16384)])
    data.block("panels", [row(panel * PANEL + 2.5, quoted(f"d = {d}")) for panel, d in enumerate(DIMENSIONS)])
    data.scale(low, high, PANEL, len(DIMENSIONS))
    return data


def knn_select(db, part, gap, files):
    """Time against k. lines: log2 k, log10 ms, series; labels; cross: where the paper's two ways cross, its text; scale:
    lowest and highest power of ten, log2 of the largest k"""
    ways = [("direct+kpass", 6), ("direct+bitonic", 5), ("direct+warpselect", 2), ("direct+radix", 4)]
    ways.append(("exact_tc" if exact_of(db) == "exact_tc" else "-", 1))
    measured = [one for one in part("points") if one["variant"] in dict(ways)]
    last = max([one["k"] for one in measured] + [0])
    if last < 2:
        raise Nothing(f"no times against k at n = 16384, d = 32 in {files['knn']}, nothing to draw: `make knn-paper` "
                      "records them")
    all_y = [log10(one["ms"]) for one in measured]
    low, high = min(all_y), max(all_y)
    low = -int(1 - low) if low < 0 else int(low)
    high = int(high + 1) if high > 0 else -int(-high)
    lines, labels = [], []
    for way, of in ways:
        line = [(log2(one["k"]), log10(one["ms"])) for one in measured if one["variant"] == way]
        lines.append([row(x, y, of) for x, y in line])
        if line:
            labels.append(Label(way.replace("direct+", ""), of, *line[-1]))
    cross = (part("crossover") or [None])[0]
    data = Data()
    data.block("lines", runs(lines))
    data.block("labels", place_labels(labels, log2(last) + 0.45, gap * (high - low) * 1.1, low, high))
    data.block("cross", [row(log2(cross["k"]), log10(cross["ms"]),
                             quoted(f"they cross at k = {cross['k']} (the paper: 46)"))] if cross else [], "NaN NaN -")
    data.scale(low, high, log2(last))
    return data


CLASSES = [("DoS", 5), ("Probe", 4), ("R2L", 6), ("U2R", 1)]  # with their series
WIDE = 20  # of a panel, in k


def knn_rates(db, part, gap, files):
    """Means over the samples against k, a panel a protocol; detection above, false alarms below on a scale of their own.
    lines: x, y, series; labels; panels: x, title; note; scale: greatest false alarms in percent, a panel's width"""
    measured = {(one["protocol"], one["class"], one["k"]): one for one in part("points")}
    if not measured:
        raise Nothing(f"no rates in {files['knn_rates']}, nothing to draw: `make knn-paper` records them")
    most = max([one["false_alarms"] for (_, name, _), one in measured.items() if name in dict(CLASSES)] + [0])
    top = nice_ceiling(100 * most if most > 0.0005 else 0.1)
    lines, labels = [], []
    for panel, protocol in enumerate(("same", "corrected")):
        ends = []
        for column in "detection", "false_alarms":
            for name, of in CLASSES:
                line = []
                for k in range(1, 16):
                    if (protocol, name, k) in measured:
                        share = measured[protocol, name, k][column]
                        y = share if column == "detection" else -0.62 + 0.42 * 100 * share / top
                        line.append(row(k + panel * WIDE, y, of))
                        if column == "detection" and k == 15:
                            ends.append(Label(name, of, 15 + panel * WIDE, share))
                lines.append(line)
        labels += place_labels(ends, 15.7 + panel * WIDE, gap * 2, 0, 1)
    note = part("note")[0]
    data = Data()
    data.block("lines", runs(lines))
    data.block("labels", labels)
    data.block("panels", [row(8, quoted("test: the same file, no record twice")), row(8 + WIDE, quoted("test: `corrected`"))])
    data.block("note", [quoted(f"means of {note['samples']} samples; of U2R {note['attacks']} attacks exist for training, "
                               "not 100")])
    data.scale(top, WIDE)
    return data


FIGURES = [knn_table, knn_select, knn_rates]
