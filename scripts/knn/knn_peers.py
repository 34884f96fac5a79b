#!/usr/bin/env python3
"""Times step 8's best on prepared points beside what one would take from a shelf: see scripts/knn/knn_peers.sh.

Each of PEERS gets its points beforehand, as ours does. On a GPU a peer and ours alternate on one stream, with queries
on the device, and a row of ours has the peer as its baseline; of its neighbours is counted how many are not the
nearest. A peer of the CPU is timed alone, its row in mode cpu. A peer that is not there is left out with its reason.
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
SHAPES = ("1:1000000:128:25", "100:1000000:768:25", "10000:1000000:128:25")
MOST = 2**30  # distances in a matrix of PyTorch's


class Torch:
    """addmm for |y|^2 - 2xy of all points, whose norms and copies are made beforehand, and topk."""

    def __init__(self, x, y, k, stream, kind="FP32"):
        import torch
        self.torch, self.kind, self.k, self.stream = torch, kind, k, stream
        dtype = torch.float16 if kind == "f16" else torch.float32
        self.x, self.y, self.norms = x.to(dtype), y.to(dtype).t(), (y * y).sum(1).to(dtype)
        self.rows = max(1, min(x.shape[0], MOST // y.shape[0]))
        self.name = f"torch {torch.__version__.split('+')[0]} addmm+topk {kind}"
        self.index = torch.empty((x.shape[0], k), dtype=torch.int64, device=x.device)

    def run(self):
        self.torch.backends.cuda.matmul.allow_tf32 = self.kind == "TF32"
        with self.torch.cuda.stream(self.stream):
            for first in range(0, self.x.shape[0], self.rows):
                part = slice(first, first + self.rows)
                found = self.torch.addmm(self.norms, self.x[part], self.y, alpha=-2)
                self.index[part] = self.torch.topk(found, self.k, dim=1, largest=False).indices


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


PEERS = {"torch": Torch, "torch-tf32": lambda *a: Torch(*a, "TF32"), "torch-f16": lambda *a: Torch(*a, "f16"),
         "faiss": Faiss, "cuvs": Cuvs, "faiss-cpu": Faiss}


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


def on_gpu(o, library, shape, names):
    """False where our result was wrong."""
    import knn_torch
    import torch
    m, n, d, k = shape
    what = f"m {m} n {n} d {d} k {k} "
    random = torch.Generator(device="cuda").manual_seed(o.seed)
    x, y = (torch.rand((rows, d), generator=random, device="cuda").mul_(2).sub_(1) for rows in (m, n))
    stream, good = torch.cuda.Stream(), True
    torch.cuda.synchronize()
    ours = knn_torch.Search(library, "best", x, y, k, None, stream)
    for name in names:
        try:
            peer = PEERS[name](x, y, k, stream)
            peer.run()
        except Exception as error:  # pylint: disable=broad-except
            print(what, f"{name}: left out: {type(error).__name__}: {error}", flush=True)
            continue
        ours.run()
        torch.cuda.synchronize()
        peer.value, peer.index = torch.zeros(1), torch.as_tensor(peer.index, device="cuda").long()
        wrong, differ, _ = knn_torch.compare(x, y, ours, peer)
        if wrong:
            print(what, f"WRONG RESULT of ours, not timed beside {name}: {wrong}")
            good = False
            continue
        times, call = knn_torch.Times(), knn_torch.BASELINE(lambda _, run=peer.run: run() or 0)
        if not ours.beside(call, o.seconds, times):
            knn_torch.fail(f"{name}: {library.reason()}", 3)
        print(what, f"ours {times.ours[0]:.4f} ms, {peer.name} {times.baseline[0]:.4f} ms, ratio {times.ratio[0]:.2f} "
              f"({times.ratio[1]:.2f}-{times.ratio[2]:.2f}), {times.pairs} pairs; {differ} of {m * k} of its "
              "neighbours are not the nearest", flush=True)
        if o.csv and library.c.knn_library_record(o.csv.encode(), ctypes.byref(ours.task), peer.name.encode()):
            sys.exit(2)
    return good


def main():
    p = argparse.ArgumentParser(prog="knn-peers", description="Step 8 beside Faiss, cuVS and PyTorch.")
    p.add_argument("--library", default="build/step08/libknn.so")
    p.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS), metavar="PEER", help=" ".join(PEERS))
    p.add_argument("--shapes", nargs="+", default=SHAPES, metavar="M:N:D:K")
    p.add_argument("--seconds", type=float, default=2.0, help="of each comparison")
    p.add_argument("--csv", help="append rows to this file")
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    shapes = [tuple(int(part) if part.isdigit() else 0 for part in text.split(":")) for text in o.shapes]
    if any(len(shape) != 4 or min(shape) < 1 or shape[3] > shape[1] for shape in shapes):
        p.error(f"--shapes {' '.join(o.shapes)}: not M:N:D:K with k up to n, e.g. {SHAPES[0]}")
    good, names = True, [name for name in o.peers if name != "faiss-cpu"]
    if names:
        import knn_torch
        if not knn_torch.torch.cuda.is_available():
            knn_torch.fail("PyTorch finds no GPU here", 3)
        library = knn_torch.Library(o.library)
        good = all([on_gpu(o, library, shape, names) for shape in shapes])
    for shape in shapes if "faiss-cpu" in o.peers else ():
        on_cpu(o, shape)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
