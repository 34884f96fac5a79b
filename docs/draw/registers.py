"""How many blocks of step 3's variants an SM's registers hold, from their compiled sizes, and how many warps these
are."""

import csv
import io

from _kernel import Kernel
from _svg import Drawing

REGISTERS, WARPS, PER_WARP = 65536, 64, 256  # an SM of sm_90; registers come in units of 256 per warp
NAMES = ("tile4x4", "tile8x16_128t", "tile8x8_256t")


def draw(sources):
    compiled = {row["variant"]: int(row["registers"])
                for row in csv.DictReader(io.StringIO(sources.text("plots/data/sass.csv")))
                if row["step"] == "step03_regblock"}
    rows = []
    for name in NAMES:
        sizes = Kernel(sources, f"step03_regblock/{name}.cu")
        threads = sizes.value("BM") // sizes.value("TM") * (sizes.value("BN") // sizes.value("TN"))
        warp = -(-compiled[name] * 32 // PER_WARP) * PER_WARP
        blocks = REGISTERS // (warp * threads // 32)
        rows.append((name, compiled[name], threads, blocks, warp * threads // 32, blocks * threads // 32,
                     sizes.value("TM") * sizes.value("TN")))
    d = Drawing(f"The {REGISTERS} registers of an SM, divided among blocks. " + " ".join(
        f"{name}: {regs} registers per thread, {blocks} blocks of {threads} threads, {warps} of {WARPS} warps."
        for name, regs, threads, blocks, _, warps, _ in rows))
    d.text(10, 18, f"A bar is an SM's {REGISTERS:,} registers, cut into blocks.", "note")
    d.text(10, 33, "Strong: accumulators. Pale: the rest. Grey: left over.", "note")
    top, long = 44, 380
    for name, regs, threads, blocks, size, warps, results in rows:
        d.text(10, top + 13, name, "title")
        d.text(10, top + 28, f"{regs} registers per thread, {blocks} blocks of {threads} threads")
        d.box(10, top + 34, long, 20, "cell", 0)
        for block in range(blocks):
            wide = long * size / REGISTERS
            d.box(10 + block * wide, top + 34, wide - 1.5, 20, "soft-a", 0)
            d.box(10 + block * wide, top + 34, long * results * threads / REGISTERS, 20, "a", 0)
        d.text(10, top + 69, f"{warps} of {WARPS} warps, {warps // 4} for each of the SM's four schedulers")
        top += 84
    return {"registers": d.svg()}
