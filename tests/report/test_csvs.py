"""What the scripts ask of CSV files."""

from support import Case, report, write

from report import csvs, schema


class Asked(Case):
    def test_slug(self):
        for name, folder in ("NVIDIA H200", "nvidia-h200"), ("NVIDIA Made-Up, 1", "nvidia-made-up-1"), ("", ""):
            self.assertEqual(report("slug", name).stdout, folder + "\n")

    def test_header(self):
        self.refused(report("header"), "header: usage: python3 -m report header FILE")
        self.refused(report("header", "none"), "header: no recorded file is called 'none' (sgemm, ")

    def test_goals(self):
        path = write('kernel,metric,plain,value\none,LOADS,"loads, global (sum)",3\ntwo,LOADS,"loads, global '
                     '(sum)",2.5\n', self.tmp, "x.csv")
        other = write("kernel,metric,plain,value\none,LOADS,loads,1\n", self.tmp, "y.csv")
        self.assertEqual("".join(csvs.goals_of(other, ["LOADS=1"])), "ok\tLOADS 1\tloads: 1, at most 1: ok\n")
        self.assertEqual("".join(csvs.goals_of(path, ["LOADS=5.5", "LOADS=4", "STORES=1"])),
                         "ok\tLOADS 5.5\tloads, global: 5.50, at most 5.50: ok\n"
                         "missed\tLOADS 5.5\tloads, global: 5.50, at most 4: too many\n"
                         "missed\tSTORES 0\tSTORES was not counted: -, at most 1: not counted\n")

    def test_what_was_searched_and_not_recorded_is_forgotten(self):
        header = schema.header("gemv_search").split(",")
        def row(n, candidate, us):
            return ",".join({"step": "s", "variant": "best", "n": n, "candidate": candidate,
                                                         "us": us}.get(name, "x") for name in header) + "\n"
        gemv = write(",".join(schema.header("gemv").split(",")) + "\n" + ",".join(
            {"step": "s", "variant": "best", "n": "8"}.get(name, "x") for name in schema.header("gemv").split(",")) +
                     "\n", self.tmp, "g.csv")
        kept = ",".join(header) + "\n" + row("8", "a", "1") + row("8", "b", "2")
        search = write(kept, self.tmp, "s.csv")
        run = report("tidy-search", gemv, search)
        self.assertEqual((run.returncode, run.stdout), (0, kept))
        write(kept + row("8", "a", "3") + row("8", "c", "4"), search)  # searched again
        self.assertEqual(report("tidy-search", gemv, search).stdout, kept)
        write(kept + row("9", "a", "3"), search)
        run = report("tidy-search", gemv, search)
        self.assertEqual((run.returncode, run.stdout), (1, kept))
