"""The data of figures where something is missing, and how labels are laid out."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import unittest

from support import ROOT, Case, read, report, write

from report.figures import NAMED, lessons, made
from report.figures.layout import nice_ceiling, quoted, spread


class Figures(Case):
    def figures(self):
        """What can be drawn, in self.drawn; self.said is what it complained about."""
        with contextlib.redirect_stderr(io.StringIO()) as said:
            figures = made(self.data, ROOT, self.file("sgemm"), 0.052)
        self.captions = {name: caption for name, caption, *_ in figures}
        self.drawn = {name: text for name, *_, text in figures if text}
        self.said = said.getvalue()

    def keep(self, kind, wanted):
        self.change(kind, lambda lines: lines[:1] + [line for line in lines[1:] if wanted(line)])

    def test_all_are_drawn(self):
        self.figures()
        self.assertEqual(sorted(self.drawn), sorted(NAMED))
        self.assertEqual(self.said, "")

    def test_nothing_recorded(self):
        for name in os.listdir(self.data):
            self.change(name[:-4], lambda lines: lines[:1])
        self.figures()
        self.assertEqual(self.drawn, {})
        self.assertIn("make bench", self.said)

    def test_without_4096(self):
        self.keep("sgemm", lambda line: ",4096,4096,4096," not in line)
        self.figures()
        for name in "progression", "roofline":
            self.assertIn(f"plots: {name}: no measurement at 4096^3 in", self.said)
            self.assertNotIn(name, self.drawn)
        self.assertIn("step05 best", self.drawn["article"])

    def test_only_4096(self):
        self.keep("sgemm", lambda line: ",4096,4096,4096," in line)
        self.figures()
        self.assertIn("plots: article: no measurement at the article's shapes", self.said)
        self.assertIn('"step05 best"', self.drawn["size"])

    def test_without_a_baseline(self):
        self.change("sgemm", lambda lines: lines[:1] + [
            ",".join(line.split(",")[:19] + [""] * 5 + line.split(",")[24:]) for line in lines[1:]])
        self.figures()
        self.assertIn("# marks\nNaN NaN", self.drawn["progression"])
        self.assertNotIn("%", self.drawn["progression"])
        self.assertIn("interleaved with no baseline", self.captions["size"])

    def test_the_caption_names_older_versions_that_are_drawn(self):
        def date(line, day):
            return re.sub(r",\d{4}-\d\d-\d\d,,,,", f",{day},,,0.10.0,", line) if ",best,gemm," in line else line
        of_4096 = ["article", "progression", "roofline", "size"]  # article: which variant is best is asked there
        for shape, older in ("2048,2048,1024", ["article"]), ("4096,4096,4096", of_4096):
            self.again()
            self.change("sgemm", lambda lines, shape=shape: lines[:1] + [
                date(line, "2026-11-20" if f",{shape}," in line else "2026-11-30") for line in lines[1:]])
            self.figures()
            self.assertEqual(sorted(name for name, caption in self.captions.items()
                                    if "Before the kernel last changed: best 0.10.0." in caption),
                             older)
        self.assertIn("Cold L2", self.captions["article"])

    def test_a_step_that_was_not_measured_hides_no_other(self):
        """Two empty lines would end gnuplot's block of lines."""
        self.keep("sgemm", lambda line: "step03" not in line)
        self.keep("knn", lambda line: "ann_kdtree" not in line or ",32768,25,256," in line)
        self.keep("tensorcore_error", lambda line: ",tf32,signed," not in line)
        self.figures()
        for name, text in self.drawn.items():
            with self.subTest(name):
                for block in re.split("\n\n\n+", text):
                    self.assertTrue(block.startswith("# "), block)

    def test_an_unknown_gpu_needs_no_edit(self):
        for name in os.listdir(self.data):
            self.change(name[:-4], lambda lines: [line.replace("NVIDIA H200", "NVIDIA Made-Up 9000") for line in lines])
        self.figures()
        self.assertEqual(self.said, "")
        self.assertEqual(len(self.drawn), 14)
        peak, dram, _, above, known, _ = map(float, self.drawn["roofline"].splitlines()[-1].split())
        self.assertEqual((peak, dram, above), (known, 0, 0))
        self.assertAlmostEqual(peak, 66.9, 1)  # recorded: of the GPU's attributes
        # And where the share of its peak is not recorded either.
        self.change("sgemm", lambda lines: lines[:1] + [
            ",".join(line.split(",")[:18] + [""] + line.split(",")[19:]) for line in lines[1:]])
        self.figures()
        top, dram, _, above, known, _ = map(float, self.drawn["roofline"].splitlines()[-1].split())
        self.assertEqual((dram, above, known), (0, 0, 0))
        self.assertAlmostEqual(top, 52.98, 1)

    def test_only_one_of_the_files(self):
        for kind, count in ("gemv", 2), ("tensorcore", 2), ("knn", 2), ("tensorcore_error", 1), ("random", 1), \
                ("conv", 1):
            with self.subTest(kind):
                self.again()
                for name in os.listdir(self.data):
                    if name not in ("sgemm.csv", kind + ".csv"):
                        os.remove(os.path.join(self.data, name))
                self.change("sgemm", lambda lines: lines[:1])
                self.figures()
                self.assertEqual(len(self.drawn), count)

    def test_errors_of_the_simulator_are_not_drawn(self):
        self.change("tensorcore_error", lambda lines: lines[:1] + [line.replace("NVIDIA H200", "H200 (simulated)")
                                                                   for line in lines[1:]])
        self.figures()
        self.assertNotIn("tensorcore_error", self.drawn)

    def test_another_operation_does_not_count(self):
        self.figures()
        before = self.drawn
        for one, other in ("sgemm", "gemv"), ("gemv", "sgemm"), ("tensorcore", "gemv"), ("knn", "sgemm"), \
                ("conv", "sgemm"):
            rows = read(os.path.dirname(__file__), "data", other + ".csv").splitlines()[1:]
            self.change(one, lambda lines, rows=rows: lines + rows)
        self.figures()
        self.assertEqual(self.drawn, before)


