"""What is recorded of other programs' output: Nsight Compute, cuobjdump, step 8's runs for the paper."""

import gzip
import os

from support import DATA, ROOT, Case, read, report, write

from report import load, schema

# ncu's own lines, two launches (sums are added, launch__ the largest, else the mean), thousands separators, a quote
# inside a name, a metric this GPU does not count, and one not printed.
NCU = """\
==PROF== Connected to process 7 (/tmp/run)
==PROF== Profiling "sgemm_serpentine": 0%....50%....100% - 19 passes
"ID","Kernel Name","Block Size","dram__bytes_read.sum","gpu__time_duration.sum","launch__registers_per_thread",\
"smsp__inst_executed.sum","sm__warps_active.avg.pct_of_peak_sustained_active","lts__t_sectors_op_read.sum"
"","","","byte","ns","register/thread","inst","%","sector"
"0","void ""sgemm"", tiled<1>(gemm_problem)","(256, 1, 1)","427,710,016","2,640,128","217","3,467","12.48","n/a"
"1","the second kernel","(256, 1, 1)","1,000","2,640,128","255","33","24.96","1"
==PROF== Disconnected from process 7
"""
ORIGIN = {"DEVICE": 'A, "B"', "CC": "9.0", "DRIVER": "580.1", "CUDA": "13.0", "DATE": "2026-11-20"}
WHERE = '"A, ""B""",9.0,580.1,13.0,2026-11-20'


class Counters(Case):
    def counters(self, log):
        return report("counters", "step05_doublebuffer", "serpentine", "4096", write(log, self.tmp, "log"), **ORIGIN)

    def test_launches_are_put_together(self):
        out = self.counters(NCU).stdout
        row = "step05_doublebuffer,serpentine,4096,4096,4096,"
        for one in ("dram__bytes_read.sum,427711016,byte,", "gpu__time_duration.sum,5280256,ns,",
                    "smsp__inst_executed.sum,3500,inst,", "sm__warps_active.avg.pct_of_peak_sustained_active,18.72,%,",
                    "launch__registers_per_thread,255,register/thread,", "lts__t_sectors_op_read.sum,,sector,",
                    "dram__bytes.sum,,,"):
            self.assertIn(row + one + WHERE + "\n", out)
        path = write(schema.header("counters") + "\n" + out, self.tmp, "counters.csv")
        self.assertEqual(len(load.read_table(path, "counters")), out.count("\n"))

    def test_a_field_has_any_length(self):
        """As a list of what each instruction of a large kernel counted."""
        long = NCU.replace("the second kernel", "x" * 200000)
        self.assertEqual(self.counters(long).stdout, self.counters(NCU).stdout)

    def test_refuses(self):
        for old, new, text in [("\n\"0\"", "\n==\"0\"", None), ('"2,640,128","217"', '"217"', "rows differ in length: "
                                                                                              "9 and 8"),
                               ('"3,467"', '"3.4.6"', "smsp__inst_executed.sum is not a number: 3.4.6")]:
            run = self.counters(NCU.replace(old, new))
            if text:
                self.refused(run, "counters: step05_doublebuffer serpentine: ", text)
        self.refused(self.counters(NCU[:NCU.index('"0"')]), "ncu saw no launch")

    def test_merged_with_those_of_other_steps(self):
        rows = write("step05_doublebuffer,a,1,1,1,x,1,,GPU,9.0,1,13.0,2026-11-20\n", self.tmp, "rows")
        old = os.path.join(DATA, "counters.csv")
        out = report("counters", "--merge", rows, old, "step05_doublebuffer").stdout.splitlines()
        sixes = [line for line in read(old).splitlines() if line.startswith("step06")]
        self.assertEqual(out, [schema.header("counters"), read(rows).strip()] + sixes)
        none = os.path.join(self.tmp, "none")
        self.assertEqual(report("counters", "--merge", rows, none).stdout.count("\n"), 2)
        damaged = write(read(old) + "step06_tensorcore,wmm\n", self.tmp, "damaged.csv")
        self.refused(report("counters", "--merge", rows, damaged, "step05_doublebuffer"),
                     "damaged.csv:186: 2 fields, not 13")


