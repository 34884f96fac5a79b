"""The measured figures of README and lessons, docs/img, of the recordings of an H200: like all others drawn by
gnuplot, but sized for a note. They are committed. Each says what it was made of, as a hash of its data and of the
scripts that drew it, and what it held then: so it is checked without gnuplot, whose versions and fonts differ in
bytes."""

import hashlib
import os
import re
import tempfile
from math import log10

from report import load
from report.figures import curves, drawn
from report.figures.layout import Axis, Bar, Line, bars, chart
from report.load import Mistake
from report.text import factor, fast_speed, microseconds, significant, speed

FOLDER = "plots/data/nvidia-h200"
OWN, OTHER, THEIRS, SOFT = 6, 5, 4, 3  # line types of style.gp: what a lesson adds, what was there, the library's
FP32 = ("coalesced", "tile32", "tile4x4", "tile8x8_256t", "lds128", "lds128_2x2", "coalesced_store",
        "register_prefetch")  # the last rungs that lessons add
TENSOR = ("mma_sync", "ldmatrix", "swizzle", "stages", "warp_64x64", "fragments", "interleaved", "pointers",
          "rasterized", "tma", "wgmma", "mn_major",
          "warp_specialised", "persistent_grid", "ping_pong", "cluster", "cooperative", "tma_store")
GEMV = ("naive_wide", "splitk_balanced", "vectorized", "tree", "row_per_block", "shuffle", "streaming")
STREAMING = "n2 r32 u4 v1"  # its 2 rows per block, 32 threads per row, 4 loads in flight, as a configuration of `best`
SHAPES = ((32768, 256, 25), (16384, 32, 46), (16384, 32, 512), (1000000, 128, 100))  # n, d, k
INEXACT = "gemm_"  # the methods whose distances are the expanded form's


LIMITS = (("FFMA from registers", "ffma_8x8_rows", "ffma_8x8_strips", "ffma_8x16_strips"),
          ("FFMA, its words by LDS.128", "fed_8x8_strips", "fed_16x8_columns", "fed_8x16_strips"),
          ("mma.sync from registers", "mma_f16_16_warps", "mma_s8_16_warps"),
          ("wgmma, A in shared memory", "wgmma_n16_shared", "wgmma_n32_shared", "wgmma_n64_shared"),
          ("wgmma, A in registers", "wgmma_n16_registers", "wgmma_n32_registers"),
          ("Reading, copying", "lds_128", "l1_128", "dram_read", "dram_copy"))


class Page:
    """A figure of a note: its script, data, title, height in pixels, and what it tells somebody who does not see it."""

    def __init__(self, script, data, title, height, told="", **settings):
        self.script, self.data, self.title, self.height, self.settings = script, data, title, round(height), settings
        self.told = f"{title}{': ' if told else ''}{told}."

    def made_of(self, root):
        scripts = [self.script + ".gp", "style.gp", "dark.css"]
        texts = [load.read_text(os.path.join(root, "plots", name)) for name in scripts]
        return hashlib.sha256("\0".join([*texts, self.data, self.told, str(self.height),
                                         str(self.settings)]).encode()).hexdigest()[:32]

    def draw(self, root):
        with tempfile.TemporaryDirectory() as work:
            path = drawn(root, work, self.script, self.data, "page", "", "page", self.height, TITLE=self.title,
                         **self.settings)
            svg = load.read_text(path)
        told = self.told.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        svg = re.sub(r"<title>.*?</title>\s*", f"<title>{told}</title>\n", svg, count=1, flags=re.DOTALL)
        svg = re.sub(r"<desc>.*?</desc>\s*", "", svg, count=1, flags=re.DOTALL)
        svg = re.sub(r"<svg\b", f'<svg role="img" aria-label="{told}"', svg, count=1)
        return f"{svg.rstrip()}\n<!-- gnuplot, plots/{self.script}.gp: sha256 {self.made_of(root)}, {digest(svg)} -->\n"

    def holds(self, root, text):
        """Is this text, which may come of another gnuplot, what this figure would be?"""
        found = re.search(r"\n<!-- gnuplot, .*: sha256 (\w+), (\w+) -->\n\Z", text)
        return found is not None and found.groups() == (self.made_of(root), digest(text[:found.start()]))


