"""Two files of recorded measurements side by side, or two folders of them (a device's, of plots/data)."""

import math
import os

from report import load, schema
from report.load import HERE, Mistake
from report.sql import Parts
from report.text import number, short_step

USAGE = "two files or folders are needed (usage: make compare A=FILE B=FILE)"
LINE = "%-26s %-17s %-14s %8s %8s %7s %7s %6s"


def cut(text, width):
    return text[:width - 1] + "~" if len(text) > width else text


def tell(x, digits):
    if not x:
        return "-"
    return "%.2g" % x if digits < 3 and x < 0.1 else "%.*f" % (digits, x)  # TFLOP/s of a small case


def shape(one):
    sides = [one["m"]] * (one["op"] == "gemm") + [one["n"], one["k"]] + [one["d"]] * (one["d"] is not None)
    return "x".join(map(str, sides))


def special(one):
    """What a case has that the usual one (FP32, row-major, alpha 1, beta 0, cold caches, in CUDA graphs) has not."""
    gemm, chain = one["op"] == "gemm", one["op"] == "gemv_chain"
    words = []
    if one["dtype"] != "f32":
        words.append(one["dtype"])
    if one["layout"] != ("nn" if gemm else "n"):
        words.append(one["layout"])
    if chain:
        words.append("chain")  # with an alpha of its own
    if one["how"] != ("" if gemm else "graph"):
        words.append(one["how"])
    if not chain and (one["alpha"] != 1 or one["beta"] != 0):
        words.append(f"{number(one['alpha'])}/{number(one['beta'])}")
    if one["cache"] != "cold":
        words.append(one["cache"])
    return " ".join(words)


def origin(row):
    return (row["device"] + (f" driver {row['driver']}" if row["driver"] else "") +
            (f" CUDA {row['cuda']}" if row["cuda"] else "") + " " + (row["date"] or "")[:10])


def read(path):
    """The rows of a file, or of all records in a folder."""
    if not os.path.isdir(path):
        return load.read_table(path, "sgemm")
    files = [os.path.join(path, kind + ".csv") for kind in schema.RECORDS]
    files = [file for file in files if os.path.isfile(file)]
    if not files:
        raise Mistake(f"no recorded measurements in {path}")
    return [row for file in files for row in load.read_table(file, "sgemm")]


def name_of(one):
    words = [short_step(one["step"]), one["variant"], shape(one), special(one)]
    return " ".join(word for word in words if word)


def agreement(cases):
    """How well two recordings agree, in two lines: their 95 % intervals and their medians."""
    known = [one for one in cases if one["overlap"] is not None]
    changed = [one for one in cases if one["change"]]
    lacking = len(cases) - len(known)
    if known:
        without = f" ({lacking} more are not recorded in both)" if lacking else ""
        yield f"{sum(one['overlap'] for one in known)} of {len(known)} intervals overlap{without}"
    elif cases:
        yield "no intervals to compare: not recorded in both"
    if changed:
        farthest = max(changed, key=lambda one: abs(one["change"] - 1))
        yield f"largest difference of two medians: {100 * abs(farthest['change'] - 1):.1f} % ({name_of(farthest)})"


def mixed(part, side):
    """A warning about problems that were timed in two ways, if there are any."""
    problems = [" ".join(filter(None, (shape(one), special(one)))) for one in part("mixed") if one["side"] == side]
    if problems:
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        yield f"warning: {'AB'[side - 1]} has rows timed in graphs beside rows timed between events: {problems[0]}{more}"


def main(arguments, root):
    if len(arguments) != 2:
        raise Mistake(USAGE)
    db = load.empty_database()
    for table, path in zip("ab", arguments):
        load.fill(db, "sgemm", read(path), table)
    part = Parts(os.path.join(HERE, "compare.sql")).of(db)
    part("compared")
    part("latest")
    origins = ({}, {})
    for row in part("origins"):
        origins[row["side"] - 1][origin(row)] = None
    for letter, path, known in zip("AB", arguments, origins):
        print(cut(f"{letter}: {path}" + (", " + ", ".join(known) if known else ""), 100))
    units = [row[0] for row in part("units")]
    unit = units[0] if len(units) == 1 else "speed" if units else ""  # TFLOP/s of a GEMM, GB/s of a GEMV
    print(LINE % ("", "", "", "A", "B", "", "A", "B"))
    print(LINE % ("kernel", "shape", "case", unit, unit, "B/A", "ratio", "ratio"))
    cases = part("cases")
    for one in cases:
        print(LINE % (cut(f"{short_step(one['step'])} {one['variant']}", 26), cut(shape(one), 17), cut(special(one), 14),
                      tell(one["rate_a"], 2), tell(one["rate_b"], 2),
                      tell(one["change"], 3) + "*" * (one["overlap"] == 0), tell(one["ratio_a"], 3), tell(one["ratio_b"], 3)))
    if any(one["by_ratio"] for one in cases):
        print("two devices: B/A, intervals and the difference are of ratios to the baseline, not of times")
    if any(one["overlap"] == 0 for one in cases):
        print("* the two 95 % intervals do not overlap")
    changes = [one["change"] for one in cases if one["change"]]
    if changes:
        mean = math.exp(sum(map(math.log, changes)) / len(changes))
        print(f"B/A: geometric mean {mean:.3f}, least {min(changes):.3f}, greatest {max(changes):.3f}")
    for line in agreement(cases):
        print(line)
    counts = part("counts")[0]
    for side in 1, 2:
        for line in mixed(part, side):
            print(line)
    print(f"{len(cases)} matched, {counts['a'] - len(cases)} only in A, {counts['b'] - len(cases)} only in B")
    return 0
