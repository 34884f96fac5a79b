"""Step 8 as recorded on an H200: where the paper's two selections cross, its gain over brute force, the methods of a lesson
beside those before at a few shapes, and the neighbours that the expanded form gets wrong."""

import math
import os

from _svg import Drawing
from report import load
from report.text import significant

FOLDER = "plots/data/nvidia-h200"
SHAPES = ((32768, 256, 25), (16384, 32, 46), (16384, 32, 512), (1000000, 128, 100))  # n, d, k
INEXACT = "gemm_"  # the methods whose distances are the expanded form's


def opened(sources):
    for name in ("knn.csv", "knn_rates.csv"):
        sources.text(f"{FOLDER}/{name}")
    return load.open_folder(os.path.join(sources.root, FOLDER), sources.root)


def axes(d, left, top, wide, high, ys, xs, at_x, at_y):
    for y in ys:
        d.line(left, at_y(y), left + wide, at_y(y))
        d.text(left - 5, at_y(y) + 4, f"{y:g}", "note", "end")
    for x in xs:
        d.text(at_x(x), top + high + 15, x, "note", "middle")


def crossing(db):
    lines = {}
    for row in db.execute("""SELECT variant, k, ms_median AS ms FROM knn_case WHERE n = 16384 AND d = 32 AND how = 'device' AND variant IN
                             ('direct+kpass', 'direct+bitonic', 'direct+warpselect', 'direct+radix') ORDER BY variant, k"""):
        lines.setdefault(row["variant"], []).append((row["k"], row["ms"]))
    cross = db.execute("SELECT k FROM knn_crossover").fetchone()
    d = Drawing("Milliseconds against k, n = 16384, d = 32: " + "; ".join(
        f"{name} {significant(line[0][1], 3)} at k = {line[0][0]}, {significant(line[-1][1], 3)} at {line[-1][0]}"
        for name, line in lines.items()) + (f". kpass and bitonic cross at k = {cross['k']}." if cross else "."))
    d.text(10, 18, "H200, m = 1200, n = 16384, d = 32: ms against k", "note")
    left, top, wide, high = 44, 34, 270, 170
    at_x = lambda k: left + math.log2(k) / 9 * wide
    at_y = lambda ms: top + high - (math.log10(ms) + 1) / 3 * high
    axes(d, left, top, wide, high, (0.1, 1, 10, 100), (1, 4, 16, 64, 256), at_x, at_y)
    for (name, line), style in zip(lines.items(), "acdb"):
        for (k0, a), (k1, b) in zip(line, line[1:]):
            steps = 12
            for i in range(steps + 1):
                part = i / steps
                x, y = at_x(k0) + part * (at_x(k1) - at_x(k0)), at_y(a) + part * (at_y(b) - at_y(a))
                d.box(x - 1.1, y - 1.1, 2.2, 2.2, style, 1.1)
        for k, ms in line:
            d.box(at_x(k) - 2.5, at_y(ms) - 2.5, 5, 5, style, 2.5)
        if line:
            d.text(at_x(line[-1][0]) + 7, at_y(line[-1][1]) + 4, name[7:])
    return d.svg()


def gain(db):
    rows = db.execute("""SELECT a.n, a.d, b.ms_median / a.ms_median AS times FROM knn_case AS a JOIN knn_case AS b USING (n, d, k, how)
                         WHERE a.variant = 'gemm_cublas+auto' AND b.variant = 'bf_garcia' AND how = 'device' AND k = 25
                         AND d IN (32, 256) AND n BETWEEN 1024 AND 32768 ORDER BY d, n""").fetchall()
    known = {(row["n"], row["d"]): row["times"] for row in rows}
    d = Drawing("The paper's method over brute force on the GPU, n from 1024 to 32768: " + "; ".join(
        f"d = {dim}: " + ", ".join(f"{known[n, dim]:.2f}" for n, of in known if of == dim) for dim in (32, 256)) +
        ". The paper has 2.8 at n = 32768, d = 256.")
    d.text(10, 18, "The paper's method over brute force, both on an H200", "note")
    d.text(10, 33, "Line: 2.8, what the paper has at n = 32768, d = 256", "note")
    left, top, high = 30, 46, 130
    scale = high / max([2.8, *known.values()], default=1)
    sizes = sorted({n for n, _ in known})
    for i, n in enumerate(sizes):
        for j, (dim, style) in enumerate(((32, "soft-a"), (256, "a"))):
            if (n, dim) in known:
                tall = known[n, dim] * scale
                d.box(left + i * 60 + j * 24, top + high - tall, 22, tall, style)
                d.text(left + i * 60 + j * 24 + 11, top + high - tall - 3 if tall < high - 10 else top + 10,
                       f"{known[n, dim]:.1f}", "tiny", "middle")
        d.text(left + i * 60 + 23, top + high + 14, n, "note", "middle")
    d.line(left - 6, top + high - 2.8 * scale, 392, top + high - 2.8 * scale)
    d.box(left, top + high + 24, 10, 10, "soft-a")
    d.text(left + 14, top + high + 33, "d = 32")
    d.box(left + 80, top + high + 24, 10, 10, "a")
    d.text(left + 94, top + high + 33, "d = 256")
    d.text(left + 170, top + high + 33, "across: n", "note")
    return d.svg()