def digest(svg):
    return hashlib.sha256(svg.rstrip().encode()).hexdigest()[:32]


def of_bars(title, rows, names, texts=12, legend=(), marks=(), panels=("",)):
    """A page of bars. rows: (name, (value, top, series, text) or None of each panel), or a heading."""
    told, heading = [], ""
    for one in rows:
        if isinstance(one, str):
            heading = one and one + ": "
            continue
        said = [cell[3] if cell else "not recorded" for cell in one[1:]]
        told.append(f"{heading}{one[0]} {' and '.join(said)}")
    laid = bars([one if isinstance(one, str) else (one[0],
                  *(Bar(cell[0] / cell[1], cell[2], cell[3]) if cell else Bar(0, OTHER, "not recorded") for cell
                    in one[1:])) for one in rows], names, texts, 64, panels, marks, legend=legend)
    _, bottom, top = map(float, laid.rstrip().split("\n")[-1].split()[:3])
    return Page("bars", laid, title, 52 + 29 * (top - bottom), "; ".join(told), XLABEL="")


def grown(names, lessons):
    """The last rung of each lesson, and the rungs up to there: (name, its line type)."""
    before = 0
    for last in lessons:
        end = names.index(last) + 1
        yield last, [(name, OWN if i >= before else OTHER) for i, name in enumerate(names[:end])]
        before = end


def ladder(rows, lessons, title, whole, prefix):
    """The figure of a ladder, and those of its lessons, up to the last rung that each adds. rows: (name, value, text),
    the baseline's last."""
    top = max(value for _, value, _ in rows if value)
    longest = max(14, *(len(text) for _, _, text in rows if text))
    def cell(value, text, of):
        return value and (value, top, of, text)
    def figure(shown, texts):
        bars_of = [(name, cell(*known[name], of)) for name, of in shown]
        return of_bars(title, [*bars_of, "", (rows[-1][0], cell(*rows[-1][1:], THEIRS))], 18, texts)
    known = {name: (value, text) for name, value, text in rows}
    pages = {prefix + last: figure(shown, 14) for last, shown in grown(list(known), lessons)}
    return {**pages, whole: figure([(name, OWN) for name in list(known)[:-1]], longest)}


BY_ROADS = ("serpentine", "warp_tiles", "rasterized")  # of step 5: a lesson's own figures tell one percent of speed


def close(rows, names, shown, title):
    """Points of the rungs from names[0] to `shown`, the baseline's line last, on an axis on which one percent is seen.
    The axis is that of all `names`, so that lessons' figures compare."""
    known = {name: (value, text) for name, value, text in rows if name in (*names, rows[-1][0]) and value}
    low, high = (int(edge(value for value, _ in known.values()) + up) for edge, up in ((min, -0.5), (max, 1.5)))
    here = [*(name for name in names[:names.index(shown) + 1] if name in known), rows[-1][0]]
    def of(name):
        return THEIRS if name == rows[-1][0] else OTHER if name in BY_ROADS else OWN
    lines = [Line([(known[name][0], -place) for place, name in enumerate(here) if of(name) == one], one, "", "points")
             for one in (OTHER, OWN, THEIRS)]
    x = Axis(low, high, [(one, f"{one}") for one in range(low, high + 1)])
    y = Axis(-len(here), 0.5, [(-place, name) for place, name in enumerate(here)])
    notes = [(0, known[name][0] + (high - low) * 0.02, -place, known[name][1]) for place, name in enumerate(here)]
    return Page("lines", chart([("", lines)], x, y, 0.05, 0.25, notes, rules=[-len(here)], begin=0.13), title,
                190 + 32 * len(here), "; ".join(f"{name} {known[name][1]}" for name in here), XLABEL="", YLABEL="")


