"""The glossary's check: what it finds, each in a small glossary of its own."""

from support import ROOT, Case, read, write

from report.course import glossary, links

WAVE = "### wave\nBlocks that run together.\n\n*Met in [step 5](../step05/README.md).*\n"
WARP = "### warp\nSee [waves](#wave). 32 threads.\n\n*Met in [step 1](../step01/README.md#who), as 32 lanes.*\n"
INDEX = "# Glossary\n[warp](#warp) · [wave](#wave)\n\n"
STEP1 = "# Step 1\n## Who\nThe 32\nlanes of a [warp](../docs/glossary.md#warp).\n"
STEP5 = "# Step 5\nTwo waves, and not a micro wave. <!-- tail --> tail\n"


class Glossary(Case):
    def check(self, text=INDEX + WARP + WAVE, step1=STEP1, step5=STEP5):
        if text is not None:
            write(text, self.tmp, glossary.GLOSSARY)
        write(step1, self.tmp, "step01/README.md")
        write(step5, self.tmp, "step05/README.md")
        return glossary.check(self.tmp)

    def finds(self, what, **texts):
        found = self.check(**texts)
        self.assertEqual(len(found), 1, found)
        self.assertIn(what, found[0])

    def test_a_whole_one(self):
        self.assertEqual(self.check(), [])

    def test_two_terms_with_one_anchor(self):
        found = self.check(text="[warp](#warp) [Warp](#warp) [wave](#wave)\n\n" + WARP +
                           WARP.replace("### warp", "### Warp") + WAVE)
        self.assertEqual(found, ["docs/glossary.md: Warp has the anchor of another term"])

    def test_order(self):
        self.finds("warp stands behind wave", text="[wave](#wave) [warp](#warp)\n\n" + WAVE + WARP)

    def test_index(self):
        self.finds("the index is not that of the terms: #wave", text="[warp](#warp)\n\n" + WARP + WAVE)
        self.finds("their order", text="[wave](#wave) [warp](#warp)\n\n" + WARP + WAVE)

    def test_a_term_that_is_not_met(self):
        self.finds("wave is not met in step05/README.md", step5="# Step 5\nmicrowave <!-- wave -->\n")
        self.assertEqual(self.check(step1=STEP1.replace("warp]", "it]").replace("#warp", "")), [], "by its other name")
        self.finds("warp is not met in step01",
                   step1=STEP1.replace("warp]", "it]").replace("#warp", "").replace("lanes", "rows"))

    def test_a_term_without_a_place(self):
        self.finds("wave does not end with where it is met", text=INDEX + WARP + WAVE.replace("*Met in", "*In"))

    def test_stall_reasons(self):
        table = "| variant | largest stall |\n|---|---|\n| `a` | wait (3.12) |\n| `b` | barrier (1.00) |\n"
        found = self.check(step5=STEP5 + table)
        self.assertEqual(found, [f"step05/README.md: docs/glossary.md lacks the stall reason {name}" for name
                          in ("barrier", "wait")])

    def test_no_glossary(self):
        self.assertEqual(self.check(text=None), [])

    def test_github_s_anchors(self):
        self.assertEqual([links.anchor(text) for text
                          in ("Little's law", "cp.async", "layout tn/nn", "lg_throttle", "split-K")],
                         ["littles-law", "cpasync", "layout-tnnn", "lg_throttle", "split-k"])
        self.assertEqual(links.anchors("# A\n## A\n```\n# A\n```\n# b\n"), {"a", "a-1", "b"})

    def test_ours(self):
        self.assertEqual(glossary.check(ROOT), [])
        self.assertGreaterEqual(len(glossary.entries(read(ROOT, glossary.GLOSSARY))), 80)
