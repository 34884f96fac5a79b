"""The rule for L1's clocks against what was measured on an H200."""

import csv
import os
import unittest

from support import ROOT

from report import l1

RECORDED = os.path.join(ROOT, "cudasim", "tests", "counted", "nvidia-h200", "patterns_lines.csv")
REQUESTS = 16 * 255  # timed, of cudasim/tests/counted/lines.cu


class Recorded(unittest.TestCase):
    def patterns(self, kind):
        with open(RECORDED, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                if row["kind"].startswith(kind):
                    yield row, [int(x) for x in row["offsets"].split()], int(row["clocks"]) / REQUESTS

    def test_in_place(self):
        count = 0
        for row, offsets, clocks in self.patterns("in_place"):
            self.assertLess(abs(clocks - l1.request(offsets)), 0.2, row["name"])
            count += 1
        self.assertEqual(count, 192)

    def test_along(self):
        count = 0
        for row, offsets, clocks in self.patterns("along"):
            element = int(row["kind"][-1])
            expected = sum(l1.request([o + i % 32 * element for o in offsets]) for i in range(1, 256)) / 255
            self.assertLess(abs(clocks - expected), 0.03 * expected, row["name"])
            count += 1
        self.assertEqual(count, 64)