def sizes(db):
    """What one tile, one tile divided, and a plan reach at every size of a square, beside cuBLAS."""
    shown = (("spread_copies", OTHER), ("stream_k", THEIRS), ("best", OWN))
    known = {name: db.execute("SELECT m, ratio FROM gemm WHERE variant = ? AND step LIKE 'step05%' AND m = n AND n = k "
                              "AND m >= 256 AND ratio IS NOT NULL ORDER BY m", (name,)).fetchall() for name, _ in shown}
    ends = [ratio for rows in known.values() for _, ratio in rows]
    every = sorted({m for rows in known.values() for m, _ in rows})
    x = Axis(every[0], every[-1], [(m, f"{m}") for m in every if m in (256, 1024, 4096, 16384)], log10)
    y = Axis(0, max(ends), [(share / 100, f"{share} %") for share in range(0, int(100 * max(ends)) + 1, 25)])
    lines = [Line([tuple(row) for row in known[name]], of, name) for name, of in shown]
    return Page("lines", chart([("", lines)], x, y, 0.07, 0.45, rules=[1]),
                "FP32, m = n = k, NVIDIA H200: speed, % of cuBLAS's", 420,
                "; ".join(f"{name} {', '.join(f'{m}: {100 * ratio:.0f}' for m, ratio in known[name])}" for name, _
                          in shown), XLABEL="m = n = k", YLABEL="")


def with_share(told, row):
    share = f" ({100 * row['ratio']:.1f} %)" if row["ratio"] else ""
    return told(row["tflops"]) + share + (f" [{row['older']}]" if row["older"] else "")


def fp32(db):
    rows = db.execute("SELECT v.variant, tflops, ratio, older FROM variant AS v LEFT JOIN gemm "
                      "ON (gemm.step, gemm.variant, m, n, k) = (v.step, v.variant, 4096, 4096, 4096) "
                      "WHERE family = 'gemm' "
                      "ORDER BY v.step, place").fetchall()
    cublas = db.execute("SELECT tflops FROM gemm_baseline WHERE (m, n, k) = (4096, 4096, 4096)").fetchone()["tflops"]
    rows = [(row["variant"], row["tflops"], row["tflops"] and with_share(speed, row)) for row in rows]
    rows.append(("cuBLAS", cublas, speed(cublas)))
    title = "FP32, m = n = k = 4096, NVIDIA H200: TFLOP/s (% of cuBLAS)"
    pages = ladder(rows, FP32, title, "ladder", "ladder_")
    names = [name for name, *_ in rows]
    names = names[names.index("register_prefetch"):-1]  # step 5
    pages.update({"ladder_" + name: close(rows, names, name, title) for name in names[1:-1]})
    pages["ladder_step05"] = close(rows, names, "best", title)
    return {**pages, "sizes_step05": sizes(db)}


def tensor(db):
    where = "(layout, m, n, k, load) = ('tn', 4096, 4096, 4096, 'burst')"
    known = {(row["variant"], row["dtype"]): row for row in db.execute(
        "SELECT variant, tensor.dtype, tflops, ratio, older FROM tensor JOIN tensor_variant "
        "USING (step, variant, layout) WHERE (m, n, k, load) = (4096, 4096, 4096, 'burst')")}
    cublas = {row["dtype"]: row["tflops"] for row in db.execute(f"SELECT dtype, tflops FROM tensor_baseline WHERE "
                                                                f"{where}")}
    names = [row[0] for row in db.execute("SELECT variant FROM tensor_variant WHERE dtype = 'f16' ORDER BY place")]
    rows = [(name, *((row["tflops"], with_share(fast_speed, row)) if row else (None, ""))) for name, row in
            ((name, known.get((name, "f16"))) for name in names)]
    pages = ladder([*rows, ("cuBLAS", cublas["f16"], fast_speed(cublas["f16"]))], TENSOR,
                   "f16, m = n = k = 4096, NVIDIA H200: TFLOP/s (% of cuBLAS)", "ladder_step06", "ladder06_")
    fma = db.execute("SELECT tflops FROM gemm WHERE (step, variant, m, n, k) = ('step05_doublebuffer', 'stream_k', "
                     "4096, 4096, 4096)").fetchone()["tflops"]
    def of(variant, dtype):
        return known[variant, dtype]["tflops"]
    for lesson, title, shown in (
            ("mma_s8_tile", "s8 beside FP32, 4096³, NVIDIA H200: TFLOP/s, TOP/s", (
                ("stream_k, FP32", fma, OTHER), ("mma_s8_tile", of("mma_s8_tile", "s8"), OWN),
                ("cuBLAS, s8", cublas["s8"], THEIRS))),
            ("three_products", "FP32's result, 4096³, NVIDIA H200: TFLOP/s", (
                ("stream_k, FMA", fma, OTHER), ("cuBLAS, FP32", cublas["tf32x3"], THEIRS),
                ("three_products", of("three_products", "tf32x3"), OWN),
                ("best, tf32x3", of("best", "tf32x3"), OTHER)))):
        top = max(value for _, value, _ in shown)
        pages["ladder06_" + lesson] = of_bars(title,
                                              [(name, (value, top, series, fast_speed(value))) for name, value, series
                                               in shown], 18)
    return pages


