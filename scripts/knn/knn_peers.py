#!/usr/bin/env python3
"""Times step 8 beside what one would take from a shelf: see scripts/knn/knn_peers.sh and scripts/knn/knn_torch.sh.

On a GPU a peer and ours alternate on one stream, with queries and points in device memory and sorted neighbours there
in the end, and a row of ours has the peer as its baseline. Of a peer's neighbours is counted how many are not the
nearest: each that ours has not has to be farther away (in FP64) than ours is; if one is not, ours is wrong. Without
--methods ours is the best, and both get their points beforehand; with it nothing is prepared. A peer of the CPU is
timed alone, its row in mode cpu. A peer that is not there is left out with its reason.
"""
import argparse
import csv
import ctypes
import os
import statistics
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
sys.path.append(os.path.join(sys.path[0], "build", "numpy"))
try:
    import torch
except ImportError:
    torch = None  # a peer of the CPU does without

SHAPES = ("1:1000000:128:25", "100:1000000:768:25", "10000:1000000:128:25")
MOST_DISTANCES = 2**31  # in one matrix of PyTorch's; its kernels' indices are faster below
MOST_COMPARED = 2**26  # numbers in a temporary of the comparison


def fail(text, status=2):
    print(f"knn-peers: {text}", file=sys.stderr)
    sys.exit(status)


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


