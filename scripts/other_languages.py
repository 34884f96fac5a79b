#!/usr/bin/env python3
"""Times y = A*x in Triton, TileLang, cuBLAS (through PyTorch) and step 7's rungs in turn: see other_languages.sh.

In f16, with FP32 sums. Every contender has one CUDA graph, whose launches go through so many matrices that each has
left the L2 cache before it is read again; the graphs are replayed in turn, there and back. Where a contender has
several configurations, the fastest in a short run counts. Each y is held against FP64 first. One that cannot run here
gets a row that says why.
"""
import argparse
import csv
import ctypes
import importlib
import itertools
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "languages"))
COLUMNS = ("language", "kernel", "configuration", "n", "k", "us", "us_min", "us_max", "ratio", "ratio_min", "ratio_max",
           "rounds", "why", "device", "cc", "driver", "cuda", "date")
SIDES, ROUNDS, BRIEF, LAUNCHES = (1024, 4096), 40, 5, 64


def fail(text, status=2):
    print(f"other-languages: {text}", file=sys.stderr)
    sys.exit(status)


try:
    import torch
except ImportError:
    fail("no PyTorch here (pip install torch)")


class Contender:
    """One way to compute y = A*x: run(A, x, y) on the current stream. `family`: of several, the fastest counts."""

    def __init__(self, family, kernel, configuration, run):
        self.family, self.kernel, self.configuration, self.run = family, kernel, configuration, run
        self.graph = None


def cublas():
    calls = {"torch.mv": lambda A, x, y: torch.mv(A, x, out=y),
             "torch.mm, 1 x n": lambda A, x, y: torch.mm(x[None], A.t(), out=y[None]),
             "torch.mm, n x 1": lambda A, x, y: torch.mm(A, x[:, None], out=y[:, None])}
    version = torch.__version__.split("+")[0]
    return [Contender("cuBLAS", "cublas", f"PyTorch {version}, {name}", run) for name, run in calls.items()]


def triton():
    of = importlib.import_module("gemv_triton")
    version = importlib.import_module("triton").__version__
    return [Contender("Triton", "gemv_triton", f"Triton {version}, BLOCK {block}, {warps} warps",
                      lambda A, x, y, block=block, warps=warps: of.launch(A, x, y, block, warps))
            for block, warps in of.CONFIGURATIONS]


def tilelang(n, k):
    of = importlib.import_module("gemv_tilelang")
    version = importlib.import_module("tilelang").__version__
    made = [(rows, threads, of.gemv(n, k, rows, threads)) for rows, threads in of.CONFIGURATIONS]
    return [Contender("TileLang", "gemv_tilelang", f"TileLang {version}, {rows} x {threads}", kernel)
            for rows, threads, kernel in made]


class Ours:
    """libgemv.so (docs/languages/ours.c)."""

    def __init__(self, path):
        try:
            self.c = ctypes.CDLL(os.path.abspath(path))
        except OSError as error:
            fail(f"{error} (make build/step07/libgemv.so)")
        self.c.ours_name.restype = ctypes.c_char_p
        self.c.ours_launch.argtypes = [ctypes.c_int] * 3 + [ctypes.c_void_p] * 4

    def launch(self, i, A, x, y):
        error = self.c.ours_launch(i, *A.shape, A.data_ptr(), x.data_ptr(), y.data_ptr(),
                                   torch.cuda.current_stream().cuda_stream)
        if error:
            raise RuntimeError(f"CUDA error {error}")

    def contenders(self):
        for i in itertools.count():
            name = self.c.ours_name(i)
            if name is None:
                return
            kernel, _, configuration = name.decode().partition(" ")
            yield Contender(kernel, kernel, configuration, lambda A, x, y, i=i: self.launch(i, A, x, y))


def operands(n, k, sets):
    random = torch.Generator(device="cuda").manual_seed(1)

    def uniform(*sides):
        return torch.rand(sides, generator=random, device="cuda").mul_(2).sub_(1).half()

    return [(uniform(n, k), uniform(k), torch.full((n,), float("nan"), device="cuda").half()) for _ in range(sets)]


def right(A, x, y):
    """Each y within the bound of FP32 sums, and rounded to f16."""
    exact = A.double() @ x.double()
    bound = (A.shape[1] + 2) * 2.0**-24 * (A.double().abs() @ x.double().abs()) + 2.0**-11 * exact.abs() + 2.0**-25
    return bool(((y.double() - exact).abs() <= bound * 1.001).all())


