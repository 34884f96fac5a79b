"""Grid, block, warp, thread, each inside the one before, and where each of them runs: with the sizes of step 1's
kernels."""

from _kernel import Kernel
from _svg import Drawing

SIDE, WARP = 4096, 32


def warps_of(block):
    """(warp, x, y) of a block's threads in the order in which CUDA numbers them: x runs first, 32 numbers are a
    warp."""
    return [(tid // WARP, tid % block, tid // block) for tid in range(block * block)]


def draw(sources):
    block = Kernel(sources, "step01_naive/coalesced.cu").value("BLOCK")
    sms = next(int(line.split(",")[2]) for line in sources.text("common/gpu/devices.csv").split("\n")
               if line.startswith("nvidia-h200,"))
    threads, side = warps_of(block), SIDE // block
    first = [(x, y) for warp, x, y in threads if warp == 0]
    wide, high = (1 + max(place) for place in zip(*first))  # of a warp in its block
    count = 1 + threads[-1][0]
    levels = [
        ("grid", f"{side} × {side} = {side * side:,} blocks: all of C", f"spread over the GPU's {sms} SMs"),
        ("block", f"{block} × {block} threads: a tile of C", f"stays on one SM; {count} warps"),
        ("warp", f"{WARP} threads: {wide} × {high} elements of C", "issues one instruction for all its lanes"),
        ("thread", "one element of C", "is one lane of the warp"),
    ]
    d = Drawing(f"C has {SIDE} × {SIDE} elements. From the grid to the thread, each a part of the one before: " +
                "; ".join(f"{name}: {what}, {where}" for name, what, where in levels) + ".")
    d.text(10, 18, f"C has {SIDE} × {SIDE} elements. Each picture is the coloured", "note")
    d.text(10, 33, "part of the one above it, enlarged.", "note")
    left, size, tops = 12, 96, [46, 166, 286]

    d.box(left, tops[0], size, size, "soft-d", 0)
    spot = size / side  # a block, to scale, at the lower edge: there it is nearest to its picture
    d.box(left, tops[0] + size - max(spot, 1.5), max(spot, 1.5), max(spot, 1.5), "c", 0)
    d.line(left + spot, tops[0] + size, left + size, tops[1])
    d.line(left, tops[0] + size, left, tops[1])

    cell = size / block
    d.box(left, tops[1], size, size, "soft-c", 0)
    d.box(left, tops[1] + size - high * cell, wide * cell, high * cell, "b", 0)
    for line in range(high, block, high):
        d.line(left, tops[1] + line * cell, left + size, tops[1] + line * cell, style="thin")
    d.line(left + wide * cell, tops[1] + size, left + 376, tops[2])
    d.line(left, tops[1] + size, left, tops[2])

    cell = 376 / max(wide, 16)
    for x, y in first:
        d.box(left + x * cell, tops[2] + y * cell, cell - 1, cell - 1, "a" if (x, y) == (0, high - 1) else "b", 1)
    below = tops[2] + high * cell + 52
    d.line(left + cell - 1, tops[2] + high * cell, left + 40, below)
    d.line(left, tops[2] + high * cell, left, below)
    d.box(left, below, 40, 40, "a", 1)

    for (name, what, where), x, y in zip(levels, (124, 124, 124, 64),
                                         (tops[0] + 36, tops[1] + 36, below - 34, below + 22)):
        d.text(x, y, name, "title")
        d.text(x, y + 15, what)
        d.text(x, y + 30, where, "note")
    return {"hierarchy": d.svg()}
