"""Step 9, the first four lessons: how often the windows read each pixel, the matrix that im2col writes, how the number
of a tap becomes a pixel in implicit, and the table and the bits of precomputed."""

import re

from _kernel import Kernel, sectors, wavefronts
from _svg import Drawing

SMALL = dict(p_stride0=1, p_stride1=1, p_dilation0=1, p_dilation1=1, p_r=3, p_s=3)


def layer(side, pad):
    return dict(SMALL, p_h=side, p_w=side, p_p=side, p_q=side, p_pad0=pad, p_pad1=pad)


def seen(kernel, place, line, side, pad=1):
    """The pixels that a place's window takes, tap by tap; None where there is a zero."""
    condition = kernel.must_have("a condition for what lies inside", re.search(
        r"(?:if \(|\*to = )(i >= 0 .*?)(?:\) sum| \?)", kernel.line(line)))
    at = dict(layer(side, pad), place=place, at=place, c=0)
    corner = {name: kernel.value(name, **at) for name in ("i0", "j0")}
    for r in range(3):
        for s in range(3):
            where = dict(at, **corner, r=r, s=s)
            where.update({name: kernel.value(name, **where) for name in ("i", "j")})
            inside = kernel.compute(condition[1], **where)
            yield kernel.index(line, "x", **where)[0] if inside else None


