"""ex_check.py MY WORK NAME...: runs the copies MY/NAME of exercises, which are built, and says what each still lacks.

On a GPU its time stands beside the step's. What came of it, and the least counters of solutions that reach all goals,
is kept in MY/NAME/state. WORK is an empty folder. Exit status: 0 all done, 1 not yet, 2 a state cannot be written.
"""

import os
import re
import shutil
import subprocess
import sys

from report.csvs import goals_of, rows
from report.exercises import told as exercise

HERE = os.getcwd() + os.sep
SIMULATOR = {"CUDASIM_WATCHDOG": "10", **os.environ, "CUDASIM_LIB": HERE + "cudasim/build/libcudart.so.13",
             "PATH": os.environ["PATH"] + os.pathsep + HERE + "build/cuda/bin"}
WRONG = re.compile(r"WRONG RESULT|neighbours are not among")
TOLD = re.compile(r"^cudasim: \d* finding", re.M)


def run(command, **options):
    """Exit status, 128 and more where a signal ended it, and what it said."""
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           check=False, **options)
    said = ended.stdout.decode("utf-8", "replace")
    return ended.returncode if ended.returncode >= 0 else 128 - ended.returncode, said


def simulated(program, told, counters):
    """Exit status of the first run that does not end with 0, its options where it is not the first run, what it said
    with paths as they are seen from here."""
    status, at, said = 0, "", ""
    for number, options in enumerate(told.get("run", [])):
        counted = [] if number else ["--counters-csv", counters]
        status, said = run([program, "--sim", *options.split(), *counted], env=SIMULATOR)
        at = f", with {options}" if number else ""
        if status != 0:
            break
    return status, at, said.replace(HERE, "")


def wrong_first(said):
    """What a run says of its wrong result, up to the first wrong element."""
    for line in said.splitlines():
        if line.startswith("  first"):
            yield "    " + line
            break
        if line.startswith("exercise: "):
            yield "    " + line[len("exercise: "):]
        elif re.match(r"exercise +\d* of .* neighbours", line):
            yield "    " + re.sub(r"^exercise +", "", line)
    if re.search(r"^  first.*got nan", said, re.M):
        yield "      (nan: C begins so, and so do the words around A and B)"


def result(status, at, said):
    """Lines on the result, and whether it is right."""
    if status == 0:
        return ["result    right"], True
    if WRONG.search(said):
        return [f"result    WRONG{at}", *wrong_first(said)], False
    if status == 1 and TOLD.search(said):
        return ["result    right, this time"], True
    why = re.findall(r"^exercise exercise, .*: ([^:]*\(cuda[A-Za-z]*\))", said, re.M)
    return [f"result    STOPPED (exit status {status}){at}", *("    " + one for one in why)], False


def findings(said):
    """The first two, and how many there are."""
    number = 0
    for line in said.splitlines():
        if "inlined from common/" in line:
            continue
        if TOLD.match(line):
            yield "    " + line[len("cudasim: "):]
        elif line.startswith("cudasim: "):
            number += 1
            if number <= 2:
                yield "    " + line[len("cudasim: "):]
        elif line.startswith("    ") and number in (1, 2):
            yield "  " + line


def without(program, told):
    """A line for each pattern that the kernel's PTX should have and has not (ptx=PATTERN | WHAT THAT MEANS), or has and
    should not have (ptx=!PATTERN | ...)."""
    for one in told.get("ptx", []):
        pattern, _, words = one.partition("|")
        pattern = pattern.removesuffix(" ")
        has = run(["grep", "-aEq", "-e", pattern.removeprefix("!"), program])[0] == 0
        if has == pattern.startswith("!"):
            yield f"kernel   {words}"


def median(program, options, work, environment=None):
    """Exit status, what it said, the milliseconds of the kernel on the GPU (or predicted) or nothing."""
    file = os.path.join(work, "time.csv")
    if os.path.exists(file):
        os.remove(file)
    status, said = run(["timeout", "120", program, *options, "--no-baseline", "--csv", file], env=environment)
    times = rows(file) if status == 0 and os.path.exists(file) else []
    return status, said, "%.4g" % float(times[0]["ms_median"]) if times and times[0]["ms_median"] else ""