def gemv(db):
    names = [row["variant"] for row in db.execute("SELECT variant FROM variant WHERE family = 'gemv' ORDER BY place")]
    known = {(row["name"], row["n"]): row for row in db.execute(
        "SELECT name, n, us, ceiling_share FROM gemv_all WHERE op = 'gemv' AND dtype = 'f16' AND (cache, mode) = "
        "('cold', 'graph') AND n = k")}
    top = max([1, *(row["ceiling_share"] or 0 for (name, n), row in known.items() if n in (1024, 4096))])

    def cells(name, of):
        return (known.get((name, n)) and (known[name, n]["ceiling_share"], top, of,
                                          f"{100 * known[name, n]['ceiling_share']:.0f} %, "
                                          f"{microseconds(known[name, n]['us'])}") for n in (1024, 4096))

    def figure(shown):
        return of_bars("y = A·x, f16, NVIDIA H200: % of the read ceiling, µs", [
            *((name, *cells(name, of)) for name, of in shown), "", ("cuBLAS", *cells("cublas", THEIRS))], 16, 11,
            panels=("n = k = 1024", "n = k = 4096"))

    pages = {"ladder_" + last: figure(shown) for last, shown in grown(names, GEMV)}
    return {"ladder_step07": figure([(name, OWN) for name in names]), **pages, "gemv_chain": chain(db),
            "gemv_times": search(db)}


def chain(db):
    """Of `streaming`, whose every y is the next x."""
    rows = db.execute("""SELECT n, max(CASE mode WHEN 'graph' THEN us END) AS plain, max(CASE mode WHEN 'pdl' THEN us
                         END) AS pdl FROM gemv_all WHERE op = 'gemv_chain' AND dtype = 'f16' AND n = k AND name =
                         'streaming' AND n <= 4096 GROUP BY n HAVING plain AND pdl ORDER BY n""").fetchall()
    top = max(row["plain"] for row in rows)
    shown = [(f"n = {row['n']}" if of == OTHER else "", (row[mode], top, of, microseconds(row[mode])))
             for row in rows for mode, of in (("plain", OTHER), ("pdl", OWN))]
    return of_bars("streaming in chains, f16, NVIDIA H200: µs a link", shown, 10, 7,
                   legend=((OTHER, "one after the other"), (OWN, "dependent launch")))


def search(db):
    """A line of points for each shape: every configuration's time, as a multiple of the fastest one's."""
    tried = {}
    for row in db.execute("""SELECT n, k, candidate, us / min(us) OVER (PARTITION BY n, k) AS times FROM candidate WHERE
                             variant = 'best' AND dtype = 'f16' AND (cache, mode) = ('cold', 'graph') ORDER BY n *
                             k, n, us DESC"""):
        tried.setdefault((row["n"], row["k"]), []).append((row["candidate"], row["times"]))
    named = [("the others", OTHER), ("streaming's", OWN), ("the fastest", THEIRS)]
    def kind(candidate, times):
        return named[1 if candidate == STREAMING else 2 if times == 1 else 0]
    most = max(line[0][1] for line in tried.values())
    def near(times):
        return most ** (round(200 * log10(times) / log10(most)) / 200)  # of points in one place, one is drawn
    lines = [Line(dict.fromkeys((near(times), -place) for place, line in enumerate(tried.values()) for candidate, times
                                in line if kind(candidate, times) == one), one[1], one[0], "points") for one in named]
    y = Axis(-len(tried), 0, [(-place, f"{n} × {k}") for place, (n, k) in enumerate(tried)])
    x = Axis(1, most, [(10 ** i, f"{10 ** i}") for i in range(int(log10(most)) + 1)], log10)
    told = "; ".join(f"{n} × {k}: the slowest {factor(line[0][1])}" +
                     (f", the runner-up {line[-2][1]:.2f}" if len(line) > 1 else "") for (n, k), line in tried.items())
    return Page("lines", chart([("", lines)], x, y, 0.05, 0.35, rules=[-len(tried)]),
                "The autotuner's searches, f16, NVIDIA H200",
                200 + 22 * len(tried), told, XLABEL="times as long as the fastest takes", YLABEL="")


