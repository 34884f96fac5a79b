"""The ring of stages, the order of tiles, waves of tiles, and what a cluster shares."""

import re

from _kernel import Kernel
from _svg import Drawing

MULTIPROCESSORS = 132


def ring(sources):
    kernel = Kernel(sources, "step06_tensorcore/c_ring/stages.cu")
    stages, shown = kernel.value("STAGES"), 6
    kernel.line("request(p, row0, col0, t + STAGES - 1, ring);")
    d = Drawing(f"The ring of stages: {stages} places in shared memory. While tile t is multiplied, tile t + 1 travels and "
                f"tile t + {stages - 1} is requested, where tile t - 1 was.")
    d.text(10, 18, "A column for each tile that is multiplied.", "note")
    for s in range(stages):
        d.text(52, 52 + s * 34, f"stage {s}", "", "end")
    for t in range(shown):
        x = 60 + t * 56
        d.text(x + 26, 230 - 68 + 4, f"t = {t}", "note", "middle")
        for tile in range(t, t + stages):
            style = {0: "a", stages - 1: "soft-b"}.get(tile - t, "soft-c")
            d.label(x, 32 + tile % stages * 34, 53, 30, f"tile {tile}", style, "on" if tile == t else "")
    for n, (style, text) in enumerate((("a", "multiplied"), ("soft-c", "travels"), ("soft-b", "requested now"))):
        d.box(60 + n * 110, 184, 12, 12, style)
        d.text(77 + n * 110, 194, text, "note")
    return d.svg()


def order_of(sources):
    """gemm_rasterize, from its source: a function of tile, tiles_m and tiles_n."""
    kernel = Kernel(sources, "common/gemm/gemm_kernel.cuh")
    text = kernel.text[kernel.text.index("int2 gemm_rasterize"):]
    names = {name: re.search(rf"\b{name} = ([^,;]+(?:\([^)]*\))?[^,;]*)[,;]", text)[1]
             for name in ("BAND", "band", "inside")}
    if "rows = min(BAND, tiles_m - band)" not in text or "make_int2(band + inside % rows, inside / rows)" not in text:
        kernel.refuse("gemm_rasterize as the drawing has it")

    def place(tile, tiles_m, tiles_n):
        given = {"tile": tile, "tiles_m": tiles_m, "tiles_n": tiles_n}
        for name in ("BAND", "band", "inside"):
            given[name] = kernel.compute(names[name], **given)
        rows = min(given["BAND"], tiles_m - given["band"])
        return given["band"] + given["inside"] % rows, given["inside"] // rows
    return place


def raster(sources):
    place, side, together = order_of(sources), 64, 2 * MULTIPROCESSORS
    banded = [place(tile, side, side) for tile in range(together)]
    plain = [(tile // side, tile % side) for tile in range(together)]
    d = Drawing(f"The first {together} of 64 by 64 tiles of C, those that run at once. Row by row they need "
                f"{len({r for r, _ in plain})} rows of A and {len({c for _, c in plain})} columns of B; in bands of 8 rows "
                f"{len({r for r, _ in banded})} and {len({c for _, c in banded})}.")
    d.text(10, 18, f"8192³, tiles of 128 × 128: the first {together}, two a", "note")
    d.text(10, 33, "multiprocessor, run at once.", "note")
    for n, (name, tiles) in enumerate((("row by row", plain), ("in bands of 8", banded))):
        x, y = 10 + n * 198, 66
        d.text(x, 56, name, "title")
        taken = set(tiles)
        for row in range(side):
            for column in range(side):
                d.box(x + column * 2.9, y + row * 2.9, 2.5, 2.5, "a" if (row, column) in taken else "cell", 0.5)
        rows, columns = len({r for r, _ in tiles}), len({c for _, c in tiles})
        d.text(x, 264, f"{rows} rows of A, {columns} of B:", "note")
        d.text(x, 279, f"{2 * (rows + columns)} MB go through L2", "note")  # 128 x 8192 numbers of 2 bytes are 2 MB
    return d.svg()


def waves(sources):
    d = Drawing("Waves of tiles over 132 multiprocessors at m = n = 4096. " )
    parts = []
    d.text(10, 18, "4096 × 4096 on 132 multiprocessors: waves of tiles.", "note")
    d.text(10, 33, "A box is as wide as a wave takes; orange: not full.", "note")
    for n, (bm, bn) in enumerate(((128, 256), (128, 192), (128, 128))):
        tiles = -(-4096 // bm) * -(-4096 // bn)
        count = -(-tiles // MULTIPROCESSORS)
        y, unit = 64 + n * 62, 300 / 1152  # columns of 128 rows to a unit
        total = count * bn
        d.text(10, y - 6, f"{bm} × {bn}: {tiles} tiles, {count} waves × {bn} = {total}")
        for wave in range(count):
            busy = min(tiles - wave * MULTIPROCESSORS, MULTIPROCESSORS) / MULTIPROCESSORS
            x = 10 + wave * bn * unit
            d.box(x, y, bn * unit - 1.5, 26, "frame")
            d.box(x, y + 26 * (1 - busy), bn * unit - 1.5, 26 * busy, "a" if busy == 1 else "b")
        parts.append(f"{bm} by {bn}: {count} waves, {total}")
    d.alt += "; ".join(parts) + " columns in all."
    return d.svg()


def cluster(sources):
    kernel = Kernel(sources, "step06_tensorcore/e_persistent/cluster.cu")
    count, bm, bn = kernel.value("CLUSTER"), kernel.value("BM"), kernel.value("BN")
    kernel.line("tma_load_multicast(")
    part = bn // count
    d = Drawing(f"A cluster of {count} blocks, one above the other. Each loads its own {bm} rows of A, and {part} columns of B, "
                f"which the hardware sends to both.")
    d.text(10, 18, "One tile of K: what a block loads, and who gets it.", "note")
    for rank in range(count):
        y = 40 + rank * 96
        d.text(10, y + 12, f"block {rank}", "title")
        d.label(10, y + 20, 92, 26, f"A {rank * bm}–{rank * bm + bm - 1}", "soft-a")
        d.label(10, y + 50, 92, 26, f"B {rank * part}–{rank * part + part - 1}", "soft-" + "bd"[rank])
        d.text(236, y + 12, f"its stage, {128 * (bm + bn) // 1024} KB", "note")
        d.label(236, y + 20, 150, 26, f"A {rank * bm}–{rank * bm + bm - 1}", "soft-a")
        for other in range(count):
            d.label(236 + other * 76, y + 50, 74, 26, f"B {other * part}–{other * part + part - 1}", "soft-" + "bd"[other])
            d.line(104, 40 + other * 96 + 63, 233, y + 63, True)
        d.line(104, y + 33, 233, y + 33, True)
    without, with_them = bm + bn, bm + part
    d.text(10, 248, f"L2 delivers {with_them} rows of 128 bytes a block, not {without}.", "note")
    return d.svg()


def draw(sources):
    return {"ring": ring(sources), "raster": raster(sources), "waves": waves(sources), "cluster": cluster(sources)}
