"""Shapes drawn at random: how a set is summed up."""

from support import ROOT, Case, read, write

from report import load, notes, tables
from report.text import tenth


class Random(Case):
    def table(self):
        return notes.table_lines(load.open_folder(self.data, ROOT), tables.find_tables(), ["random"])

    def test_the_10th_percentile(self):
        self.assertEqual([tenth(values) for values in ([3.0], [1.0, 2.0], [*range(11, 0, -1)])], [3.0, 1.1, 2.0])

    def test_a_set_is_summed_up(self):
        """Two rows of one shape: the last counts. A row of no set's shape does not, nor one of another variant."""
        one, two = (line.split(",")[5:] for line in read(ROOT, "plots", "random_shapes.csv").splitlines()[1:3])

        def only(lines):
            rows = []
            for variant, shape, ratio in (("best", one, 9), ("best", one, 2), ("best", two, 0.5),
                                          ("best", ["1", *two[1:]], 7), ("naive", two, 8)):
                row = dict(zip(lines[0].split(","), lines[1].split(",")))
                row.update(zip("mnk", shape), variant=variant, ratio=str(ratio))
                rows.append(",".join(row.values()))
            return lines[:1] + rows

        self.change("random", only)
        self.assertEqual(self.table()[2:3], ["| FP32 uniform | uniform to 6000 | first | 2 of 60 | 1.000 | 0.650 | "
                                             "f32 nn, {0} × {1} × {2}: 0.500 | 1 |".format(*two)])
        self.assertEqual(self.table()[3:4], [""])

    def test_older_kernels_are_marked(self):
        def at(lines):
            place = lines[0].split(",").index("version")
            cells = [line.split(",") for line in lines[1:]]
            return lines[:1] + [",".join(cell[:place] + ["0.10.0 1234567"] + cell[place + 1:]) for cell in cells]

        self.change("random", at)
        for date, marks in ("2026-11-22", 0), ("2099-01-01", 1):
            row = f"step05_doublebuffer,best,{date},0.11,kernel,,"
            changes = write(f"step,variant,date,version,what,dtypes,before\n{row}\n", self.tmp, "changes.csv")
            db = load.open_folder(self.data, ROOT, changes=changes)
            names = [line.split("|")[1] for line in notes.table_lines(db, tables.find_tables(), ["random"])[2:4]]
            self.assertEqual([name.count("FP32") for name in names], [1, 1])
            self.assertEqual([name.count("<sup>0.10.0</sup>") for name in names], [marks, marks])

    def test_nothing_recorded(self):
        self.change("random", lambda lines: lines[:1])
        self.assertEqual(self.table()[2:], ["|" + " – |" * 8, "", "<sub>Not measured yet.</sub>"])
