"""Rows of counters.csv from what Nsight Compute counted of one variant."""

import os

from report import load, schema, values
from report.load import Mistake
from report.record import csv_line, ncu_launches, origin, plain


def together(metric, launches, what):
    """A metric of all launches of a variant: sums are added, launch__... is the largest, all else the mean by
    duration."""
    cells = [plain(launch.get(metric, ""), metric, what) for launch in launches]
    if len(cells) == 1 or "" in cells:
        return "" if "" in cells else cells[0]
    numbers = [float(cell) for cell in cells]
    if metric.startswith("launch__"):
        return "%.15g" % max(numbers)
    if metric.endswith(".sum"):
        return "%.15g" % sum(numbers)
    weights = [float(plain(launch.get("gpu__time_duration.sum", ""), "gpu__time_duration.sum", what) or 0)
               for launch in launches]
    if sum(weights) == 0:
        raise Mistake(f"{what}: ncu counted no gpu__time_duration.sum")
    return "%.15g" % (sum(x * weight for x, weight in zip(numbers, weights)) / sum(weights))


def one_variant(step, variant, size, log, root):
    what = f"{step} {variant}"
    units, launches = ncu_launches(log, what)
    if not launches:
        raise Mistake(f"{what}: ncu saw no launch")
    for metric in values.metrics(root):
        print(csv_line([step, variant, size, size, size, metric, together(metric, launches, what),
                        units.get(metric, ""), *origin()]))


def merge(new, old, steps):
    """A whole file: these rows, and of the old one, if it is there, those of other steps."""
    rows = []
    if os.path.isfile(old):
        load.read_table(old, "counters")  # a damaged file is not carried on
        rows = [fields for number, fields in load.read_lines(old, old) if number > 1 and fields[0] not in steps]
    rows += [fields for _, fields in load.read_lines(new, new)]
    print(schema.header("counters"), *map(csv_line, sorted(rows, key=lambda fields: fields[0])), sep="\n")


def main(arguments, root):
    if arguments[:1] == ["--merge"] and len(arguments) > 2:
        merge(arguments[1], arguments[2], arguments[3:])
    elif len(arguments) == 4:
        one_variant(*arguments, root)
    else:
        raise Mistake("usage: python3 -m report counters STEP VARIANT SIZE LOG | --merge ROWS OLD STEP...")
    return 0
