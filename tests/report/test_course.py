"""What makes the course: source in the notes, rungs and what changes between them, links, lessons, drawings."""

import os
import re

from support import ROOT, Case, read, report, write

from report.course import drawings, lessons, links, rungs, source
from report.load import Mistake

KERNEL = """/* A kernel. */
#include "tiles.cuh"

__global__ void sgemm_one(int n) {
    int x = 1; // { not a block
    for (int i = 0; i < n; i++) {
        x += "}"[0];
        if (x) x--;
    }
    int y = x +
            1;
}

extern "C" void launch_one(void) {
}
"""
TILES = """#pragma once
static const int BM = 128, BK = 8;
"""
STEP_C = """static const char *needs_more(const device_facts *device) {
    return device->cc >= 80 ? NULL : "needs \\"more\\"";
}

static const char *takes_odd(const gemm_problem *p) {
    return p->n % 2 ? takes_s8(p) : "takes odd n";
}

static const char *takes_s8(const gemm_problem *p) {
    return "takes s8 tn";
}

static const gemm_variant variants[] = {
    {"one", "first, of 8x8", launch_one, NULL}, /* {"none", "of it"} */
    {"two", "second", launch_two, needs_more, NULL},
    {"three", "third", launch_three, needs_more, takes_odd},
};

static const gemm_show shows[] = {
    {"show", "no variant", show_it},
};

int main(void) {
    return gemm_step_main(variants);
}
"""
MACRO = """#define VARIANTS(VARIANT, TUNED) \\
    VARIANT(one, "first, of 8x8") \\
    VARIANT(two, "second", \\
        .supports = needs_more) \\
    TUNED(three, "third", .supports = needs_more, .refuses = takes_odd)
"""


class Tree(Case):
    """A small repository in self.tmp."""

    def setUp(self):
        super().setUp()
        self.put("step01_a/one.cu", KERNEL)
        self.put("step01_a/two.cu",
                 KERNEL.replace("_one", "_two").replace("x = 1", "x = 2").replace("    int y = x +\n", ""))
        self.put("step01_a/tiles.cuh", TILES)
        self.put("step01_a/step.c", STEP_C)
        self.put("docs/rungs.csv", "step,rung,idea,predecessor,refuses\nstep08_k,part,a part,,\nstep08_k,rest,the "
                                   "rest,part,k above 9\n")
        for name in "part", "rest":
            self.put(f"step08_k/{name}.cu", KERNEL)

    def put(self, path, text):
        return write(text, self.tmp, path)

    def change_file(self, path, old, new):
        self.put(path, read(self.tmp, path).replace(old, new))


