"""Shapes drawn at random: that they are those of `run`, and how a set is summed up."""

from support import ROOT, Case

from report import load, notes, tables
from report.random_shapes import layers, shapes
from report.text import tenth


class Random(Case):
    def table(self):
        return notes.table_lines(load.open_folder(self.data, ROOT), tables.find_tables(), ["random"])

    def test_the_shapes_of_a_seed(self):
        """Those of tests/bench/test_random_shapes.c."""
        self.assertEqual(list(shapes("uniform", 8192, 1, 1, 4)),
                         [(7830, 6134, 6789), (6676, 2336, 1733), (4736, 7739, 1099), (2664, 2398, 4061)])
        self.assertEqual(list(shapes("log", 16384, 8, 7, 4)),
                         [(96, 16, 16), (256, 192, 7976), (1008, 1824, 320), (16, 208, 5376)])
        self.assertEqual(list(shapes("log", 20000, 1, 2 ** 64 - 1, 3)),
                         [(594, 42, 86), (4, 2832, 7008), (117, 414, 35)])

    def test_the_layers_of_a_seed(self):
        """Those of tests/conv/test_conv.c."""
        self.assertEqual(list(layers("uniform", 512, 1, 1, 3)),
                         [((3920, 384, 24010), "20x490x14x14 7x7 s1 p3 d1"),
                          ((66654, 264, 90), "126x10x23x23 3x3 s1 p1 d1"),
                          ((2793, 373, 10375), "57x415x21x21 5x5 s3 p2 d1")])
        self.assertEqual(list(layers("log", 1024, 1, 3001, 2))[1], ((162, 1, 1044), "2x348x27x27 3x1 s3 p1x0 d1"))

    def test_the_10th_percentile(self):
        self.assertEqual([tenth(values) for values in ([3.0], [1.0, 2.0], [*range(11, 0, -1)])], [3.0, 1.1, 2.0])

    def test_a_set_is_summed_up(self):
        """Two rows of one shape: the last counts. A row of no set's shape does not, nor one of another variant."""
        one, two = shapes("uniform", 6000, 1, 1001, 2)

        def only(lines):
            rows = []
            for variant, shape, ratio in (("best", one, 9), ("best", one, 2), ("best", two, 0.5),
                                          ("best", (1, *two[1:]), 7), ("naive", two, 8)):
                row = dict(zip(lines[0].split(","), lines[1].split(",")))
                row.update(zip("mnk", map(str, shape)), variant=variant, ratio=str(ratio))
                rows.append(",".join(row.values()))
            return lines[:1] + rows

        self.change("random", only)
        self.assertEqual(self.table()[2:3], ["| FP32 uniform | uniform to 6000 | first | 2 of 60 | 1.000 | 0.650 | "
                                             "f32 nn, {0} × {1} × {2}: 0.500 | 1 |".format(*two)])
        self.assertEqual(self.table()[3:4], [""])

    def test_nothing_recorded(self):
        self.change("random", lambda lines: lines[:1])
        self.assertEqual(self.table()[2:], ["|" + " – |" * 8, "", "<sub>Not measured yet.</sub>"])
