"""Step 3: the outer product of a fragment of A and one of B, which results a thread owns, and registers."""

from _kernel import Kernel, rows
from _svg import Drawing

CONSTANTS = ("BM", "BN", "BK", "TM", "TN")
REGISTERS, WARPS, PER_WARP = 65536, 64, 256  # an SM of sm_90; registers come in units of 256 per warp
NAMES = ("tile4x4", "tile8x16_128t", "tile8x8_256t")


def variant(sources, name):
    sizes = Kernel(sources, f"step03_regblock/{name}.cu")
    return Kernel(sources, "step03_regblock/regblock.cuh", **{one: sizes.value(one) for one in CONSTANTS})


def owned(kernel, tid):
    """Rows and columns of the tile whose results a thread keeps: those of its fragments of A and B."""
    rows = [kernel.index("a_reg[i] =", "As", i=i, k=0, threadIdx_x=tid)[0] for i in range(kernel.value("TM"))]
    cols = [kernel.index("b_reg[j] =", "Bs", j=j, k=0, threadIdx_x=tid)[1] for j in range(kernel.value("TN"))]
    return rows, cols


def draw_outer(sources):
    kernel = variant(sources, "tile4x4")
    bm, bn, tm, tn = (kernel.value(name) for name in ("BM", "BN", "TM", "TN"))
    rows, cols = owned(kernel, 0)
    next_rows, next_cols = owned(kernel, 1)
    d = Drawing(f"One thread of tile4x4 multiplies {tm} values of A by {tn} of B: {tm + tn} loads, {tm * tn} FMAs. In "
                f"the block's {bm} × {bn} tile thread 0 owns rows {', '.join(map(str, rows))} and columns "
                f"{', '.join(map(str, cols))}; its neighbour owns the columns beside these.")
    d.text(10, 20, "one thread, one k", "title")
    size, left, top = 27, 44, 60
    for j in range(tn):
        d.label(left + j * size, top - size - 4, size - 2, size - 2, f"b{j}", "soft-b")
    for i in range(tm):
        d.label(left - size - 4, top + i * size, size - 2, size - 2, f"a{i}", "soft-a")
        for j in range(tn):
            d.label(left + j * size, top + i * size, size - 2, size - 2, "+=", "soft-c")
    d.text(10, top + tm * size + 20, f"{tm + tn} loads,")
    d.text(10, top + tm * size + 35, f"{tm * tn} FMAs: {tm * tn / (tm + tn):g} per load")
    d.text(190, 20, f"the block's {bm} × {bn} results", "title")
    cell, x0, y0 = 3.1, 190, 30
    d.box(x0, y0, bn * cell, bm * cell, "cell", 1)
    for mine, others, style in ((rows, cols, "c"), (next_rows, next_cols, "d")):
        for row in mine:
            for col in others:
                d.box(x0 + col * cell, y0 + row * cell, cell, cell, style, 0)
    d.text(190, y0 + bm * cell + 15, "green: thread 0's results")
    d.text(190, y0 + bm * cell + 30, "violet: those of thread 1")
    return d.svg()


def draw_registers(sources):
    """How many blocks an SM's registers hold, from the variants' compiled sizes, and how many warps these are."""
    compiled = {row["variant"]: int(row["registers"]) for row in rows(sources, "plots/data/sass.csv")
                if row["step"] == "step03_regblock"}
    variants = []
    for name in NAMES:
        sizes = Kernel(sources, f"step03_regblock/{name}.cu")
        threads = sizes.value("BM") // sizes.value("TM") * (sizes.value("BN") // sizes.value("TN"))
        warp = -(-compiled[name] * 32 // PER_WARP) * PER_WARP
        blocks = REGISTERS // (warp * threads // 32)
        variants.append((name, compiled[name], threads, blocks, warp * threads // 32, blocks * threads // 32,
                         sizes.value("TM") * sizes.value("TN")))
    d = Drawing(f"The {REGISTERS} registers of an SM, divided among blocks. " + " ".join(
        f"{name}: {regs} registers per thread, {blocks} blocks of {threads} threads, {warps} of {WARPS} warps."
        for name, regs, threads, blocks, _, warps, _ in variants))
    d.text(10, 18, f"A bar is an SM's {REGISTERS:,} registers, cut into blocks.", "note")
    d.text(10, 33, "Strong: accumulators. Pale: the rest. Grey: left over.", "note")
    top, long = 44, 380
    for name, regs, threads, blocks, size, warps, results in variants:
        d.text(10, top + 13, name, "title")
        d.text(10, top + 28, f"{regs} registers per thread, {blocks} blocks of {threads} threads")
        d.box(10, top + 34, long, 20, "cell", 0)
        for block in range(blocks):
            wide = long * size / REGISTERS
            d.box(10 + block * wide, top + 34, wide - 1.5, 20, "soft-a", 0)
            d.box(10 + block * wide, top + 34, long * results * threads / REGISTERS, 20, "a", 0)
        d.text(10, top + 69, f"{warps} of {WARPS} warps, {warps // 4} for each of the SM's four schedulers")
        top += 84
    return d.svg()