class Code(Tree):
    def shown(self, asked, note="step01_a/README.md"):
        return source.excerpt(self.tmp, note, asked)

    def test_a_statement_and_a_block(self):
        self.assertEqual(self.shown("step01_a/one.cu int x ="), [
            "```cuda", "int x = 1; // { not a block", "```", "<sub>[step01_a/one.cu](one.cu#L5-L5), line 5</sub>"])
        self.put("docs/a.py", "a = 1;\n")
        self.assertEqual(self.shown("docs/a.py a =")[0], "```python")
        self.assertEqual(self.shown("step01_a/one.cu int y")[1:3], ["int y = x +", "        1;"])
        block = self.shown("step01_a/one.cu for (int i", "docs/x.md")
        self.assertEqual(block[1:5], ["for (int i = 0; i < n; i++) {", '    x += "}"[0];', "    if (x) x--;", "}"])
        self.assertEqual(block[-1], "<sub>[step01_a/one.cu](../step01_a/one.cu#L6-L9), lines 6 to 9</sub>")

    def test_a_pragma_has_no_margin(self):
        self.change_file("step01_a/one.cu", "        if (x) x--;", "#pragma unroll\n        if (x) x--;\n")
        self.assertEqual(self.shown("step01_a/one.cu for (int i")[1:6], [
            "for (int i = 0; i < n; i++) {", '    x += "}"[0];', "#pragma unroll", "    if (x) x--;", ""])

    def test_from_line_to_line(self):
        self.assertEqual(self.shown("step01_a/one.cu int x .. if (x)")[1:5], [
            "int x = 1; // { not a block", "for (int i = 0; i < n; i++) {", '    x += "}"[0];', "    if (x) x--;"])

    def test_refuses(self):
        self.put("step01_a/long.cu", "{\n" + "int x;\n" * 30 + "}\n")
        for asked, text in [
                ("step01_a/none.cu int x", "no source step01_a/none.cu"),
                ("step01_a/one.cu", "the marker reads code: FILE FROM [.. TO]"),
                ("step01_a/one.cu int z", "step01_a/one.cu has no line with 'int z'"),
                ("step01_a/one.cu int", "step01_a/one.cu has 'int' in lines 4, 5, 6, 10: name more of one"),
                ("step01_a/one.cu int y .. int x", "has no line with 'int x' from line 10 on"),
                ("step01_a/one.cu int x .. }", "has '}' in lines 7, 9, 12, 15"),
                ("step01_a/long.cu {", "lines 1 to 32 of step01_a/long.cu are 32, and a note shows at most 25"),
                ("step01_a/long.cu }", "what begins in line 32 has no end: name its last line after ..")]:
            with self.subTest(asked), self.assertRaisesRegex(Mistake, re.escape(text)):
                self.shown(asked)

    def test_lines_of_code(self):
        self.assertEqual([text.strip() for _, _, text in source.code(self.tmp, "step01_a/one.cu")][:2], [
            "static const int BM = 128, BK = 8;",
            "__global__ void sgemm_one(int n) {"])
        count = len(source.code(self.tmp, "step01_a/one.cu"))
        self.change_file("step01_a/one.cu", "#include", "// more\n\n#include \"tiles.cuh\"\n/* and\n more */ #include")
        self.assertEqual(len(source.code(self.tmp, "step01_a/one.cu")), count)

    def test_what_changes(self):
        self.assertEqual(source.changed(self.tmp, "one", "two"), (2, 2, 1))
        self.assertEqual(source.changed(self.tmp, "one", "one"), (0, 0, 0))

    def test_names(self):
        os.symlink("step01_a", os.path.join(self.tmp, "step01"))  # as make does
        for name in "one", "step01:one", "step01_a:one":
            self.assertEqual(source.find(self.tmp, name), "step01_a/one.cu")
        self.put("step02_b/c/one.cu", KERNEL)
        for name, text in [("one", "'one' may be step01_a/one.cu or step02_b/c/one.cu: write it as step01:one"),
                           ("three", "no step has a kernel three"), ("../x", "'../x' is no rung")]:
            with self.subTest(name), self.assertRaisesRegex(Mistake, re.escape(text)):
                source.find(self.tmp, name)
        self.assertEqual(source.find(self.tmp, "step02:one"), "step02_b/c/one.cu")