class Cold(Case):
    def log(self, bytes_read, unit="byte"):
        lines = "".join(f'"{i}","gemv_direct","{x}"\n' for i, x in enumerate(bytes_read))
        return write(f'"ID","Kernel Name","dram__bytes_read.sum"\n"","","{unit}"\n{lines}', self.tmp, "log")

    def cold(self, *bytes_read, **log):
        return report("cold", "step07_gemv", "streaming", "f16", "1024", "512", self.log(bytes_read, **log), **ORIGIN)

    def test_the_later_half_counts(self):
        run = self.cold("9", "9", "9", "1,048,576", "1,000,000", "1,048,578")
        self.assertEqual(run.stdout,
                         "step07_gemv,streaming,f16,1024,512,3,1048576,1048576,1000000,1048578,1.0000,0.9537," +
                         WHERE + "\n", run.stderr)

    def test_refuses(self):
        self.refused(self.cold(1, 2, 3, 4), "cold: streaming f16 1024 x 512: ncu saw 4 launches, too few")
        self.refused(self.cold(*"123456", unit="Mbyte"), "in Mbyte, not in bytes")
        self.refused(self.cold("1", "2", "3", "n/a", "5", "6"), "is not a number: n/a")

    def test_judges(self):
        run = report("cold", "--judge", os.path.join(DATA, "gemv_dram.csv"))
        self.assertEqual((run.returncode, run.stdout.count("ok ")), (0, 14))
        self.assertIn("ok streaming f16 1024 x 1024: 100.0 % of the matrix came from DRAM (at least 58.7 %), 34 "
                      "launches", run.stdout)
        self.change("gemv_dram", lambda lines: lines[:1] + [lines[1].replace(",1.0000,", ",0.9799,")] + lines[2:])
        run = report("cold", "--judge", self.file("gemv_dram"))
        self.assertEqual((run.returncode, run.stdout.count("FAIL ")), (1, 1))


class Ceilings(Case):
    def test_the_simulators_are_those_recorded(self):
        recorded = os.path.join(ROOT, "plots", "data")
        for gpu in sorted(os.listdir(recorded)):
            if os.path.isfile(os.path.join(recorded, gpu, "limits.csv")):
                run = report("ceilings", os.path.join(recorded, gpu))
                self.assertEqual(run.stdout, read(ROOT, "cudasim", "devices", gpu + ".csv"), run.stderr)

    def test_refuses(self):
        for kind in "limits", "latency":
            write(read(self.file(kind)).replace("NVIDIA H200", "NVIDIA X"), self.file(kind))
        self.refused(report("ceilings", self.data), "ceilings: ", ": NVIDIA X is not in common/gpu/devices.csv")
        self.refused(report("ceilings", self.tmp), "limits.csv: No such file")


