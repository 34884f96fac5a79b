"""The notes' markers: what is refreshed, and what is refused."""

import glob
import os
import shutil

from support import HERE, ROOT, Case, read, report, write

from report import load, notes, tables

TABLE = "<!-- table: ladder -->\nold\n<!-- end -->\n"


class Notes(Case):
    def setUp(self):
        super().setUp()
        self.copy_the_code()
        os.makedirs(os.path.join(self.tmp, "scripts"))
        shutil.copy(os.path.join(ROOT, "scripts", "metrics.txt"), os.path.join(self.tmp, "scripts"))
        for path in glob.glob(os.path.join(ROOT, "step*_*", "step.c")):
            write(read(path), self.tmp, os.path.relpath(path, ROOT))
        self.note("# Ladder\n" + TABLE)

    def note(self, text, name="README.md"):
        return write(text, self.tmp, name)

    def notes(self, *arguments):
        return report("notes", *arguments, root=self.tmp, NOTES_CSV=self.file("sgemm"))

    def test_writes_tables_and_values(self):
        self.note("<!-- table: speedup step05 -->\n<!-- end -->\n<!-- value: gemm step05 serpentine 4096 4096 4096 "
                  "tflops -->9<!-- end --> and <!-- value: gemm step05/step01 serpentine/coalesced 4096 4096 4096 "
                  "speed -->9<!-- end -->\n", "step05_doublebuffer/README.md")
        run = self.notes()
        self.assertEqual((run.returncode, run.stdout), (0, "README.md\nstep05_doublebuffer/README.md\n"), run.stderr)
        self.assertIn("| step05_doublebuffer | `serpentine` | 2.637 | 52.1 |", read(self.tmp, "README.md"))
        self.assertIn("-->52.1<!-- end --> and <!--", read(self.tmp, "step05_doublebuffer/README.md"))
        self.assertNotIn("\nold\n", read(self.tmp, "README.md"))
        again = self.notes()
        self.assertIn("nothing to change", again.stdout)
        self.assertEqual(self.notes("--check").returncode, 0)

    def test_check_names_the_stale_and_writes_nothing(self):
        before = read(self.tmp, "README.md")
        run = self.notes("--check")
        self.assertEqual(run.returncode, 1)
        self.assertIn("notes: README.md is not what", run.stderr)
        self.assertEqual(read(self.tmp, "README.md"), before)

    def test_check_reads_the_glossary_too(self):
        self.note("# Ladder\n[waves](docs/glossary.md#wave)\n")
        run = self.notes("--check")
        self.assertEqual((run.returncode, run.stderr), (1, "notes: README.md:2: the link docs/glossary.md#wave leads "
                                                           "nowhere: no docs/glossary.md\n"))
        self.note("[wave](#wave)\n\n### wave\n<!-- value: gemm step05 serpentine 4096 4096 4096 tflops -->9<!-- end "
                  "-->\n\n*Met in [the ladder](../README.md).*\n", "docs/glossary.md")
        self.assertEqual(self.notes().stdout, "docs/glossary.md\n")
        self.assertIn("-->52.1<!-- end -->", read(self.tmp, "docs/glossary.md"))
        run = self.notes("--check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_check_finds_a_torn_paragraph(self):
        value = "<!-- value: gemm step05 serpentine 4096 4096 4096 tflops -->52.1<!-- end -->"
        for text, found in (f"It reaches\n{value}.\n", [3]), (f"It reaches {value},\nof all.\n\n{value}\n", []):
            self.note("# Ladder\n" + text)
            why = "a comment that begins a line ends the paragraph: join it to the word before"
            self.assertEqual(self.notes("--check").stderr.splitlines(), [f"notes: README.md:{n}: {why}" for n in found])

    def test_keeps_the_mode_and_leaves_nothing_behind(self):
        os.chmod(os.path.join(self.tmp, "README.md"), 0o640)
        self.notes()
        self.assertEqual(os.stat(os.path.join(self.tmp, "README.md")).st_mode & 0o777, 0o640)
        self.assertFalse([name for name in os.listdir(self.tmp) if ".new" in name])

    def test_values_of_another_gpu(self):
        self.note("<!-- value: gemm step05 best 4096 4096 4096 ratio -->?<!-- end --> there and "
                  "<!-- value@nvidia-h100: gemm step05 best 4096 4096 4096 ratio -->?<!-- end --> here\n")
        self.assertEqual(self.notes().returncode, 0)
        self.assertIn("-->1.04<!-- end --> there and ", read(self.tmp, "README.md"))
        self.assertIn("-->not measured<!-- end --> here", read(self.tmp, "README.md"))
        shutil.copytree(os.path.join(HERE, "h100"), os.path.join(self.tmp, "nvidia-h100"))
        self.assertEqual(self.notes().returncode, 0)
        self.assertIn("-->1.04<!-- end --> there and ", read(self.tmp, "README.md"))
        self.assertIn("-->0.99<!-- end --> here", read(self.tmp, "README.md"))
        self.note("<!-- table@nvidia-h100: ladder -->\n<!-- end -->\n")
        self.assertEqual(self.notes().returncode, 0)
        self.assertIn("Recorded on NVIDIA H100", read(self.tmp, "README.md"))
        self.note("<!-- table@nvidia-h300: ladder -->\nold\n<!-- end -->\n")
        self.assertEqual(self.notes().returncode, 0)
        self.assertEqual(read(self.tmp, "README.md"),
                         "<!-- table@nvidia-h300: ladder -->\nnot measured\n<!-- end -->\n")
        before = self.note("one\n<!-- value@nvidia-h100: gemm step05 best 9 9 9 ratio -->?<!-- end -->\n")
        self.refused(self.notes(), "README.md:2: that number is not among the recordings of nvidia-h100: `make bench`")
        self.assertIn("-->?<!-- end -->", read(before))

    def test_an_example_in_a_code_block_stays(self):
        text = "```\n<!-- table: whatever -->\n```\n    ~~~\n<!-- value: -->\n    ~~~\n"
        self.note(text)
        self.assertEqual(self.notes().returncode, 0)
        self.assertEqual(read(self.tmp, "README.md"), text)

    def test_refuses(self):
        db, found = load.open_folder(self.data, ROOT), tables.find_tables()
        for marker, *texts in [
                ("<!-- table: laddr -->\n<!-- end -->", "README.md:3: unknown table laddr (", "ladder"),
                ("<!-- table: step -->\n<!-- end -->", "the marker reads table: step STEP"),
                ("<!-- table: step step99 -->\n<!-- end -->", "unknown step step99"),
                ("<!-- table: ladder -->\nold", "README.md:3: the table has no <!-- end -->"),
                ("<!-- table: ladder -->\n<!-- table: article -->\n<!-- end -->",
                 "README.md:4: line 3: the table has no <!-- end"),
                ("<!-- table: ladder --><!-- end -->", "belongs on a line of its own"),
                ("<!-- table: gemv step07 4096 -->\n<!-- end -->", "table: gemv STEP N K [DTYPE]"),
                ("<!-- table: gemv step01 1 1 -->\n<!-- end -->", "unknown step step01 (step07_gemv)"),
                ("<!-- table: gemv step07 1 1 f64 -->\n<!-- end -->", "unknown type f64"),
                ("<!-- table: gemv step07 1 4k -->\n<!-- end -->", "4k is not a size"),
                ("<!-- table: tensor-sizes step06 f16 tt -->\n<!-- end -->", "unknown layout tt"),
                ("<!-- table: knn-rates step08 -->\n<!-- end -->", "the marker reads table: knn-rates"),
                ("<!-- value: gemm step05 serpentine 1 1 1 tflops -->3", "no <!-- end --> on its line"),
                ("<!-- value: gemm step05 serpentine 1 1 1 tflops 3<!-- end", "not closed"),
                ("<!-- value: sgemm step05 best 1 1 1 tflops --><!-- end -->",
                 "unknown view sgemm (gemm, tensor, gemv"),
                ("<!-- value: gemm step05 serpentine 1 1 -->3<!-- end -->",
                 "the marker reads value: gemm STEP VARIANT M N K FIELD"),
                ("<!-- value: tensor step06 wmma 1 1 1 dtype=f16 --><!-- end -->", "no field of tensor is named"),
                ("<!-- value: gemm step99 best 1 1 1 tflops --><!-- end -->", "unknown step step99"),
                ("<!-- value: gemm step05 warp 1 1 1 tflops --><!-- end -->",
                 "unknown variant warp of step05_doublebuffer"),
                ("<!-- value: gemm step05/step04 best/warp 1 1 1 speed --><!-- end -->",
                 "unknown variant warp of step04"),
                ("<!-- value: gemm step05 serpentine 1 1 1 pace --><!-- end -->", "unknown field pace"),
                ("<!-- value: gemm step05 serpentine 1 1 1 tflops %d%d --><!-- end -->", "not a printf format"),
                ("<!-- value: gemm step05 serpentine 4096 4096 4096 device %.1f --><!-- end -->",
                 "NVIDIA H200 is not a number"),
                ("<!-- value: gemm step05 best 4096 4096 4096 ratio x?more:less --><!-- end -->",
                 "not a printf format"),
                ("<!-- value: counter step05 cp_async dram__bites.sum --><!-- end -->",
                 "unknown field dram__bites.sum"),
                ("<!-- value: waiting step05 serpentine long --><!-- end -->", "unknown field long"),
                ("<!-- value: sass step05 cp_async ffma/0 --><!-- end -->", "unknown field 0"),
                ("<!-- value: sass step05 cp_async arch/2 --><!-- end -->", "arch is not a number"),
                ("<!-- value: gemv step07 tree 1 1 us hot --><!-- end -->", "not a printf format"),
                ("<!-- value: gemv step07 tree 1 1 heat=hot us --><!-- end -->",
                 "gemv has no key heat (step, variant, n, k"),
                ("<!-- value: gemv step07 tree/naive 1 1 cache=hot/cold us --><!-- end -->",
                 "unknown cache hot (cold, warm)"),
                ("<!-- value: claim step05 best round claim --><!-- end -->",
                 "unknown set round (square, article, odd"),
                ("<!-- value: conv step09 direct 64-64-56 us --><!-- end -->",
                 "64-64-56 is not a layer, n-c-h-w-k-r-s-stride"),
                ("<!-- table: conv step09 direct f32 tn -->\n<!-- end -->", "unknown layout tn (nchw, nhwc)"),
                ("<!-- value: knn exact_tc/fused 32k 256 25 speed --><!-- end -->", "32k is not a size")]:
            with self.subTest(marker), self.assertRaises(load.Mistake) as caught:
                notes.refresh(db, ROOT, found, "one\ntwo\n" + marker + "\n", "README.md")
            for text in ("README.md:", *texts):
                self.assertIn(text, str(caught.exception))

    def test_a_mistake_in_the_last_note_leaves_the_first_alone(self):
        self.note("one\n<!-- table: laddr -->\n<!-- end -->\n", "step05_doublebuffer/README.md")
        before = read(self.tmp, "README.md")
        self.refused(self.notes(), "notes: step05_doublebuffer/README.md:2: unknown table laddr (")
        self.assertEqual(read(self.tmp, "README.md"), before)

    def test_without_measurements(self):
        os.remove(self.file("sgemm"))
        self.refused(self.notes(), "no recorded measurements (no file", "make bench")

    def test_unknown_argument(self):
        self.refused(self.notes("--chek"), "unknown argument --chek")

    def test_rows_that_do_not_count(self):
        """The simulator's, other caches, alpha and beta, sustained load; of two of one case the later counts."""
        self.notes()
        shown = read(self.tmp, "README.md")
        row = next(line for line in self.lines("sgemm") if "serpentine" in line and ",4096,4096,4096," in line)
        self.change("sgemm", lambda lines: lines + [
            row.replace(",cold,", ",warm,").replace("2.63", "1.63"),
            row.replace(",1,0,cold", ",1,1,cold").replace("2.63", "1.63"),
            row.replace(",cold,events,", ",cold,sustained,").replace("2.63", "1.63"),
            "step05_doublebuffer,serpentine,gemm,f32,nn,4096,4096,4096,,1,0,cold,sim,,,,,,,,,,,,0.01,,,H200 "
            "(simulated),9.0,none,13.0,2027-01-01" + "," * 12])
        self.notes()
        self.assertEqual(read(self.tmp, "README.md"), shown)
        self.change("sgemm", lambda lines: lines + [row.replace("2.63", "1.63")])
        self.notes()
        self.assertIn("`serpentine` | 1.63", read(self.tmp, "README.md"))


class Claims(Case):
    """What a sentence says follows the ratios."""

    def said(self, ratios):
        """Of a variant whose recorded ratios are these: a number, or a median with its interval's ends."""
        db = load.open_folder(self.data, ROOT)
        db.execute("DELETE FROM gemm")
        for nr, ratio in enumerate(ratios):
            db.execute("INSERT INTO gemm (step, variant, shape, m, n, k, ratio, ratio_low, ratio_high) "
                       "VALUES ('step05_doublebuffer', 'best', 'square', ?, 1, 1, ?, ?, ?)",
                       [nr, *(ratio if isinstance(ratio, tuple) else (ratio, None, None))])
        return notes.inline(db, ROOT,
                            "<!-- value: claim step05 best square claim -->?<!-- end -->").split("-->")[1][:-9]

    def test_of_every_size(self):
        self.assertEqual(self.said([1.01, 2, 1.0001]), "faster than cuBLAS at every size recorded here")
        self.assertEqual(self.said([0.99, 0.5]), "slower than cuBLAS at every size recorded here")

    def test_of_some(self):
        self.assertEqual(self.said([1.01, 0.99, 2]), "faster than cuBLAS at 2 of the 3 sizes recorded here")
        self.assertEqual(self.said([1, 0.5]), "at best as fast as cuBLAS at the sizes recorded here")

    def test_an_interval_that_holds_1_is_not_faster(self):
        self.assertEqual(self.said([(1.01, 0.99, 1.02), (1.01, 1.005, 1.02)]),
                         "faster than cuBLAS at 1 of the 2 sizes recorded here")
        self.assertEqual(self.said([(1.01, 0.99, 1.02)]), "at best as fast as cuBLAS at the sizes recorded here")

    def test_of_nothing(self):
        self.assertEqual(self.said([]), "not measured")


class Searches(Case):
    def test_a_search_again_replaces_the_one_before(self):
        rows = ["n2 r32 u4 v1,2,32,4,1,2.5", "n9 r64 u2 v1,9,64,2,1,0.1", "n2 r32 u4 v1,2,32,4,1,1.8",
                "n1 r64 u2 v1,1,64,2,1,2"]
        self.change("gemv_search", lambda lines: lines[:1] + [
            f"step07_gemv,best,f16,512,512,cold,graph,{row},NVIDIA H200,9.0,1,13.0,2026-11-21" for row in rows])
        db = load.open_folder(self.data, ROOT)
        self.assertEqual([tuple(row) for row in db.execute("SELECT candidate, us FROM candidate ORDER BY row")],
                         [("n2 r32 u4 v1", 1.8), ("n1 r64 u2 v1", 2.0)])
