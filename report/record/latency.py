"""Rows of latency.csv from what step 2's `run --show latency` printed.

    python3 -m report latency OUTPUT
"""

import re

from report.load import Mistake
from report.record import csv_line, origin, read_text

ROW = re.compile(r" {4}(\w.*?) {2,}(\d+) +(\d+) +([\d.]+) +([\d.]+)-([\d.]+) +([\d.]+) +(\d+)")


def main(arguments, root):
    if len(arguments) != 1:
        raise Mistake("usage: python3 -m report latency OUTPUT")
    rows = [found.groups() for found in map(ROW.fullmatch, read_text(arguments[0])) if found]
    if not rows:
        raise Mistake(f"{arguments[0]}: no latencies in it")
    for row in rows:
        print(csv_line([*row, *origin()]))
    return 0
