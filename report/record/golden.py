"""What the simulator is held against, from what scripts/golden.sh had Nsight Compute and compute-sanitizer print.

    python3 -m report patterns PROGRAM FOLDER   patterns_PROGRAM.csv: a row for each pattern, a column for each metric
    python3 -m report shapes FOLDER             shapes.csv: a row for each kernel of each run
    python3 -m report faults --jobs             what to run: TOOL PROGRAM KERNEL, a line each
    python3 -m report faults FOLDER             faults.csv: a row for each of these
    python3 -m report faults --table CSV        the same as a table for cudasim/tests/faulty/README.md

Exit status 1 where a row is missing, which is said on stderr.
"""

import csv
import glob
import os
import re
import sys

from report.load import Mistake
from report.record import csv_line, ncu_launches, origin, plain, read_text

ORIGIN = ["device", "cc", "driver", "cuda", "date"]
OPCODES = "sass__inst_executed_per_opcode"
DYNAMIC = "launch__shared_mem_per_block_dynamic"
DYNAMIC_FIRST, DYNAMIC_STEP = 32768, 16  # cudasim/tests/counted/patterns.h


def say(text):
    print(f"golden: {text}", file=sys.stderr)


def counted(launch, metrics, what):
    return [plain(launch.get(metric, ""), metric, what) for metric in metrics]


def metrics_in(names, folder, what):
    """What was asked for (scripts/golden.sh wrote down as what): ncu adds facts of the device and of itself, and the
    mean and the extremes of each sum."""
    asked = "|".join(lines_of(os.path.join(folder, f"{what}.set")))
    return sorted(name for name in names if re.fullmatch(rf"({asked})\.sum", name))


def lines_of(path):
    return [line for line in read_text(path) if line]


# ---- patterns ----


def patterns(arguments, root):
    if len(arguments) != 2:
        raise Mistake("usage: python3 -m report patterns PROGRAM FOLDER")
    program, folder = arguments
    launches, metrics = {}, []
    for log in sorted(glob.glob(os.path.join(folder, f"{program}.[0-9]*.log"))):
        units, found = ncu_launches(log, log)
        metrics = metrics or metrics_in(units, folder, program)
        for launch in found:
            dynamic = float(plain(launch.get(DYNAMIC, ""), DYNAMIC, log) or 0)
            launches[int(dynamic - DYNAMIC_FIRST) // DYNAMIC_STEP] = launch
    clocks = {}
    if os.path.exists(os.path.join(folder, f"{program}.clocks")):
        clocks = dict(line.split(",") for line in lines_of(os.path.join(folder, f"{program}.clocks")))
    missing = 0
    listed = [re.fullmatch(r"(\d+),(\w+),(.*),([0-9a-f]{8}),([0-9 ]+),?([0-9 ]*)", line).groups()
              for line in lines_of(os.path.join(folder, f"{program}.list"))]
    copies = any(one[-1] for one in listed)
    print(csv_line(["pattern", "kind", "name", "mask", "offsets", *(["from"] if copies else []), *metrics,
                    *(["clocks"] if clocks else []), *ORIGIN]))
    for number, kind, name, mask, offsets, sources in listed:
        missing += int(number) not in launches
        if int(number) not in launches and number not in clocks:
            continue
        values = counted(launches.get(int(number), {}), metrics, f"{program} {number}")
        print(csv_line([number, kind, name, mask, offsets, *([sources] if copies else []), *values,
                        *([clocks.get(number, "")] if clocks else []), *origin()]))
    if missing:
        say(f"{program}: {missing} patterns are missing")
    return 1 if missing else 0


# ---- shapes ----


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
                counted(launch, metrics, run) + opcodes.get(launch["ID"], [""] * len(names)))
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


# ---- faults ----

TOOL_OF = {"race": "racecheck", "no-wait": "racecheck", "uninitialised": "initcheck", "barrier": "synccheck",
           "kernel": "synccheck", "illegal instruction": "synccheck"}  # all else: memcheck
SAYS = re.compile(r"^=+ +((?:Error|Warning|Invalid|Uninitialized|Barrier|Leaked|Misaligned|Out-of|Malloc|Unused|"
                  r"Potential|Divergent|Program hit|Missing|Host API|Illegal)\b.*)")
