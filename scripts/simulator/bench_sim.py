"""Times steps in the simulator and prints a table that compares with its targets: the median of RUNS (5) runs of each.
To miss a target is no failure, since machines differ. The exit status is 1 if something cannot be run."""

import glob
import os
import re
import statistics
import subprocess
import sys

RUNS = int(os.environ.get("RUNS") or 5)
CPUS = sorted(os.sched_getaffinity(0))
UNSET = ("CUDASIM_DEVICE", "CUDASIM_ISA", "CUDASIM_WATCHDOG", "LD_PRELOAD")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}
# What nothing has written stays in registers to the end: copies in a ring that the last steps do not fill.
RING = "--sim-device sm_80 --dtype s8 --layout tn --m 1537 --n 1541 --k 188 --lda 192 --ldb 1552 --ldc 1544"
PAIRS = ("step01 coalesced", "step01 uncoalesced", "step03 tile8x8_256t", "step04 coalesced_store", "step05 serpentine",
         "step06 swizzle")


def run(step, options, check=0, threads=None):
    """What a step says, and the most memory that it held, in MB; `check`: CUDASIM_CHECK."""
    some = {"CUDASIM_THREADS": str(threads)} if threads else {}
    child = subprocess.Popen([*glob.glob(f"{step}_*/run"), "--sim", *options.split()], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env={**ENVIRONMENT, "CUDASIM_CHECK": str(check), **some},
                             preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:threads]))
    said = child.stdout.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise subprocess.SubprocessError(said)
    return said, used.ru_maxrss / 1000


def seconds(kernel, options, threads=1, check=0):
    """The median of what a kernel took, as its step says."""
    step, variant = kernel.split()
    runs = [run(step, f"--variant {variant} {options}", check, threads)[0] for _ in range(RUNS)]
    return statistics.median(float(re.search(rf"(?m)^{variant} .*", said)[0].split()[4]) for said in runs)


def row(what, measured, form, unit, meets=None, target=None):
    """A line of the table, and whether it could be measured."""
    try:
        x = form % measured()
    except (OSError, subprocess.SubprocessError) as error:
        print(what, "cannot be run:", "".join(f"\n    {line}" for line in str(error).splitlines()))
        return False
    met = target and {"<=": float(x) <= target, "<": float(x) < target, ">=": float(x) >= target}[meets]
    print(f"{what:<46} {x:>9} {unit:<4} " +
          (f"{meets} {target:g} {unit}   {'met' if met else 'MISSED'}" if target else ""), flush=True)
    return True


def rows():
    def timed(kernel, size, target=None):
        return row(f"{kernel} {size}^3", lambda: seconds(kernel, f"--size {size}"), "%.4f", "s", "<=", target)

    def ratio(what, kernel, over, under, target, meets="<="):
        return row(f"{kernel}{what}", lambda: seconds(kernel, **over) / seconds(kernel, **under), "%.2f", "x", meets,
                   target)

    for kernel, size, target in (("coalesced", 256, 0.012), ("coalesced", 512, 0.09), ("uncoalesced", 256, 0.12),
                                 ("uncoalesced", 512, 0.8)):
        yield timed("step01 " + kernel, size, target)
    for step in "step02", "step03", "step04", "step05":
        for variant in re.findall(r"(?m)^([a-z]\w*) ", run(step, "--list")[0]):
            yield timed(f"{step} {variant}", 512, 0.25 if variant == "stream_k" else None)
    plain, long, ring = ({"options": options} for options in ("--size 512", "--size 1024", RING))
    for kernel in PAIRS:
        yield ratio(" 512^3, counted to not", kernel, {"options": "--size 512 --counters"}, plain, 1.5)
        yield ratio(" 512^3, checked to not", kernel, {**plain, "check": 1}, plain, 3)
    yield ratio(", s8 on sm_80, checked to not", "step06 best", {**ring, "check": 1}, ring, 3)
    # A launch long enough that its start does not matter: a host's scheduler may leave both threads on one processor
    # for the first 8 ms, a quarter of 512^3.
    for kernel in ("step01 coalesced", "step05 stream_k") if len(CPUS) > 1 else ():
        yield ratio(" 1024^3, 2 threads to 1", kernel, long, {**long, "threads": 2}, 1.8, ">=")
    for step in "step01", "step05":
        yield row(f"{step} 512^3, peak memory", lambda of=step: run(of, "--size 512")[1], "%.0f", "MB", "<", 500)


with open("/proc/cpuinfo", encoding="utf-8") as file:
    print(f"The simulator on {re.search('model name.*: (.*)', file.read())[1]}, median of {RUNS} runs, one thread")
sys.exit(0 if all(list(rows())) else 1)
