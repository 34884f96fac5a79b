"""Rows of latency.csv and limits.csv from what step 2's `run --show latency` and `--show limits` printed."""

import re

from report.load import Mistake
from report.record import csv_line, origin, read_text

LATENCY = re.compile(r" {4}(\w.*?) {2,}(\d+) +(\d+) +([\d.]+) +([\d.]+)-([\d.]+) +([\d.]+) +(\d+)")
LIMIT = re.compile(r" {4}(\w+) +([\d.]+) +([\d.]+)-([\d.]+) +([\w/]+) +(\d+|-) +([\d.]+|-) +(\d+|-)")


def record(kind, pattern, arguments, what):
    if len(arguments) != 1:
        raise Mistake(f"usage: python3 -m report {kind} OUTPUT")
    rows = [found.groups() for found in map(pattern.fullmatch, read_text(arguments[0])) if found]
    if not rows:
        raise Mistake(f"{arguments[0]}: no {what} in it")
    for row in rows:
        print(csv_line([*("" if field == "-" else field for field in row), *origin()]))
    return 0


def main(arguments, root):
    return record("latency", LATENCY, arguments, "latencies")


def limits(arguments, root):
    return record("limits", LIMIT, arguments, "limits")
