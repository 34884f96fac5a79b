"""compare.py: the simulator's counts of single accesses against what tests/golden.py recorded on an H200.

Every pattern of shared.cu, copies.cu and global.cu; all but wavefronts of copies must be equal. A line for each count
that differs, then "N counts compared, N equal, N differ"; exit status 1 for any, or where nothing was compared.
"""

import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORDED = os.path.join(ROOT, "tests", "counted", "nvidia-h200")
COPIES = {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum": 0.67}  # tests/test_banks.c says how often
DYNAMIC_FIRST, DYNAMIC_STEP = 32768, 16  # patterns.h


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def simulated(program):
    """What --counters-csv says of a program's patterns: by number, values by Nsight's name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "csv")
        subprocess.run(["./cudasim", "--no-check", "--counters-csv", path, f"build/tests/counted/{program}"], cwd=ROOT,
                       check=True, stdout=subprocess.DEVNULL)
        kernels = []
        for row in rows_of(path):
            if row["metric"] == "INSTRUCTIONS":  # the first of each kernel's
                kernels.append({})
            kernels[-1][row["nsight"] or row["metric"]] = float(row["value"])
    return {int(k["SHARED_BYTES"] - DYNAMIC_FIRST) // DYNAMIC_STEP: k for k in kernels}


def main():
    counts = equal = wrong = 0
    for program in "shared", "copies", "global":
        ours = simulated(program)
        for row in rows_of(os.path.join(RECORDED, f"patterns_{program}.csv")):
            found = ours[int(row["pattern"])]
            for metric in row.keys() & found.keys():
                if not row[metric] or "__" not in metric:
                    continue
                recorded = float(row[metric])
                counts += 1
                equal += found[metric] == recorded
                if abs(found[metric] - recorded) > COPIES.get(metric, 0) * recorded:
                    wrong += 1
                    print(f"{program} {row['pattern']} ({row['kind']}, {row['name']}): {metric}: {found[metric]:.0f},"
                          f" recorded {recorded:.0f}")
    print(f"{counts} counts compared, {equal} equal, {wrong} differ")
    return 1 if wrong or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
