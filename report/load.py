"""Reads recorded CSV files into an SQLite database in memory: strictly, so that a damaged file is never drawn."""

import csv
import os
import re
import sqlite3

from report import schema, text

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
WHOLE = re.compile(r"-?\d+")


class Mistake(Exception):
    """Bad input, reported in one line that names what is wrong; the exit status is then 2, or the one that is given."""

    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status


def split_line(line, place):
    """The fields of one line of CSV (RFC 4180, without line breaks inside quotes)."""
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        raise Mistake(f"{place}: unbalanced quotes") from None


def read_lines(path, name):
    """The lines of a text file with their numbers, the header first."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise Mistake(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Mistake(f"{name}: not a text file (UTF-8)") from None
    last = lines.pop()
    if last:
        raise Mistake(f"{name}:{len(lines) + 1}: cut off: the last line has no end")
    if not lines:
        raise Mistake(f"{name}:1: empty, not even a header")
    return [(number, line.rstrip("\r")) for number, line in enumerate(lines, 1)]


def read_header(fields, columns, place):
    """The column that each field of a header line names."""
    known = {column.name: column for column in columns}
    for number, field in enumerate(fields):
        if field not in known:
            raise Mistake(f"{place}: unknown column '{field}'")
        if field in fields[:number]:
            raise Mistake(f"{place}: duplicate column '{field}'")
    for column in columns:
        if column.name not in fields:
            raise Mistake(f"{place}: missing column '{column.name}'")
    return [known[field] for field in fields]


def value_of(field, column, place):
    """A field as a value for the database; an empty one is NULL."""
    if field == "":
        if column.needed:
            raise Mistake(f"{place}: {column.name} is empty")
        return None
    if column.kind == "text":
        return field
    if column.kind == "int":
        if not WHOLE.fullmatch(field):
            raise Mistake(f"{place}: {column.name} is '{field}', not a whole number")
        return int(field)
    if not NUMBER.fullmatch(field):
        raise Mistake(f"{place}: {column.name} is '{field}', not a number")
    return float(field)


def read_table(path, kind, name=None):
    """The rows of a file as tuples in the order of its schema's columns; `name` is used in messages."""
    name = name or path
    columns = schema.FILES[kind]
    lines = read_lines(path, name)
    place = f"{name}:1"
    there = read_header(split_line(lines[0][1], place), columns, place)
    order = [there.index(column) for column in columns]
    rows = []
    for number, line in lines[1:]:
        place = f"{name}:{number}"
        fields = split_line(line, place)
        if len(fields) != len(there):
            raise Mistake(f"{place}: {len(fields)} fields, not {len(there)}")
        values = [value_of(field, column, place) for field, column in zip(fields, there)]
        rows.append(tuple(values[i] for i in order))
    return rows


def fill(db, kind, rows, table=None):
    """Makes a table of these rows, named after the kind of file unless `table` names it. A row's line in the file is its
    rowid + 1."""
    table = table or kind
    columns = schema.FILES[kind]
    types = {"text": "TEXT", "int": "INTEGER", "real": "REAL"}
    db.execute(f"CREATE TABLE {table} (" + ", ".join(f'"{c.name}" {types[c.kind]}' for c in columns) + ")")
    db.executemany(f"INSERT INTO {table} VALUES (" + ", ".join("?" * len(columns)) + ")", rows)


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def empty_database():
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    text.register(db)
    return db


def one_device(db, names):
    """Refuses rows of a second device: tables and figures show one."""
    for table, line, other, first in db.execute("SELECT file, line, device, first FROM other_device ORDER BY file, line"):
        raise Mistake(f"{names[table]}:{line}: measured on {other}, the lines before on {first}: one device a file")


def short_name(path, root):
    """What messages call a file: from the repository's root on, if it lies there."""
    inside = os.path.relpath(os.path.abspath(path), root)
    return path if inside.startswith(os.pardir) else inside


def open_folder(folder, root, **paths):
    """A database of what is recorded in `folder`, with the hand-written tables of the repository at `root`.

    Files that are missing are tables without rows. `paths` names files that lie elsewhere: sgemm=...
    """
    db = empty_database()
    names = {}
    for kind in (*schema.MEASURED, *schema.COMMON):
        if kind in schema.MEASURED:
            path = os.path.join(folder, kind + ".csv")
        elif kind == "sass":
            path = os.path.join(root, "plots", "data", "sass.csv")
        elif kind == "devices":
            path = os.path.join(root, "common", "gpu", "devices.csv")
        else:
            path = os.path.join(root, "plots", kind + ".csv")
        path = paths.get(kind, path)
        names[kind] = short_name(path, root)
        fill(db, kind, read_table(path, kind, names[kind]) if os.path.isfile(path) else [])
    for name in "views.sql", "values.sql":
        db.executescript(read_text(os.path.join(HERE, name)))
    one_device(db, names)
    return db
