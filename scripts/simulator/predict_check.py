"""predict_check.py [--markdown] [--sizes N,N,...] [DEVICE...]: holds predicted times against recorded ones.

Runs every rung of steps 1 to 5 at each size with --predict, and compares with the medians of
plots/data/DEVICE/sgemm.csv (default: nvidia-h200). Prints the signed error of each rung, and for each size the mean and
largest error and the pairs of rungs, more than 5 % apart, that are in the right order. Exit status 1 where a size is
out of the model's reach."""

import argparse
import csv
import itertools
import os
import subprocess
import sys
import tempfile

STEPS = ["step01", "step02", "step03", "step04", "step05"]
SIZES = [512, 1024, 2048, 4096]
PROMISED = [1024, 2048, 4096]
REACH = {"nvidia-h200": 10, "nvidia-h100": 12}  # percent, mean
LARGEST, APART, ORDERED = 30, 5, 95  # percent
NAMES = {"nvidia-h100": "H100", "nvidia-h200": "H200"}


def recorded(device):
    """{(rung, size): milliseconds}"""
    times = {}
    with open(os.path.join("plots", "changes.csv"), encoding="utf-8", newline="") as file:
        changed = {(row["step"], row["variant"]): row["date"] for row in csv.DictReader(file)}
    with open(os.path.join("plots", "data", device, "sgemm.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["date"] < changed.get((row["step"], row["variant"]), ""):
                continue  # of an older kernel
            how = tuple(row[c] for c in ("op", "layout", "alpha", "beta", "cache"))
            square = row["m"] == row["n"] == row["k"] and row["mode"] in ("events", "graph")
            if square and how == ("gemm", "nn", "1", "0", "cold"):
                times[row["step"], row["variant"], int(row["m"])] = float(row["ms_median"])
    return times


def predicted(device, sizes):
    """The same, of what the model reaches."""
    times = {}
    env = dict(os.environ, CUDASIM_CEILINGS=device)
    with tempfile.TemporaryDirectory() as folder:
        for step, size in itertools.product(STEPS, sizes):
            path = os.path.join(folder, f"{step}.{size}.csv")
            done = subprocess.run([f"./{step}/run", "--predict", "--size", str(size), "--csv", path], env=env,
                                  stdout=subprocess.DEVNULL, check=False)
            if done.returncode:
                sys.exit(f"{step}/run --predict --size {size}: exit status {done.returncode}")
            with open(path, encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    if row["ms_median"]:
                        times[row["step"], row["variant"], size] = float(row["ms_median"])
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
    print(left + between.join([name.ljust(30), *(c.rjust(9) for c in cells)]) + right)


def compare(device, sizes, markdown):
    """Prints the table; False where the model is out of its reach."""
    known, guessed = recorded(device), predicted(device, sizes)
    rungs = list(dict.fromkeys((step, name) for step, name, _ in guessed))
    print_row(f"{NAMES[device]}: error, %", map(str, sizes), markdown)
    if markdown:
        print("|---" * (1 + len(sizes)) + "|")
    for step, name in rungs:
        cells = []
        for n in sizes:
            both = (step, name, n) in known and (step, name, n) in guessed
            cells.append(f"{100 * (guessed[step, name, n] / known[step, name, n] - 1):+.1f}" if both else "-")
        print_row(f"{step[:6]} {name}", cells, markdown)
    good, lines = True, {"mean": [], "largest": [], "pairs in order": []}
    for n in sizes:
        pairs = [(known[key], guessed[key]) for key in guessed if key[2] == n and key in known]
        errors = [100 * abs(guess / measured - 1) for measured, guess in pairs]
        in_order, apart = order(pairs)
        mean, largest = sum(errors) / len(errors), max(errors)
        lines["mean"].append(f"{mean:.1f}")
        lines["largest"].append(f"{largest:.1f}")
        lines["pairs in order"].append(f"{in_order}/{apart}")
        if n in PROMISED:
            good = good and mean <= REACH[device] and largest <= LARGEST and 100 * in_order >= ORDERED * apart
    for name, cells in lines.items():
        print_row(name, cells, markdown)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", action="store_true", help="a table for docs/predict.md")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("device", nargs="*", default=["nvidia-h200"])
    arguments = parser.parse_args()
    sizes = [int(n) for n in arguments.sizes.split(",")]
    good = [compare(device, sizes, arguments.markdown) for device in arguments.device]
    if not all(good):
        sys.exit(f"out of reach: a mean error above {REACH['nvidia-h200']} % (H100 {REACH['nvidia-h100']} %), a rung"
                 f" beyond {LARGEST} %, or less than {ORDERED} % of the pairs in order")


if __name__ == "__main__":
    main()