def draw_conv_reads(sources):
    """direct: a number in each pixel, and a warp's load."""
    kernel, side, cell = Kernel(sources, "step09_conv/direct.cu"), 7, 21
    line = "sum += x["
    windows = [list(seen(kernel, place, line, side)) for place in range(side * side)]
    count = [sum(window.count(pixel) for window in windows) for pixel in range(side * side)]
    zeros = sum(window.count(None) for window in windows)
    d = Drawing(f"An image of {side} x {side} pixels with a border of zeros, and how many of the windows of 3 x 3 read "
                f"each pixel: {count[0]} at a corner, {count[1]} at an edge, {count[side + 1]} inside. {zeros} taps "
                "lie outside.")
    d.text(10, 18, "How many windows read a pixel", "title")
    d.text(10, 33, "one channel, 3 × 3 taps, stride 1, a border of zeros", "note")
    left, top = 10, 44
    shown = 0, side + 3  # two places whose windows are framed
    for row in range(-1, side + 1):
        for col in range(-1, side + 1):
            x, y = left + (col + 1) * cell, top + (row + 1) * cell
            if 0 <= row < side and 0 <= col < side:
                n = count[row * side + col]
                d.label(x, y, cell - 1, cell - 1, n, {9: "a", 6: "soft-a"}.get(n, "soft-d"))
            else:
                d.label(x, y, cell - 1, cell - 1, "0", "cell", "note")
    for place in shown:
        x, y = left + place % side * cell, top + place // side * cell
        d.box(x - 1, y - 1, 3 * cell + 1, 3 * cell + 1, "clash", 2)
    x = left + (side + 2) * cell + 12
    d.lines(x, top + 14, ("grey: zeros, which are", "not in memory; of all", f"{9 * side * side} taps {zeros} meet one",
                          "", "framed: the windows of", f"places 0 and {shown[1]}", "", "Each of the k filters",
                          "reads them all again."), 16)
    top += (side + 2) * cell + 20
    wide = 32
    lanes = [list(seen(kernel, wide + lane, line, wide))[3] for lane in range(32)]  # row 1 of y, the tap (1, 0)
    words = [word for word in lanes if word is not None]
    d.text(10, top, "One product of a warp: two loads", "title")
    d.text(10, top + 15, f"the 32 places of a row, tap (1, 0): pixels from {len(sectors(words))} sectors", "note")
    for lane, word in enumerate(lanes):
        d.box(10 + lane * 11.8, top + 22, 10.6, 14, "cell" if word is None else "soft-a" if word // 8 % 2 else "a", 1)
    d.text(10, top + 52, "and one word of f for all lanes, from 1 sector", "note")
    return d.svg()


def draw_conv_windows(sources):
    """im2col: the image's pixels in the matrix."""
    kernel, side, cell, shown = Kernel(sources, "step09_conv/im2col.cu"), 4, 18, 5
    columns = [list(seen(kernel, place, "*to = i >= 0", side)) for place in range(side * side)]
    times = sum(column.count(shown) for column in columns)
    d = Drawing(f"An image of {side} x {side} pixels and the matrix of its windows, 9 rows by {side * side} columns. "
                f"Pixel {shown} stands in it {times} times.")
    d.text(10, 18, f"x: a channel of {side} × {side}", "title")
    for pixel in range(side * side):
        d.label(10 + pixel % side * cell, 26 + pixel // side * cell, cell - 1, cell - 1, pixel,
                "a" if pixel == shown else "soft-a")
    zeros = sum(column.count(None) for column in columns)
    d.lines(130, 38, (f"{side * side} words become {9 * side * side}.", f"Pixel {shown} is written {times} times,",
                      f"zeros {zeros} times, once for each", "tap outside the image."), 16, "")
    top = 26 + side * cell + 22
    d.text(10, top, "the windows: a row per tap, a column per place", "title")
    for place, column in enumerate(columns):
        x = 70 + place * cell
        d.text(x + cell / 2, top + 16, place, "tiny", "middle")
        for tap, pixel in enumerate(column):
            style = "cell" if pixel is None else "a" if pixel == shown else "soft-a"
            d.label(x, top + 20 + tap * cell, cell - 1, cell - 1, "" if pixel is None else pixel, style)
    for tap in range(9):
        d.text(64, top + 33 + tap * cell, f"r {tap // 3}, s {tap % 3}", "note", "end")
    d.text(10, top + 36 + 9 * cell, "Above: places. Grey: zeros. A warp stores along a row.", "note")
    return d.svg()


def draw_conv_divided(sources):
    """implicit: the taps of three steps of the product, and where those of one are."""
    kernel = Kernel(sources, "step09_conv/implicit.cu")
    bk, cell, side, step = Kernel(sources, "step09_conv/tile.cuh").value("BK"), 15.8, 5, 1
    taps = [dict(zip("crs", (kernel.compute(text, l0=tap, n=0, **SMALL, d_taps=9) for text in
                             ("c", "rest / p.s", "rest % p.s")))) for tap in range(3 * bk)]
    d = Drawing(f"The numbers of {3 * bk} taps, {bk} of them a step, and what two divisions make of each: channel, row "
                "and column. A step's taps lie in two channels.")
    d.text(10, 18, f"{bk} taps a step, whatever a channel has: here 9", "title")
    for number, tap in enumerate(taps):
        x, style = 14 + number * cell, ("soft-a", "soft-b", "soft-c")[tap["c"] % 3]
        d.label(x, 30, cell - 1, 17, number, style, "tiny")
        for row, name in enumerate("crs"):
            d.text(x + cell / 2 - 0.5, 61 + 13 * row, tap[name], "note", "middle")
    for row, name in enumerate("crs"):
        d.text(3, 61 + 13 * row, name)
    for one in range(3):
        d.box(12.5 + one * bk * cell, 27, bk * cell, 66, "clash" if one == step else "frame", 2)
    d.text(10, 112, "c = l / 9, rest = l % 9, r = rest / 3, s = rest % 3")
    top = 132
    d.text(10, top, "The framed step: what a thread loads for its place", "title")
    for channel in range(2):
        left = 10 + channel * 130
        d.text(left, top + 17, f"channel {channel}", "note")
        d.grid(left, top + 24, side, side, 22, 22, "cell")
        for number, tap in list(enumerate(taps))[step * bk:(step + 1) * bk]:
            if tap["c"] == channel:
                d.label(left + (1 + tap["s"]) * 22, top + 24 + (1 + tap["r"]) * 22, 21, 21, number,
                        ("soft-a", "soft-b")[channel])
    d.lines(272, top + 40, ("two divisions,", "two remainders", "for each; 8 such", "for 512 FMAs"), 17, "")
    return d.svg()


def draw_conv_table(sources):
    """precomputed: entries of the table, the bits of places, and what constant memory answers."""
    kernel, side = Kernel(sources, "step09_conv/precomputed.cu"), 56
    formula = re.search(r"int64_t offset = (.*);", kernel.line("int64_t offset ="))[1]
    offsets = [kernel.compute(formula, c=tap // 9, r=tap % 9 // 3, s=tap % 3, **layer(side, 1)) for tap in range(18)]
    d = Drawing(f"The table's first offsets for images of {side} x {side} and 3 x 3 taps: "
                f"{', '.join(map(str, offsets[:9]))}. The nine bits of places at a corner, at an edge and inside. How "
                "often constant memory and shared memory answer where lanes want several entries.")
    d.text(10, 18, f"The table: offsets from a window's corner, {side} × {side}", "title")
    for tap, offset in enumerate(offsets):
        d.label(10 + tap % 9 * 42.5, 28 + tap // 9 * 24, 41, 22, offset, ("soft-a", "soft-b")[tap // 9])
    d.text(10, 90, f"second line: the next channel, {side * side} further on", "note")
    direct = Kernel(sources, "step09_conv/direct.cu")
    d.text(10, 114, "The bits of a place: is the tap in the image?", "title")
    for number, (name, place) in enumerate((("first", 0), ("first row", 20), ("inside", side + 1),
                                            ("last", side * side - 1))):
        bits = [pixel is not None for pixel in seen(direct, place, "sum += x[", side)]
        for tap, bit in enumerate(bits):
            d.label(14 + number * 98 + tap % 3 * 20, 122 + tap // 3 * 20, 19, 19, int(bit), "a" if bit else "cell")
        d.text(14 + number * 98, 196, name, "note")
    d.text(10, 222, "If the lanes of a warp want several entries at once", "title")
    for row, name in enumerate(("entries", "constant", "shared")):
        d.text(10, 242 + 18 * row, name)
        for col, different in enumerate((1, 2, 4, 8, 32)):
            words = {lane: [lane % different] for lane in range(32)}
            answers = (different, different, len(wavefronts(words, 32)))[row]
            d.label(90 + col * 60, 230 + 18 * row, 57, 16, answers, ("cell", "soft-b", "soft-a")[row])
    d.text(10, 298, "Accesses: constant memory serves one entry at a time,", "note")
    d.text(10, 313, "shared memory one in each bank. precomputed wants one.", "note")
    return d.svg()
