"""Step 6 in time: the ring of stages, fragments and copies among the products, the pointers that move, TMA's boxes and
their barriers, the order of tiles, waves of tiles, a persistent block's tiles, and what a cluster shares."""

import re

from _kernel import Kernel
from _svg import Drawing

MULTIPROCESSORS = 132


def draw_ring(sources):
    kernel = Kernel(sources, "step06_tensorcore/c_ring/stages.cu")
    stages, shown = kernel.value("STAGES"), 6
    kernel.line("request(p, row0, col0, t + STAGES - 1, ring);")
    d = Drawing(f"The ring of stages: {stages} places in shared memory. While tile t is multiplied, tile t + 1 travels "
                f"and tile t + {stages - 1} is requested, where tile t - 1 was.")
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


RING = "step06_tensorcore/c_ring/"


def draw_fragments_ahead(sources):
    """Which fragments are loaded while which are multiplied, in the four steps of two tiles."""
    kernel = Kernel(sources, RING + "fragments.cu")
    steps, stages, call = kernel.value("STEPS"), kernel.value("STAGES"), "load_fragments(ring[(t"
    stage, _, _, loaded, *_ = kernel.arguments(call, "load_fragments")
    inside = re.fullmatch(r"ring\[(.*)\]", stage)[1]
    now = re.search(r"int now = (.*?), next", kernel.line("int now = step"))[1]
    d = Drawing(f"Two tiles of {steps} steps. warp_64x64 loads the fragments of a step, waits and multiplies. "
                f"fragments loads those of the next step while it multiplies: in step {steps - 1} those of the next "
                f"tile, after the barrier.")
    d.text(10, 18, "Two tiles, four steps of 16 values of k; time runs right.", "note")
    wide, left = 39, 66
    d.text(10, 44, "warp_64x64", "title")
    d.text(10, 67, "ldmatrix")
    d.text(10, 93, "products")
    for n in range(5):  # in the room of eight steps
        x = left + n * 65
        d.label(x, 54, 24, 20, n % steps, "soft-b")
        d.label(x + 26, 80, 36, 20, n % steps, "soft-a")
    d.text(10, 130, "fragments", "title")
    for y, name in ((153, "ldmatrix"), (179, "products"), (205, "stage")):
        d.text(10, y, name)
    for n in range(2 * steps):
        t, step = n // steps, n % steps
        x = left + n * wide + 6
        where, which = kernel.compute(inside, t=t, step=step), kernel.compute(loaded, step=step)
        if step == steps - 1:
            d.box(x - 5, 136, 3, 50, "c", 0)
        d.label(x, 140, wide - 8, 20, which, ("b" if kernel.compute(now, step=step) else "soft-b") if which else "d",
                "on" if kernel.compute(now, step=step) or not which else "")
        d.label(x, 166, wide - 8, 20, step, "soft-a" if kernel.compute(now, step=step) else "a", "" if kernel.compute(
            now, step=step) else "on")
        d.text(x + (wide - 8) / 2, 205, where, "note", "middle")
    d.text(10, 232, "Number: the step whose fragments these are. Violet: the", "note")
    d.text(10, 247, f"next tile's, from the next of {stages} stages. Pale and full: the", "note")
    d.text(10, 262, "two sets of registers. Green: the wait and the barrier.", "note")
    return d.svg()


