"""The table in tests/faulty/README.md is that of what is recorded."""

import os
import unittest

import support  # noqa: F401 (finds report)

from report.record import golden

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Faults(unittest.TestCase):
    def test_table(self):
        table = "\n".join(golden.table(os.path.join(ROOT, "plots", "data", "nvidia-h200", "faults.csv")))
        with open(os.path.join(ROOT, "tests", "faulty", "README.md"), encoding="utf-8") as f:
            self.assertIn(table, f.read(), "python3 -m report faults --table plots/data/nvidia-h200/faults.csv")

    def test_every_kernel_has_a_job(self):
        jobs = {(program, name) for _, program, name, _, _ in golden.jobs_of(ROOT)}
        self.assertIn(("leak", "-"), jobs)
        self.assertIn(("memory", "past_the_allocation"), jobs)
        self.assertGreater(len(jobs), 60)


if __name__ == "__main__":
    unittest.main()