class Rungs(Tree):
    def setUp(self):
        super().setUp()
        self.put("step01_a/three.cu", KERNEL.replace("_one", "_three"))

    def table(self, step=""):
        return rungs.table_lines(self.tmp, "docs/ladder.md", step)

    WANTED = [
        "| step01 | [`one`](../step01_a/one.cu) | first, of 8x8 | – | – | 12 | – |",
        '| step01 | [`two`](../step01_a/two.cu) | second | `one` | needs \\"more\\" | 11 | 2 |',
        '| step01 | [`three`](../step01_a/three.cu) | third | – | needs \\"more\\"; '
        'takes s8 tn; takes odd n | 12 | – |']

    def test_table(self):
        self.assertEqual(self.table("step01")[2:],
                         [line.replace("takes s8 tn; takes odd n", "takes odd n; takes s8 tn") for line in self.WANTED])
        self.assertEqual(self.table("step08")[2:], [
            "| step08 | [`part`](../step08_k/part.cu) | a part | – | – | 12 | – |",
            "| step08 | [`rest`](../step08_k/rest.cu) | the rest | `part` | k above 9 | 12 | 0 |"])
        self.assertEqual(len(self.table()), 2 + 5)

    def test_rows_in_a_macro(self):
        before = self.table("step01")
        text = read(self.tmp, "step01_a/step.c")
        self.put("step01_a/step.c", text[:text.index("static const gemm_variant")] + MACRO +
                 text[text.index("};\n\n") + 3:])
        self.assertEqual(self.table("step01"), before)

    def test_the_rung_before_is_the_one_that_the_lesson_compares(self):
        self.put("step01_a/3_three.md", "`make diff A=one B=three` shows it.\n")
        self.put("step01_a/README.md", "Say `make diff A=two B=three`.\n")
        self.assertIn("| third | `one` |", self.table("step01")[-1])

    def test_types_and_intensities(self):
        self.put("step02_b/step.c", STEP_C.replace("gemm_step_main", "GEMM_F16, gemm_step_main"))
        self.change_file("step01_a/two.cu", '#include "tiles.cuh"', "static const int BM = 64, BN = 32;")
        self.change_file("step01_a/tiles.cuh", "BM = 128", "TM = 8")
        rungs.ladder.cache_clear()
        self.assertEqual(rungs.ladder(self.tmp), [
            ("gemm", "step01_a", "one", "f16", "tn", 0.25), ("gemm", "step01_a", "two", "f16", "tn", 64 * 32 / 2 / 96),
            ("gemm", "step01_a", "three", "s8", "tn", 64 * 32 / 2 / 96),
            *(("tensor", "step02_b", name, dtype, "tn", None) for name, dtype
              in (("one", "f16"), ("two", "f16"), ("three", "s8")))])
        self.assertEqual([row[2:5] for row in rungs.ladder(ROOT) if row[4] not in ("tn", "nchw", "nhwc")],
                         [("mn_major", "f16", "nn")])

    def test_refuses(self):
        for path, old, new, text in [
                ("step01_a/step.c", '{"two"', '{"four", "text"},\n    {"two"', "no kernel step01:four"),
                ("docs/rungs.csv", "rest,part", "rest,none", "no rung none, which rest names as its predecessor"),
                ("docs/rungs.csv", ",k above 9", "", "docs/rungs.csv:3: 4 fields, not 5"),
                ("docs/rungs.csv", "step,rung", "rung,step", "docs/rungs.csv:1: the columns are")]:
            with self.subTest(text):
                self.again()
                self.change_file(path, old, new)
                with self.assertRaisesRegex(Mistake, re.escape(text)):
                    self.table()
        with self.assertRaises(Mistake):
            self.table("step09")

    def test_the_type_that_a_rung_takes(self):
        for rung, options in [("step06 mma_s8_tile", "--dtype s8"), ("step09 precomputed", ""),
                              ("step09 nhwc", "--layout nhwc"), ("step09 tensorcore", "--dtype f16 --layout nhwc")]:
            self.assertEqual(report("type", *rung.split()).stdout.strip(), options, rung)

    def test_every_step_has_its_variants(self):
        """Where step.c no longer has a form that is read here, its rungs would be missing."""
        for step in rungs.steps(ROOT):
            names = [rung.name for rung in rungs.variants(ROOT, step)]
            self.assertEqual(bool(names), step != "step08_knn", step)
            self.assertEqual(len(names), len(set(names)))
        self.assertEqual([row[5] for row in rungs.ladder(ROOT) if row[2]
                          in ("coalesced", "tile32", "tile4x4", "stream_k")], [0.25, 8, 16, 128 * 256 / 2 / 384])