# Of kernel<false> a loop that is larger; of kernel<true> a small loop, and one in another, which alone has the FFMAs.
LISTING = """\
	code for sm_90a
		Function : _Z1kILb0EEv
        /*0000*/                   FFMA R1, R1, R2, R3 ;       /* 0x00000a00ff017b82 */
                                                               /* 0x000ff00000000800 */
        /*0010*/                   FFMA R1, R1, R2, R3 ;       /* 0x00000a00ff017b82 */
        /*0020*/                   FFMA R1, R1, R2, R3 ;       /* 0x00000a00ff017b82 */
        /*0040*/              @!P0 BRA 0x0 ;                   /* 0x000000b000748947 */
        /*0050*/                   EXIT ;                      /* 0x000000b000748947 */
		Function : _Z1kILb1EEv
        /*0000*/                   FFMA R1, R1, R2.reuse, R3 ; /* 0x00000a00ff017b82 */
        /*0010*/               @P0 BRA 0x0 ;                   /* 0x000000b000748947 */
        /*0020*/                   LDG.E R9, desc[UR4][R2.64] ;
        /*0030*/                   LDGSTS.E.BYPASS.128 [R1], desc[UR4][R2.64] ;
        /*0040*/              @!PT LDS RZ, [RZ] ;
        /*0050*/                   LDS R4, [R1] ;
        /*0060*/                   LDS.U.64 R4, [R1] ;
        /*0070*/               @P1 LDS.128 R4, [R1+0x10] ;
        /*0080*/                   LDSM.16.M88.4 R4, [R1] ;
        /*0090*/               @P2 BRA 0xb0 ;
        /*00a0*/                   STS.128 [R1], R4 ;
        /*00b0*/                   FFMA R1, R1.reuse, R2, R3 ;
        /*00c0*/              @!P0 BRA P3, 0x30 ;
        /*00d0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*00e0*/                   LDGDEPBAR ;
        /*00f0*/                   FFMA R1, R1, R2, R3 ;
        /*0100*/               @P0 BRA.U !UP0, 0x30 ;
        /*0110*/                   BAR.SYNC 0x0 ;
        /*0120*/               @P0 BRA 0x20 ;
        /*0130*/                   EXIT ;
        /*0140*/                   BRA 0x140;
"""
USAGE = """\
 Common:
  GLOBAL:0
 Function _Z1kILb0EEv:
  REG:99 STACK:0 SHARED:1024 LOCAL:0
 Function _Z1kILb1EEv:
  REG:217 STACK:0 SHARED:1024 LOCAL:0
"""


