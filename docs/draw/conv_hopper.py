"""Step 9, hopper: the box of a window's corner, the pixels of one tap, and the column of them that a copy brings."""

import re

from _kernel import Kernel
from _svg import Drawing

WIDE, HIGH, TAPS, PAD, TAP = 6, 4, 3, 1, (2, 1)  # an image, its filter, and the tap that is shown: across, down


class Conv(Kernel):
    """p->pad[i] is p_pad where it is computed, both sides being alike."""

    def compute(self, expression, **given):
        return super().compute(re.sub(r"\bp(?:\.|->)(\w+)\[\w\]", r"p_\1", expression), **given)


def draw_conv_column(sources):
    maps, kernel = Conv(sources, "common/conv/conv_map.c"), Conv(sources, "step09_conv/hopper.cu")
    known = dict(p_pad=PAD, p_stride=1, p_dilation=1, p_r=TAPS, p_s=TAPS, i=1)
    reach = maps.compute(maps.returned("reach"), taps=TAPS, **known)
    upper = maps.compute(maps.returned("upper").replace("reach(p, i)", "reach"), reach=reach, **known)
    maps.line("const int lower[2] = {-p->pad[1], -p->pad[0]}")
    across, down = range(-PAD, WIDE + upper), range(-PAD, HIGH + upper)
    places = [(x, y) for y in down for x in across]
    for number, corner in enumerate(places):  # where the kernel begins, place by place
        at = dict(known, place0=number, p_q=len(across), p_p=len(down))
        kernel.must_have("the map's first corner", corner == (kernel.value("x", **at), kernel.value("y", **at)))
    pixels = [(x + TAP[0], y + TAP[1]) for x, y in places]
    there = [0 <= x < WIDE and 0 <= y < HIGH for x, y in pixels]

    d = Drawing(f"An image of {WIDE} x {HIGH} pixels with a border of zeros. The corner of a window of {TAPS} x {TAPS} "
                f"moves in a box of {len(across)} x {len(down)}; for tap ({TAP[1]}, {TAP[0]}) the pixels that are "
                f"copied are those of the box moved by the tap. One copy brings them one below the other, "
                f"{there.count(False)} of {len(places)} as zeros, and goes on in the next image.")
    cell, top = 20, 44
    for panel, (title, note, shown) in enumerate((
            ("Corners: the map's box", "number: the place", places),
            (f"Tap ({TAP[1]}, {TAP[0]}): box moved", "number: the place taking it", pixels))):
        left = 14 + panel * 194
        d.text(left, 18, title, "title")
        d.text(left, 34, note, "note")
        for y in range(-PAD, HIGH + PAD):
            for x in range(-PAD, WIDE + PAD):
                inside = 0 <= x < WIDE and 0 <= y < HIGH
                number = shown.index((x, y)) if (x, y) in shown else ""
                d.label(left + (x + PAD) * cell, top + (y + PAD) * cell, cell - 1, cell - 1, number,
                        "soft-a" if inside else "cell", "tiny")
        x, y = shown[0]
        d.box(left + (x + PAD) * cell - 2, top + (y + PAD) * cell - 2, len(across) * cell + 3, len(down) * cell + 3,
              "clash", 2)
    top += (HIGH + 2 * PAD) * cell + 24
    d.text(14, top, "The column in shared memory: a row per place", "title")
    d.text(14, top + 16, "above: place; below: its pixel (row, column); grey: zeros", "note")
    for number in range(2 * len(places)):
        image, place = divmod(number, len(places))
        x, y = 14 + place % 12 * 31, top + 40 + (place // 12 + 2 * image) * 44
        d.text(x + 14, y, number, "tiny", "middle")
        text = f"{pixels[place][1]},{pixels[place][0]}" if there[place] else "0"
        d.label(x, y + 4, 29, 18, text, "cell" if not there[place] else "soft-b" if image else "soft-a", "tiny")
    d.text(14, top + 40 + 4 * 44, "blue: image 0; orange: image 1, without a gap", "note")
    return d.svg()
