"""Rows of latency.csv and limits.csv from what step 2's `run --show latency` and `--show limits` printed; of both
files the simulator's file of ceilings."""

import csv
import os
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


def ceilings(arguments, root):
    """python3 -m report ceilings FOLDER: the ceilings recorded in it, as a file of cudasim/devices."""
    if len(arguments) != 1:
        raise Mistake("usage: python3 -m report ceilings FOLDER")
    rows, places = [], (arguments[0], arguments[0], os.path.join(root, "common", "gpu"))
    for name, place in zip(("limits", "latency", "devices"), places):
        with open(os.path.join(place, name + ".csv"), encoding="utf-8", newline="") as file:
            rows.append(list(csv.DictReader(file)))
    limit_rows, latency_rows, devices = rows
    device, date = limit_rows[0]["device"], limit_rows[0]["date"]
    sms = [row["sms"] for row in devices if row["name"] == device]
    if not sms:
        raise Mistake(f"{arguments[0]}: {device} is not in common/gpu/devices.csv")
    print(f"# {device}, {date}: medians of kernel-ladder's step 2, run --show limits and --show latency")
    print(f"name,rate,unit\nclock,{max(int(row['clock_mhz']) for row in latency_rows)},MHz")
    print(f"sms,{sms[0]},SM")
    for row in limit_rows:
        print(f"{row['name']},{row['rate']},{row['unit']}")
    for row in latency_rows:
        print(f"latency_{re.sub('[^a-z0-9]+', '_', row['memory'].lower())},{row['clocks_median']},clk")
    return 0
