#!/usr/bin/env python3
"""Times step 8's methods and PyTorch's addmm and topk alternately on one stream: see scripts/knn/knn_torch.sh.

PyTorch's way is |x|^2 + |y|^2 - 2xy from torch.addmm in FP32, TF32 off, and torch.topk, as many queries at a time as
its matrix of distances has room for. Of two ways to write that the faster is the baseline. Both start at queries and
points in device memory and end at sorted neighbours there. Its neighbours are not always the nearest: how many of them
ours has not is counted, and each has to be farther away (in FP64) than ours is; if one is not, ours is wrong.
"""
import argparse
import ctypes
import os
import sys

# The paper's and the ones beyond it: m, n, d, k.
SHAPES = ("1200:32768:256:25", "1200:16384:32:46", "1200:16384:32:512", "1200:1000000:128:100", "10000:1000000:128:25")
MOST_DISTANCES = 2**31  # in one matrix of PyTorch's; its kernels' indices are faster below
MOST_COMPARED = 2**26  # numbers in a temporary of the comparison


def fail(text, status=2):
    print(f"knn-torch: {text}", file=sys.stderr)
    sys.exit(status)


try:
    import torch
except ImportError:
    fail("no PyTorch here (pip install torch)")


class Times(ctypes.Structure):
    """knn_library_times."""

    _fields_ = [("ours", ctypes.c_double * 3), ("baseline", ctypes.c_double * 3), ("ratio", ctypes.c_double * 3),
                ("clock_mhz", ctypes.c_double), ("pairs", ctypes.c_int)]


class Task(ctypes.Structure):
    """knn_library_task."""

    _fields_ = [("method", ctypes.c_char_p), *((side, ctypes.c_int) for side in "mndk"),
                *((what, ctypes.c_void_p) for what in ("queries", "points", "index", "distance", "workspace")),
                ("workspace_bytes", ctypes.c_size_t), ("stream", ctypes.c_void_p), ("prepared", ctypes.c_void_p)]


BASELINE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Library:
    """libknn.so (step08_knn/library/knn_library.h)."""

    def __init__(self, path):
        try:
            self.c = ctypes.CDLL(os.path.abspath(path))
        except OSError as error:
            fail(f"{error} (make build/step08/libknn.so)")
        self.c.knn_library_reason.restype = self.c.knn_library_method.restype = ctypes.c_char_p
        self.c.knn_library_workspace.restype = self.c.knn_library_prepared.restype = ctypes.c_longlong
        status = self.c.knn_library_open(torch.cuda.current_device())
        if status != 0:
            sys.exit(status)

    def methods(self):
        i = 0
        while (name := self.c.knn_library_method(i)) is not None:
            yield name.decode()
            i += 1

    def reason(self):
        return self.c.knn_library_reason().decode()

    def workspace(self, method, shape, limit):
        return self.c.knn_library_workspace(ctypes.byref(Task(method.encode(), *shape)),
                                            ctypes.c_size_t(limit))

    def recorded(self, csv, method, shape, baseline):
        found = self.c.knn_library_recorded(csv.encode(), ctypes.byref(Task(method.encode(), *shape)),
                                            baseline.encode())
        if found < 0:
            sys.exit(2)
        return found == 1

    def record(self, csv, method, shape, baseline):
        status = self.c.knn_library_record(csv.encode(), ctypes.byref(Task(method.encode(), *shape)),
                                           baseline.encode())
        if status != 0:
            sys.exit(status)


