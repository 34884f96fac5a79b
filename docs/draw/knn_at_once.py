"""Step 8's lesson 8.12: what a search of prepared points needs at least, against the queries that come at once."""

import math

from _kernel import Kernel, device
from _svg import Drawing

N, D, MOST = 1000000, 128, 10000


def draw_knn_at_once(sources):
    tile = Kernel(sources, "step08_knn/best/exact_bounds.cuh").value("TILE")
    gpu = device(sources)
    read = 2 * N * D / float(gpu["dram_gbps"]) / 1e6
    one = 2 * N * D / float(gpu["f16_tflops"]) / 1e9
    ridge = read / one
    d = Drawing(f"Floors of a search of {N} points in {D} dimensions on an H200, in milliseconds against the queries "
                f"at once, both logarithmic. Reading the points: {read:.3f}, whatever the queries. Products by tensor "
                f"cores: {one * tile:.3f} for every tile of {tile} queries, full or not. They meet at {ridge:.0f} "
                f"queries.")
    d.text(10, 18, f"ms at least, {N:,} points of {D}, H200's data sheet", "note")
    left, right, top, bottom = 46, 384, 34, 250

    def at(m, ms):
        return (left + (right - left) * math.log(m) / math.log(MOST),
                bottom - (bottom - top) * math.log(ms / 1e-4) / math.log(4 / 1e-4))

    for power in range(5):
        x, _ = at(10**power, 1)
        d.line(x, top, x, bottom)
        d.text(x, bottom + 14, f"{10**power:,}", "note", "end" if power == 4 else "middle")
    for ms in (0.001, 0.01, 0.1, 1):
        y = at(1, ms)[1]
        d.line(left, y, right, y)
        d.text(left - 4, y + 4, f"{ms:g}", "note", "end")
    d.text(right, bottom + 28, "queries at once →", "note", "end")

    def dots(style, ms_of, size):
        for i in range(57):
            m = MOST**(i / 56)
            x, y = at(m, ms_of(m))
            d.box(x - size / 2, y - size / 2, size, size, style, size / 2)

    dots("a", lambda m: read, 4)
    dots("soft-b", lambda m: one * m, 3)
    dots("b", lambda m: one * tile * math.ceil(m / tile), 4)
    x, y = at(ridge, read)
    d.box(x - 6, y - 6, 12, 12, "frame", 6)
    d.text(x - 8, y - 12, f"{ridge:.0f} queries", "", "end")
    d.key(bottom + 46, (10, "a", f"reading the points once, in FP16: {read:.3f}"))
    d.key(bottom + 62, (10, "b", f"products, in tiles of {tile} queries: {one * tile:.3f} a tile"),
          (300, "soft-b", "unpadded"))
    return d.svg()