def predicted(program, told, work):
    """A line on about how long the reader's kernel, and the step's if that is built, would take; at a size that is soon
    predicted. None where the model does not reach the reader's."""
    if shutil.which(os.environ.get("CUDASIM_NVDISASM", "nvdisasm"), path=SIMULATOR["PATH"]) is None:
        return []
    step, variant = told["step"][0].split(" ", 1)
    options = ["--predict", *told["gpu"][0].replace("4096", "1024").split()]
    mine, theirs = median(program, options, work, SIMULATOR)[2], ""
    if not mine:
        return []
    if os.path.exists(f"{step}/run"):
        theirs = median(f"{step}/run", ["--variant", variant, *options], work, SIMULATOR)[2]
    line = f"time      about {mine} ms on an H200, +-15 % ({' '.join(options)})"
    return [line + (f"; {step} {variant} about {theirs} ms" if theirs else "")]


def timed(program, told, work):
    """Lines on the time of the reader's kernel on a GPU, and of the step's; false if it is wrong there. Without a GPU
    they are predicted."""
    gpu, rung = told.get("gpu", [""])[0], told.get("step", [""])[0]
    try:
        here = re.search(r"^GPU ", run(["nvidia-smi", "-L"])[1], re.M)
    except OSError:
        here = None
    if not (here and gpu and rung):
        return predicted(program, told, work) if gpu and rung else [], True
    status, said, mine = median(program, gpu.split(), work)
    if status == 1:
        return [f"time      WRONG on the GPU, with {gpu}", *wrong_first(said)], False
    if status == 124:
        said += "it still ran after 120 s\n"
    step, variant = rung.split(" ", 1)
    if not os.path.exists(f"{step}/run"):
        print(f"ex: builds {step}, whose time stands beside yours", file=sys.stderr)
    theirs = ""
    if mine:
        status, said = run(["make", "--no-print-directory", f"-j{os.cpu_count()}", step],
                           env={**os.environ, "MAKEFLAGS": ""})
        if status == 0:
            _, said, theirs = median(f"{step}/run", ["--variant", variant, *gpu.split()], work)
    if mine and theirs:
        return [f"time      {mine} ms; {rung} takes {theirs} ms ({gpu})"], True
    last = [line for line in said.splitlines() if line]
    return [f"time      not measured: {last[-1] if last else ''}"], True


def keep(file, done, goals):
    """Writes the state, as a whole or not at all. The counters of what misses a goal are no best: they may well be
    below what any solution can reach."""
    best = {}
    if os.path.exists(file):
        with open(file, encoding="utf-8") as old:
            best = dict(line.split() for line in old.read().splitlines()[1:])
    for goal in goals if done else []:
        metric, value = goal[1].split()
        if metric not in best or float(value) < float(best[metric]):
            best[metric] = value
    try:
        with open(file + ".new", "w", encoding="utf-8") as new:
            new.writelines([("done" if done else "to do") + "\n", *(f"{m} {best[m]}\n" for m in sorted(best))])
        os.replace(file + ".new", file)
    except OSError:
        if os.path.exists(file + ".new"):
            os.remove(file + ".new")
        print(f"ex: cannot write {file}", file=sys.stderr)
        sys.exit(2)


def check(my, work, name):
    """Says what came of the copy's run; true if all is as it should be."""
    told, program, counters = exercise(".", name), f"build/{my}/{name}/run", os.path.join(work, name + ".csv")
    status, at, said = simulated(program, told, counters)
    lines, done = result(status, at, said)
    found = re.search(r"^cudasim: ", said, re.M)
    lines += [f"checks    FOUND{at}", *findings(said)] if found else ["checks    nothing found"]
    goals = []
    if os.path.exists(counters) and os.path.getsize(counters) > 0:
        wanted = [re.sub(" +", "=", one, count=1) for one in told.get("goal", [])]
        goals = [line.rstrip("\n").split("\t") for line in goals_of(counters, wanted)]
    lines += [f"counters  {goal[2]}" for goal in goals]
    lacks = list(without(program, told))
    lines += lacks
    done = done and not found and not lacks and all(goal[0] == "ok" for goal in goals)
    if status == 0:
        times, right = timed(program, told, work)
        lines += times
        done = done and right
    lines.append(f"done      compare with ours: make ex NAME={name} SHOW=diff" if done else
                 f"not yet   a hint: make ex NAME={name} HINT=1")
    lines.insert(0, f"{name}: {told['title'][0]}. You edit {my}/{name}/exercise.cu; lesson: {told['lesson'][0]}")
    print(*lines, sep="\n", flush=True)
    keep(f"{my}/{name}/state", done, goals)
    return done


if __name__ == "__main__":
    sys.exit(0 if all([check(*sys.argv[1:3], name) for name in sys.argv[3:]]) else 1)