def draw_interleaved(sources):
    kernel = Kernel(sources, RING + "interleaved.cu")
    steps, each = kernel.value("STEPS"), kernel.value("EACH")
    first, last = kernel.arguments("request(p, row0, col0, t + STAGES - 1, ring,", "request")[-2:]
    Kernel(sources, RING + "fragments.cu").line("request(p, row0, col0, t + STAGES - 1, ring);")
    issued = [range(kernel.compute(first, step=step), kernel.compute(last, step=step)) for step in range(steps)]
    kernel.must_have("every copy once", sorted(i for some in issued for i in some) == list(range(each)))
    d = Drawing(f"When a thread issues its {2 * each} copies of a tile. fragments: all before step 0. interleaved: "
                f"{2 * len(issued[0])} in each of the {steps} steps, half of A and half of B; the group is closed in "
                f"the last.")
    d.text(10, 18, "A tile, 64 values of k. Grey: the 32 products of a step.", "note")
    d.text(10, 33, "A coloured box: a copy, of A (blue) or of B (orange).", "note")
    wide = (372 - 2 * each * 8) / steps
    for top, name, copies in ((66, "fragments", [range(each)] + (steps - 1) * [()]), (128, "interleaved", issued)):
        x = 10
        d.text(x, top - 6, name, "title")
        for step in range(steps):
            for style in "ab":
                for _ in copies[step]:
                    d.box(x, top, 7, 24, style, 0.5)
                    x += 8
            if step == steps - 1:
                d.box(x, top - 5, 3, 34, "c", 0)
                x += 4
            d.label(x, top, wide - 2, 24, f"step {step}", "cell")
            x += wide
    d.text(10, 170, "Green: wait for the next tile, barrier.", "note")
    return d.svg()


