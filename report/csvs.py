"""What the scripts ask of CSV files."""

import csv
import os
import re
import sys

from report.load import Mistake


def rows(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise Mistake(f"cannot read {path}: {error.strerror}") from None


def slug(arguments, root):
    """The folder of a GPU's recordings by its name, as common/gpu/devices.csv has it, or else made of the name."""
    name = " ".join(arguments)
    known = {row["name"]: row["slug"] for row in rows(os.path.join(root, "common", "gpu", "devices.csv"))}
    print(known.get(name) or re.sub("[^a-z0-9]+", "-", name.lower()).strip("-"))
    return 0


def short(x):
    return "%d" % x if x == int(x) else "%.2f" % x


def goals_of(path, wanted):
    """For each METRIC=GOAL a line: ok or missed, counter and value, words, parted by tabs."""
    counted = rows(path)
    for one in wanted:
        metric, _, goal = one.partition("=")
        mine = [row for row in counted if row["metric"] == metric]
        total = sum(float(row["value"]) for row in mine)
        words = re.sub(r" \(.*\)$", "", mine[-1]["plain"]) if mine else f"{metric} was not counted"
        ok = bool(mine) and total <= float(goal)
        yield (f"{'ok' if ok else 'missed'}\t{metric} {total:.6g}\t{words}: {short(total) if mine else '-'}, "
               f"at most {short(float(goal))}: {'ok' if ok else 'too many' if mine else 'not counted'}\n")


def tidy_search(arguments, root):
    """GEMV SEARCH: what SEARCH holds of the cases in GEMV; status 1 where some is left out. Of several searches for one
    problem the first stays: it chose what is recorded."""
    measured, path = arguments
    case = ("step", "variant", "dtype", "n", "k", "cache", "mode")
    recorded = {tuple(row[name] for name in case) for row in rows(measured)}
    kept, seen, again, lost = [], set(), set(), False
    for row in rows(path):
        problem = tuple(row[name] for name in case)
        if (problem, row["candidate"]) in seen:
            again.add(problem)
        seen.add((problem, row["candidate"]))
        lost = lost or problem not in recorded
        if problem in recorded and problem not in again:
            kept.append(row)
    with open(path, encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    out = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    out.writeheader()
    out.writerows(kept)
    return int(lost)
