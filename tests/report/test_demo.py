"""The short tables of the demo."""

import os

from support import HERE, Case, data, read, report, write


class Demo(Case):
    def demo(self, *arguments, **environment):
        run = report("demo", *arguments, **environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_of_the_simulator(self):
        path = os.path.join(HERE, "simulated.csv")
        out = self.demo(path)
        self.assertIn("H200 (simulated), every element", out)
        self.assertRegex(out, r"(?m)^step01_naive +one +f32 +96x96x96 +0\.032$")
        self.assertRegex(out, r"(?m)^step07_gemv +one +f16 +96x128 +0\.012$")
        self.assertRegex(out, r"(?m)^step08_knn +one +f32 +12x96x8 +k = 5$")
        self.assertRegex(out, r"(?m)^step09_conv +one +f32 +18x4x27 +0\.017$")
        self.assertIn("the shape is n x k", out)
        self.assertIn("Of a search it is", out)
        alone = self.demo(write("".join(read(path).splitlines(True)[:2]), self.tmp, "one.csv"))
        self.assertNotIn("Of a", alone)

    def test_searches_of_another_shape(self):
        lines = [line for line in self.lines("knn") if ",1024,25,32," in line and "transfers" not in line]
        out = self.demo(write("\n".join(self.lines("knn")[:1] + lines) + "\n", self.tmp, "knn.csv"))
        self.assertIn("1200 queries, 1024 points, d 32, k 25", out)

    def test_no_measurement_at_this_size(self):
        self.assertEqual(self.demo("--size", "77", data("sgemm"), data("gemv")),
                         "(no measurement at this size)\n\n(no measurement at this size)\n")

    def test_a_header_alone(self):
        self.assertEqual(self.demo(write(self.lines("sgemm")[0] + "\n", self.tmp, "none.csv")), "(nothing was run)\n")

    def test_numbers_do_not_depend_on_the_locale(self):
        """A comma for the decimal point: where no such locale is installed the names are tried all the same."""
        files = [data(kind) for kind in ("sgemm", "tensorcore", "gemv", "knn")]
        expected = self.demo(*files, LC_ALL="C")
        for name in "de_DE.UTF-8", "fr_FR.ISO-8859-1":
            self.assertEqual(self.demo(*files, LC_ALL=name, LC_NUMERIC=name, LANG=name), expected, name)
