"""predict_check.py [--markdown] [--record] [--group NAME] [DEVICE...]: holds predicted times against recorded ones.

Runs the rungs of steps 1 to 5 (square), 6, 7 and 9 with --predict, and compares with the medians recorded in
plots/data/DEVICE (default: nvidia-h200); those of step 6 at the clock that was measured with them, since power holds
their GPU back. A predicted time is that of a launch in a graph. Where a row is of single launches between two events,
what these take longer is added: the median of step 7's kernels at 1024, which are recorded both ways. Prints the signed
error of each rung, and for each size the mean and largest error and the pairs of rungs, more than 5 % apart, that are
in the right order. --record writes the predicted times of sgemm to docs/counted/predicted.csv, from which lesson 5.9's
drawing is made. Exit status 1 where a size is out of the model's reach, 2 without nvdisasm."""

import argparse
import collections
import csv
import glob
import itertools
import os
import statistics
import subprocess
import sys
import tempfile

Group = collections.namedtuple("Group", "name file steps sizes options row reach folders", defaults=[None])
PLAIN = {"alpha": "1", "beta": "0", "cache": "cold"}
GROUPS = [  # reach: largest mean error in percent, on the H200 and on others, for sizes from 1024 on, and layers;
    # folders: only their rungs, each at the clock that was measured with it
    Group("sgemm", "sgemm.csv", ["step01", "step02", "step03", "step04", "step05"], [512, 1024, 2048, 4096],
          ["--size {0}"], {**PLAIN, "op": "gemm", "layout": "nn"}, (10, 12)),
    *(Group(name, "tensorcore.csv", ["step06"], [4096, 8192], ["--size {0}"],
            {**PLAIN, "dtype": "f16", "layout": "tn"}, reach, f"step06/[{letters}]_*")
      for name, reach, letters in [("mma.sync", (20, 20), "abc"), ("wgmma", (25, 25), "de")]),
    Group("gemv", "gemv.csv", ["step07"], [4096], ["--n {0}", "--k {0}"],
          {**PLAIN, "op": "gemv", "dtype": "f16", "mode": "graph"}, (15, 15)),
    *(Group(f"conv {n}x{c}x{h}x{h} {r}x{r}", "conv.csv", ["step09"], [c],
            [f"--n {n} --c {c} --h {h} --r {r}", "--k {0}"],
            {**PLAIN, "op": "conv", "dtype": "f32", "layout": f"nchw {n}x{c}x{h}x{h} {r}x{r} s1 p{r // 2} d1"},
            (15, 15))
      for n, c, h, r in [(64, 64, 56, 3), (64, 256, 14, 3), (1, 64, 56, 3), (64, 64, 56, 1)]),
]
LARGEST, APART, ORDERED = 30, 5, 95  # percent
SAID = set()


def rows_of(device, file):
    with open(os.path.join("plots", "data", device, file), encoding="utf-8", newline="") as rows:
        yield from csv.DictReader(rows)


def events_cost(device):
    """Milliseconds that a launch between two events takes longer than in a graph; 0 where nobody has recorded it."""
    both = collections.defaultdict(dict)
    if os.path.exists(os.path.join("plots", "data", device, "gemv.csv")):
        for row in rows_of(device, "gemv.csv"):
            if row["op"] == "gemv" and row["n"] == row["k"] == "1024" and row["cache"] == "cold":
                both[row["variant"], row["dtype"], row["date"]][row["mode"]] = float(row["ms_median"])
    return statistics.median([t["events"] - t["graph"] for t in both.values() if {"events", "graph"} <= set(t)] or [0])


def recorded(device, group):
    """{(step, rung, size): milliseconds}, the clock in MHz, and what was added by events"""
    times, clocks, added = {}, {}, {}
    cost = {"graph": 0, "events": events_cost(device)}
    with open(os.path.join("plots", "changes.csv"), encoding="utf-8", newline="") as file:
        changed = {(row["step"], row["variant"]): row["date"] for row in csv.DictReader(file)}
    for row in rows_of(device, group.file):
        if row["date"] < changed.get((row["step"], row["variant"]), ""):
            continue  # of an older kernel
        fits = row["op"] == "conv" or (row["n"] == row["k"] and row["m"] in (row["n"], "", "1"))
        if fits and row["mode"] in cost and all(row[name] == value for name, value in group.row.items()):
            key = row["step"], row["variant"], int(row["n"])
            times[key], clocks[key], added[key] = float(row["ms_median"]), row["clock_mhz"], cost[row["mode"]]
    return times, clocks, added


def at_clock(device, clock, folder):
    """The device's file of ceilings with another clock: L2 and DRAM keep their bytes a second."""
    path = os.path.join(folder, "ceilings.csv")
    with open(os.path.join("cudasim", "devices", device + ".csv"), encoding="utf-8") as file, \
            open(path, "w", encoding="utf-8") as to:
        to.writelines(f"clock,{clock},MHz\n" if line.startswith("clock,") else line for line in file)
    return path


