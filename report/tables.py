"""Makes Markdown tables from the SQL files in tables/; README.md describes such a file."""

import glob
import os

from report import schema
from report.load import HERE
from report.sql import Parts
from report.text import DASH, sub


class Table(Parts):
    """One SQL file: the markers that it answers, and its statements."""

    def __init__(self, path):
        super().__init__(path)
        self.markers = [text.split() for word, text in self.remarks if word == "marker"]  # name, argument...
        self.align = dict(self.remarks).get("align", "r")
        self.family = os.path.basename(os.path.dirname(path))

    def rows(self, db, part, given):
        """The names and rows of a part; ([], []) where the file has none of that name."""
        return self.query(db, part, given) if part in self.statements else ([], [])


def find_tables():
    """Every table by the name in its marker: (Table, argument names)."""
    found = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(HERE), "tables", "*", "*.sql"))):
        table = Table(path)
        for name, *arguments in table.markers:
            found[name] = (table, arguments)
    return found


def row_line(cells):
    return "|" + "".join(f" {cell} |" if cell != "" else " |" for cell in cells)


def pivot(labels, names, rows):
    """Spreads rows that end with (column, cell) over the columns named `labels`."""
    keys = len(names) - 2
    spread = {}
    for row in rows:
        cells = spread.setdefault(tuple(row[:keys]), dict.fromkeys(labels))
        cells[row[keys]] = row[keys + 1]
    return names[:keys] + labels, [list(key) + list(cells.values()) for key, cells in spread.items()]


def without_unused(names, rows):
    """Drops the columns whose name starts with ? and that hold nothing at all."""
    kept = [i for i, name in enumerate(names) if not name.startswith("?") or any(row[i] is not None for row in rows)]
    return [names[i].lstrip("?") for i in kept], [[row[i] for i in kept] for row in rows]


OLDER = "<sub>A raised version: some of the row is of that version, before its kernel last changed.</sub>"


def with_versions(table, db, given, lines):
    """Marks the variants that have rows older than their kernel with the version that recorded them: in the lines that
    are others without these rows, and above those."""
    apart = given["table"].startswith(("counters", "tensor-counters", "sass", "register-banks"))  # not of `run` itself
    kind = table.family if table.family in schema.RECORDS and not apart else None
    older = dict(db.execute(f"SELECT '`' || variant || '`', older FROM {kind} WHERE older IS NOT NULL AND "
                            "coalesce(:step, step) = step", {"step": given.get("step")})) if kind else {}
    newer = lines_of(table, db.newer(), given) if older else lines
    marked = [line.startswith("|") and line not in newer for line in lines]
    for name, version in older.items() if any(marked) else ():
        lines = [line.replace(name, f"{name}<sup>{version}</sup>") if mark or i == 0 else line
                 for i, (line, mark) in enumerate(zip(lines, marked))]
    return lines + (["", OLDER] if any("<sup>" in line for line in lines) else [])


def lines_of(table, db, given):
    """The lines of a table with these named values, without versions."""
    names, rows = table.rows(db, "heading", given)
    heading = dict(zip(names, rows[0])) if rows else {}
    names, rows = table.rows(db, "rows", given)
    if "columns" in table.statements:
        names, rows = pivot([row[0] for row in table.rows(db, "columns", given)[1]], names, rows)
    names, rows = without_unused(names, rows)
    if not names:
        lines = []
    elif table.align == "text":  # a paragraph, its sentences a row each
        lines = [" ".join(row[0] for row in rows)]
    else:
        align = table.align.ljust(len(names), table.align[-1])
        names = [name.format(**heading) for name in names]
        lines = [row_line(names), "|" + "".join("---|" if side == "l" else "--:|" for side, _ in zip(align, names))]
        for row in rows or [[None] * len(names)]:
            lines.append(row_line([DASH if cell is None else str(cell) for cell in row]))
    below = [text for word, text in table.remarks if word == "below"]
    below += [row[0] for row in table.rows(db, "below", given)[1]]
    kind, *how = " ".join(text for word, text in table.remarks if word == "recorded").split(";", 1)
    if how:
        where = db.execute("SELECT 'Recorded on ' || text FROM source WHERE kind = ?", [kind]).fetchone()
        otherwise = dict(table.remarks).get("otherwise")
        below.append(sub(where[0] + ";" + how[0].format(**given) if where else otherwise))
    return lines + [line for text in below if text is not None for line in ("", text)]


def render(table, db, given):
    """The lines of a table with these named values."""
    return with_versions(table, db, given, lines_of(table, db, given))
