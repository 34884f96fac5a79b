"""The table in cudasim/tests/faulty/README.md is that of what is recorded."""

import os
import tempfile
import unittest

from support import Case, report, write

from report.record import golden

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CSV = os.path.join(ROOT, "plots", "data", "nvidia-h200", "faults.csv")


class Faults(Case):
    def test_table(self):
        table = "\n".join(golden.table(CSV, ROOT))
        with open(os.path.join(ROOT, "cudasim", "tests", "faulty", "README.md"), encoding="utf-8") as f:
            self.assertIn(table, f.read(), "python3 -m report faults --table plots/data/nvidia-h200/faults.csv")

    def test_what_is_not_recorded(self):
        def last(folder, lines):
            path = os.path.join(folder, "faults.csv")
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(lines)
            leak = next(row for row in golden.table(path, ROOT) if row.startswith("| leak "))
            return [cell.strip() for cell in leak.split("|")[1:-1]]

        with open(CSV, encoding="utf-8") as f:
            lines = f.readlines()
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(last(folder, lines), ["leak", "memcheck", "1", "1", "", ""])
            self.assertEqual(last(folder, [row for row in lines if not row.startswith("leak,")]),
                             ["leak", "memcheck", "1", "–", "", "1"])

    def test_refused(self):
        empty = write("program,kernel,fault,tool,agrees,line,message\n", self.tmp, "faults.csv")
        self.refused(report("faults", "--table", empty), f"faults: {empty} has no rows")
        self.refused(report("header"), "header: usage: python3 -m report header FILE")
        self.refused(report("header", "none"), "header: no recorded file is called 'none' (sgemm, ")

    def test_every_kernel_has_a_job(self):
        jobs = {(program, name) for _, program, name, _, _ in golden.jobs_of(ROOT)}
        self.assertIn(("leak", "-"), jobs)
        self.assertIn(("memory", "past_the_allocation"), jobs)
        self.assertGreater(len(jobs), 60)


if __name__ == "__main__":
    unittest.main()