def draw_pointers(sources):
    """One thread's copies of a tile: from where, to where."""
    kernel = Kernel(sources, RING + "pointers.cu", RING + "stage.cuh", RING + "moving_copies.cuh")
    each, apart, stages = kernel.value("EACH"), kernel.value("APART"), kernel.value("STAGES")
    place = re.search(r"int place\(int row, int chunk\) \{\s*return (.*?);", kernel.text)[1]
    copy = "cp_async_16_zfill(to + down * BK * 2"
    down = re.search(r"int down = (.*?);", kernel.line("int down ="))[1]
    to = kernel.arguments(copy, "cp_async_16_zfill")[0].replace("to + ", "")
    kernel.line("unsigned to = x.to + s * (int)sizeof(stage);")
    kernel.line("from.a += STAGES * BK, from.b += STAGES * BK;")
    row, chunk = (kernel.compute(f"threadIdx.x {half} 8", threadIdx_x=13) for half in "/%")
    kernel.line("int row = threadIdx.x / 8, chunk = threadIdx.x % 8;")
    rows = [row + kernel.compute(down, i=i) for i in range(each)]
    places = {kernel.compute(place, row=one, chunk=chunk) // 8 for one in rows}
    kernel.must_have("rows whose XOR is the same", len(places) == 1)
    to_bytes = [kernel.compute(to, down=one - row) for one in rows]
    d = Drawing(f"The {each} copies of thread 13 of a tile of A: chunk {chunk} of rows {row}, {rows[1]}, to "
                f"{rows[-1]}. From one pointer plus {apart} rows each; to one address plus {to_bytes[1]} bytes each, "
                f"always in place {places.pop()}, since the XOR of every {apart}th row is the same. A stage further is "
                f"a constant, too.")
    d.text(10, 18, f"Thread 13 copies chunk {chunk} of every {apart}th row of A.", "note")
    d.text(10, 44, "from: A in global memory", "title")
    d.text(226, 44, "to: stage 0", "title")
    target = kernel.compute(place, row=row, chunk=chunk) // 8
    for n, one in enumerate(rows):
        y = 54 + n * 24
        d.text(43, y + 14, f"row {one}", "tiny", "end")
        for c in range(8):
            d.box(46 + c * 13, y, 12, 20, "a" if c == chunk else "cell")
            d.box(226 + c * 13, y, 12, 20, "a" if c == target else "cell")
        d.text(154, y + 14, "a" if n == 0 else f"+ {one - row} lda", "tiny")
        d.line(203, y + 10, 222, y + 10, True)
        d.text(334, y + 14, "to" if n == 0 else f"+ {to_bytes[n]}", "tiny")
    y = 54 + each * 24 + 16
    step = kernel.compute("STAGES * BK")
    d.text(10, y, f"Registers: a, to. Constants: the rest. B: {128 * kernel.value('BM') // 1024} KiB further.", "note")
    d.text(10, y + 16,
           f"Stages 1 and 2: + {kernel.compute('2 * (BM + BN) * BK')} and + {2 * kernel.compute('2 * (BM + BN) * BK')} "
           f"bytes.", "note")
    d.text(10, y + 32, f"Once in {stages} tiles: a += {step} numbers.", "note")
    return d.svg()


def draw_tma(sources):
    """Which box of A goes to which stage, and the phases of its barrier."""
    kernel = Kernel(sources, "step06_tensorcore/d_hopper/tma.cu")
    stages, tiles = kernel.value("STAGES"), 7
    _, _, x, y, _ = kernel.arguments("tma_load(shared_address(ring[s].a)", "tma_load")
    stage = kernel.arguments("request(maps, p.k, row0, col0, t + STAGES - 1, (at", "request")[5]
    parity = kernel.arguments("mbarrier_wait(full + 8 * at_next", "mbarrier_wait")[1]
    kernel.must_have("boxes that begin in row0", y == "row0")
    d = Drawing(f"One thread names a box of 128 rows and 64 k by its first column and row. Tile t goes to stage t mod "
                f"{stages}; its bytes are counted by that stage's barrier, whose parity for it is t / {stages} mod 2.")
    d.text(10, 18, "A, 128 rows from row0 on: a box for each 64 k.", "note")
    places = {}
    for t in range(tiles):
        s = kernel.compute(stage, at=t - stages + 1 + stages)
        places.setdefault(s, []).append((t, kernel.compute(parity, t=t - 1)))
        d.label(10 + t * 54, 28, 51, 54, f"t = {t}", "soft-" + "acd"[s])
        d.text(10 + t * 54, 94, f"x = {kernel.compute(x, t=t)}", "tiny")
    d.text(10, 120, f"{stages} stages, an mbarrier each: its phases in time", "note")
    for s in sorted(places):
        top = 132 + s * 42
        d.text(10, top + 20, f"full[{s}]")
        for n, (t, bit) in enumerate(places[s]):
            d.box(66 + n * 108, top, 104, 34, "soft-" + "acd"[s])
            d.text(72 + n * 108, top + 14, f"tile {t}: {2 * kernel.compute('(BM + BN) * BK') // 1024} KiB")
            d.text(72 + n * 108, top + 28, f"wait for parity {bit}", "tiny")
    d.text(10, 274, "A phase ends when the arrival and all the bytes have come.", "note")
    return d.svg()


def draw_persistent(sources):
    """The tiles of C that a block computes, and the stages that their tiles of K pass through."""
    kernel = Kernel(sources, "step06_tensorcore/e_persistent/persistent_grid.cu")
    stages, steps = kernel.value("STAGES"), 6
    loop = "for (int tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x, it += steps)"
    kernel.line(loop)
    parity = kernel.arguments("mbarrier_wait(full + 8 * s, it", "mbarrier_wait")[1]
    tiles = [tile for tile in range(0, 16 * 32, MULTIPROCESSORS)]
    d = Drawing(f"Block 0 of {MULTIPROCESSORS} computes tiles 0, {tiles[1]}, {tiles[2]} and so on. With {steps} tiles "
                f"along K and {stages} stages, each tile of C begins with another stage or parity: stages are counted "
                f"across tiles, by it.")
    d.text(10, 18, f"Block 0 of {MULTIPROCESSORS}; K = {64 * steps}: {steps} tiles of 64 for each tile of C.", "note")
    d.text(10, 33, f"In a box: the stage, of {stages}. Full colour: parity 1.", "note")
    for n, tile in enumerate(tiles):
        y = 48 + n * 40
        d.text(10, y + 19, f"tile {tile}")
        for step in range(steps):
            it = n * steps + step
            d.label(76 + step * 50, y, 47, 28, kernel.compute("it % STAGES", it=it),
                    "a" if kernel.compute(parity, it=it) else "soft-a", "on" if kernel.compute(parity, it=it) else "")
    end = 48 + len(tiles) * 40 + 10
    d.text(10, end, "The producer goes on to the next row while the", "note")
    d.text(10, end + 15, "consumers still store: to it, all is one sequence.", "note")
    return d.svg()


def draw_raster(sources):
    """gemm_rasterize, from its source: a function of tile, tiles_m and tiles_n."""
    kernel = Kernel(sources, "common/gemm/gemm_kernel.cuh")
    text = kernel.text[kernel.text.index("int2 gemm_rasterize"):]
    names = {name: re.search(rf"\b{name} = ([^,;]+(?:\([^)]*\))?[^,;]*)[,;]", text)[1]
             for name in ("BAND", "band", "inside")}
    for one in "rows = min(BAND, tiles_m - band)", "make_int2(band + inside % rows, inside / rows)":
        kernel.must_have("gemm_rasterize as the drawing has it", one in text)

    def place(tile, tiles_m, tiles_n):
        given = {"tile": tile, "tiles_m": tiles_m, "tiles_n": tiles_n}
        for name in ("BAND", "band", "inside"):
            given[name] = kernel.compute(names[name], **given)
        rows = min(given["BAND"], tiles_m - given["band"])
        return given["band"] + given["inside"] % rows, given["inside"] // rows

    side, together = 64, 2 * MULTIPROCESSORS
    banded = [place(tile, side, side) for tile in range(together)]
    plain = [(tile // side, tile % side) for tile in range(together)]
    d = Drawing(f"The first {together} of 64 by 64 tiles of C, those that run at once. Row by row they need "
                f"{len({r for r, _ in plain})} rows of A and {len({c for _, c in plain})} columns of B; in bands of 8 "
                f"rows {len({r for r, _ in banded})} and {len({c for _, c in banded})}.")
    d.text(10, 18, f"8192³, tiles of 128 × 128: the first {together}, two per", "note")
    d.text(10, 33, "multiprocessor, run at once.", "note")
    for n, (name, tiles) in enumerate((("row by row", plain), ("in bands of 8", banded))):
        x, y = 10 + n * 198, 66
        d.text(x, 56, name, "title")
        taken = set(tiles)
        d.grid(x, y, side, side, 2.9, 2.9, lambda *at, taken=taken: "a" if at in taken else "cell", 0.4, 0.5)
        rows, columns = len({r for r, _ in tiles}), len({c for _, c in tiles})
        d.text(x, 264, f"{rows} rows of A, {columns} of B:", "note")
        d.text(x, 279, f"{2 * (rows + columns)} MiB go through L2", "note")  # 128 x 8192 numbers of 2 bytes are 2 MB
    return d.svg()


def draw_waves(sources):
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


def draw_cluster(sources):
    folder = "step06_tensorcore/e_persistent/"
    kernel = Kernel(sources, folder + "cluster.cu", folder + "pair.cuh")
    count, bm, bn = kernel.value("CLUSTER"), kernel.value("BM"), kernel.value("BN")
    kernel.line("tma_load_multicast(")
    part = bn // count
    d = Drawing(f"A cluster of {count} blocks, one above the other. Each loads its own {bm} rows of A, and {part} "
                f"columns of B, which the hardware sends to both.")
    d.text(10, 18, "One tile of K: what a block loads, and who gets it.", "note")
    for rank in range(count):
        y = 40 + rank * 96
        d.text(10, y + 12, f"block {rank}", "title")
        d.label(10, y + 20, 92, 26, f"A {rank * bm}–{rank * bm + bm - 1}", "soft-a")
        d.label(10, y + 50, 92, 26, f"B {rank * part}–{rank * part + part - 1}", "soft-" + "bd"[rank])
        d.text(236, y + 12, f"its stage, {128 * (bm + bn) // 1024} KiB", "note")
        d.label(236, y + 20, 150, 26, f"A {rank * bm}–{rank * bm + bm - 1}", "soft-a")
        for other in range(count):
            d.label(236 + other * 76, y + 50, 74, 26, f"B {other * part}–{other * part + part - 1}", "soft-" +
                    "bd"[other])
            d.line(104, 40 + other * 96 + 63, 233, y + 63, True)
        d.line(104, y + 33, 233, y + 33, True)
    without, with_them = bm + bn, bm + part
    d.text(10, 248, f"L2 delivers {with_them} rows of 128 bytes per block, not {without}.", "note")
    return d.svg()
