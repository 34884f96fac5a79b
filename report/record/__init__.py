"""Makes recorded CSV files of what tools print: Nsight Compute, cuobjdump, and step 8's runs for the paper."""

import csv
import io
import os
import re
import sys

from report.load import NUMBER, Mistake


def csv_line(fields):
    """A line of CSV without its end."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(fields)
    return out.getvalue()


def origin():
    """device, cc, driver, cuda, date, as the script that calls this found them."""
    return [os.environ.get(name, "") for name in ("DEVICE", "CC", "DRIVER", "CUDA", "DATE")]


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return [line.rstrip("\r") for line in file.read().split("\n")]
    except OSError as error:
        raise Mistake(f"cannot read {path}: {error.strerror}") from None


def ncu_launches(path, what):
    """What ncu --csv --page raw --print-units base wrote: the units by name, and of each launch the values by name.

    ncu prints a row of names, a row of units and a row a launch, between lines of its own that start with ==.
    """
    lines = [line for line in read_text(path) if line and not line.startswith("==")]
    csv.field_size_limit(sys.maxsize)  # a kernel's counts by instruction are one field
    begin = next((number for number, line in enumerate(lines) if line.startswith('"ID",')), len(lines))
    try:
        rows = list(csv.reader(lines[begin:], strict=True))
    except csv.Error as error:
        raise Mistake(f"{what}: ncu's lines are not CSV: {error}") from None
    for row in rows:
        if len(row) != len(rows[0]):
            raise Mistake(f"{what}: ncu's rows differ in length: {len(rows[0])} and {len(row)} fields")
    if len(rows) < 2:
        return {}, []
    names, units, *launches = rows
    return dict(zip(names, units)), [dict(zip(names, launch)) for launch in launches]


def plain(text, metric, what):
    """A number of ncu's without thousands separators; "" where this GPU does not count it."""
    text = text.replace(",", "")
    if re.fullmatch(r"(-?(n/a|nan|inf)?( .*)?)", text.lower()):
        return ""
    if not NUMBER.fullmatch(text):
        raise Mistake(f"{what}: {metric} is not a number: {text}")
    return text