class Links(Tree):
    def broken(self, text):
        self.put("docs/a.md", text)
        return list(links.broken(self.tmp))

    def test_those_that_lead_somewhere(self):
        self.put("step01_a/README.md", "# One: *a* `b`!\n## One\n## One\n")
        self.assertEqual(self.broken(
            "# Here\n[x](#here) [y](../step01_a/README.md#one-a-b) [z](../step01_a/README.md#one-1) "
            "[web](https://a.b/c)\n![i](../step01_a/one.cu) [l](../step01_a/one.cu#L3-L4) `[code](none)` "
            "[`two`](../step01_a)\n```\n[in code](none.md)\n```\n`[code\nin two lines](none)`\n"), [])

    def test_those_that_do_not(self):
        self.assertEqual(self.broken("# Here\n[x](#there) [in\ntwo](#lines)\n[y](none.md) and "
                                     "![i](img/none.svg)\n[z](../../out.md)\n"), [
            "docs/a.md:2: the link #there leads nowhere: no heading #there in docs/a.md",
            "docs/a.md:3: the link #lines leads nowhere: no heading #lines in docs/a.md",
            "docs/a.md:4: the link none.md leads nowhere: no docs/none.md",
            "docs/a.md:4: the link img/none.svg leads nowhere: no docs/img/none.svg",
            "docs/a.md:5: the link ../../out.md leads nowhere: no ../out.md"])


class Lessons(Tree):
    def test_words(self):
        self.assertEqual(lessons.words("# Lesson 1\nA [word](to/a/file.md) <!-- value: x -->53.1<!-- end --> % – of "
                                       "*it*.\n| a | table |\n```\nsome code\n```\n![a drawing](x.svg)\n<sub>from "
                                       "there</sub>\n"), 7)

    def test_too_long(self):
        self.put("step01_a/README.md", "# Step 1\n" + "word " * 1700)
        self.put("step01_a/1_x.md", "# Lesson 1.1\n" + "word " * 1598)
        self.put("step02_b/README.md", "# Step 2\n\n## Predict\n" + "word " * 1597)
        self.assertEqual(list(lessons.too_long(self.tmp)), [])
        self.put("step01_a/1_x.md", "# Lesson 1.1\n" + "word " * 1599)
        self.put("step02_b/README.md", "# Step 2\n\n## Predict\n" + "word " * 1600)
        self.assertEqual(list(lessons.too_long(self.tmp)),
                         ["step01_a/1_x.md: 1601 words of prose, and a lesson has at most 1600",
                          "step02_b/README.md: 1603 words of prose, and a lesson has at most 1600"])

    def test_lacking(self):
        whole = "# Lesson 1.1\n![it](x.svg)\n" + "\n".join(lessons.PARTS) + "\n`make ex NAME=01_x`\n"
        os.makedirs(os.path.join(self.tmp, "exercises/01_x"))
        self.put("step01_a/README.md", "# Step 1\n| [1.1](1_x.md) |\n")
        self.put("step01_a/1_x.md", whole)
        self.assertEqual(list(lessons.lacking(self.tmp)), [])
        self.put("step01_a/1_x.md", whole.replace("![it](x.svg)", "").replace("## Measure", "## Predict"))
        self.put("step01_a/2_y.md", whole.replace("01_x", "02_y"))
        self.assertEqual(list(lessons.lacking(self.tmp)), [
            'step01_a/1_x.md: no part "## Measure" in its place: ' + ", ".join(lessons.PARTS),
            "step01_a/1_x.md: no drawing",
            "step01_a/2_y.md: step01_a/README.md has no row for it",
            "step01_a/2_y.md: there is no exercise 02_y"])


PROGRAM = """from _shared import WIDTH
def draw_one(sources):
    return f'<svg width="{WIDTH}">\\n<text>{len(sources.text("step01_a/one.cu"))}</text>\\n</svg>\\n'
"""