def methods(db, own, others, shapes, notes):
    """Bars of milliseconds, a group for each shape; the longest of a group is the slowest of its (n, d)."""
    known = {(row["variant"], (row["n"], row["d"], row["k"])): row["ms_median"] for row in
             db.execute("SELECT variant, n, d, k, ms_median FROM knn_case WHERE how = 'device'")}
    rows = []
    for shape in shapes:
        cases = {name: known[name, shape] for name in (*others, *own) if (name, shape) in known}
        top = max([ms for (name, other), ms in known.items() if name in (*others, *own) and other in shapes
                   and other[:2] == shape[:2] and len(shapes) > len(SHAPES)] + list(cases.values()), default=None)
        if cases:
            rows.append("n = {}, d = {}, k = {}".format(*shape))
            rows += [(name,
                      (ms, top, OWN if name in own else THEIRS if name.startswith(INEXACT) else OTHER,
                       significant(ms, 3))) for name, ms in cases.items()]
    return of_bars("1200 queries, NVIDIA H200: ms", rows, 22, 9, legend=notes)


def limits(db):
    known = {row["name"]: row["rate"] / row["peak"] for row in db.execute("SELECT * FROM limits WHERE peak > 0")}
    rows = []
    for heading, *names in LIMITS:
        rows += [heading, *((name, (known[name], 1, OWN, f"{100 * known[name]:.1f}")) for name in names)]
    return of_bars("One kind of work alone, NVIDIA H200: % of the peak", rows, 22, 7)


def gain(db):
    rows = db.execute("""SELECT a.n, a.d, b.ms_median / a.ms_median AS times FROM knn_case AS a JOIN knn_case AS b
                         USING (n, d, k, how) WHERE a.variant = 'gemm_cublas+auto' AND b.variant = 'bf_garcia' AND how
                         = 'device' AND k = 25 AND d IN (32, 256) AND n BETWEEN 1024 AND 32768 ORDER BY n,
                         d""").fetchall()
    top = max([2.8, *(row["times"] for row in rows)])
    shown = [(f"n = {row['n']}" if row["d"] == 32 else "",
              (row["times"], top, SOFT if row["d"] == 32 else OTHER, f"{row['times']:.1f}")) for row in rows]
    return of_bars("The paper's method over brute force, both on an H200", shown, 12, 7,
                   legend=((SOFT, "d = 32"), (OTHER, "d = 256")),
                   marks=[(0, 2.8 / top, "2.8: what the paper has at n = 32768, d = 256", 1)])


def wrong(db):
    """The neighbours that are not the CPU's, of all in the samples of a class and an origin of the test records."""
    rows = db.execute("""SELECT protocol, class, method, sum(wrong) * 1.0 / sum(k * records) AS share FROM
                         (SELECT protocol, class, method, seed, max(k) AS k, max(neighbours_unlike_cpu) AS wrong,
                                 max(test_normal + test_attacks) AS records FROM knn_rates GROUP BY protocol, class,
                         method, seed) GROUP BY protocol, class, method ORDER BY class, protocol DESC, method
                         DESC""").fetchall()
    top = max(row["share"] for row in rows)
    first = {}
    for row in rows:
        first.setdefault((row["class"], row["protocol"]), row["method"])
    shown = [(f"{row['class']}, {'same file' if row['protocol'] == 'same' else 'another file'}"
              if first[row["class"], row["protocol"]] == row["method"] else "",
              (row["share"], top, OWN if row["method"].startswith(INEXACT) else OTHER, f"{100 * row['share']:.2f}"
               if row["share"] else "0")) for row in rows]
    return of_bars("KDD Cup 1999, NVIDIA H200: % of neighbours that are wrong", shown, 22, 8,
                   legend=((OWN, "gemm_cublas+auto (expanded)"), (OTHER, "exact_tc")))


