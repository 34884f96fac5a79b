"""Step 9's best in FP32: the bits of a place and of a tap, and how lanes lie along x in both layouts."""

from _kernel import Kernel, sectors
from _svg import Drawing

SIDE, R, S = 5, 3, 3


def outside(at, taps):
    """Which rows (or columns) of a filter leave the image, at a place of this row (or column), with padding 1."""
    return [not 0 <= at - 1 + tap < SIDE for tap in range(taps)]


def draw_conv_best(sources):
    kernel = Kernel(sources, "step09_conv/best/f32_tile.cuh")
    for needed in ("1u << r | 1u << (p.r + s)", "outside & tap.outside ? 0 : 4"):
        kernel.must_have(f"'{needed}'", needed in kernel.text)
    row, col, cell = 0, SIDE - 1, 24
    place = [outside(row, R), outside(col, S)]
    d = Drawing(f"A window of 3 x 3 taps at the upper right corner of an image of {SIDE} x {SIDE} pixels. The place "
                "has six bits: row 0 and column 2 of the filter are outside. Each tap has two; where one of them is "
                "also set in the place the copy fills in a zero.")
    d.text(10, 18, "A place at a corner, and its window of 3 × 3", "title")
    d.grid(10, 28, SIDE + 2, SIDE + 2, 20, 20, lambda i, j: "soft-a" if 1 <= i <= SIDE and 1 <= j <= SIDE else "cell")
    d.box(9 + col * 20, 27 + row * 20, 61, 61, "clash", 2)
    d.text(170, 42, "outside, of the place", "note")
    names = [f"r {r}" for r in range(R)] + [f"s {s}" for s in range(S)]
    for number, bit in enumerate(place[0] + place[1]):
        x = 170 + number * (cell + 1)
        d.text(x + cell / 2, 62, names[number], "tiny", "middle")
        d.label(x, 66, cell, 20, int(bit), "a" if bit else "cell")
    d.text(170, 108, "and of a tap: its row, its column", "note")
    d.text(170, 126, "AND is 0: 4 bytes are copied,", "note")
    d.text(170, 142, "else a zero is filled in", "note")
    top = 190
    d.text(10, top, "The nine taps of that place (x: a pixel, 0: a zero)", "title")
    for r in range(R):
        for s in range(S):
            x, y = 10 + s * 130, top + 10 + r * 28
            zero = place[0][r] or place[1][s]
            for number in range(R + S):
                on = number in (r, R + s)
                d.label(x + number * 15, y, 14, 18, int(on), "b" if on else "cell")
            d.text(x + 95, y + 13, "0" if zero else "x")
    top += 10 + R * 28
    lanes, channels = kernel.value("LANES"), 64
    layouts = (("NCHW: 32 places, one tap", range(32)),
               (f"NHWC: {lanes} channels of {32 // lanes} places, c = {channels}",
                [lane // lanes * channels + lane % lanes for lane in range(32)]))
    for number, (name, words) in enumerate(layouts):
        y = top + 24 + number * 54
        d.text(10, y, f"{name}: {len(sectors(list(words)))} sectors")
        for lane, word in enumerate(words):
            style = ("soft-a", "soft-b")[word // (8 if number == 0 else channels) % 2]
            d.box(10 + lane * 11.8, y + 8, 10.6, 14, style, 1)
    d.text(10, top + 24 + 2 * 54 - 12, "A box a lane of a copy; one colour: one sector", "note")
    return d.svg()
