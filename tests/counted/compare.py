"""compare.py patterns|shapes [WORD]: the simulator's counts against what scripts/golden.sh recorded on an H200.

patterns: every pattern of shared.cu and global.cu, which must be equal. shapes: every kernel of the runs in shapes.txt
that a recorded row stands for (WORD: of runs that have it in their line). A line for each count that differs otherwise
than EXPECTED says, then "N counts compared, M differ"; exit status 1 for any, or where nothing was compared.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORDED = os.path.join(ROOT, "plots", "data", "nvidia-h200")
EXPECTED = []
DYNAMIC_FIRST, DYNAMIC_STEP = 32768, 16  # patterns.h


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def simulated(command):
    """What --counters-csv says of a program: by (kernel, grid, block, shared bytes) in order, values by Nsight's name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "csv")
        env = dict(os.environ, CUDASIM_CHECK="0", CUDASIM_COUNTERS_CSV=path)
        if command[0].startswith("step"):
            command = [f"./{command[0]}/run", "--sim", "--counters-csv", path, *command[1:]]
            del env["CUDASIM_COUNTERS_CSV"]
        subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)
        kernels = []
        for row in rows_of(path):
            if not kernels or row["metric"] == "INSTRUCTIONS":  # the first of each kernel's
                kernels.append({"kernel": row["kernel"], "grid": row["grid"], "block": row["block"],
                                "launches": int(row["launches"])})
            kernels[-1][row["metric"]] = kernels[-1][row["nsight"] or row["metric"]] = float(row["value"])
        return kernels


class Comparison:
    def __init__(self):
        self.counts = self.wrong = 0

    def count(self, what, metric, ours, recorded, share=0.0):
        self.counts += 1
        if abs(ours - recorded) > share * recorded:
            self.wrong += 1
            print(f"{what}: {metric}: {ours:.0f}, recorded {recorded:.0f}")


def patterns(c, _):
    for program in "shared", "global":
        ours = {int(k["SHARED_BYTES"] - DYNAMIC_FIRST) // DYNAMIC_STEP: k
                for k in simulated(["cudasim/cudasim", f"build/tests/counted/{program}"])}
        for row in rows_of(os.path.join(RECORDED, f"patterns_{program}.csv")):
            for metric, value in row.items():
                if metric in ours[int(row["pattern"])] and value and "__" in metric:
                    c.count(f"{program} {row['pattern']} ({row['kind']}, {row['name']})", metric,
                            ours[int(row["pattern"])][metric], float(value))


def bare(kernel):
    """A kernel's name without return type, arguments and what compilers write differently in template arguments."""
    depth, at = 0, len(kernel)
    while at > 0 and kernel.endswith(")"):
        at -= 1
        depth += (kernel[at] == ")") - (kernel[at] == "(")
        if depth == 0:
            break
    return re.sub(r"\([a-z ]+\)(?=[-0-9])|\s|^void ", "", kernel[:at])


def allowed(run, kernel, metric):
    """What EXPECTED says of the count: the share that it may differ by."""
    for runs, kernels, metrics, share, _ in EXPECTED:
        if re.search(runs, run) and re.search(kernels, kernel) and re.search(metrics, metric):
            return share
    return 0.0


def shapes(c, word):
    recorded = [row for row in rows_of(os.path.join(RECORDED, "shapes.csv")) if word in row["run"]]
    for run in dict.fromkeys(row["run"] for row in recorded):
        words = run.split()
        if not words[0].startswith("step"):
            words = ["cudasim/cudasim", f"build/tests/programs/{words[0]}"]
        ours = {}
        for k in simulated(words):
            ours.setdefault((bare(k["kernel"]), k["grid"], k["block"]), k)
        for row in recorded:
            if row["run"] != run:
                continue
            k = ours.get((bare(row["kernel"]), row["grid"], row["block"]))
            if k is None:
                c.wrong += 1
                print(f"{run}: {row['kernel']} {row['grid']} {row['block']}: not in the simulator")
                continue
            for metric, value in row.items():
                if metric in k and value and "__" in metric:
                    c.count(f"{run}: {bare(row['kernel'])}", metric, k[metric] * int(row["launches"]), float(value),
                            allowed(run, row["kernel"], metric))


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what not in ("patterns", "shapes"):
        print(__doc__, file=sys.stderr)
        return 2
    c = Comparison()
    (patterns if what == "patterns" else shapes)(c, sys.argv[2] if len(sys.argv) > 2 else "")
    print(f"{c.counts} counts compared, {c.wrong} differ")
    return 1 if c.wrong or not c.counts else 0


if __name__ == "__main__":
    sys.exit(main())
