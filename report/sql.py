"""Reads the SQL files of tables and figures: several statements, each after a comment line that names it.

    -- part: NAME
    SELECT ...;

Other comment lines `-- WORD: TEXT` before the first part are remarks to the program, as tables.py reads them.
"""

import re


class Parts:
    def __init__(self, path):
        self.path = path
        self.remarks = []  # (word, text)
        self.statements = {}
        name = None
        with open(path, encoding="utf-8") as file:
            for line in file:
                remark = re.fullmatch(r"-- (\w+): (.*)\n", line)
                if remark and remark[1] == "part":
                    name = remark[2]
                    self.statements[name] = ""
                elif name:
                    self.statements[name] += line
                elif remark:
                    self.remarks.append((remark[1], remark[2]))

    def query(self, db, name, given):
        """The column names and rows of a part."""
        cursor = db.execute(self.statements[name], given)
        return [column[0] for column in cursor.description or ()], cursor.fetchall()

    def of(self, db):
        """A function from a part's name, and values for its parameters, to its rows."""
        return lambda name, **given: self.query(db, name, given)[1]