class Drawings(Tree):
    def setUp(self):
        super().setUp()
        self.put("docs/draw/_shared.py", "WIDTH = 400\n")
        self.put("docs/draw/one.py", PROGRAM)
        self.again_drawn()

    def again_drawn(self):
        for path, text in drawings.made(self.tmp).items():
            self.put(path, text)

    def stale(self):
        import sys
        sys.modules.pop("_shared", None)
        return list(drawings.stale(self.tmp))

    def test_a_drawing_says_what_made_it(self):
        self.assertRegex(read(self.tmp, "docs/img/one.svg"),
                         r'^<svg width="400">\n<!-- docs/draw/one.py; it and what it read: sha256 [0-9a-f]{32} '
                         r'-->\n<text>')
        self.assertEqual(self.stale(), [])

    def test_a_change_of_anything_makes_it_stale(self):
        for path, old, new in [("docs/img/one.svg", "<text>", "<text >"), ("docs/draw/one.py", "def", "\ndef"),
                               ("docs/draw/_shared.py", "400", "401"), ("step01_a/one.cu", "A kernel", "a kernel")]:
            with self.subTest(path):
                self.again()
                self.change_file(path, old, new)
                self.assertEqual(len(self.stale()), 1)
                self.assertIn("docs/img/one.svg is not what docs/draw makes", self.stale()[0])
                self.again_drawn()
                self.assertEqual(self.stale(), [])

    def test_one_that_is_missing_and_one_too_many(self):
        os.rename(os.path.join(self.tmp, "docs/img/one.svg"), os.path.join(self.tmp, "docs/img/two.svg"))
        self.assertEqual([line.split()[0] for line in self.stale()], ["docs/img/one.svg", "docs/img/two.svg:"])


class Kernels(Tree):
    """docs/draw/_kernel.py: what it takes from a kernel's source."""

    SOURCE = """static const int BM = 128, TM = 8, ROWS = BM / TM, ODD = (BM + 7) / TM % 5;
template <int TN> __global__ void f(problem p) {
    __shared__ float As[BM][BM / TM + 1];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    a_reg[i] = As[ty + i * ROWS][k] * s.Bs[k][tx * TN];
    *gemm_at(p.C, p.ldc, row0 + (ty / 2), tx * 4 + 64) = 0;
    int loop = loop + 1;
}
"""

    def setUp(self):
        super().setUp()
        self.kernels = drawings.loaded(os.path.join(ROOT, "docs/draw/_kernel.py"))
        self.put("step01_a/k.cu", self.SOURCE)
        self.kernel = self.kernels.Kernel(drawings.Sources(self.tmp), "step01_a/k.cu", TN=3)

    def test_values(self):
        self.assertEqual([self.kernel.value(name) for name in ("BM", "ROWS", "ODD")], [128, 16, 1])
        self.assertEqual(self.kernel.index("a_reg[i] =", "As", threadIdx_x=35, i=2, k=7), [2 + 32, 7])
        self.assertEqual(self.kernel.index("a_reg[i] =", "s.Bs", threadIdx_x=35, k=7), [7, 9])
        self.assertEqual(self.kernel.element("gemm_at(p.C", "C", threadIdx_x=100, row0=10), [13, 4 * 4 + 64])

    def test_refuses(self):
        for what in (lambda k: k.value("BN"), lambda k: k.index("b_reg", "As"), lambda k: k.index("a_reg[i] =", "Cs"),
                     lambda k: k.element("a_reg[i]", "C"), lambda k: k.value("loop"), lambda k: k.line("int"),
                     lambda k: k.compute("__import__('os')")):
            with self.assertRaises(Mistake):
                what(self.kernel)

    def test_wavefronts(self):
        def count(words, together=32):
            return len(self.kernels.wavefronts(dict(enumerate(words)), together))
        self.assertEqual(count([[lane] for lane in range(32)]), 1)
        self.assertEqual(count([[0]] * 32), 1)
        self.assertEqual(count([[lane * 32] for lane in range(32)]), 32)
        self.assertEqual(count([[lane * 2] for lane in range(32)]), 2)
        self.assertEqual(count([[lane * 4 + one for one in range(4)] for lane in range(32)], 8), 4)
        self.assertEqual(count([[lane * 8 + one for one in range(4)] for lane in range(32)], 8), 8)


