"""Reads recorded CSV files into an SQLite database in memory: strictly, so that a damaged file is never drawn."""

import csv
import functools
import os
import re
import sqlite3

from report import layers, schema, text

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
KINDS = {"int": (re.compile(r"-?\d+"), int, "a whole number"), "real": (NUMBER, float, "a number")}


class Mistake(Exception):
    """Bad input, reported in one line that names what is wrong; the exit status is then 2, or the one that is given."""

    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status


def read_lines(path, name):
    """The lines of a file of CSV (RFC 4180, without line breaks inside quotes), the header first: (number, fields)."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise Mistake(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Mistake(f"{name}: not a text file (UTF-8)") from None
    if lines.pop():
        raise Mistake(f"{name}:{len(lines) + 1}: cut off: the last line has no end")
    if not lines:
        raise Mistake(f"{name}:1: empty, not even a header")
    for number, line in enumerate(lines, 1):
        try:
            yield number, next(csv.reader([line.rstrip("\r")], strict=True), [])
        except csv.Error:
            raise Mistake(f"{name}:{number}: unbalanced quotes") from None


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
    pattern, convert, what = KINDS[column.kind]
    if not pattern.fullmatch(field):
        raise Mistake(f"{place}: {column.name} is '{field}', not {what}")
    return convert(field)


def read_table(path, kind, name=None):
    """The rows of a file as tuples in the order of its schema's columns; `name` is used in messages."""
    name = name or path
    columns = schema.FILES[kind]
    lines = read_lines(path, name)
    there = read_header(next(lines)[1], columns, f"{name}:1")
    order = [there.index(column) for column in columns]
    rows = []
    for number, fields in lines:
        place = f"{name}:{number}"
        if len(fields) != len(there):
            raise Mistake(f"{place}: {len(fields)} fields, not {len(there)}")
        values = [value_of(field, column, place) for field, column in zip(fields, there)]
        rows.append(tuple(values[i] for i in order))
    return rows


def fill(db, kind, rows, table=None):
    """Makes a table of these rows, named after the kind of file unless `table` names it. A row's line in the file is
    its rowid + 1."""
    table = table or kind
    columns = schema.FILES[kind]
    types = {"text": "TEXT", "int": "INTEGER", "real": "REAL"}
    db.execute(f"CREATE TABLE {table} (" + ", ".join(f'"{c.name}" {types[c.kind]}' for c in columns) + ")")
    db.executemany(f"INSERT INTO {table} VALUES (" + ", ".join("?" * len(columns)) + ")", rows)


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Database(sqlite3.Connection):
    """`newer()`: the same without rows that are older than their kernel, for open_folder's."""

    def newer(self):
        return self


def empty_database():
    db = sqlite3.connect(":memory:", factory=Database)
    db.row_factory = sqlite3.Row
    text.register(db)
    return db


OLDER = """SELECT 1 FROM changes AS c WHERE what = '{what}' AND coalesce(c.step, r.step) = r.step
           AND coalesce(c.variant, r.variant) = r.variant
           AND instr(' ' || coalesce(dtypes, r.dtype) || ' ', ' ' || r.dtype || ' ')
           AND (r.date < c.date OR r.date = c.date AND
                instr(' ' || before || ' ', ' ' || substr(r.version, instr(r.version, ' ') + 1) || ' '))"""


def true_rows(db, names):
    """Leaves out what rows cannot know, and refuses those that cannot be. Of caches that are warm there is no share of
    DRAM's peak; Winograd's FLOP, by direct count, are more than it carries out; power is that of continuous load;
    before a change of plots/changes.csv the clock is none of the timed launches'. `older` is the version of a row whose
    kernel has changed since."""
    for kind in schema.RECORDS:
        db.execute(f"ALTER TABLE {kind} ADD COLUMN older TEXT")
        db.execute(f"UPDATE {kind} SET peak_share = NULL WHERE op = 'conv' AND variant = 'winograd'")
        db.execute(f"UPDATE {kind} SET peak_share = NULL WHERE cache = 'warm' AND (op LIKE 'gemv%' OR op = 'read')")
        db.execute(f"UPDATE {kind} SET power_w = NULL WHERE mode <> 'sustained'")
        db.execute(f"UPDATE {kind} AS r SET clock_mhz = NULL WHERE mode <> 'sustained' AND EXISTS "
                   f"({OLDER.format(what='clock')})")
        db.execute(f"UPDATE {kind} AS r SET older = substr(version, 1, instr(version || ' ', ' ') - 1) WHERE EXISTS "
                   f"({OLDER.format(what='kernel')})")
        for line, share in db.execute(f"SELECT rowid + 1, peak_share FROM {kind} WHERE peak_share > 1"):
            raise Mistake(f"{names[kind]}:{line}: {share:.3f} of the device's peak is more than there is")
    # The clock is that of all samples, the time their median.
    for line, share in db.execute("""
            SELECT t.rowid + 1,
                   gflops * ms_median / max(ms_median, coalesce(ms_high, 0)) * 1e3 / (sms * 4096 * clock_mhz) AS share
            FROM tensorcore AS t JOIN devices ON name = device
            WHERE dtype IN ('f16', 'bf16') AND cc = '9.0' AND mode <> 'sustained' AND share > 1"""):
        raise Mistake(f"{names['tensorcore']}:{line}: {share:.3f} of what the SMs can do at the recorded clock is more "
                      "than there is")


def short_name(path, root):
    """What messages call a file: from the repository's root on, if it lies there."""
    inside = os.path.relpath(os.path.abspath(path), root)
    return path if inside.startswith(os.pardir) else inside


def add_ladder(db, root):
    """The table of all steps' variants, in order."""
    from report.course import rungs  # which needs this module
    db.execute("CREATE TABLE ladder (family, step, variant, dtype, layout, flop_per_byte)")
    db.executemany("INSERT INTO ladder VALUES (?, ?, ?, ?, ?, ?)", rungs.ladder(root))


def open_folder(folder, root, newer=False, **paths):
    """A database of what is recorded in `folder`, with the ladders and the hand-written tables of the repository at
    `root`.

    Files that are missing are tables without rows. `paths` names files that lie elsewhere: sgemm=... `newer`: without
    rows that are older than their kernel.
    """
    db = empty_database()
    db.newer = functools.cache(lambda: open_folder(folder, root, True, **paths))
    add_ladder(db, root)
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
    true_rows(db, names)
    for kind in schema.RECORDS if newer else ():
        db.execute(f"DELETE FROM {kind} WHERE older IS NOT NULL")
    layers.add(db, root)
    db.execute("CREATE TABLE whole (kind, line, device, driver, cuda, date)")
    for kind in schema.WHOLE:
        db.execute(f"INSERT INTO whole SELECT '{kind}', rowid + 1, device, driver, cuda, date FROM {kind}")
    for name in "views.sql", "values.sql":
        db.executescript(read_text(os.path.join(HERE, name)))
    for _, table, line, other, first in db.execute("SELECT * FROM other_device ORDER BY file, line"):
        raise Mistake(f"{names[table]}:{line}: measured on {other}, the lines before on {first}: one device a file")
    return db
