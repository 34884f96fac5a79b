"""check.py [--record]: what the lessons predict and their drawings show, counted in the simulator; see
test_lessons.sh.

counts.csv: a kernel and its options, a metric of --counters-csv ("FFMA of 2": of the second kernel; else of the last),
what it is divided by (another metric; "warp FMA": 32 FMAs; nothing), the count that this must be, and the words of the
note or drawing that say so. Lines of source with their counts, which lessons show, are recorded in docs/counted,
divided by how often a warp takes a value of k; --record writes them anew.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import counters  # noqa: E402

ROOT = counters.ROOT
LONG = "--m 1200"  # what has it takes many seconds, and is counted only with KL_TEST_ALL=1
LINES = [("docs/counted/lds128.txt", "step04_vectorized", "lds128", "--size 512", 65536)]


def make_points():
    """The equal points and queries that lesson 8.7 has the reader make."""
    for name, count in (("points", 1024), ("queries", 64)):
        with open(os.path.join(ROOT, "build", name + ".csv"), "w", encoding="utf-8") as file:
            file.write("1,0\n" * count)


def counted(step, variant, options):
    """{metric: value} of one run's last kernel, and of each by its number: "FFMA of 1"."""
    rows = counters.counted(step, "--variant", variant, *options.split())
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    values = {row["metric"]: float(row["value"]) for row in rows if row["kernel"] == kernels[-1]}
    values.update({f"{row['metric']} of {1 + kernels.index(row['kernel'])}": float(row["value"]) for row in rows})
    values["warp FMA"] = values["FFMA"] / 32
    return values


def divided(number, divisor):
    """A count as it is printed, divided, as text; nothing where there is none."""
    return "%g" % (int(number.replace(",", "")) / divisor) if number.strip() else ""


def by_line(step, variant, options, divisor):
    """The lines of a kernel's own file that access memory, with their wavefronts and bank conflicts, as text."""
    shown = subprocess.run([f"./{step}/run", "--sim", "--variant", variant, *options.split(), "--counters=lines"],
                           cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.split("\n")
    start = next(number for number, line in enumerate(shown) if line.endswith(f"/{variant}.cu"))
    ends = {name: shown[start + 1].index(name) + len(name) for name in ("sectors", "wavefronts", "conflicts")}
    lines = [f"wavefronts  conflicts  {step}/{variant}.cu: a warp, one k"]
    for line in shown[start + 2:]:
        if line.startswith("  /") or not line.strip():
            break
        wavefronts, conflicts = line[ends["sectors"]:ends["wavefronts"]], line[ends["wavefronts"]:ends["conflicts"]]
        if wavefronts.strip():
            wavefronts, conflicts = divided(wavefronts, divisor), divided(conflicts, divisor)
            lines.append(f"{wavefronts:>10}  {conflicts:>9}  {line[ends['conflicts']:].split(None, 1)[1]}")
    return "\n".join(lines) + "\n"


def plain(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return " ".join(file.read().split())


def main(record):
    runs, passed, failed = {}, 0, 0
    make_points()
    for path, *run in LINES:
        text = by_line(*run)
        if record:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            same = file.read() == text
        passed, failed = passed + same, failed + (not same)
        print("ok" if same else "FAIL", path, *([] if same else ["is not what is counted now:\n" + text]))
    for row in counters.rows_of(os.path.join(ROOT, "tests/lessons/counts.csv")):
        key = row["step"], row["variant"], row["options"]
        here = LONG not in row["options"] or os.environ.get("KL_TEST_ALL")
        if here and key not in runs:
            runs[key] = counted(*key)
        count = runs[key][row["metric"]] / (runs[key][row["per"]] if row["per"] else 1) if here else float(row["count"])
        faults = []
        if abs(count - float(row["count"])) > 0.004 * max(1e-9, float(row["count"])):
            faults.append(f"{count:.6g}, not {row['count']}")
        if row["said"] not in plain(row["note"]):
            faults.append(f"{row['note']} does not say: {row['said']}")
        passed, failed = passed + (not faults), failed + bool(faults)
        print("FAIL" if faults else "ok", row["variant"], row["metric"], *([row["per"]] if row["per"] else []),
              *faults)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


sys.exit(main(sys.argv[1:] == ["--record"]))