def ranks(root):
    """How much of R GPUs' speed R ranks reach, measured, and by a model of the first two measurements: the search is
    divided by R, and every level of the tree costs what the first does. Of the first GPU that has them."""
    for folder in FOLDER, FOLDER.replace("h200", "h100"):
        db = load.open_folder(os.path.join(root, folder), root)
        known = {row["ranks"]: row["ms"] for row in db.execute(
            "SELECT * FROM value_ranks WHERE (m, n, d, divide) = (10000, 40000000, 128, 'points')")}
        if known:
            break
    device = db.execute("SELECT device FROM source WHERE kind = 'knn_ranks'").fetchone()
    model = {}
    if 1 in known and 2 in known:
        level = known[2] - known[1] / 2
        model = {2 ** i: known[1] / 2 ** i + i * level for i in range(2, 7)}
    def cell(ms, count, of):
        return ms and (known[1] / count / ms, 1, of, f"{100 * known[1] / count / ms:.0f}")
    rows = []
    for count in (2, 4, 8, 16, 32, 64):
        if count in known or count <= 4:
            rows.append((f"{count} GPUs", cell(1 in known and known.get(count), count, OWN)))
        if count in model:
            rows.append(("" if count in known else f"{count} GPUs", cell(model[count], count, SOFT)))
    return of_bars(f"{device[0] + ': ' if device else ''}% of R times one GPU's speed", rows, 10, 14,
                   legend=((OWN, "measured"), (SOFT, "a model: T(1) / R + c log₂ R, with c of two GPUs")))


def knn(db, files):
    k_of = [*((16384, 32, k) for k in (1, 32, 128, 256, 512)), SHAPES[3]]
    return {
        "knn_crossing": Page("lines", curves.knn_select(db, files, 0.08),
                             "H200, m = 1200, n = 16384, d = 32: ms against k", 460, XLABEL="k", YLABEL="ms"),
        "knn_gain": gain(db), "knn_wrong": wrong(db),
        "knn_distances": methods(db, ("gemm_cublas+radix", "gemm_ladder+radix"), ("direct+radix",), SHAPES,
                                 ((OWN, "as a matrix product"), (OTHER, "chain of differences"))),
        "knn_radix": methods(db, ("direct+radix",), ("direct+warpselect",), k_of,
                             ((OWN, "radix"), (OTHER, "warpselect, k up to 256"))),
        "knn_fused": methods(db, ("one_kernel", "fused"), ("direct+radix", "gemm_cublas+radix"), SHAPES,
                             ((OWN, "without a matrix"), (OTHER, "with it"), (THEIRS, "with it, inexact"))),
        "knn_exact_tc": methods(db, ("screen+radix", "exact_tc"), ("direct+radix", "fused", "gemm_cublas+radix"),
                                SHAPES, ((OWN, "screened"), (OTHER, "FP32"), (THEIRS, "FP32, inexact")))}


def pages(root):
    """Every figure of a note by its name; none where nothing is recorded of an H200."""
    folder = os.path.join(root, FOLDER)
    if not os.path.isdir(folder):
        return {}
    db = load.open_folder(folder, root)
    try:
        search = knn(db, dict.fromkeys(("knn",), FOLDER + "/knn.csv"))
        return {"limits": limits(db), **fp32(db), **tensor(db), **gemv(db), **search,
                "knn_ranks": ranks(root)}
    except (KeyError, TypeError, ValueError) as error:
        raise Mistake(f"{FOLDER} lacks what a lesson's figure shows: {error!r}") from None