class Search:
    """One of our methods on this data: where its results and its workspace are."""

    def __init__(self, library, method, x, y, k, stream, prepared):
        self.c = library.c
        self.index = torch.empty((x.shape[0], k), dtype=torch.int32, device=x.device)
        self.distance = torch.empty((x.shape[0], k), dtype=torch.float32, device=x.device)
        self.task = Task(method.encode(), x.shape[0], y.shape[0], x.shape[1], k, x.data_ptr(), y.data_ptr(),
                         self.index.data_ptr(), self.distance.data_ptr(), stream=stream.cuda_stream)
        task = ctypes.byref(self.task)
        if prepared:
            self.kept = torch.empty(self.c.knn_library_prepared(task) + 1, dtype=torch.uint8, device=x.device)
            if self.c.knn_library_prepare(task, ctypes.c_void_p(self.kept.data_ptr())) != 0:
                raise RuntimeError(library.reason())
            self.task.prepared = self.kept.data_ptr()
        size = self.c.knn_library_workspace(task, ctypes.c_size_t(torch.cuda.mem_get_info()[0] // 2))
        if size < 0:
            raise RuntimeError(library.reason())
        self.workspace = torch.empty(size + 1, dtype=torch.uint8, device=x.device)
        self.task.workspace, self.task.workspace_bytes = self.workspace.data_ptr(), size

    def run(self):
        return self.c.knn_library_search(ctypes.byref(self.task)) == 0

    def beside(self, peer, seconds, times):
        """Both in turn. What an exception of the peer says is in peer.error: to the library it means nothing."""

        def enqueue(_):
            try:
                peer.run()
                return 0
            except Exception as error:  # pylint: disable=broad-except
                peer.error = error
                return 1

        return self.c.knn_library_compare(ctypes.byref(self.task), BASELINE(enqueue), ctypes.c_double(seconds),
                                          ctypes.byref(times)) == 0


class Torch:
    """addmm, and topk of as many queries at a time as its matrix of distances has room for.

    With a kind |y|^2 - 2xy of all points, whose norms and copies are made beforehand; without one |x|^2 + |y|^2 - 2xy
    in FP32, nothing beforehand, in the faster of two ways to write that."""

    def __init__(self, x, y, k, stream, kind=None):
        m, n = x.shape[0], y.shape[0]
        dtype = torch.float16 if kind == "f16" else torch.float32
        self.x, self.y, self.k, self.stream, self.kind = x.to(dtype), y.to(dtype), k, stream, kind
        most = MOST_DISTANCES // 2 if kind else min(MOST_DISTANCES, torch.cuda.mem_get_info()[0] // (4 * 4))
        self.rows = max(1, min(m, most // n))
        self.name = " ".join(["torch", torch.__version__.split("+")[0], "addmm+topk", *([kind] if kind else [])])
        self.index = torch.empty((m, k), dtype=torch.int64, device=x.device)
        if kind:
            self.norms, self.way = (y * y).sum(1).to(dtype), self.prepared
            return
        self.value = torch.empty((m, k), dtype=torch.float32, device=x.device)
        taken = {way: self.time(way) for way in (self.added_first, self.added_last)}
        self.way = min(taken, key=taken.get)
        ways = ", ".join(f"{way.__name__} {ms:.4f} ms" for way, ms in taken.items())
        print(f"{self.name}, {self.rows} queries at a time: {ways}", flush=True)

    def parts(self):
        return (slice(first, first + self.rows) for first in range(0, self.x.shape[0], self.rows))

    def least(self, distances):
        return torch.topk(distances, self.k, dim=1, largest=False)

    def norms_of_both(self):
        return (self.x * self.x).sum(1), (self.y * self.y).sum(1)

    def added_first(self):
        """The matrix |x|^2 + |y|^2 first, from which addmm takes the product."""
        x2, y2 = self.norms_of_both()
        for part in self.parts():
            sums = x2[part, None] + y2[None, :]
            found = self.least(torch.addmm(sums, self.x[part], self.y.t(), alpha=-2, out=sums))
            self.value[part], self.index[part] = found

    def added_last(self):
        """|y|^2 as addmm's row for all queries, and |x|^2, which changes no order, on the k smallest only."""
        x2, y2 = self.norms_of_both()
        for part in self.parts():
            value, self.index[part] = self.least(torch.addmm(y2, self.x[part], self.y.t(), alpha=-2))
            self.value[part] = value.add_(x2[part, None])

    def prepared(self):
        for part in self.parts():
            self.index[part] = self.least(torch.addmm(self.norms, self.x[part], self.y.t(), alpha=-2)).indices

    def run(self):
        torch.backends.cuda.matmul.allow_tf32 = self.kind == "TF32"
        with torch.cuda.stream(self.stream):
            self.way()

    def time(self, way, runs=5):
        """The least of some runs, in milliseconds, after one that does not count."""
        least, self.way = float("inf"), way
        for i in range(runs + 1):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record(self.stream)
            self.run()
            end.record(self.stream)
            end.synchronize()
            if i > 0:
                least = min(least, begin.elapsed_time(end))
        return least


class Faiss:
    """IndexFlatL2: on the GPU, or without a stream on all threads of the CPU."""

    def __init__(self, x, y, k, stream=None):
        import faiss
        kind = "IndexFlatL2" if stream is None else "GpuIndexFlatL2"
        if stream is None:
            self.found, self.threads = faiss.IndexFlatL2(x.shape[1]), faiss.omp_get_max_threads()
        else:
            import faiss.contrib.torch_utils  # noqa: F401
            self.resources = faiss.StandardGpuResources()
            self.resources.setDefaultStream(x.device.index or 0, stream.cuda_stream)
            self.found = faiss.GpuIndexFlatL2(self.resources, x.shape[1])
        self.found.add(y)
        self.x, self.k, self.name = x, k, f"faiss {faiss.__version__} {kind}"

    def run(self):
        self.index = self.found.search(self.x, self.k)[1]


class Cuvs:
    """Brute force."""

    def __init__(self, x, y, k, stream):
        import cuvs
        from cuvs.common import Resources
        from cuvs.neighbors import brute_force
        self.search, self.resources = brute_force.search, Resources(stream=stream.cuda_stream)
        self.found = brute_force.build(y, metric="sqeuclidean", resources=self.resources)
        self.x, self.k, self.name = x, k, f"cuvs {cuvs.__version__} brute_force"

    def run(self):
        self.index = self.search(self.found, self.x, self.k, resources=self.resources)[1]


PEERS = {"torch": lambda *a: Torch(*a, "FP32"), "torch-tf32": lambda *a: Torch(*a, "TF32"),
         "torch-f16": lambda *a: Torch(*a, "f16"), "faiss": Faiss, "cuvs": Cuvs, "faiss-cpu": Faiss}


def exact(x, y, index):
    """Distances of the points that `index` names, in FP64."""
    return (x.double()[:, None, :] - y[index].double()).square_().sum(2)


def compare(x, y, ours, theirs):
    """(what is wrong with ours or None, neighbours of theirs that ours has not)."""
    m, k, d = x.shape[0], ours.index.shape[1], x.shape[1]
    off = (d + 4) * 2.0**-24 * 1.01  # a chain of d FP32 operations is so far off, relatively, at most
    rows = max(1, MOST_COMPARED // (k * max(k, d)))
    differ = 0
    for first in range(0, m, rows):
        part = slice(first, first + rows)
        a, distance, b = ours.index[part].long(), ours.distance[part], theirs.index[part]
        if bool(((a < 0) | (a >= y.shape[0])).any()):
            return f"a neighbour of queries from {first} on is no point", 0
        at = exact(x[part], y, a)
        unknown = ~(b[:, :, None] == a[:, None, :]).any(2)
        differ += int(unknown.sum())
        far = exact(x[part], y, b) >= at[:, -1:] * (1 - 2.1 * off)
        falls = (distance[:, 1:] < distance[:, :-1]) | ((distance[:, 1:] == distance[:, :-1]) & (a[:, 1:] <= a[:, :-1]))
        twice = a.sort(1).values
        for what, bad in (("a distance is off", (distance.double() - at).abs() > off * at + 1e-37),
                          ("neighbours are out of order", falls),
                          ("a point comes twice", twice[:, 1:] == twice[:, :-1]),
                          ("the peer has a nearer point", unknown & ~far)):
            if bool(bad.any()):
                return f"{what}, first of query {first + int(bad.any(1).nonzero()[0])}", differ
    return None, differ


def cpu_row(peer, shape, taken):
    """As step 8's comparisons with the CPU are recorded."""
    from report.schema import RECORD
    with open("/proc/cpuinfo") as f:
        cpu = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "a CPU")
    row = dict.fromkeys(column.name for column in RECORD)
    row.update(zip("mndk", shape), step="step08_knn", variant="faiss_cpu", op="knn", dtype="f32", layout="prepared",
               alpha=1, beta=0, cache="warm", mode="cpu", ms_median=f"{statistics.median(taken):.9g}",
               ms_min=f"{min(taken):.9g}", ms_max=f"{max(taken):.9g}", pairs=len(taken), baseline_call=peer.name,
               device=f"{cpu}, {peer.threads} threads"[-63:], date=time.strftime("%Y-%m-%d"))
    return row


def on_cpu(o, shape):
    import numpy
    m, n, d, k = shape
    random = numpy.random.default_rng(o.seed)
    peer = Faiss(*(random.random((rows, d), numpy.float32) * 2 - 1 for rows in (m, n)), k)
    taken, begin = [], time.perf_counter()
    peer.run()
    while len(taken) < 5 or time.perf_counter() - begin < o.seconds:
        start = time.perf_counter()
        peer.run()
        taken.append(1e3 * (time.perf_counter() - start))
    print(f"m {m} n {n} d {d} k {k}  {peer.name}, {peer.threads} threads: {statistics.median(taken):.3f} ms "
          f"({min(taken):.3f}-{max(taken):.3f}), {len(taken)} runs", flush=True)
    if o.csv:
        row, new = cpu_row(peer, shape, taken), not os.path.exists(o.csv)
        with open(o.csv, "a", newline="") as f:
            out = csv.DictWriter(f, row, lineterminator="\n")
            if new:
                out.writeheader()
            out.writerow(row)


def span(v, digits):
    return f"{v[0]:.{digits}f} ({v[1]:.{digits}f}-{v[2]:.{digits}f})"


def beside(o, library, method, what, x, y, k, stream, peer):
    """One of our methods and a peer. False where our result was wrong."""
    task = Task(method.encode(), x.shape[0], y.shape[0], x.shape[1], k)
    if o.csv and o.methods:
        found = library.c.knn_library_recorded(o.csv.encode(), ctypes.byref(task), peer.name.encode())
        if found < 0:
            sys.exit(2)
        if found:
            print(f"{what} {method}: recorded already beside {peer.name}")
            return True
    torch.cuda.empty_cache()
    try:
        ours = Search(library, method, x, y, k, stream, prepared=not o.methods)
    except RuntimeError as error:
        if not o.methods:
            fail(f"{what} {method}: {error}", 3)
        print(f"{what} {method}: skipped: {error}", flush=True)
        return True
    torch.cuda.synchronize()
    if not ours.run():
        fail(f"{what} {method}: {library.reason()}", 3)
    peer.run()
    torch.cuda.synchronize()
    peer.index = torch.as_tensor(peer.index, device="cuda").long()
    wrong, differ = compare(x, y, ours, peer)
    if wrong:
        print(f"{what} {method}: WRONG RESULT, not timed beside {peer.name}: {wrong}", flush=True)
        return False
    below = f", {int((peer.value < 0).sum())} of its distances are below 0" if hasattr(peer, "value") else ""
    times = Times()
    if not ours.beside(peer, o.seconds, times):
        fail(f"{what} {method}: {peer.name}: {getattr(peer, 'error', '') or library.reason()}", 3)
    print(f"{what} {method} {span(times.ours, 4)} ms, {peer.name} {span(times.baseline, 4)} ms, ratio "
          f"{span(times.ratio, 2)}, {times.pairs} pairs, {times.clock_mhz:.0f} MHz; {differ} of {x.shape[0] * k} of "
          f"its neighbours are not the nearest{below}", flush=True)
    if o.csv and library.c.knn_library_record(o.csv.encode(), ctypes.byref(ours.task), peer.name.encode()):
        sys.exit(2)
    return True


def on_gpu(o, library, shape, names):
    """False where a result of ours was wrong."""
    m, n, d, k = shape
    what = f"m {m} n {n} d {d} k {k} "
    random = torch.Generator(device="cuda").manual_seed(o.seed)
    x, y = (torch.rand((rows, d), generator=random, device="cuda").mul_(2).sub_(1) for rows in (m, n))
    stream, good = torch.cuda.Stream(), []
    torch.cuda.synchronize()
    for name in names:
        try:
            peer = (Torch if o.methods else PEERS[name])(x, y, k, stream)
            peer.run()
        except Exception as error:  # pylint: disable=broad-except
            print(what, f"{name}: left out: {type(error).__name__}: {error}", flush=True)
            continue
        good += [beside(o, library, method, what, x, y, k, stream, peer) for method in o.methods or ["best"]]
    return all(good)


def main():
    p = argparse.ArgumentParser(prog="knn-peers", description="Step 8 beside Faiss, cuVS and PyTorch.")
    p.add_argument("--library", default="build/step08/libknn.so")
    p.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS), metavar="PEER", help=" ".join(PEERS))
    p.add_argument("--methods", nargs="+", metavar="METHOD",
                   help="ours, nothing prepared, beside all of a search in PyTorch")
    p.add_argument("--shapes", nargs="+", default=SHAPES, metavar="M:N:D:K")
    p.add_argument("--seconds", type=float, default=2.0, help="of each comparison")
    p.add_argument("--csv", help="append rows to this file; with --methods not what it has already")
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    shapes = [tuple(int(part) if part.isdigit() else 0 for part in text.split(":")) for text in o.shapes]
    if any(len(shape) != 4 or min(shape) < 1 or shape[3] > shape[1] for shape in shapes):
        p.error(f"--shapes {' '.join(o.shapes)}: not M:N:D:K with k up to n, e.g. {SHAPES[0]}")
    good, names = True, ["torch"] if o.methods else [name for name in o.peers if name != "faiss-cpu"]
    if names:
        if torch is None:
            fail("no PyTorch here (pip install torch)")
        if not torch.cuda.is_available():
            fail("PyTorch finds no GPU here", 3)
        library = Library(o.library)
        known = list(library.methods())
        for method in o.methods or ():
            if method not in known:
                fail(f"there is no method '{method}'; there are {' '.join(known)}")
        good = all([on_gpu(o, library, shape, names) for shape in shapes])
    for shape in shapes if "faiss-cpu" in o.peers and not o.methods else ():
        on_cpu(o, shape)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