QUIET = "ok"  # kind of kernels that have no fault
MOST_NAMES = 5  # in a cell of the table


def faults_of(root):
    """(program, kernel, {kind: lines}) of every kernel of cudasim/tests/faulty, in order."""
    for path in sorted(glob.glob(os.path.join(root, "cudasim", "tests", "faulty", "*.cu"))):
        kernels, name = {}, ""
        for number, line in enumerate(read_text(path), 1):
            found = re.search(r"__global__.*\bvoid (\w+)\(", line)
            if found:
                name = found[1]
                kernels[name] = {}
            if "// FAULT " in line:
                for kind in line.split("// FAULT ")[1].split(" and "):
                    kernels[name].setdefault(kind, []).append(number)
        program = os.path.basename(path)[:-3]
        if program == "leak":
            yield program, "-", {"leak": []}
            continue
        for name, kinds in kernels.items():
            if kinds or name.startswith("ok_"):
                yield program, name, kinds


def jobs_of(root):
    for program, name, kinds in faults_of(root):
        if not kinds:
            yield "racecheck", program, name, QUIET, []
        for kind, lines in kinds.items():
            yield TOOL_OF.get(kind, "memcheck"), program, name, kind, lines


def said(text):
    """The first finding, without what differs from run to run."""
    for line in text:
        found = SAYS.match(line)
        if found and not found[1].startswith("Program hit"):
            return re.sub(r"0x[0-9a-f]+", "0x...", found[1]).split(" at ")[0].strip()
    return ""


def table(path, root):
    """By kind and tool: how many kernels there are, how many of them agree, which do not, how many are not recorded."""
    rows = list(csv.DictReader(read_text(path)))
    if not rows:
        raise Mistake(f"{path} has no rows")
    agrees = {tuple(row[k] for k in ("tool", "program", "kernel", "fault")): row["agrees"] == "yes" for row in rows}
    groups = {}
    for tool, program, name, kind, _ in jobs_of(root):
        groups.setdefault((kind, tool), []).append((name, agrees.get((tool, program, name, kind))))
    yield "| fault | tool | kernels | agrees | not of | not recorded |"
    yield "|---|---|--:|--:|---|--:|"
    for (fault, tool), those in sorted(groups.items()):
        said_by = [agreed for _, agreed in those]
        others = [f"`{name}`" for name, agreed in those if agreed is False]
        others = ", ".join(others) if len(others) <= MOST_NAMES else f"{len(others)} kernels"
        missing = said_by.count(None)
        agree = said_by.count(True) if missing < len(those) else "–"
        yield (f"| {'none' if fault == QUIET else fault} | {tool} | {len(those)} | {agree} | {others} |"
               f" {missing or ''} |")
    yield ""
    yield "<sub>{device}, driver {driver}, CUDA {cuda}, {date}</sub>".format(**rows[0])


def faults(arguments, root):
    if arguments[:1] == ["--table"] and len(arguments) == 2:
        print("\n".join(table(arguments[1], root)))
        return 0
    if arguments == ["--jobs"]:
        print("\n".join(sorted({" ".join(job[:3]) for job in jobs_of(root)})))
        return 0
    if len(arguments) != 1:
        raise Mistake("usage: python3 -m report faults --jobs | --table CSV | FOLDER")
    print(csv_line(["program", "kernel", "fault", "tool", "agrees", "line", "message", *ORIGIN]))
    missing = 0
    for tool, program, name, kind, lines in jobs_of(root):
        log = os.path.join(arguments[0], f"fault.{program}.{name}.{tool}.log")
        text = read_text(log) if os.path.exists(log) else []
        ended = any("SUMMARY" in line for line in text)
        if not text:
            missing += 1
            continue
        message = said(text) or ("" if ended else next((t for t in reversed(text) if t), ""))
        found = bool(said(text)) and any("SUMMARY" in t and not re.search(r"SUMMARY: 0 (errors|hazards)", t) for t
                                         in text)
        at = any(f"{program}.cu:{line}" in t for line in lines for t in text)
        agrees = not found and ended if kind == QUIET else found
        print(csv_line([program, name, kind, tool, "yes" if agrees else "no", "yes" if at else "no" if lines else "",
                        message, *origin()]))
    if missing:
        say(f"{missing} runs of compute-sanitizer are missing")
    return 1 if missing else 0
