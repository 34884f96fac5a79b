"""floors.py SGEMM.csv [SIZE]: the speed of light that the simulator's counters end with, of every rung of steps 1 to 5,
against the time recorded at that size (256): a line for each, which fails where the time is the shorter one, and last
"N passed, N failed"."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import counters  # noqa: E402


def recorded(path, size):
    """{step: {variant: microseconds}}"""
    times = {}
    for row in counters.rows_of(path):
        if {row["m"], row["n"], row["k"]} == {size} and row["cache"] == "cold":
            times.setdefault(row["step"], {})[row["variant"]] = 1e3 * float(row["ms_median"])
    return times


def main():
    size, passed, failed = sys.argv[2] if len(sys.argv) > 2 else "256", 0, 0
    for step, times in sorted(recorded(sys.argv[1], size).items()):
        floors = {}
        for row in counters.counted(step, "--size", size):
            if row["metric"] == "FLOOR":  # of a variant's kernels, one after the other
                floors[row["variant"]] = floors.get(row["variant"], 0) + float(row["value"])
        for variant, us in times.items():
            good = 0 < floors[variant] <= us
            print("ok" if good else "FAIL", step, variant,
                  f"at least {floors[variant]:.1f} us, recorded {us:.1f}: {floors[variant] / us:.0%}")
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


sys.exit(main())
