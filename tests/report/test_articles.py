"""The check of docs/articles.md: what it finds, each in a small repository of its own."""

from support import ROOT, Case, write

from report.course import articles
from report.load import Mistake

STEP = """#define VARIANTS(VARIANT) \\
    VARIANT(one, "first")
static const gemm_show shows[] = {
    {"latency", "how long a load waits", show_latency, NULL},
};
int main(void) { return gemm_step_main(variants); }
"""
HEAD = "| the article's | its number | ours | our number | on |\n|---|---|---|---|---|\n"
MEASURED = "<!-- value: gemm step01 one 1 1 1 tflops -->53<!-- end --> TFLOP/s"


class Articles(Case):
    def check(self, ours="[1.1](../step01_a/1.md)", measured="–", on="H200"):
        write(STEP, self.tmp, "step01_a/step.c")
        write("step,rung,idea,predecessor,refuses\nstep08_k,distance_direct,a,,\nstep08_k,select_radix,b,,\n", self.tmp,
              "docs/rungs.csv")
        write("named := $(scripted) all \\\n    notes\n", self.tmp, "Makefile")
        write("scripted := sass\n", self.tmp, "scripts/make/a.mk")
        write(f"# Articles\n\n{HEAD}| a claim | 1 % | {ours} | {measured} | {on} |\n", self.tmp, articles.ARTICLES)
        return articles.check(self.tmp)

    def test_what_a_row_may_name(self):
        for ours in ("[1.1](../step01_a/1.md)", "`step01:one`", "`step08:direct+radix`", "`step08:select_radix`",
                     "`./step01/run --show latency`", "`make sass`", "`make notes`, and [1.1](../step01_a/1.md)"):
            self.assertEqual(self.check(ours), [], ours)

    def test_what_is_not_there(self):
        for one in ("step01:two", "step02:one", "step08:direct+heap", "./step01/run --show limits", "make gold"):
            self.assertEqual(self.check(f"[1.1](../step01_a/1.md), `{one}`"),
                             [f"docs/articles.md:5: there is no {one}"])

    def test_nothing_named(self):
        self.assertEqual(self.check("see the lesson, `--sim`"),
                         ["docs/articles.md:5: names neither a page nor a variant, run or target"])

    def test_numbers(self):
        self.assertEqual(self.check(measured=MEASURED), [])
        self.assertEqual(self.check(measured="8 of 8", on="counted"), [])
        self.assertEqual(self.check(measured="53 TFLOP/s"),
                         ["docs/articles.md:5: a measured number that no marker fills in"])

    def test_cells(self):
        self.assertEqual(self.check(on="H200 | more"), ["docs/articles.md:5: 6 cells, not 5 (the article's, its "
                                                        "number, ours, our number, on)"])

    def test_no_rows(self):
        write("# Articles\n", self.tmp, articles.ARTICLES)
        self.check()
        write("# Articles\n", self.tmp, articles.ARTICLES)
        self.assertRaises(Mistake, articles.check, self.tmp)

    def test_ours(self):
        self.assertEqual(articles.check(ROOT), [])
