"""Two files side by side, and the short tables of the demo."""

import os
import re

from support import DATA, Case, read, report, write

from report import schema


def data(kind):
    return os.path.join(DATA, kind + ".csv")


def fields(kind, change):
    """The text of a recorded file with change(fields) of every row."""
    head, *rows = read(data(kind)).splitlines()
    return "\n".join([head] + [",".join(change(row.split(","))) for row in rows]) + "\n"


class Compare(Case):
    def compare(self, a, b):
        run = report("compare", a, b)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLessEqual(max(map(len, run.stdout.splitlines()[2:])), 100)
        return run.stdout

    def test_of_gemm(self):
        def faster(row):
            if row[1] == "serpentine":
                row[13], row[16], row[21] = str(float(row[13]) / 1.1), str(float(row[16]) * 1.1), "1.144"
            return row
        text = fields("sgemm", faster).replace(",step02_smem,tile32,", "").splitlines()
        text = [line for line in text if ",4095," not in line] + [text[1].replace(",cold,", ",warm,")]
        out = self.compare(data("sgemm"), write("\n".join(text) + "\n", self.tmp, "new.csv"))
        self.assertRegex(out, r"(?m)^step05 serpentine +4096x4096x4096 +52\.12 +57\.34 +1\.100 +1\.020 +1\.144$")
        self.assertRegex(out, r"(?m)^step05 cp_async +8192x8192x8192 +[0-9.]+ +[0-9.]+ +1\.000 ")
        self.assertRegex(out, r"least 1\.000, greatest 1\.100\n(?s:.*)\n103 matched, 13 only in A, 1 only in B\n")

    def test_of_tensor_cores(self):
        def slower(row):
            if row[12] == "sustained":
                row[13], row[16] = str(float(row[13]) * 1.25), str(float(row[16]) / 1.25)
            return row
        out = self.compare(data("tensorcore"), write(fields("tensorcore", slower), self.tmp, "new.csv"))
        self.assertRegex(out, r"(?m)^step06 best +4096x4096x4096 +f16 tn sust[a-z]*~? +[0-9.]+ +[0-9.]+ +0\.800 ")
        self.assertRegex(out, r"(?m)^step06 best +4096x4096x4096 +f16 tn +[0-9.]+ +[0-9.]+ +1\.000 ")
        self.assertIn("41 matched, 0 only in A, 0 only in B", out)

    def test_of_gemv(self):
        out = self.compare(data("gemv"), data("gemv"))
        for line in (r"best +4096x4096 +f16 +3678\.", r"best +4096x4096 +f16 pdl +", r"best +1024x1024 +f16 events ",
                     r"best +1024x1024 +f16 warm +", r"best +4096x4096 +bf16 +", r"[a-z]+ +4096x4096 +f16 chain pdl +",
                     r"read_ceiling +4096x4096 +f16 +3795\.11 +3795\.11 +1\.000 +- +-"):
            self.assertRegex(out, r"(?m)^step07 " + line)
        self.assertRegex(out, r"(?m)^kernel +shape +case +GB/s +GB/s")

    def test_the_simulators_rows_do_not_count(self):
        simulated = ("step05_doublebuffer,serpentine,gemm,f32,nn,4096,4096,4096,,1,0,cold,sim,,,,,,,,,,,,0.01,,,H200 "
                     "(simulated),9.0,none,13.0,2027-01-01,,,,,,,,,,,,\n")
        both = write(read(data("sgemm")) + simulated, self.tmp, "both.csv")
        alone = write(self.lines("sgemm")[0] + "\n" + simulated, self.tmp, "alone.csv")
        self.assertEqual(self.compare(data("sgemm"), both).splitlines()[2:],
                         self.compare(data("sgemm"), data("sgemm")).splitlines()[2:])
        self.assertIn("0 matched, 116 only in A, 0 only in B", self.compare(both, alone))

    def recorded_again(self, name, change=lambda one: None):
        """serpentine's rows as version 0.10 records them, with an interval of 1 % around the median: change(row as
        a dict)."""
        head = read(data("sgemm")).splitlines()[0].split(",")
        rows = [dict(zip(head, line.split(","))) for line in self.lines("sgemm")[1:]
                if ",serpentine," in line and line.split(",")[21]]
        columns = [column.name for column in schema.RECORD]
        for one in rows:
            for what, middle in ("ms", "ms_median"), ("ratio", "ratio"):
                one[what + "_low"], one[what + "_high"] = (str(float(one[middle]) * x) for x in (0.995, 1.005))
            change(one)
        return write("\n".join([",".join(columns)] +
                               [",".join(one.get(name, "") for name in columns) for one in rows]) + "\n",
                     self.tmp, name)

    def test_of_intervals(self):
        def slower(one):
            if one["m"] + one["k"] == "40964096":
                for name in "ms_median", "ms_low", "ms_high":
                    one[name] = str(float(one[name]) * 1.02)
            elif one["m"] == "8192":
                for name in "ms_median", "ms_low", "ms_high":
                    one[name] = str(float(one[name]) * 0.992)
        a, b = self.recorded_again("a.csv"), self.recorded_again("b.csv", slower)
        count = len(read(a).splitlines()) - 1
        out = self.compare(a, b)
        self.assertRegex(out, r"(?m)^step05 serpentine +4096x4096x4096 .* 0\.980\* ")
        self.assertRegex(out, r"(?m)^step05 serpentine +8192x8192x8192 .* 1\.008  ")
        self.assertIn("\n* the two 95 % intervals do not overlap\n", out)
        self.assertIn(f"\n{count - 1} of {count} intervals overlap\nlargest difference of two medians: 2.0 % "
                      "(step05 serpentine 4096x4096x4096)\n", out)
        self.assertNotIn("two devices", out)
        self.assertIn(f"\n{count} of {count} intervals overlap\n", self.compare(a, a))
        self.assertNotIn("*", self.compare(a, a))

    def test_warns_of_a_problem_timed_in_two_ways(self):
        def one_long(row):
            if row[1] in ("tile32", "cp_async") and row[5] == "1024":
                row[12] = {"events": "graph", "graph": "events"}[row[12]]
            return row
        a, b = data("sgemm"), write(fields("sgemm", one_long), self.tmp, "b.csv")
        self.assertNotIn("warning", self.compare(a, a))
        self.assertIn("\nwarning: B has rows timed in graphs beside rows timed between events: 1024x1024x1024\n",
                      self.compare(a, b))
        self.assertIn("\nwarning: A has rows ", self.compare(b, a))

    def test_of_intervals_that_one_side_lacks(self):
        """There is none of a row that was timed too few times."""
        def one_without(one):
            if one["m"] == "1024":
                one["ms_low"] = one["ms_high"] = ""
        a, b = self.recorded_again("a.csv"), self.recorded_again("b.csv", one_without)
        self.assertIn("intervals overlap (1 more are not recorded in both)\n", self.compare(a, b))
        self.assertIn("\nno intervals to compare: not recorded in both\nlargest difference of "
                      "two medians: 0.0 %", self.compare(data("sgemm"), a))

    def test_of_two_devices(self):
        """Half as fast, and so is its baseline: that is no difference."""
        def smaller(one):
            one["device"] = "NVIDIA H100 80GB HBM3"
            for name in "ms_median", "ms_low", "ms_high":
                one[name] = str(float(one[name]) * 2)
            if one["m"] + one["k"] == "40964096":
                for name in "ratio", "ratio_low", "ratio_high":
                    one[name] = str(float(one[name]) * 0.9)
        out = self.compare(self.recorded_again("a.csv"), self.recorded_again("b.csv", smaller))
        self.assertIn("\ntwo devices: B/A, intervals and the difference are of ratios to the baseline, not of times\n",
                      out)
        self.assertRegex(out, r"(?m)^step05 serpentine +8192x8192x8192 .* 1\.000 ")
        self.assertRegex(out, r"(?m)^step05 serpentine +4096x4096x4096 .* 0\.900\* ")
        self.assertIn("largest difference of two medians: 10.0 % (step05 serpentine 4096x4096x4096)", out)

    def test_of_folders(self):
        out = self.compare(self.data, self.data)
        matched = sum(int(re.search(r"(\d+) matched", self.compare(data(kind), data(kind)))[1])
                      for kind in ("sgemm", "tensorcore", "gemv", "knn"))
        self.assertIn(f"\n{matched} matched, 0 only in A, 0 only in B\n", out)

    def test_a_chain_is_a_case_of_its_own(self):
        def chain(one):
            one["mode"], one["cache"] = "chain", "warm"
        a = self.recorded_again("a.csv")
        b = self.recorded_again("b.csv", chain)
        self.assertRegex(self.compare(b, b), r"(?m)^step05 serpentine +4096x4096x4096 +chain warm +")
        self.assertIn("\n0 matched, ", self.compare(a, b))

    def test_refuses(self):
        good, absent = data("sgemm"), os.path.join(self.tmp, "absent.csv")
        self.refused(report("compare", good), "compare: two files or folders are needed")
        self.refused(report("compare", good, absent), "absent.csv")
        self.refused(report("compare", good, write("a,b\n", self.tmp, "wrong.csv")), "wrong.csv:1: unknown column 'a'")
        self.refused(report("compare", write("", self.tmp, "void.csv"), good), "void.csv:1: empty")
        self.refused(report("compare", good, self.tmp), "no recorded measurements in " + self.tmp)


