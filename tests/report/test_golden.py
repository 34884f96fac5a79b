"""Every table and figure's data against golden/."""

import os

from golden import GOLDEN, made
from support import ROOT, Case, read

from report import tables
from report.figures import NAMED


class Golden(Case):
    def test_every_file(self):
        files = made()
        there = {os.path.relpath(os.path.join(folder, name), GOLDEN) for folder, _, names in os.walk(GOLDEN)
                 for name in names}
        self.assertEqual(sorted(files), sorted(there), "renew them: python3 tests/report/golden.py")
        for path, text in files.items():
            with self.subTest(path):
                self.assertEqual(read(GOLDEN, path), text, "is it right? then renew it: python3 tests/report/golden.py")

    def test_every_table_and_figure_has_one(self):
        names = [name.split("_")[0][:-3 if name.count("_") == 0 else None]
                 for name in os.listdir(os.path.join(GOLDEN, "tables"))]
        for marker in tables.find_tables():
            self.assertIn(marker, names)
        for name in NAMED:
            self.assertTrue(os.path.isfile(os.path.join(GOLDEN, "figures", name + ".dat")), name)

    def test_the_recorded_notes_and_figures_can_be_made(self):
        """The files that are in plots/data now: whole, of one device, with all that the notes want."""
        from report import load
        folder = os.path.join(ROOT, "plots", "data")
        for name in os.listdir(folder):
            if os.path.isdir(os.path.join(folder, name)):
                load.open_folder(os.path.join(folder, name), ROOT)
