"""check.py: what the lessons predict and their drawings show, counted in the simulator; see ../test_lessons.sh.

counts.csv: a kernel and its options, a metric of --counters-csv, what it is divided by (another metric; "warp FMA": 32 FMAs;
nothing), the count that this must be, and the words of the note or drawing that say so.
"""

import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def counted(step, variant, options):
    """{metric: value} of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counters.csv")
        subprocess.run([f"./{step}/run", "--sim", "--variant", variant, *options.split(), "--counters-csv", path],
                       cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            values = {row["metric"]: float(row["value"]) for row in csv.DictReader(file)}
    values["warp FMA"] = values["FFMA"] / 32
    return values


def plain(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return " ".join(file.read().split())


def main():
    runs, passed, failed = {}, 0, 0
    with open(os.path.join(ROOT, "tests/lessons/counts.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["step"], row["variant"], row["options"]
            if key not in runs:
                runs[key] = counted(*key)
            count = runs[key][row["metric"]] / (runs[key][row["per"]] if row["per"] else 1)
            faults = []
            if abs(count - float(row["count"])) > 0.004 * max(1e-9, float(row["count"])):
                faults.append(f"{count:.6g}, not {row['count']}")
            if row["said"] not in plain(row["note"]):
                faults.append(f"{row['note']} does not say: {row['said']}")
            passed, failed = passed + (not faults), failed + bool(faults)
            print("FAIL" if faults else "ok", row["variant"], row["metric"], *([row["per"]] if row["per"] else []), *faults)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


sys.exit(main())