class Sass(Case):
    def sass(self, listing, usage=USAGE, variant="v"):
        return report("sass", "s", variant, "sm_90a", "13.0.88", write(usage, self.tmp, "usage"),
                      write(listing, self.tmp, "listing"))

    def test_the_innermost_loop_with_the_most_ffmas(self):
        self.assertEqual(self.sass(LISTING).stdout, "s,v,sm_90a,217,14,2,1,1,1,1,0,1,1,1,6,6,0,13.0.88\n")

    def test_a_kernel_without_such_a_loop(self):
        self.assertEqual(self.sass(LISTING.replace("FFMA", "FADD")).stdout, "s,v,sm_90a,217,,,,,,,,,,,,,,13.0.88\n")

    def test_which_kernel(self):
        only = LISTING[LISTING.index("\t\tFunction : _Z1kILb1"):].replace("ILb1E", "I")
        self.assertEqual(self.sass(only, USAGE.replace("ILb1E", "I")).stdout[:13], "s,v,sm_90a,21")
        neither = LISTING.replace("ILb1E", "ILb2E")
        self.refused(self.sass(neither), "sass: s v: 2 kernels, 0 of them with ILb1E in the name, not one")
        self.refused(self.sass(LISTING, USAGE.replace("ILb1E", "ILb7E")), "no registers of _Z1kILb1EEv")
        both = LISTING.replace("_Z1kILb0E", "_Z3ownILb1E"), USAGE.replace("_Z1kILb0E", "_Z3ownILb1E")
        self.assertEqual(self.sass(*both, variant="own").stdout, "s,own,sm_90a,99,4,3,0,0,0,0,0,0,0,0,1,9,0,13.0.88\n")

    def test_registers_that_ffmas_read(self):
        loop = "".join(f"        /*00{i}0*/  {text} ;\n" for i, text in enumerate([
            "FFMA R0, R2.reuse, R4, R6", "FFMA R1, R2, R4.reuse, R6", "FFMA R9, R4, R4, R7", "@P0 BRA 0x0"]))
        # 3 of one parity; 2, as R2 is kept; R4 is kept in the second place only, and R7 is odd.
        self.assertEqual(self.sass("\t\tFunction : _Z1kILb1EEv\n" + loop).stdout,
                         "s,v,sm_90a,217,4,3,2,0,0,0,0,0,0,0,1,7,1,13.0.88\n")

    def test_register_banks(self):
        def conflicts(*loop):
            lines = [f"        /*{16 * i:04x}*/   {text} ;" for i, text in enumerate([*loop, "@P0 BRA 0x0"])]
            return self.sass("\n".join(["\t\tFunction : _Z1kILb1EEv", *lines, ""])).stdout.split(",")[-2]

        self.assertEqual(conflicts("@!P1 FFMA R9, -R3, R5, |R7|"), "1")
        # two of one parity, two registers
        self.assertEqual(conflicts("FFMA R8, R2, R4, R7", "FFMA R8, R2, R2, R6"), "0")
        self.assertEqual(conflicts("FFMA R8, R2, R4, RZ", "FFMA R8, R2, UR4, R6", "FFMA R8, R2, 2, R6"), "0")
        kept = "FFMA R8, R2.reuse, R5, R6"
        self.assertEqual(conflicts(kept, "FFMA R10, R2, R4, R6"), "0")
        self.assertEqual(conflicts(kept, "FFMA R10, R4, R2, R6"), "1")  # in another place
        self.assertEqual(conflicts(kept, "MOV R1, R3", "FFMA R10, R2, R4, R6"), "1")  # another instruction between

    def test_the_ceilings_of_ffmas_have_a_row_each(self):
        names = {"_Z1kILb0E": "_Z8ffma_fedIL5order3ELi8ELi16E", "_Z1kILb1E": "_Z10ffma_threeILb1E"}
        texts = [LISTING, USAGE]
        for old, new in names.items():
            texts = [text.replace(old, new) for text in texts]
        rows = self.sass(*texts, variant="ffma_limits").stdout.split()
        self.assertEqual([row.split(",")[1:4:2] for row in rows], [["fed_8x16_strips", "99"], ["ffma_one_bank", "217"]])

    def test_no_machine_code(self):
        self.assertEqual(self.sass("nothing\n").stdout, "")


def records(count, label, first):
    return "".join(f"{first + i},tcp,{label}.\n" for i in range(1, count + 1))


class Samples(Case):
    SAME = records(5500, "normal", 0) + records(300, "smurf", 0) + records(250, "satan", 0) + records(210, "phf", 0) + \
        records(53, "perl", 0)
    CORRECTED = records(600, "normal", 9000) + records(120, "apache2", 0) + records(90, "mscan", 0) + \
        records(150, "named", 0) + records(101, "ps", 0)

    def sample(self, seed, name, same=SAME):
        folder = os.path.join(self.tmp, name)
        os.makedirs(folder)
        with gzip.open(os.path.join(self.tmp, "same.gz"), "wt") as file:
            file.write(same + same)  # each record twice
        return report("knn-sample", str(seed), folder, os.path.join(self.tmp, "same.gz"),
                      write(self.CORRECTED, self.tmp, "corrected"))

    def test_counts(self):
        run = self.sample(1, "a")
        self.assertEqual(run.stdout, "same DoS 4900 100 400 100 300\ncorrected DoS 4900 100 400 100 300\n"
                         "same Probe 4900 100 400 100 250\ncorrected Probe 4900 100 410 90 250\n"
                         "same R2L 4900 100 400 100 210\ncorrected R2L 4900 100 400 100 210\n"
                         "same U2R 4900 26 474 26 53\ncorrected U2R 4900 53 400 100 53\n", run.stderr)
        for pair in "same-DoS", "same-U2R", "corrected-Probe":  # no record is in both, or twice
            train, test = (read(self.tmp, "a", f"{pair}-{kind}.csv").splitlines() for kind in ("train", "test"))
            self.assertEqual(len(test), 500)
            self.assertEqual(len(set(train + test)), len(train + test))
        self.assertEqual(sum("perl" in line for line in read(self.tmp, "a", "same-U2R-train.csv").splitlines()), 26)
        # The sample is the one that knn_rates.csv was recorded of: another generator would draw another.
        self.assertEqual(read(self.tmp, "a", "same-DoS-test.csv").split(",", 1)[0], "4657")

    def test_a_seed_decides(self):
        for seed, name in (1, "a"), (1, "b"), (2, "c"):
            self.sample(seed, name)
        a, b, c = (read(self.tmp, name, "same-DoS-test.csv").splitlines() for name in "abc")
        self.assertEqual(a, b)
        self.assertTrue(20 < len(set(a) & set(c)) < 150)

    def test_refuses(self):
        self.refused(self.sample(1, "a", self.SAME + "1,tcp,mistake.\n"),
                     "same.gz:6314: 'mistake.' is no label of KDD Cup 1999")
        self.refused(self.sample(1, "b", records(5000, "normal", 0) + records(300, "smurf", 0)),
                     "knn-sample: 5000 distinct normal records in same, 5300 wanted")


