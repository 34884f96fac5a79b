"""docs/ladder.md's table: every rung of every step, from docs/rungs.csv, step.c's tables and the kernels' source."""

import csv
import glob
import io
import os
import re

from report.course import source
from report.load import Mistake

FILE = "docs/rungs.csv"
COLUMNS = ["step", "rung", "idea", "predecessor", "refuses"]
TABLE = re.compile(r"\bvariants\[\] = \{(.*?)\n\};", re.DOTALL)


def listed(root):
    """The rows of docs/rungs.csv."""
    rows = list(csv.reader(io.StringIO(source.read(root, FILE))))
    if rows[:1] != [COLUMNS]:
        raise Mistake(f"{FILE}:1: the columns are {','.join(COLUMNS)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS):
            raise Mistake(f"{FILE}:{number}: {len(row)} fields, not {len(COLUMNS)}")
    return [dict(zip(COLUMNS, row)) for row in rows[1:]]


def built(root, step):
    """The names in a step's tables of variants and methods: those of one kernel each."""
    text = "".join(source.without_comments(source.read(root, os.path.relpath(path, root)))
                   for path in sorted(glob.glob(os.path.join(glob.escape(root), step, "*.c"))))
    tables = "".join(TABLE.findall(text))
    return re.findall(r'\{\s*"(\w+)"', tables) + re.findall(r'\.name = "(\w+)"', text)


def check(root, rows):
    """Refuses a list that is not what the steps build."""
    for folder in sorted(glob.glob(os.path.join(glob.escape(root), "step[0-9][0-9]_*", "step.c"))):
        step = os.path.basename(os.path.dirname(folder))
        names = [row["rung"] for row in rows if row["step"] == step]
        for name in built(root, step):
            if name not in names:
                raise Mistake(f"{FILE} lacks {name} of {step}")
    for row in rows:
        variants = built(root, row["step"])
        if not variants or TABLE.search(source.read(root, row["step"] + "/step.c")) and row["rung"] not in variants:
            raise Mistake(f"{FILE}: {row['step']} has no {row['rung']}")


def named(row):
    return f"{row['step'][:6]}:{row['rung']}"


def table_lines(root, note, step):
    """The Markdown lines for <!-- rungs: [STEP] -->."""
    rows = listed(root)
    check(root, rows)
    every = {row["rung"]: row for row in rows}
    shown = [row for row in rows if step in ("", row["step"], row["step"][:6])]
    if not shown:
        raise Mistake(f"unknown step {step}")
    lines = ["| step | rung | idea | after | refuses | lines | changed |", "|---|---|---|---|---|--:|--:|"]
    for row in shown:
        before = row["predecessor"]
        first = {**every, **{one["rung"]: one for one in rows if one["step"] == row["step"]}}  # its own step's before others'
        if before and before not in first:
            raise Mistake(f"{FILE}: no rung {before}, which {row['rung']} names as its predecessor")
        path = source.find(root, named(row))
        count = len(source.code(root, path))
        change = source.changed(root, named(first[before]), named(row))[0] if before else "–"
        link = os.path.relpath(path, os.path.dirname(note))
        lines.append(f"| {row['step'][:6]} | [`{row['rung']}`]({link}) | {row['idea']} | "
                     f"{f'`{before}`' if before else '–'} | {row['refuses'] or '–'} | {count} | {change} |")
    return lines
