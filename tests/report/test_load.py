"""Strict reading of recorded files: one line FILE:LINE: what, and exit status 2."""

import glob
import os
import re

from support import DATA, ROOT, Case, read, write

from report import load, schema


class Damaged(Case):
    def refuse(self, kind, change, *texts):
        self.change(kind, change)
        with self.assertRaises(load.Mistake) as caught:
            load.open_folder(self.data, ROOT)
        message = str(caught.exception)
        self.assertNotIn("\n", message)
        for text in (self.file(kind) + ":", *texts):
            self.assertIn(text, message)

    def field(self, kind, line, column, text):
        """Puts a text into one field; the rows are without quotes."""
        def change(lines):
            fields = lines[line - 1].split(",")
            fields[lines[0].split(",").index(column)] = text
            return lines[:line - 1] + [",".join(fields)] + lines[line:]
        return change

    def test_refused(self):
        for kind, change, text in [
                ("sgemm", lambda lines: lines + ["step05_doublebuffer,warp"], ":118: 2 fields, not 44"),
                ("gemv", lambda lines: lines[:1] + [lines[1] + ",9"] + lines[2:], ":2: 45 fields, not 44"),
                ("knn", lambda lines: lines[:3] + [""] + lines[3:], ":4: 0 fields, not 44"),
                ("tensorcore", self.field("tensorcore", 5, "gflops", "fast"), ":5: gflops is 'fast', not a number"),
                ("knn_rates", self.field("knn_rates", 2, "seed", "1.5"), ":2: seed is '1.5', not a whole number"),
                ("counters", self.field("counters", 2, "metric", ""), ":2: metric is empty"),
                ("gemv_search", lambda lines: lines + ['"' + lines[1]], ":67: unbalanced quotes"),
                ("gemv_dram", lambda lines: [lines[0] + ",colour"] + lines[1:], ":1: unknown column 'colour'"),
                ("sgemm", lambda lines: [lines[0] + ",m"] + lines[1:], ":1: duplicate column 'm'"),
                ("tensorcore_error", lambda lines: [lines[0].replace(",error_mean", "")] + lines[1:],
                 ":1: missing column 'error_mean'"),
                ("sgemm", lambda lines: ["a,b,c"], ":1: unknown column 'a'"),
                ("gemv", lambda lines: [], ":1: empty, not even a header"),
                # As other programs write numbers.
                *(("sgemm", self.field("sgemm", 3, "ms_median", text), ":3: ms_median is")
                  for text in ("nan", "inf", "1_000", "0x10", "1e", " 1"))]:
            with self.subTest(text):
                self.again()
                self.refuse(kind, change, text)

    def test_bytes_that_are_no_text(self):
        with open(self.file("sgemm"), "ab") as file:
            file.write(b"\xff\xfe\n")
        with self.assertRaisesRegex(load.Mistake, "sgemm.csv: not a text file"):
            load.open_folder(self.data, ROOT)

    def test_a_last_line_without_its_end(self):
        """It was cut off while it was written, even where it has all fields: 2026-11-2 for 2026-11-21."""
        write(read(self.file("sgemm"))[:-2], self.file("sgemm"))
        with self.assertRaisesRegex(load.Mistake, "sgemm.csv:117: cut off: the last line has no end"):
            load.open_folder(self.data, ROOT)

    def test_a_second_device(self):
        for kind in sorted(os.listdir(DATA)):
            if kind in ("sass.csv", "knn_ann.csv"):  # of no GPU
                continue
            with self.subTest(kind):
                self.again()
                self.refuse(kind[:-4], lambda lines: lines[:4] + [lines[4].replace("NVIDIA H200", "Tesla T4")] +
                            lines[5:], ":5: measured on Tesla T4, the lines before on NVIDIA H200: one device a file")


class Read(Case):
    def rows(self, text):
        return load.read_table(write(text, self.tmp, "file.csv"), "gemv_ladder")

    HEADER = "step,variant,article_kernel,article_ms,article_ratio,article_text_ms\n"

    def test_quotes_and_line_ends(self):
        self.assertEqual(self.rows(self.HEADER.replace("\n", "\r\n") + 'a,"b, ""c""",,7,0.5,\r\n'),
                         [("a", 'b, "c"', None, "7", "0.5", None)])

    def test_columns_in_another_order(self):
        header = "article_ms,step,variant,article_ratio,article_text_ms,article_kernel\n"
        self.assertEqual(self.rows(header + "x,a,b,1,3,2\n"), [("a", "b", "2", "x", "1", "3")])

    def test_number_of_a_whole_column_keeps_its_value(self):
        db = load.open_folder(DATA, ROOT)
        self.assertEqual(db.execute("SELECT count(*) FROM sgemm WHERE typeof(m) <> 'integer' OR typeof(ms_median) <> "
                                    "'real'") .fetchone()[0], 0)


class TheHarness(Case):
    """The columns are those that the C sources write."""

    def sources(self, pattern):
        return [read(path) for path in glob.glob(os.path.join(ROOT, "common", "**", pattern), recursive=True)]

    def test_of_a_record(self):
        header = next(text for text in self.sources("record.h") if "RECORD_HEADER" in text)
        parts = ["".join(re.findall(r'"([^"]*)"', define))
                 for define in re.findall(r"#define RECORD_HEADER\w*((?:.*\\\n)*.*)\n", header)]
        self.assertEqual("".join(parts), schema.header("sgemm"))

    def test_of_a_search(self):
        wanted = schema.header("gemv_search")
        texts = ["".join(re.findall(r'"([^"\n]*)"', text)).replace("\\n", "") for text in self.sources("*.[ch]")]
        self.assertTrue(any(wanted in text for text in texts), wanted)


class WrittenByHand(Case):
    """The tables in plots/, and that of the GPUs."""

    def rows(self, kind, folder="plots"):
        return load.read_table(os.path.join(ROOT, folder, kind + ".csv"), kind)

    def test_the_articles_ratios_are_of_its_times(self):
        rows = self.rows("gemv_ladder")
        cublas = next(row[3] for row in rows if row[1] == "cublas")
        for row in rows:
            if row[3]:
                self.assertAlmostEqual(float(cublas) / float(row[3]), float(row[4]), delta=0.006, msg=row[1])

    def test_a_devices_folder_is_made_of_its_name(self):
        for row in self.rows("devices", "common/gpu"):
            whole = re.sub("[^a-z0-9]+", "-", row[1].lower())
            self.assertTrue(whole == row[0] or whole.startswith(row[0] + "-"), row)

    def test_a_devices_peaks_fit_one_another(self):
        """Half of FP16's rate is TF32's. INT8's is twice it, or four times where only FP32's sums are slow."""
        for slug, _, _, fp32, tf32, f16, s8, _ in self.rows("devices", "common/gpu"):
            self.assertAlmostEqual(f16 / tf32, 2, delta=0.03, msg=slug)
            self.assertAlmostEqual(s8 / f16, 4 if "geforce" in slug else 2, delta=0.03, msg=slug)
            self.assertLessEqual(fp32, tf32, slug)

    def test_metrics_are_named_once(self):
        from report.values import metrics
        self.assertEqual(len(metrics(ROOT)), len(set(metrics(ROOT))))
