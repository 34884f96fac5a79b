"""Which rows the tables take, and what is computed from them."""

import os
import shutil

from support import DATA, HERE, ROOT, Case, write

from report import gpus, layers, load, notes, tables, values
from report.load import Mistake


class Views(Case):
    """On the H100's made-up rows, which version 0.10 recorded."""

    def setUp(self):
        super().setUp()
        shutil.rmtree(self.data)
        shutil.copytree(os.path.join(HERE, "h100"), self.data)

    def open(self):
        return load.open_folder(self.data, ROOT)

    def table(self, marker):
        return "\n".join(notes.table_lines(self.open(), tables.find_tables(), marker.split()))

    def beside(self, ladder="sgemm"):
        """The table of a ladder on these rows' GPU and those whose folders lie beside it."""
        db = self.open()
        gpus.add(db, self.data, ROOT)
        return "\n".join(notes.table_lines(db, tables.find_tables(), [f"gpus-{ladder}"]))

    def test_gpus_side_by_side(self):
        alone = self.beside()
        self.assertIn("| 4096³ |", alone)
        shutil.copytree(self.data, os.path.join(self.tmp, "again"))
        self.assertEqual(self.beside(), alone)  # two recordings of one GPU are not two GPUs
        shutil.copytree(os.path.join(HERE, "data"), os.path.join(self.tmp, "other"))
        self.assertIn("| H200: best variant |", self.beside())
        write("damaged\n", self.tmp, "other", "sgemm.csv")
        with self.assertRaisesRegex(Mistake, "sgemm.csv:1: unknown column 'damaged'"):
            self.beside()

    def test_the_dates_of_rows_with_and_without_pytorch(self):
        shutil.copy(os.path.join(DATA, "knn.csv"), self.data)
        self.change("knn", lambda lines: [line if "torch" in line else line.replace("2026-11-22", "2027-02-01")
                                          for line in lines])
        self.assertIn(", 2026-11-22 to 2027-02-01;", self.beside("knn"))

    def test_what_is_missing_comes_from_another_gpu(self):
        source = "SELECT device FROM source WHERE kind = 'conv'"
        self.assertFalse(gpus.open_shown(self.data, ROOT).execute(source).fetchall())
        shutil.copytree(DATA, os.path.join(self.tmp, "other"))
        self.assertIn("H200", gpus.open_shown(self.data, ROOT).execute(source).fetchone()[0])
        self.assertFalse(self.open().execute(source).fetchall())

    def test_a_shape_counts_beside_others_when_its_last_step_is_recorded(self):
        self.change("sgemm", lambda lines: [line for line in lines
                                            if not (line.startswith("step05") and ",4096,4096,4096," in line)])
        self.assertNotIn("| 4096³ |", self.beside())

    def rows(self, kind, change, where=lambda row: True):
        """Appends copies of the rows that meet `where`, with change(row as a dict)."""
        def more(lines):
            head = lines[0].split(",")
            copies = [one for one in (dict(zip(head, line.split(","))) for line in lines[1:]) if where(one)]
            self.assertTrue(copies)
            for one in copies:
                one.update(change)
            return lines + [",".join(one[name] for name in head) for one in copies]
        self.change(kind, more)

    def since(self, *rows):
        rows = ["step,variant,date,version,what,dtypes,before"] + [row + "," * (6 - row.count(",")) for row in rows]
        return write("".join(row + "\n" for row in rows), self.tmp, "changes.csv")

    def test_no_more_than_the_peak(self):
        for kind, step, change in (("sgemm", "", {"peak_share": "1.001"}), ("gemv", "", {"peak_share": "1.001"}),
                                   ("tensorcore", "f16", {"gflops": "700000", "clock_mhz": "1200",
                                                          "peak_share": "0.7"})):
            self.again()
            self.rows(kind, {**change, "date": "2027-02-01", "cache": "cold"},
                      lambda one, kind=kind, dtype=step: kind == "gemv" or
                      dtype in one["dtype"] and one["mode"] == "events")
            with self.assertRaisesRegex(load.Mistake, rf"{kind}.csv:\d+: 1.* is more than there is"):
                self.open()
        self.again()
        self.rows("gemv", {"peak_share": "1.4", "cache": "warm"})  # of what came out of the cache there is no share
        self.assertFalse(self.open().execute("SELECT 1 FROM gemv WHERE cache = 'warm' AND peak_share > 0").fetchall())

    def test_watts_are_of_continuous_load(self):
        self.rows("tensorcore", {"power_w": "500"})
        modes = [row[0] for row in self.open().execute("SELECT DISTINCT mode FROM tensorcore WHERE power_w > 0")]
        self.assertEqual(modes, ["sustained"])

    def test_what_has_changed_since(self):
        self.rows("tensorcore", {"clock_mhz": "1500", "gflops": "1"})
        changes = self.since(",,2027-01-05,0.11,clock", "step06_tensorcore,best,2027-01-05,0.11,kernel")
        db = load.open_folder(self.data, ROOT, changes=changes)
        self.assertFalse(db.execute("SELECT 1 FROM tensorcore WHERE clock_mhz > 0 AND mode <> 'sustained'").fetchall())
        self.assertEqual([tuple(row) for row in db.execute("SELECT DISTINCT variant, older FROM tensorcore WHERE older "
                                                           "IS NOT NULL")], [("best", "0.10.0")])
        marked = "\n".join(notes.table_lines(db, tables.find_tables(), ["tensor-summary", "step06"]))
        self.assertIn("| f16 tn, `best`<sup>0.10.0</sup> |", marked)
        self.assertIn("before its kernel last changed", marked)
        self.rows("tensorcore", {"date": "2027-01-06"}, lambda one: one["dtype"] == "f16")  # recorded since
        db = load.open_folder(self.data, ROOT, changes=changes)
        marked = "\n".join(notes.table_lines(db, tables.find_tables(), ["tensor-summary", "step06"]))
        self.assertIn("| f16 tn, `best` |", marked)
        self.assertIn("| s8 tn, `best`<sup>0.10.0</sup> |", marked)
        db = load.open_folder(self.data, ROOT, changes=self.since("step06_tensorcore,best,2027-01-02,0.11,kernel"))
        lines = notes.table_lines(db, tables.find_tables(), ["tensor-summary", "step06"])
        self.assertNotIn("<sup>", "\n".join(lines))

    def test_what_has_changed_for_a_type_or_on_that_day(self):
        self.rows("tensorcore", {"date": "2027-01-05"}, lambda one: one["variant"] == "best")

        def older(row):
            changes = self.since("step06_tensorcore,best,2027-01-05,0.11,kernel" + row)
            db = load.open_folder(self.data, ROOT, changes=changes)
            return {kind for kind, in db.execute("SELECT DISTINCT dtype FROM tensorcore WHERE older IS NOT NULL AND "
                                                 "date = '2027-01-05'")}
        every = {kind for kind, in self.open().execute("SELECT DISTINCT dtype FROM tensorcore WHERE variant = 'best'")}
        commit = next(line.split(",")[self.lines("tensorcore")[0].split(",").index("version")].split()[-1]
                      for line in self.lines("tensorcore") if ",best," in line)
        self.assertEqual(older(""), set())
        self.assertEqual(older(f",,1234567 {commit}"), every)
        self.assertEqual(older(f",bf16 s8,{commit}"), {"bf16", "s8"} & every)
        self.assertEqual(older(f",,{commit[:-1]}"), set())

    def test_chains(self):
        chain = self.table("chains-tensorcore")
        self.rows("tensorcore", {"alpha": "2", "ms_median": "7"}, lambda one: one["mode"] == "chain")
        self.assertEqual(self.table("chains-tensorcore"), chain)
        self.rows("tensorcore", {"ms_median": "0.0123"}, lambda one: one["mode"] == "chain" and one["alpha"] == "1")
        self.assertEqual(self.table("chains-tensorcore").count("| 12.3 |"), 2)
        self.change("tensorcore", lambda lines: [line for line in lines if ",chain," not in line])
        self.assertIn("Not recorded yet.", self.table("chains-tensorcore"))

    def test_chains_of_gemv_do_not_count(self):
        self.assertIn(",chain_pdl,", "".join(self.lines("gemv")))
        self.assertFalse(self.open().execute("SELECT 1 FROM gemv_all WHERE mode LIKE 'chain%'").fetchall())
        shutil.copy(os.path.join(HERE, "data", "gemv_search.csv"), self.data)
        searched = self.table("gemv-tuned step07")
        self.rows("gemv_search", {"cache": "warm", "mode": "chain", "device": "NVIDIA H200"})
        self.assertEqual(self.table("gemv-tuned step07"), searched)

    def test_rungs_of_a_convolution(self):
        """A layer with bias and one in a warm cache do not count; a rung that was recorded in another type than its own
        has a column there."""
        shutil.copy(os.path.join(DATA, "conv.csv"), self.data)
        layer = "64-64-56-56-64-3-3-1"
        self.assertIn(f"| {layer} | 2.1 (0.05) | 17.2 (0.42) |", self.table("conv step09 precomputed"))
        self.assertNotIn("`direct`", self.table("conv step09 precomputed f16 nhwc"))
        self.rows("conv", {"dtype": "f16", "layout": "nhwc 64x64x56x56 3x3 s1 p1 d1"},
                  lambda one: one["variant"] == "direct")
        self.assertIn(f"`direct` | cuDNN |\n|---|--:|--:|\n| 64-3-224-224-64-7-7-2 | – | – |\n| {layer} | ",
                      self.table("conv step09 precomputed f16 nhwc"))
        self.assertIn(f"| {layer} | 339.4 | 43.6 | 65.2 % |", self.table("conv-layers step09"))
        db = self.open()
        asked = ["conv", "step09", "hopper", layer, "tflops"]
        db.execute("DELETE FROM ladder WHERE family = 'conv'")
        self.assertEqual(values.value(db, asked, ROOT), "–")
        db.execute("INSERT INTO ladder VALUES ('conv', 'step09_conv', 'hopper', 'f16', 'nhwc', NULL)")
        self.assertEqual(values.value(db, asked, ROOT), "330")

    def test_the_fastest_that_transforms_is_apart(self):
        shutil.copy(os.path.join(DATA, "conv.csv"), self.data)
        before = self.table("conv-layers step09")
        self.rows("conv", {"baseline": "cudnn transformed", "baseline_ms": "0.1", "ms_median": "7"},
                  lambda one: one["variant"] == "im2col" and "64x64x56x56" in one["layout"])
        self.assertEqual(self.table("conv-layers step09"), before)
        self.assertIn("| cuDNN | cuDNN by Winograd or FFT |", self.table("conv step09"))
        self.assertIn("| 148 |", self.table("conv step09"))

    def test_layers(self):
        self.assertEqual(layers.name("nhwc 1x2x3x4 5x6 s2x1 p0 d1x2 bias", 7), "1-2-3-4-7-5-6-2x1")
        self.assertEqual(layers.stands_for(["needs 9.0", "takes f16 and bf16 in nhwc"]), ("f16", "nhwc"))
        self.assertEqual(layers.stands_for([]), ("f32", "nchw"))
        every = list(layers.networks(ROOT))
        self.assertEqual(every[0], ("ResNet-50", 64, 3, 224, 64, 7, 2))
        self.assertEqual({one[0] for one in every}, {"ResNet-50", "VGG-16", "MobileNet's 1x1", "AlexNet"})
        self.assertEqual(len(every), len(set(every)))

    def test_calls_of_one_ladder(self):
        place = self.lines("tensorcore")[0].split(",").index("baseline_call")
        rows = [line.split(",") for line in self.lines("tensorcore")]
        self.change("tensorcore", lambda lines: lines[:1] + [",".join([*row[:place], "", *row[place + 1:]])
                                                             for row in rows[1:]])
        self.assertIn("Not recorded yet.", self.table("calls-tensorcore"))
        self.assertIn("Recorded on NVIDIA H100", self.table("calls-sgemm"))

    def limit(self, device, cc):
        self.change("tensorcore", lambda lines: [line.replace(",NVIDIA H100 80GB HBM3,9.0,", f",{device},{cc},")
                                                 for line in lines])
        return [(one["side"], one["clock"], one["tflops"]) for one in self.open().execute("SELECT * FROM tensor_limit")]

    def test_the_power_limited_peak(self):
        for device, cc, known in ("NVIDIA H100 80GB HBM3", "9.0", True), ("NVIDIA A100-SXM4-80GB", "8.0", False), \
                ("Unheard Of", "8.0", True):
            self.again()
            self.rows("tensorcore", {"mode": "sustained", "clock_mhz": "1000", "peak_share": "0.5", "gflops": "300000"},
                      lambda one: one["variant"] == "best" and one["m"] == "4096" and one["mode"] == "events")
            limits = self.limit(device, cc)
            self.assertEqual(bool(limits), known, device)
            if cc == "9.0":
                self.assertEqual(limits, [(4096, 1000, 132 * 4096 / 1e3)])
            elif known:
                highest = self.open().execute("SELECT max(clock_mhz) FROM tensor_shown").fetchone()[0]
                self.assertAlmostEqual(limits[0][2], 600 * 1000 / highest)