def prepare(one, sets, launches):
    """Checks it, and captures its graph. What is wrong, or None."""
    stream = torch.cuda.Stream()
    try:
        with torch.cuda.stream(stream):
            for _ in range(2):
                one.run(*sets[0])
            one.run(*sets[-1])
        torch.cuda.synchronize()
        if not all(right(*sets[at]) for at in (0, -1)):
            return "wrong result"
        one.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(one.graph, stream=stream):
            for i in range(launches):
                one.run(*sets[i % len(sets)])
        torch.cuda.synchronize()
    except Exception as error:  # pylint: disable=broad-except # whatever a compiler or a launch says
        one.graph = None
        return " ".join(str(error).split())[:160] or type(error).__name__
    return None


def replay(one, launches):
    """Microseconds of a launch. A first replay keeps the GPU busy until the one that is timed is there."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    one.graph.replay()
    begin.record()
    one.graph.replay()
    end.record()
    end.synchronize()
    return 1e3 * begin.elapsed_time(end) / launches


def fastest(family, contenders, sets, launches):
    """(the fastest of these that run, None) or (None, why none does)."""
    best, why = None, "has no configuration"
    for one in contenders:
        wrong = prepare(one, sets, launches)
        if wrong == "wrong result":
            fail(f"{family} {one.configuration}: wrong result", 1)
        if wrong:
            why = wrong
            continue
        us = statistics.median(replay(one, launches) for _ in range(BRIEF))
        if best is None or us < best[0]:
            best = us, one
    return (best[1], None) if best else (None, why)


def measure(side, ours):
    """The rows of one shape, without where they were recorded."""
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    sets = operands(side, side, 4 * l2 // (2 * side * side) + 1)
    launches = len(sets) * -(-LAUNCHES // len(sets))
    families = {"cuBLAS": cublas}
    families.update({"Triton": triton, "TileLang": lambda: tilelang(side, side)})
    own = list(ours.contenders())
    for family in dict.fromkeys(one.family for one in own):
        families[family] = lambda family=family: [one for one in own if one.family == family]
    running, rows = [], []
    for family, make in families.items():
        try:
            one, why = fastest(family, make(), sets, launches)
        except ImportError as error:
            one, why = None, f"{error.name or error} is not installed"
        except Exception as error:  # pylint: disable=broad-except # a compiler's
            one, why = None, " ".join(str(error).split())[:160] or type(error).__name__
        if one:
            running.append((family, one))
        else:
            print(f"{family}: {why}", file=sys.stderr)
            rows.append([family, "", "", side, side, *[""] * 6, 0, why])
    if not running or running[0][0] != "cuBLAS":
        fail("cuBLAS does not run here", 3)
    times = {family: [] for family, _ in running}
    for turn in range(ROUNDS):
        for family, one in running if turn % 2 else reversed(running):
            times[family].append(replay(one, launches))
    for family, one in running:
        ratios = [base / us for base, us in zip(times["cuBLAS"], times[family])]
        spans = [of(values) for values in (times[family], ratios) for of in (statistics.median, min, max)]
        language = family if family in ("cuBLAS", "Triton", "TileLang") else "CUDA C"
        rows.append([language, one.kernel, one.configuration, side, side, *(f"{x:.4f}" for x in spans), ROUNDS, ""])
        print(f"{side} x {side}  {language:<9} {one.kernel:<15} {spans[0]:8.2f} us  ratio {spans[3]:.3f} "
              f"({spans[4]:.3f}..{spans[5]:.3f})  {one.configuration}", flush=True)
    return rows


def main():
    p = argparse.ArgumentParser(prog="other-languages", description="y = A*x in three languages, and by cuBLAS.")
    p.add_argument("--library", default="build/step07/libgemv.so")
    p.add_argument("--csv", required=True, help="the file to write")
    o = p.parse_args()
    origin = [os.environ.pop(name, "") for name in ("DEVICE", "CC", "DRIVER", "CUDA", "DATE")]  # Triton runs $CC
    if not torch.cuda.is_available():
        fail("PyTorch finds no GPU here", 3)
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    ours = Ours(o.library)
    rows = [row for side in SIDES for row in measure(side, ours)]
    with open(o.csv, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows([*row, *origin] for row in rows)


if __name__ == "__main__":
    main()
