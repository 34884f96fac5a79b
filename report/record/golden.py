"""What the simulator's counters are held against, from what scripts/golden.sh had Nsight Compute print: a row for each
kernel of each run. Exit status 1 where a row is missing, which is said on stderr."""

import os
import re
import sys

from report.load import Mistake
from report.record import csv_line, ncu_launches, origin, plain, read_text

ORIGIN = ["device", "cc", "driver", "cuda", "date"]
OPCODES = "sass__inst_executed_per_opcode"


def say(text):
    print(f"golden: {text}", file=sys.stderr)


def metrics_in(names, folder, what):
    """What was asked for (scripts/golden.sh wrote down as what): ncu adds facts of the device and of itself, and the
    mean and the extremes of each sum."""
    asked = "|".join(lines_of(os.path.join(folder, f"{what}.set")))
    return sorted(name for name in names if re.fullmatch(rf"({asked})\.sum", name))


def lines_of(path):
    return [line for line in read_text(path) if line]


def readable(kernel):
    """A kernel's name without the types of template arguments that ncu writes before them."""
    kernel = re.sub(r"\(bool\)([01])", lambda m: "true" if m[1] == "1" else "false", kernel)
    return re.sub(r"\((?:unsigned )?(?:int|long|char|short)\)(?=-?\d)", "", kernel)


def size(text):
    """(8, 1, 1) as 8x1x1."""
    return "x".join(re.findall(r"\d+", text))


def executed(log, run, names):
    """By launch, how often warps executed each of these machine instructions; empty where ncu does not say.

    ncu --print-metric-instances details writes "158 (BAR: 8; FFMA: 150)": a sum, and by name what it is the sum of."""
    launches = ncu_launches(log, run)[1] if os.path.exists(log) else []
    counts = {}
    for launch in launches:
        found = dict(re.findall(r"\b([A-Z][A-Z0-9_]*): *([0-9][^;)]*)", launch.get(OPCODES, "")))
        counts[launch["ID"]] = [plain(found.get(name, "0"), name, run) if found else "" for name in names]
    return counts


def shapes(arguments, root):
    if len(arguments) != 1:
        raise Mistake("usage: python3 -m report shapes FOLDER")
    rows, metrics, missing = [], [], 0
    names = lines_of(os.path.join(arguments[0], "opcodes.set"))
    for number, run in enumerate(lines_of(os.path.join(arguments[0], "runs")), 1):
        log = os.path.join(arguments[0], f"run.{number:03d}.log")
        units, launches = ncu_launches(log, run) if os.path.exists(log) else ({}, [])
        metrics = metrics or metrics_in(units, arguments[0], "shapes")
        groups, opcodes = {}, executed(log.removesuffix("log") + "opcodes", run, names)
        for launch in launches:
            key = (readable(launch["Kernel Name"]), size(launch["Grid Size"]), size(launch["Block Size"]))
            groups.setdefault(key, []).append(
                [plain(launch.get(metric, ""), metric, run) for metric in metrics] +
                opcodes.get(launch["ID"], [""] * len(names)))
        for key, all_of_it in groups.items():
            sums = ["" if "" in column else "%.15g" % sum(map(float, column)) for column in zip(*all_of_it)]
            rows.append([run, *key, len(all_of_it), *sums, *origin()])
        if not groups:
            say(f"{run}: ncu saw no launch")
            missing += 1
    print(csv_line(["run", "kernel", "grid", "block", "launches", *metrics, *(f"{OPCODES}.{name}" for name in names),
                    *ORIGIN]))
    for row in rows:
        print(csv_line(row))
    return 1 if missing else 0
