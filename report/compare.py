"""Two files of recorded measurements side by side, or two folders of them (a device's, of plots/data)."""

import os

from report import load, schema
from report.load import HERE, Mistake
from report.sql import Parts


def read(path):
    """The rows of a file, or of all records in a folder."""
    if not os.path.isdir(path):
        return load.read_table(path, "sgemm")
    files = [os.path.join(path, kind + ".csv") for kind in schema.RECORDS]
    files = [file for file in files if os.path.isfile(file)]
    if not files:
        raise Mistake(f"no recorded measurements in {path}")
    return [row for file in files for row in load.read_table(file, "sgemm")]


def main(arguments, root):
    if len(arguments) != 2:
        raise Mistake("two files or folders are needed (usage: make compare A=FILE B=FILE)")
    db = load.empty_database()
    for table, path in zip("ab", arguments):
        load.fill(db, "sgemm", read(path), table)
    part = Parts(os.path.join(HERE, "compare.sql")).of(db)
    part("latest")
    cases, counts = part("cases"), part("counts")[0]
    print(f"{'A: ms':>10} {'B: ms':>10} {'A/B':>7}  (*: the two 95 % intervals do not overlap)")
    for one in cases:
        if one["change"]:
            print(f"{one['a']:10.4g} {one['b']:10.4g} {one['change']:7.3f}{' *'[one['overlap'] == 0]} {one['what']}")
    known = [one["overlap"] for one in cases if one["overlap"] is not None]
    print(f"{sum(known)} of {len(known)} intervals overlap ({len(cases) - len(known)} more are not recorded in both)")
    farthest = max(cases, key=lambda one: abs((one["change"] or 1) - 1), default=None)
    if farthest:
        percent = 100 * abs((farthest["change"] or 1) - 1)
        print(f"largest difference of two medians: {percent:.1f} % ({farthest['what']})")
    print(f"{len(cases)} matched, {counts['a'] - len(cases)} only in A, {counts['b'] - len(cases)} only in B")
    return 0