class Rates(Case):
    """Ten records, three of them attacks: two of U2R, one of them also by name, and a normal one a false alarm."""

    TRUTH = ["normal."] * 7 + ["ps.", "perl.", "perl."]
    VOTES = [["normal.", "normal."]] * 6 + [["perl.", "normal."], ["perl.", "ps."], ["perl.", "normal."],
                                             ["smurf.", "normal."]]

    def rates(self, votes=None, facts="same U2R 4900 26 7 3 53\n",
              said="3 of 20 neighbours are not among the CPU's; 1 of them are as near as its last"):
        write(facts, self.tmp, "facts")
        write("".join(f"0,tcp,{label}\n" for label in self.TRUTH), self.tmp, "same-U2R-test.csv")
        write("".join(",".join(line) + "\n" for line in votes or self.VOTES), self.tmp, "same-U2R-gemm+auto.votes")
        write(f"step\ngemm+auto  {said}\n", self.tmp, "same-U2R-gemm+auto.out")
        return report("knn-rates", "3", self.tmp, "gemm+auto", **ORIGIN)

    def test_of_a_sample(self):
        run = self.rates()
        self.assertEqual(run.stdout, f"same,U2R,3,gemm+auto,1,4900,26,7,3,53,0.7,0.6667,0.1429,3,{WHERE},1\n"
                         f"same,U2R,3,gemm+auto,2,4900,26,7,3,53,0.8,0.3333,0,3,{WHERE},1\n", run.stderr)
        path = write(schema.header("knn_rates") + "\n" + run.stdout, self.tmp, "rates.csv")
        self.assertEqual(len(load.read_table(path, "knn_rates")), 2)
        self.assertIn(f",0.1429,0,{WHERE},0", self.rates(said="the same neighbours and distances as the CPU's").stdout)

    def test_refuses(self):
        self.refused(self.rates(said="exact"), "same U2R: gemm+auto: not compared with the CPU")
        self.refused(self.rates(self.VOTES[1:]), "same U2R: gemm+auto: 9 lines of votes for 10 records, of 10")
        self.refused(self.rates(self.VOTES[1:] + [["perl."]]), "lines of votes for 10 records")
        self.refused(self.rates(facts="same U2R 4900 26 8 3 53\n"), "10 lines of votes for 10 records, of 11")
        self.refused(self.rates(facts="same DoS 4900 26 7 3 53\n"), "same-DoS-test.csv: No such file")

    def test_summary(self):
        run = report("knn-summary", os.path.join(DATA, "knn_rates.csv"))
        self.assertEqual(run.stdout, "U2R: 52 attacks exist in the training data, not 100; same file: 26 train, 26 "
                         "test; corrected: 52 train, 100 test\n", run.stderr)
