"""Thread, warp, block, grid, and where each of them runs: with the sizes of step 1's kernels."""

from _kernel import Kernel
from _svg import Drawing

SIDE, WARP = 4096, 32


def draw(sources):
    block = Kernel(sources, "step01_naive/coalesced.cu").value("BLOCK")
    sms = next(int(line.split(",")[2]) for line in sources.text("common/gpu/devices.csv").split("\n")
               if line.startswith("nvidia-h200,"))
    warps, blocks = block * block // WARP, (SIDE // block) ** 2
    levels = [
        ("thread", "one element of C", "runs on a lane"),
        ("warp", f"{WARP} threads: one row of the block's tile", "issues one instruction for all its lanes"),
        ("block", f"{block} × {block} threads = {warps} warps: a tile of C", "stays on one multiprocessor (SM)"),
        ("grid", f"{SIDE // block} × {SIDE // block} = {blocks:,} blocks: all of C", f"spread over the GPU's {sms} SMs"),
    ]
    d = Drawing("From the thread to the grid: " + "; ".join(f"{name}: {what}, {where}" for name, what, where in levels) + ".")
    d.text(10, 18, f"C has {SIDE} × {SIDE} elements", "note")
    top = 30
    for number, (name, what, where) in enumerate(levels):
        style = "abcd"[number]
        if name == "thread":
            d.box(48, top + 21, 8, 8, style)
        elif name == "warp":
            for lane in range(WARP):
                d.box(16 + lane % 16 * 5, top + 20 + lane // 16 * 5, 4, 4, style, 0.5)
        elif name == "block":
            for row in range(warps):
                d.box(16, top + 8 + row * 40 / warps, 80, 40 / warps - 0.4, style, 0)
        else:
            for row in range(8):
                for column in range(16):
                    d.box(16 + column * 5, top + 8 + row * 5, 4.2, 4.2, style, 0.5)
        d.text(112, top + 16, name, "title")
        d.text(112, top + 31, what)
        d.text(112, top + 46, where, "note")
        top += 58
        if number < 3:
            d.line(56, top - 8, 56, top + 3, arrow=True)
    return {"hierarchy": d.svg()}
