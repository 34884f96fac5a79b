"""golden.py [patterns] [faults]: records on this GPU what the simulator is held against (default: both).

patterns    tests/counted/GPU/patterns_{shared,copies,global,lines}.csv: what Nsight Compute counts of single accesses,
            a row for each pattern of tests/counted/*.cu
faults      tests/faulty/GPU/faults.csv: does compute-sanitizer find the faults of tests/faulty?

golden.py --table CSV    faults.csv as the table in tests/faulty/README.md

What the tools printed stays in build/golden. Sets no clocks. Exit status: 0, 1 where something is missing from what was
recorded, 2 for a wrong argument or without a tool, 3 without a GPU.
"""

import concurrent.futures
import csv
import datetime
import glob
import io
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join("build", "golden")
ORIGIN = ["device", "cc", "driver", "cuda", "date"]
DYNAMIC = "launch__shared_mem_per_block_dynamic"
DYNAMIC_FIRST, DYNAMIC_STEP = 32768, 16  # tests/counted/patterns.h
PATTERNS_AT_ONCE = 60
# Nsight Compute's metrics, without .sum, as expressions; some exist on some GPUs only. A pass over a kernel: 20 ms.
WAVEFRONTS = r"l1tex__data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared_op_(ld|st|atom)"
COPIES = r"sm__sass_l1tex_data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared_op_ldgsts"
METRICS = {"shared": rf"{WAVEFRONTS}|{COPIES}",
           "copies": COPIES,
           "global": r"l1tex__t_(requests|sectors)_pipe_lsu_mem_global_op_(ld|st|red|atom)|"
                     r"sm__sass_l1tex_t_(requests|sectors)_pipe_lsu_mem_global_op_ldgsts",
           "lines": r"l1tex__t_(set_conflicts|output_wavefronts)_pipe_lsu_mem_global_op_ld|"
                    r"l1tex__data_bank_conflicts_pipe_lsu"}
TOOL_OF = {"race": "racecheck", "no-wait": "racecheck", "uninitialised": "initcheck", "barrier": "synccheck",
           "kernel": "synccheck", "illegal instruction": "synccheck"}  # all else: memcheck
SAYS = re.compile(r"^=+ +((?:Error|Warning|Invalid|Uninitialized|Barrier|Leaked|Misaligned|Out-of|Malloc|Unused|"
                  r"Potential|Divergent|Program hit|Missing|Host API|Illegal)\b.*)")
QUIET = "ok"  # kind of kernels that have no fault
MOST_NAMES = 5  # in a cell of the table


def stop(status, text):
    print(f"golden: {text}", file=sys.stderr)
    sys.exit(status)


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return [line.rstrip("\r") for line in file.read().split("\n")]


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    return done.stdout


def write_csv(path, header, rows, origin):
    """Replaces the file where there are rows."""
    if not rows:
        return
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header + ORIGIN] + [row + origin for row in rows])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        file.write(text.getvalue())
    os.replace(path + ".new", path)


def each(count, function, jobs):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        list(pool.map(lambda job: function(*job), jobs))


# ---- patterns ----


def launches_in(log):
    """What ncu --csv --page raw --print-units base wrote: the names, and of each launch the values by name. It prints a
    row of names, a row of units and a row a launch, between lines of its own that start with ==."""
    rows = []
    for line in read_lines(log):
        if line.startswith("==") or not line or not rows and not line.startswith('"ID",'):
            continue
        rows.append(next(csv.reader([line])))
        if len(rows[-1]) != len(rows[0]):
            stop(1, f"{log}: ncu's rows differ in length: {len(rows[0])} and {len(rows[-1])} fields")
    return (rows[0], [dict(zip(rows[0], row)) for row in rows[2:]]) if len(rows) > 1 else ([], [])


def plain(text):
    """A number of ncu's without thousands separators; "" where this GPU does not count it."""
    text = text.replace(",", "")
    return "" if re.fullmatch(r"(-?(n/a|nan|inf)?( .*)?)", text.lower()) else text


def count(name, metrics, *command):
    log = os.path.join(WORK, name + ".log")
    said = output_of("timeout", "200", "ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page",
                     "raw", "--print-units", "base", "--metrics", ",".join(metrics + [DYNAMIC]), "--log-file", log,
                     *command)
    if not launches_in(log)[1]:
        error = next((line for line in read_lines(log) + said.split("\n") if "==ERROR==" in line), "it says nothing")
        print(f"golden: {name}: ncu failed: {error}", file=sys.stderr)