class Repository(Case):
    """The drawings that are committed, and the commands."""

    def test_the_drawings_tell_what_the_hardware_counted(self):
        alts = {name: read(ROOT, "docs/img", name + ".svg") for name
                in ("phases", "pitch", "transpose", "stores", "lanes")}
        for name, text in [("phases", "lds128 takes 2 wavefronts. lds128_2x2 takes 1 wavefront."),
                           ("pitch", "Rows of 4096 words: 32 wavefronts. Rows of 1000 words: 8 wavefronts. Rows of "
                                     "4095 words: 1 wave"),
                           ("transpose", "With rows of 132 words a warp's store takes 1 wavefront, with rows of 128 it "
                                         "takes 2."),
                           ("stores", "word by word: 17 sectors for 128 bytes. coalesced_store: 5 sectors"),
                           ("lanes", "uncoalesced: 32 for A; uncoalesced: 1 for B; coalesced: 1 for A; coalesced: 4 "
                                     "for B.")]:
            self.assertIn(text, alts[name])

    def test_a_note_that_is_stale_fails_the_check(self):
        """A note with code of a kernel, in a repository of its own."""
        self.copy_the_code()
        write(KERNEL, self.tmp, "step01_a/one.cu")
        write("# One\n<!-- code: step01_a/one.cu int x = -->\n<!-- end -->\n<!-- lines: one -->?<!-- end -->\n",
              self.tmp, "step01_a/1_one.md")
        def run(*more):
            return report("notes", *more, root=self.tmp, NOTES_CSV=self.file("sgemm"))
        self.assertEqual(run("--check").returncode, 1)
        self.assertEqual(run().returncode, 0)
        self.assertIn("int x = 1;", read(self.tmp, "step01_a/1_one.md"))
        self.assertEqual(run("--check").returncode, 0)
        write(KERNEL.replace("int x = 1", "int x = 3"), self.tmp, "step01_a/one.cu")
        self.assertIn("step01_a/1_one.md is not what", run("--check").stderr)
        write(KERNEL.replace("int x = 1", "int z = 3"), self.tmp, "step01_a/one.cu")
        self.refused(run("--check"), "notes: step01_a/1_one.md:2: step01_a/one.cu has no line with 'int x ='")
        write(KERNEL, self.tmp, "step01_a/one.cu")
        write("[nowhere](none.md)\n", self.tmp, "docs/a.md")
        self.assertIn("docs/a.md:1: the link none.md leads nowhere", run("--check").stderr)
        os.remove(os.path.join(self.tmp, "docs/a.md"))
        write("<svg>\n</svg>\n", self.tmp, "docs/img/x.svg")
        self.assertIn("docs/img/x.svg: no program", run("--check").stderr)

    def test_diff(self):
        run = report("diff", "lds128", "lds128_2x2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("-             *(float4 *)&a_reg[0] = *(const float4 *)&t.A[k][ty * 8];\n", run.stdout)
        self.assertIn("+             *(float4 *)&a_reg[0] = *(const float4 *)&t.A[k][ty * 4];\n", run.stdout)
        self.assertRegex(run.stdout.splitlines()[-1], r"^lds128 \(\d+ lines of code\) to lds128_2x2 \(\d+\): 5 lines "
                                                      r"of code change \(5 gone, 5 new\)$")
        self.refused(report("diff", "lds128", ""), "diff: name two rungs, e.g. make diff A=lds128 B=lds128_2x2")
        self.refused(report("diff", "lds128", "lds64"), "diff: no step has a kernel lds64")