class Layout(Case):
    def test_labels_keep_apart_and_inside(self):
        places = spread([0.5, 0.5, 0.51, 0.99, 0.1], 0.1, 0, 1)
        inside = sorted(places)
        self.assertTrue(inside[0] >= 0 and inside[-1] <= 1)
        for one, other in zip(inside, inside[1:]):
            self.assertGreaterEqual(other - one, 0.1 - 1e-9)
        self.assertEqual(sorted(range(5), key=lambda i: places[i]), [4, 0, 1, 2, 3])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing")
    def test_a_long_caption_takes_two_lines(self):
        words = " ".join(["eleven chars"] * 20)
        data, out = write("# scale\n1 1 1 1 1 1\n", self.tmp, "scale"), os.path.join(self.tmp, "out")
        write("call 'plots/style.gp' ARG1 ARG2 ARG3 ARG4 ARG5\nplot 0\n", out + ".gp")
        subprocess.run(["gnuplot", "-c", out + ".gp", data, out, words, "svg", "0"], cwd=ROOT, check=True)
        lines = re.findall(">([^<>]*eleven[^<>]*)<", read(out + ".svg"))
        self.assertEqual(len(lines), 2)
        self.assertLessEqual(max(map(len, lines)), 150)
        self.assertEqual(" ".join(" ".join(reversed(lines)).split()), words)  # gnuplot writes the lower one first

    def test_a_figure_of_a_note_is_checked_without_gnuplot(self):
        page = lessons.of_bars("Title", [("a", (1, 2, 5, "1.0")), ("b", None)], 9)
        self.assertIn("a 1.0; b not recorded", page.told)
        drawn = page.draw(ROOT)
        self.assertIn('aria-label="Title: a 1.0; b not recorded."', drawn)
        self.assertTrue(page.holds(ROOT, drawn))
        other = lessons.digest(drawn[:drawn.rindex("\n<!--")].replace("Title", "Title "))
        for text in (drawn.replace("Title", "Other"), drawn[:-2], re.sub(r"\w+ -->", other + " -->", drawn), "<svg/>"):
            self.assertFalse(page.holds(ROOT, text))
        page.data += "\n"
        self.assertFalse(page.holds(ROOT, drawn))

    def test_round_numbers(self):
        self.assertEqual([nice_ceiling(x) for x in (0.011, 4.1, 51, 660)], [0.015, 4.5, 55, 700])

    def test_quotes_in_a_label(self):
        self.assertEqual(quoted('a "b"'), "\"a 'b'\"")


class Usage(Case):
    def test_a_device_with_quotes_and_commas(self):
        self.change("sgemm", lambda lines: lines[:1] + [line.replace("NVIDIA H200", '"NVIDIA ""H200"", 141 GB"')
                                                        for line in lines[1:]])
        captions = [caption for name, caption, *_ in made(self.data, ROOT, self.file("sgemm"), 0.05) if name == "size"]
        self.assertIn('NVIDIA "H200", 141 GB, driver', captions[0])

    def test_unknown_command(self):
        self.refused(report("plot"), "unknown command 'plot'", "figures")

    def test_wrong_arguments(self):
        self.refused(report("figures", "--dir", "x"), "plots: unrecognized arguments: --dir (usage:")
        self.refused(report("demo"), "demo: the following arguments are required: csv (usage:")
        self.refused(report("demo", "--size", "big", self.file("sgemm")), "--size: invalid int value: 'big'")

    def test_an_empty_file(self):
        self.refused(report("figures", "--out", self.tmp, write("", self.tmp, "x.csv")), "x.csv:1: empty")