def legend(d, y, *entries):
    x = 10
    for style, text in entries:
        d.box(x, y, 10, 10, style)
        d.text(x + 14, y + 9, text)
        x += 30 + 6.5 * len(text)


def methods(db, own, others, shapes, note, one_scale=False):
    """Bars of milliseconds, a group for each shape; the longest is the slowest in its group, with one_scale of all with its (n, d)."""
    known = {(row["variant"], (row["n"], row["d"], row["k"])): row["ms"] for row in
             db.execute("SELECT variant, n, d, k, ms_median AS ms FROM knn_case WHERE how = 'device'")}
    names = [*others, *own]
    shapes = [shape for shape in shapes if any((name, shape) in known for name in names)]
    shown = lambda shape: "n = {}, d = {}, k = {}".format(*shape)
    told = "; ".join(f"at {shown(shape)}: " + ", ".join(
        f"{name} {significant(known[name, shape], 3)}" for name in names if (name, shape) in known) for shape in shapes)
    d = Drawing(f"Milliseconds of 1200 queries on an H200, {told}.")
    d.text(10, 18, "1200 queries, NVIDIA H200: ms", "note")
    legend(d, 27, *note)
    top, left, long = 46, 150, 190
    for shape in shapes:
        group = [other for other in shapes if other[:2] == shape[:2]] if one_scale else [shape]
        slowest = max(known[name, one] for name in names for one in group if (name, one) in known)
        d.text(10, top + 13, shown(shape), "title")
        top += 20
        for name in names:
            d.text(10, top + 12, name)
            ms = known.get((name, shape))
            wide = max(1, ms / slowest * long) if ms else 0
            if ms:
                d.box(left, top + 1, wide, 14, "b" if name in own else "c" if name.startswith(INEXACT) else "a")
            d.text(left + wide + 5, top + 12, significant(ms, 3) if ms else "–")
            top += 18
        top += 6
    return d.svg()


def wrong(db):
    """The neighbours that are not the CPU's, of all in the samples of a class and an origin of the test records."""
    rows = db.execute("""SELECT protocol, class, method, sum(wrong) * 1.0 / sum(k * records) AS share FROM
                         (SELECT protocol, class, method, seed, max(k) AS k, max(neighbours_unlike_cpu) AS wrong,
                                 max(test_normal + test_attacks) AS records FROM knn_rates GROUP BY protocol, class, method, seed)
                         GROUP BY protocol, class, method ORDER BY class, protocol DESC, method""").fetchall()
    d = Drawing("Neighbours that are not the CPU's, KDD Cup 1999, percent of all: " + "; ".join(
        f"{row['class']}, {row['protocol']} {row['method']} {100 * row['share']:.2f}" for row in rows) + ".")
    d.text(10, 18, "KDD Cup 1999, NVIDIA H200: % of neighbours that are wrong", "note")
    legend(d, 27, ("b", "gemm_cublas+auto (expanded)"), ("a", "exact_tc"))
    top, left, long = 46, 180, 170
    most = max([row["share"] for row in rows], default=1)
    before = None
    for row in rows:
        here = (row["class"], row["protocol"])
        if here != before:
            top += 5
            d.text(10, top + 18, row["class"])
            d.text(60, top + 18, "tests: same file" if row["protocol"] == "same" else "tests: another file", "note")
        before = here
        wide = row["share"] / most * long
        if wide:
            d.box(left, top + 1, wide, 12, "b" if row["method"].startswith(INEXACT) else "a")
        d.text(left + wide + 5, top + 11, f"{100 * row['share']:.2f}" if wide else "0")
        top += 14
    return d.svg()


def draw(sources):
    db = opened(sources)
    return {
        "knn_crossing": crossing(db), "knn_gain": gain(db), "knn_wrong": wrong(db),
        "knn_distances": methods(db, ("gemm_cublas+radix", "gemm_ladder+radix"), ("direct+radix",), SHAPES,
                                 (("b", "as a matrix product"), ("a", "chain of differences"))),
        "knn_radix": methods(db, ("direct+radix",), ("direct+warpselect",),
                             [*((16384, 32, k) for k in (1, 32, 128, 256, 512)), SHAPES[3]],
                             (("b", "radix"), ("a", "warpselect, k up to 256")), one_scale=True),
        "knn_fused": methods(db, ("one_kernel", "fused"), ("direct+radix", "gemm_cublas+radix"), SHAPES,
                             (("b", "without a matrix"), ("a", "with it"), ("c", "with it, inexact"))),
        "knn_exact_tc": methods(db, ("screen+radix", "exact_tc"), ("direct+radix", "fused", "gemm_cublas+radix"), SHAPES,
                                (("b", "screened"), ("a", "FP32"), ("c", "FP32, inexact")))}