class Demo(Case):
    def demo(self, *arguments, **environment):
        run = report("demo", *arguments, **environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    SIMULATED = (
        "step01_naive,one,gemm,f32,nn,96,96,96,,1,0,cold,sim,,,,,,,,,,,,0.0321,,,H200 "
        "(simulated),9.0,none,13.0,2027-01-01,,,,,,,,,,,,\n"
        "step07_gemv,one,gemv,f16,n,1,96,128,,1,0,warm,sim,,,,,,,,,,,,0.0123,,,H200 "
        "(simulated),9.0,none,13.0,2027-01-01,,,,,,,,,,,,\n"
        "step08_knn,one,knn,f32,n,12,96,5,8,1,0,warm,sim,,,,,,,,,,,,,,,H200 "
        "(simulated),9.0,none,13.0,2027-01-01,,,,,,,,,,,,\n")

    def test_of_the_simulator(self):
        rows = self.SIMULATED.splitlines(True)
        out = self.demo(write(self.lines("sgemm")[0] + "\n" + "".join(rows), self.tmp, "sim.csv"))
        self.assertIn("H200 (simulated), every element", out)
        self.assertRegex(out, r"(?m)^step01_naive +one +f32 +96x96x96 +0\.032$")
        self.assertRegex(out, r"(?m)^step07_gemv +one +f16 +96x128 +0\.012$")
        self.assertRegex(out, r"(?m)^step08_knn +one +f32 +12x96x8 +k = 5$")
        self.assertIn("the shape is n x k", out)
        self.assertIn("Of a search it is", out)
        alone = self.demo(write(self.lines("sgemm")[0] + "\n" + rows[0], self.tmp, "one.csv"))
        self.assertNotIn("Of a", alone)

    def test_searches_are_one_short_table(self):
        """One shape, one heading; a device with a comma in its name; copies and the CPU in columns and rows of
        their own."""
        out = self.demo(data("knn"))
        self.assertEqual(out.count("queries"), 1)
        self.assertLess(out.count("\n"), 15)
        self.assertIn("NVIDIA H200, 1200 queries, 32768 points, d 256, k 25; CPU: Intel(R) Xeon(R) Processor\n", out)
        self.assertRegex(out, r"(?m)^step08_knn +exact_tc +0\.203 +0\.852 +5261\.2 %$")
        self.assertRegex(out, r"(?m)^step08_knn +gemm_cublas\+auto +10\.671 +11\.385 +100\.0 %$")
        self.assertRegex(out, r"(?m)^cpu_knn +openblas \(CPU\) +104\.481 +- +10\.2 %$")
        self.assertNotIn("0.209", out)  # timed beside PyTorch: another table's

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
            self.assertEqual(report("compare", files[0], files[0], LC_ALL=name).stdout,
                             report("compare", files[0], files[0], LC_ALL="C").stdout, name)
