"""Rows of gemv_dram.csv from the bytes that Nsight Compute counted of one variant at one shape.

`run` launches in this order: one or two verifications, an estimate (2 launches, then 64 more where they are short), and
then at least 5 graphs, alike and each over all operand sets, of which the first 2 or more warm up. So the later half of
all launches are of graphs that follow a graph.
"""

from statistics import median

from report import load
from report.load import Mistake
from report.record import csv_line, ncu_launches, origin, plain

METRIC = "dram__bytes_read.sum"
LEAST = 3  # launches that a median needs
WANTED = 0.98  # of the matrix must come from DRAM


def one_shape(step, variant, dtype, n, k, log):
    what = f"{variant} {dtype} {n} x {k}"
    units, launches = ncu_launches(log, what)
    if launches and METRIC not in units:
        raise Mistake(f"{what}: ncu did not count {METRIC}")
    if units.get(METRIC, "") not in ("byte", ""):
        raise Mistake(f"{what}: {METRIC} is in {units[METRIC]}, not in bytes")
    counted = []
    for launch in launches:
        number = plain(launch[METRIC], METRIC, what)
        if number == "":
            raise Mistake(f"{what}: {METRIC} is not a number: {launch[METRIC]}")
        counted.append(float(number))
    kept = counted[len(counted) // 2:]
    if len(kept) < LEAST:
        raise Mistake(f"{what}: ncu saw {len(counted)} launches, too few")
    matrix = int(n) * int(k) * (4 if dtype == "f32" else 2)
    middle, least, most = median(kept), min(kept), max(kept)
    print(csv_line([step, variant, dtype, n, k, len(kept)] + ["%.0f" % x for x in (matrix, middle, least, most)] +
                   ["%.4f" % (x / matrix) for x in (middle, least)] + origin()))


def judge(path):
    """A line a row, and exit status 1 when a share is too small."""
    db = load.empty_database()
    load.fill(db, "gemv_dram", load.read_table(path, "gemv_dram"))
    bad = False
    for row in db.execute("SELECT * FROM gemv_dram"):
        enough = row["share_median"] >= WANTED
        bad = bad or not enough
        print("%s %s %s %d x %d: %.1f %% of the matrix came from DRAM (at least %.1f %%), %d launches" % (
            "ok" if enough else "FAIL", row["variant"], row["dtype"], row["n"], row["k"], 100 * row["share_median"],
            100 * row["share_min"], row["launches"]))
    return 1 if bad else 0


def main(arguments, root):
    if arguments[:1] == ["--judge"] and len(arguments) == 2:
        return judge(arguments[1])
    if len(arguments) != 6:
        raise Mistake("usage: python3 -m report cold STEP VARIANT DTYPE N K LOG | --judge CSV")
    one_shape(*arguments)
    return 0