class Search:
    """One of our methods on this data: where its results and its workspace are. workspace None: its points prepared."""

    def __init__(self, library, method, x, y, k, workspace, stream):
        self.library = library
        self.index = torch.empty((x.shape[0], k), dtype=torch.int32, device=x.device)
        self.distance = torch.empty((x.shape[0], k), dtype=torch.float32, device=x.device)
        self.task = Task(method.encode(), x.shape[0], y.shape[0], x.shape[1], k, x.data_ptr(), y.data_ptr(),
                         self.index.data_ptr(), self.distance.data_ptr(), stream=stream.cuda_stream)
        if workspace is None:
            workspace = self.prepare(x.device)
        self.workspace = torch.empty(workspace + 1, dtype=torch.uint8, device=x.device)
        self.task.workspace, self.task.workspace_bytes = self.workspace.data_ptr(), workspace

    def prepare(self, device):
        """Bytes of workspace for a search of points that it prepares."""
        c, task = self.library.c, ctypes.byref(self.task)
        self.kept = torch.empty(c.knn_library_prepared(task) + 1, dtype=torch.uint8, device=device)
        prepared = self.kept.data_ptr()
        if c.knn_library_prepare(task, ctypes.c_void_p(prepared)) == 0:
            self.task.prepared = prepared
            workspace = c.knn_library_workspace(task, ctypes.c_size_t(torch.cuda.mem_get_info()[0] // 2))
            if workspace >= 0:
                return workspace
        fail(self.library.reason(), 3)

    def run(self):
        return self.library.c.knn_library_search(ctypes.byref(self.task)) == 0

    def beside(self, baseline, seconds, times):
        return self.library.c.knn_library_compare(ctypes.byref(self.task), baseline, ctypes.c_double(seconds),
                                                  ctypes.byref(times)) == 0


def added_first(x, y, k, rows, keep):
    """The matrix |x|^2 + |y|^2 first, from which addmm takes the product."""
    x2, y2, yt = (x * x).sum(1), (y * y).sum(1), y.t()
    for first in range(0, x.shape[0], rows):
        part = slice(first, first + rows)
        sums = x2[part, None] + y2[None, :]
        keep(part, *torch.topk(torch.addmm(sums, x[part], yt, alpha=-2, out=sums), k, dim=1, largest=False))


def added_last(x, y, k, rows, keep):
    """|y|^2 as addmm's row for all queries, and |x|^2, which changes no order, on the k smallest only."""
    x2, y2, yt = (x * x).sum(1), (y * y).sum(1), y.t()
    for first in range(0, x.shape[0], rows):
        part = slice(first, first + rows)
        value, index = torch.topk(torch.addmm(y2, x[part], yt, alpha=-2), k, dim=1, largest=False)
        keep(part, value.add_(x2[part, None]), index)


WAYS = (added_first, added_last)


class Torch:
    """PyTorch's search, its faster way chosen."""

    def __init__(self, x, y, k, stream):
        m, n = x.shape[0], y.shape[0]
        free = torch.cuda.mem_get_info()[0]
        self.x, self.y, self.k, self.stream, self.error = x, y, k, stream, None
        self.rows = max(1, min(m, MOST_DISTANCES // n, free // (4 * 4 * n)))
        self.value = torch.empty((m, k), dtype=torch.float32, device=x.device)
        self.index = torch.empty((m, k), dtype=torch.int64, device=x.device)
        taken = [self.time(way) for way in WAYS]
        self.way = WAYS[taken.index(min(taken))]
        self.taken = taken

    def keep(self, part, value, index):
        self.value[part], self.index[part] = value, index

    def run(self, way):
        with torch.cuda.stream(self.stream):
            way(self.x, self.y, self.k, self.rows, self.keep)

    def time(self, way, runs=5):
        """The least of some runs, in milliseconds, after one that does not count."""
        least = float("inf")
        for i in range(runs + 1):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record(self.stream)
            self.run(way)
            end.record(self.stream)
            end.synchronize()
            if i > 0:
                least = min(least, begin.elapsed_time(end))
        return least

    def callback(self):
        """For the library, to which a Python exception means nothing."""

        def enqueue(_):
            try:
                self.run(self.way)
                return 0
            except Exception as error:  # pylint: disable=broad-except
                self.error = error
                return 1

        return BASELINE(enqueue)


def exact(x, y, index):
    """Distances of the points that `index` names, in FP64."""
    return (x.double()[:, None, :] - y[index].double()).square_().sum(2)


def compare(x, y, ours, theirs):
    """(what is wrong with ours or None, neighbours of theirs that ours has not, negative distances of theirs)."""
    m, k, d = x.shape[0], ours.index.shape[1], x.shape[1]
    off = (d + 4) * 2.0**-24 * 1.01  # a chain of d FP32 operations is so far off, relatively, at most
    rows = max(1, MOST_COMPARED // (k * max(k, d)))
    differ = 0
    for first in range(0, m, rows):
        part = slice(first, first + rows)
        a, distance, b = ours.index[part].long(), ours.distance[part], theirs.index[part]
        if bool(((a < 0) | (a >= y.shape[0])).any()):
            return f"a neighbour of queries from {first} on is no point", 0, 0
        at = exact(x[part], y, a)
        unknown = ~(b[:, :, None] == a[:, None, :]).any(2)
        differ += int(unknown.sum())
        far = exact(x[part], y, b) >= at[:, -1:] * (1 - 2.1 * off)
        falls = (distance[:, 1:] < distance[:, :-1]) | ((distance[:, 1:] == distance[:, :-1]) & (a[:, 1:] <= a[:, :-1]))
        twice = a.sort(1).values
        for what, bad in (("a distance is off", (distance.double() - at).abs() > off * at + 1e-37),
                          ("neighbours are out of order", falls),
                          ("a point comes twice", twice[:, 1:] == twice[:, :-1]),
                          ("PyTorch has a nearer point", unknown & ~far)):
            if bool(bad.any()):
                return f"{what}, first of query {first + int(bad.any(1).nonzero()[0])}", differ, 0
    return None, differ, int((theirs.value < 0).sum())


def parse():
    p = argparse.ArgumentParser(prog="knn-torch", description="Step 8 beside PyTorch's addmm and topk.")
    p.add_argument("--library", default="build/step08/libknn.so")
    p.add_argument("--methods", nargs="+", help="default: the best")
    p.add_argument("--shapes", nargs="+", default=SHAPES, metavar="M:N:D:K")
    p.add_argument("--seconds", type=float, default=2.0, help="of each comparison")
    p.add_argument("--csv", help="append rows to this file; what it has already is not measured again")
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    shapes = []
    for text in o.shapes:
        parts = text.split(":")
        if len(parts) != 4 or not all(part.isdigit() and int(part) > 0 for part in parts):
            p.error(f"--shapes {text}: not M:N:D:K, e.g. {SHAPES[0]}")
        m, n, d, k = map(int, parts)
        if k > n:
            p.error(f"--shapes {text}: k is above n")
        shapes.append((m, n, d, k))
    o.shapes = shapes
    return o


def measure(o, library, shape, baseline):
    """All methods on one shape. False where a result was wrong."""
    m, n, d, k = shape
    name = f"m {m} n {n} d {d} k {k}"
    wanted = []
    for method in o.methods:
        if o.csv and library.recorded(o.csv, method, shape, baseline):
            print(f"{name}  {method}: recorded already")
        else:
            wanted.append(method)
    if not wanted:
        return True
    random = torch.Generator(device="cuda").manual_seed(o.seed)
    x, y = (torch.rand((rows, d), generator=random, device="cuda").mul_(2).sub_(1) for rows in (m, n))
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    theirs = Torch(x, y, k, stream)
    ways = ", ".join(f"{way.__name__} {ms:.4f} ms" for way, ms in zip(WAYS, theirs.taken))
    print(f"{name}  {baseline}, {theirs.rows} queries at a time: {ways}", flush=True)
    callback, good = theirs.callback(), True
    for method in wanted:
        torch.cuda.empty_cache()
        bytes_wanted = library.workspace(method, shape, torch.cuda.mem_get_info()[0] // 2)
        if bytes_wanted < 0:
            print(f"{method:<16} skipped: {library.reason()}", flush=True)
            continue
        ours = Search(library, method, x, y, k, bytes_wanted, stream)
        torch.cuda.synchronize()
        if not ours.run():
            fail(f"{method}, {name}: {library.reason()}", 3)
        theirs.run(theirs.way)
        torch.cuda.synchronize()
        wrong, differ, negative = compare(x, y, ours, theirs)
        if wrong:
            print(f"{method:<16} WRONG RESULT, not timed: {wrong}", flush=True)
            good = False
            continue
        times = Times()
        if not ours.beside(callback, o.seconds, times):
            fail(f"{method}, {name}: {theirs.error or library.reason()}", 3)

        def span(v, digits):
            return f"{v[0]:.{digits}f} ({v[1]:.{digits}f}-{v[2]:.{digits}f})"

        print(f"{method:<16} {span(times.ours, 4)} ms, PyTorch {span(times.baseline, 4)} ms, ratio "
              f"{span(times.ratio, 2)}, {times.pairs} pairs, {times.clock_mhz:.0f} MHz; {differ} of {m * k} neighbours "
              f"of PyTorch's are not the nearest, {negative} of its distances below 0", flush=True)
        if o.csv:
            library.record(o.csv, method, shape, baseline)
    return good


def main():
    o = parse()
    if not torch.cuda.is_available():
        fail("PyTorch finds no GPU here", 3)
    torch.backends.cuda.matmul.allow_tf32 = False
    library = Library(o.library)
    known = list(library.methods())
    o.methods = o.methods or known[-1:]
    for method in o.methods:
        if method not in known:
            fail(f"there is no method '{method}'; there are {' '.join(known)}")
    baseline = f"torch {torch.__version__.split('+')[0]} addmm+topk"
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, TF32 off, {o.seconds:g} s a comparison",
          flush=True)
    good = [measure(o, library, shape, baseline) for shape in o.shapes]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