def run(step, options, ceilings, path):
    """{(step, rung): milliseconds} of one call. What it complains of is printed once."""
    done = subprocess.run([f"./{step}/run", "--predict", *options, "--csv", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, env=dict(os.environ, CUDASIM_CEILINGS=ceilings),
                          check=False)
    if "nvdisasm is missing" in done.stderr:
        print("predict-check: nvdisasm is missing, or cannot read the kernels: make deps WHEELS=1 brings it (or: pip"
              " install nvidia-cuda-nvdisasm, and CUDASIM_NVDISASM=its path)", file=sys.stderr)
        sys.exit(2)
    for line in done.stderr.splitlines():
        if line not in SAID:
            print(line, file=sys.stderr)
            SAID.add(line)
    if done.returncode:
        sys.exit(f"{step}/run --predict {' '.join(options)}: exit status {done.returncode}")
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["step"], row["variant"]): float(row["ms_median"])
                for row in csv.DictReader(file) if row["ms_median"]}


def predicted(device, group, clocks):
    """The same, of what the model reaches."""
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for step, size in itertools.product(group.steps, group.sizes):
            path = os.path.join(folder, f"{step}.{size}.csv")
            options = " ".join(group.options).format(size).split()
            found = run(step, options, device, path)
            if group.folders is not None:
                found = {rung: run(step, [*options, "--variant", rung[1]],
                                   at_clock(device, clocks[(*rung, size)], folder), path + rung[1])[rung]
                         for rung in found if (*rung, size) in clocks
                         and glob.glob(os.path.join(group.folders, rung[1] + ".cu"))}
            times.update({(*rung, size): ms for rung, ms in found.items()})
    return times


def order(pairs):
    """How many pairs of rungs that are measurably apart the model has in order, and how many there are."""
    right = apart = 0
    for (measured, guess), (other, other_guess) in itertools.combinations(pairs, 2):
        if abs(measured / other - 1) * 100 > APART:
            apart += 1
            right += (guess > other_guess) == (measured > other)
    return right, apart


def print_row(name, cells, markdown):
    left, between, right = ("| ", " | ", " |") if markdown else ("", "  ", "")
    print(left + between.join([name, *cells] if markdown else [name.ljust(30), *(c.rjust(9) for c in cells)]) + right)


def compare(device, group, markdown, records):
    """Prints the table; False where the model is out of its reach."""
    known, clocks, added = recorded(device, group)
    guessed = {key: ms + added.get(key, 0) for key, ms in predicted(device, group, clocks).items()}
    if records and group.name == "sgemm":
        with open("docs/counted/predicted.csv", "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["step", "variant", "size", "ms"])
            rows.writerows([*key, f"{ms:.6g}"] for key, ms in guessed.items())
    what = "time" if group.folders is None else "at its clock"
    print_row(f"{device}, {group.name}, {what}", map(str, group.sizes), markdown)
    if markdown:
        print("|---" * (1 + len(group.sizes)) + "|")
    for step, name in dict.fromkeys((step, name) for step, name, n in guessed if (step, name, n) in known):
        cells = []
        for n in group.sizes:
            both = (step, name, n) in known and (step, name, n) in guessed
            cells.append(f"{100 * (guessed[step, name, n] / known[step, name, n] - 1):+.1f}" if both else "-")
        print_row(f"{step[:6]} {name}", cells, markdown)
    good, lines = True, {"mean": [], "largest": [], "pairs in order": []}
    for n in group.sizes:
        pairs = [(known[key], guessed[key]) for key in guessed if key[2] == n and key in known]
        errors = [100 * abs(guess / measured - 1) for measured, guess in pairs]
        in_order, apart = order(pairs)
        mean, largest = (sum(errors) / len(errors), max(errors)) if errors else (None, None)
        lines["mean"].append("-" if mean is None else f"{mean:.1f}")
        lines["largest"].append("-" if mean is None else f"{largest:.1f}")
        lines["pairs in order"].append(f"{in_order}/{apart}" if apart else "-")
        if (n >= 1024 or group.name != "sgemm") and any(key[2] == n for key in known):
            good = good and mean is not None and mean <= group.reach[device != "nvidia-h200"]
            good = good and (largest or 0) <= LARGEST
            good = good and (group.name != "sgemm" or 100 * in_order >= ORDERED * apart)
    for name, cells in lines.items():
        print_row(name, cells, markdown)
    print(flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", action="store_true", help="tables for cudasim/docs/predict.md")
    parser.add_argument("--record", action="store_true", help="keep the predicted times")
    parser.add_argument("--group", choices=[g.name for g in GROUPS], action="append", help="only this one")
    parser.add_argument("device", nargs="*", default=["nvidia-h200"])
    arguments = parser.parse_args()
    groups = [g for g in GROUPS if arguments.group is None or g.name in arguments.group]
    good = [compare(device, g, arguments.markdown, arguments.record) for device in arguments.device for g in groups
            if os.path.exists(os.path.join("plots", "data", device, g.file))]
    if not all(good):
        sys.exit(f"out of reach: a mean error above what is promised, a rung beyond {LARGEST} %, or less than"
                 f" {ORDERED} % of the pairs in order")


if __name__ == "__main__":
    main()
