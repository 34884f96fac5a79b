"""python3 -m report demo [--size N] CSV...: what was measured, or run in the simulator, in a few short tables."""

import os

from report import load
from report.arguments import Parser
from report.load import HERE
from report.tables import Table

TABLES = ["simulated", "sgemm", "tensorcore", "gemv", "knn", "conv"]  # in this order


def line(cells, widths, align):
    return " ".join(cell.ljust(width) if side == "l" else cell.rjust(width)
                    for cell, width, side in zip(cells, widths, align)).rstrip()


def text_table(table, db, given):
    """The lines of a table in columns; None where the files hold nothing of its kind."""
    if not table.rows(db, "any", given)[1]:
        return None
    (_, *names), rows = table.rows(db, "rows", given)
    if not rows:
        return ["(no measurement at this size)"]
    widths = [int(width) for width in dict(table.remarks)["widths"].split()]
    lines = [rows[0][0], "", line(names, widths, table.align)]
    lines += [line(["-" if cell is None else str(cell) for cell in row[1:]], widths, table.align) for row in rows]
    for row in table.rows(db, "below", given)[1]:
        lines += ["", row[0]]
    return lines


def main(arguments, root):
    parser = Parser(prog="python3 -m report demo", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--size", type=int, default=4096,
                        help="m = n = k of the tables of GEMM and GEMV (default 4096)")
    parser.add_argument("csv", nargs="+", help="files that `run --csv` wrote")
    given = parser.parse_args(arguments)
    db = load.empty_database()
    load.fill(db, "sgemm", [row for path in given.csv for row in load.read_table(path, "sgemm")], "rows_of_all")
    db.execute("CREATE VIEW record AS SELECT rowid AS line, * FROM rows_of_all")
    load.add_ladder(db, root)
    found = []
    for name in TABLES:
        lines = text_table(Table(os.path.join(HERE, "tables", "demo", name + ".sql")), db, {"size": given.size})
        if lines:
            found.append("\n".join(lines))
    print("\n\n".join(found) if found else "(nothing was run)")
    return 0
