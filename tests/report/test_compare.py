"""Two recordings side by side."""

import os

from support import Case, data, read, report, write


class Compare(Case):
    def compare(self, a, b):
        run = report("compare", a, b)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def rows(self, change):
        """The path of sgemm.csv with change(row as a dict) of every row; None leaves it out."""
        head, *rows = (line.split(",") for line in read(data("sgemm")).splitlines())
        rows = filter(None, (change(dict(zip(head, row))) for row in rows))
        return write("\n".join([",".join(head)] + [",".join(row.values()) for row in rows]) + "\n", self.tmp, "b.csv")

    def test_of_medians(self):
        def change(row):
            if row["variant"] == "serpentine" and row["m"] + row["k"] == "40964096":
                row["ms_median"] = str(float(row["ms_median"]) / 1.1)
            row["mode"] = {"events": "graph", "graph": "events"}[row["mode"]]  # of a GEMM the same case
            return row if row["variant"] != "tile32" else None
        out = self.compare(data("sgemm"), self.rows(change))
        self.assertRegex(out, r"(?m)^ +\S+ +\S+ +1\.100  step05 serpentine 4096x4096x4096 f32 nn 1.0/0.0 cold$")
        self.assertIn("\nlargest difference of two medians: 10.0 % (step05 serpentine 4096x4096x4096 ", out)
        self.assertRegex(out, r"\n\d+ matched, [1-9]\d* only in A, 0 only in B\n$")

    def test_of_intervals(self):
        def around(factor):
            def change(row):
                middle = float(row["ms_median"] or 0) * (factor if row["m"] == "8192" else 1)
                if row["variant"] != "serpentine" or not middle:
                    return None
                return {**row, "ms_low": str(middle * 0.995), "ms_high": str(middle * 1.005)}
            return change
        a = write(read(self.rows(around(1))), self.tmp, "a.csv")
        count = len(read(a).splitlines()) - 1
        self.assertIn(f"\n{count} of {count} intervals overlap (0 more", self.compare(a, a))
        out = self.compare(a, self.rows(around(1.02)))
        self.assertRegex(out, r"(?m)^.* 1\.000\* step05 serpentine 8192x8192x8192 ")
        self.assertIn(f"\n{count - out.count('* step05')} of {count} intervals overlap (0 more", out)
        self.assertIn(f"\n0 of 0 intervals overlap ({count} more", self.compare(data("sgemm"), a))

    def test_the_last_row_counts_and_the_simulators_do_not(self):
        simulated = self.rows(lambda row: {**row, "mode": "sim"})
        self.assertIn("\n0 matched, 116 only in A, 0 only in B\n", self.compare(data("sgemm"), simulated))
        twice = read(data("sgemm")) + "".join(read(self.rows(lambda row: {**row, "ms_median": "7.5"})).splitlines(
            True)[1:])
        out = self.compare(write(twice, self.tmp, "twice.csv"), data("sgemm"))
        self.assertEqual(out.count("\n       7.5 "), 116)

    def test_of_folders(self):
        self.assertRegex(self.compare(self.data, self.data), r"\n[1-9]\d\d+ matched, 0 only in A, 0 only in B\n$")

    def test_refuses(self):
        good, absent = data("sgemm"), os.path.join(self.tmp, "absent.csv")
        self.refused(report("compare", good), "compare: two files or folders are needed")
        self.refused(report("compare", good, absent), "absent.csv")
        self.refused(report("compare", good, write("a,b\n", self.tmp, "wrong.csv")), "wrong.csv:1: unknown column 'a'")
        self.refused(report("compare", good, self.tmp), "no recorded measurements in " + self.tmp)