def patterns(folder, origin):
    known = re.findall(r"^([a-z0-9]*__[a-z0-9_]*) ", output_of("ncu", "--query-metrics"), re.M)
    missing = 0
    for program, expression in METRICS.items():
        path = os.path.join("build", "tests", "counted", program)
        metrics = sorted(name + ".sum" for name in set(known) if re.fullmatch(expression, name))
        listed = [re.fullmatch(r"(\d+),(\w+),(.*),([0-9a-f]{8}),([0-9 ]+),?([0-9 ]*)", line).groups()
                  for line in output_of(path, "--list").split("\n") if line]
        clocks = dict(line.split(",") for line in output_of(path).split("\n") if line) if program == "lines" else {}
        logs = [f"{program}.{first:03d}" for first in range(0, len(listed), PATTERNS_AT_ONCE)]
        for log in glob.glob(os.path.join(WORK, program + ".*.log")):
            os.remove(log)
        each(5, count, [(log, metrics, path, log.split(".")[1], str(int(log.split(".")[1]) + PATTERNS_AT_ONCE))
                        for log in logs])
        counted, named = {}, []
        for log in logs:
            names, launches = launches_in(os.path.join(WORK, log + ".log"))
            named = named or sorted(name for name in names if re.fullmatch(rf"({expression})\.sum", name))
            for launch in launches:
                counted[(int(plain(launch[DYNAMIC])) - DYNAMIC_FIRST) // DYNAMIC_STEP] = launch
        if not counted:
            stop(1, "ncu reads no counters here")
        copies, rows = any(one[-1] for one in listed), []
        for number, kind, name, mask, offsets, sources in listed:
            if int(number) not in counted:
                missing += 1
                print(f"golden: {program}: pattern {number} is missing", file=sys.stderr)
                if number not in clocks:
                    continue
            launch = counted.get(int(number), {})
            rows.append([number, kind, name, mask, offsets, *([sources] if copies else []),
                         *(plain(launch.get(metric, "")) for metric in named),
                         *([clocks.get(number, "")] if clocks else [])])
        write_csv(os.path.join("tests", "counted", folder, f"patterns_{program}.csv"),
                  ["pattern", "kind", "name", "mask", "offsets", *(["from"] if copies else []), *named,
                   *(["clocks"] if clocks else [])], rows, origin)
    return missing


# ---- faults ----


def faults_of():
    """(program, kernel, {kind: lines}) of every kernel of tests/faulty, in order."""
    for path in sorted(glob.glob(os.path.join("tests", "faulty", "*.cu"))):
        kernels, name = {}, ""
        for number, line in enumerate(read_lines(path), 1):
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


def jobs():
    for program, name, kinds in faults_of():
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


def log_of(tool, program, name):
    return os.path.join(WORK, f"fault.{program}.{name}.{tool}.log")


def judge(tool, program, name):
    text = output_of("timeout", "-k", "2", "10", "compute-sanitizer", "--tool", tool,
                     *(["--leak-check", "full"] if tool == "memcheck" else []), "--error-exitcode", "9",
                     "--print-limit", "3", os.path.join("build", "tests", "faulty", program),
                     *([] if name == "-" else [name]))
    with open(log_of(tool, program, name), "w", encoding="utf-8") as file:
        file.write(text)


def faults(folder, origin):
    each(8, judge, sorted({job[:3] for job in jobs()}))
    rows, missing = [], 0
    for tool, program, name, kind, lines in jobs():
        text = read_lines(log_of(tool, program, name))
        ended = any("SUMMARY" in line for line in text)
        if not any(text):
            missing += 1
            print(f"golden: {tool} of {program} {name} is missing", file=sys.stderr)
            continue
        message = said(text) or ("" if ended else next((line for line in reversed(text) if line), ""))
        found = bool(said(text)) and any("SUMMARY" in t and not re.search(r"SUMMARY: 0 (errors|hazards)", t)
                                         for t in text)
        at = any(f"{program}.cu:{line}" in t for line in lines for t in text)
        agrees = not found and ended if kind == QUIET else found
        rows.append([program, name, kind, tool, "yes" if agrees else "no",
                     "yes" if at else "no" if lines else "", message])
    write_csv(os.path.join("tests", "faulty", folder, "faults.csv"),
              ["program", "kernel", "fault", "tool", "agrees", "line", "message"], rows, origin)
    return missing


def table(path):
    """By kind and tool: how many kernels there are, how many of them agree, which do not, how many are not recorded."""
    rows = list(csv.DictReader(read_lines(path)))
    if not rows:
        stop(2, f"{path} has no rows")
    agrees = {tuple(row[k] for k in ("tool", "program", "kernel", "fault")): row["agrees"] == "yes" for row in rows}
    groups = {}
    for tool, program, name, kind, _ in jobs():
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


def main(arguments):
    os.chdir(ROOT)
    if arguments[:1] == ["--table"] and len(arguments) == 2:
        print("\n".join(table(arguments[1])))
        return 0
    parts = arguments or ["patterns", "faults"]
    for part in parts:
        if part not in ("patterns", "faults"):
            stop(2, f"there is no part '{part}'")
    query = ["nvidia-smi", "--format=csv,noheader", "--query-gpu=name,compute_cap,driver_version"]
    gpu = shutil.which("nvidia-smi") and subprocess.run(query, capture_output=True, text=True)
    if not gpu or gpu.returncode:
        stop(3, "no GPU here (nvidia-smi lists none)")
    for tool in "ncu", "compute-sanitizer":
        if not shutil.which(tool):
            stop(2, f"{tool} is missing on PATH; it comes with the CUDA Toolkit")
    cuda = next((line.split(" := ")[1] for line in read_lines("build/toolkit.mk")
                 if line.startswith("CUDA_VERSION")), "")
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    origin = [*gpu.stdout.split("\n")[0].split(", "), cuda, today]
    folder = re.sub("[^a-z0-9]+", "-", origin[0].lower()).strip("-")
    os.makedirs(WORK, exist_ok=True)
    missing = sum({"patterns": patterns, "faults": faults}[part](folder, origin) for part in parts)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
