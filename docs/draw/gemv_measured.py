"""Step 7 as recorded on an H200, in f16 and cold: its ladder at two sizes, chains without and with dependent launch, and what
the autotuner's search timed."""

import math
import os

from _svg import Drawing
from report import load
from report.text import factor, microseconds

FOLDER = "plots/data/nvidia-h200"
LESSONS = ("naive_wide", "splitk_balanced", "vectorized", "tree", "row_per_block", "shuffle", "streaming")  # their last rungs
STREAMING = "n2 r32 u4 v1"  # its 2 rows per block, 32 threads per row, 4 loads in flight, as a configuration of `best`


def opened(sources):
    for path in (FOLDER + "/gemv.csv", FOLDER + "/gemv_search.csv", "plots/gemv_ladder.csv"):
        sources.text(path)
    return load.open_folder(os.path.join(sources.root, FOLDER), sources.root)


def ladder(db, last=None):
    """All rungs, or those up to one of them, beside cuBLAS."""
    rungs = [row["variant"] for row in db.execute("SELECT variant FROM gemv_ladder")]
    if last:
        rungs = [*rungs[:rungs.index(last) + 1], "cublas"]
    where = "op = 'gemv' AND dtype = 'f16' AND (cache, mode) = ('cold', 'graph') AND n = k"
    known = {(row["name"], row["n"]): row for row in
             db.execute("SELECT name, n, us, ceiling_share FROM gemv_all WHERE " + where)}
    told = "; ".join(f"at {n}: " + ", ".join(
        f"{name} {100 * known[name, n]['ceiling_share']:.0f} %" for name in rungs if (name, n) in known) for n in (1024, 4096))
    d = Drawing("y = A·x in f16 on an H200, share of the read ceiling, " + told + ".")
    d.text(10, 18, "y = A·x, f16, NVIDIA H200: % of the read ceiling, and µs", "note")
    lefts, long, top = {1024: 106, 4096: 256}, 72, 44
    for n, left in lefts.items():
        d.text(left, 36, f"n = k = {n}", "title")
    for name in rungs:
        top += 5 if name == "cublas" else 0
        d.text(10, top + 12, {"cublas": "cuBLAS"}.get(name, name))
        for n, left in lefts.items():
            row = known.get((name, n))
            if row is None:
                d.text(left, top + 12, "not recorded", "note")
                continue
            d.box(left, top + 1, max(1, row["ceiling_share"] * long), 14, "c" if name == "cublas" else "b")
            d.text(left + row["ceiling_share"] * long + 4, top + 12,
                   f"{100 * row['ceiling_share']:.0f} %, {microseconds(row['us'])}")
        top += 18
    return d.svg()


def chain(db):
    """Of `streaming`, whose every y is the next x."""
    rows = db.execute("""SELECT n, max(CASE mode WHEN 'graph' THEN us END) AS plain, max(CASE mode WHEN 'pdl' THEN us END) AS pdl
                         FROM gemv_all WHERE op = 'gemv_chain' AND dtype = 'f16' AND n = k AND name = 'streaming' AND n <= 4096
                         GROUP BY n ORDER BY n""").fetchall()
    rows = [row for row in rows if row["plain"] and row["pdl"]]
    d = Drawing("Microseconds a link in chains of streaming on an H200, plain and with programmatic dependent launch: " + "; ".join(
        f"n = {row['n']} {microseconds(row['plain'])} and {microseconds(row['pdl'])}" for row in rows) + ".")
    d.text(10, 18, "streaming in chains, f16, NVIDIA H200: µs a link", "note")
    top, left, long = 30, 60, 270
    scale = long / max([row["plain"] for row in rows], default=1)
    for row in rows:
        d.text(10, top + 18, row["n"])
        for y, us, style in ((top, row["plain"], "a"), (top + 13, row["pdl"], "b")):
            d.box(left, y + 1, us * scale, 11, style)
            d.text(left + us * scale + 5, y + 11, microseconds(us))
        top += 33
    for x, style, text in ((left, "a", "one after the other"), (left + 150, "b", "dependent launch")):
        d.box(x, top, 10, 10, style)
        d.text(x + 14, top + 9, text)
    return d.svg()


def search(db):
    """A line of dots for each shape: every configuration's time, as a multiple of the fastest one's."""
    tried = {}
    for row in db.execute("""SELECT n, k, candidate, us / min(us) OVER (PARTITION BY n, k) AS times FROM candidate WHERE
                             variant = 'best' AND dtype = 'f16' AND (cache, mode) = ('cold', 'graph') ORDER BY n * k, n, us DESC"""):
        tried.setdefault((row["n"], row["k"]), []).append((row["candidate"], row["times"]))
    d = Drawing("The autotuner's searches on an H200, f16: the slowest configuration's time over the fastest one's, " + "; ".join(
        f"{n} x {k} {factor(line[0][1])}" for (n, k), line in tried.items()) + ". The runner-up's: " + "; ".join(
        f"{n} x {k} {line[-2][1]:.2f}" for (n, k), line in tried.items() if len(line) > 1) + ".")
    d.text(10, 18, "f16, NVIDIA H200: times as long as the fastest takes", "note")
    for x, style, text in ((10, "b", "streaming's"), (110, "a", "the others"), (210, "c", "the fastest")):
        d.box(x + 2, 29, 6, 6, style, 3)
        d.text(x + 14, 36, text)
    left, long, top = 120, 220, 60
    decades = math.log10(max([line[0][1] for line in tried.values()], default=10))
    at = lambda times: left + math.log10(times) / decades * long
    d.text(395, top - 6, "slowest", "note", "end")
    for i in range(int(decades) + 1):
        d.line(at(10 ** i), top - 2, at(10 ** i), top + 16 * len(tried))
        d.text(at(10 ** i), top - 6, f"{10 ** i}", "note", "middle")
    for (n, k), line in tried.items():
        d.text(10, top + 12, f"{n} × {k}")
        for own in (False, True):
            for candidate, times in line:
                if (candidate == STREAMING) == own:
                    d.box(at(times) - 3, top + 5, 6, 6, "b" if own else "c" if times == 1 else "a", 3)
        d.text(395, top + 12, f"{line[0][1]:.0f}" if line[0][1] >= 100 else factor(line[0][1]), "", "end")
        top += 16
    return d.svg()


def draw(sources):
    db = opened(sources)
    return {"ladder_step07": ladder(db), "gemv_chain": chain(db), "gemv_times": search(db),
            **{f"ladder_{rung}": ladder(db, rung) for rung in LESSONS}}
