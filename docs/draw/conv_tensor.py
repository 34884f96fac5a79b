"""Step 9, NHWC: what one load of a warp brings, which chunks of a window are in which tile, and which filter is in
which row of the tile of filters, so that a lane's sums are neighbours in y."""

from _kernel import Kernel, sectors
from _svg import Drawing

LANES = 32
C, R, S = 24, 3, 3  # of the drawn window: its chunks fill no tile


def draw_nhwc_loads(sources):
    """One load instruction of x in precomputed and in nhwc."""
    tile = Kernel(sources, "step09_conv/tile.cuh")
    at = tile.arguments("place_begin(loader", "place_begin")[2]
    places = [tile.compute(at, place0=0, threadIdx_x=lane) for lane in range(LANES)]
    kernel = Kernel(sources, "step09_conv/nhwc.cu")
    first = [(kernel.value("row", threadIdx_x=lane), kernel.value("part", threadIdx_x=lane)) for lane in range(LANES)]
    channels = tile.value("BK")
    four = sectors(places)
    eight = sectors([row * channels + part for row, part in first])
    d = Drawing(f"One load instruction of a warp. precomputed: a channel of {len(places)} places, 4 bytes a lane, "
                f"{len(four)} sectors. nhwc: {channels} channels of {len({row for row, _ in first})} places, 16 bytes "
                f"a lane, {len(eight)} sectors.")
    d.text(10, 18, "One load of a warp. In a box: the lane that loads it, one", "note")
    d.text(10, 33, "word of x or four. Gaps lie between sectors.", "note")
    d.text(10, 56, "precomputed, NCHW: places side by side", "title")
    d.text(10, 71, f"one channel of {len(places)} places: {len(four)} sectors", "note")
    for lane, place in enumerate(places):
        d.label(34 + place % 16 * 22 + place % 16 // 8 * 12, 77 + place // 16 * 19, 21, 15, lane,
                "soft-a" if lane % 2 else "a", "tiny")
    d.text(10, 137, "nhwc: channels side by side", "title")
    d.text(10, 152, f"{channels} channels of {len({row for row, _ in first})} places: {len(eight)} sectors", "note")
    for lane, (row, part) in enumerate(first):
        d.label(34 + row % 4 * 91 + part * 10.5, 158 + row // 4 * 19, 4 * 10.5 - 1, 15, lane,
                "soft-a" if lane % 2 else "a", "tiny")
    for row in range(0, len(first) // 2, 4):
        d.text(30, 170 + row // 4 * 19, row, "note", "end")
    d.text(10, 247, "Left: the first of the four places in a row.", "note")
    return d.svg()


def draw_conv_chunks(sources):
    """The window of a place at the left border of an image, as tiles of eight chunks."""
    kernel = Kernel(sources, "step09_conv/tensorcore.cu")
    for line in ("for (; next.c >= p.c; next.c -= p.c)", "if (++next.s == p.s) next.s = 0, next.r++;",
                 "next.c += BK, next.l += BK;"):
        kernel.line(line)
    wide = kernel.value("BK") // 8
    kept = R * S * C // 8
    tiles = -(-kept // wide)
    d = Drawing(f"The window of a place at the left border of an image, {R} by {S} taps of {C} channels, as chunks of "
                f"8 channels: {tiles} tiles of {wide}. A thread copies one column. Chunks of taps to the left of the "
                f"image and behind the last tap are zeros.")
    d.text(10, 18, f"A place at the left border; {R} × {S} taps, c = {C}.", "note")
    d.text(10, 33, "In a chunk: row and column of its tap; its channels.", "note")
    for tile in range(tiles):
        y = 58 + tile * 40
        d.text(10, y + 20, f"tile {tile}")
        for chunk in range(wide):
            number = tile * wide + chunk
            tap, channel = number * 8 // C, number * 8 % C
            x = 52 + chunk * 43
            there = number < kept
            style = "cell" if not there or tap % S == 0 else "soft-" + "abcd"[tap % S]
            d.box(x, y, 41, 34, style)
            if there:
                d.text(x + 20.5, y + 14, f"{tap // S}, {tap % S}", "", "middle")
                d.text(x + 20.5, y + 28, f"{channel}–{channel + 7}", "tiny", "middle")
    for chunk in range(wide):
        d.text(72.5 + chunk * 43, 53, chunk, "note", "middle")
    d.key(58 + tiles * 40 + 12, (52, "cell", "zeros: outside the image, or behind the last tap"))
    d.text(52, 58 + tiles * 40 + 29, "A thread copies one column, tile by tile.", "note")
    return d.svg()


def draw_conv_columns(sources):
    """Which filter is in which row of B, and what a store of a lane then covers in a place's filters."""
    kernel = Kernel(sources, "step09_conv/tensorcore.cu")
    of = kernel.line("return row / 32 * 32").strip().removeprefix("return ").rstrip(";")
    filters = [kernel.compute(of, row=row) for row in range(32)]
    kernel.must_have("a permutation of 32 filters", sorted(filters) == list(range(32)))
    owner = {filters[row]: row % 8 // 2 for row in range(32)}
    kernel.must_have("eight neighbouring filters a lane", all(owner[k] == k // 8 for k in range(32)))
    d = Drawing("mma.sync gives lane t of four the columns 2t and 2t + 1 of each product. With filters in order, lane "
                "0 holds filters 0, 1, 8, 9, 16, 17, 24, 25 of a place; as tensorcore copies them, 0 to 7.")
    d.text(10, 18, "Four mma.sync: 32 columns, a place's sums for 32 filters.", "note")
    d.text(10, 33, "In a box: the filter. Colour: the lane that has its sum.", "note")
    for panel, (name, order, said) in enumerate((
            ("filters in order", list(range(32)), "coloured: one store, 4 bytes per lane, half a sector"),
            ("as tensorcore has them", filters, "coloured: one store, 16 bytes per lane, two sectors"))):
        top = 40 + panel * 148
        d.text(10, top + 15, name, "title")
        d.text(10, top + 31, "columns of the four mma.sync, two in a line", "note")
        for row, k in enumerate(order):
            d.label(10 + row % 16 * 23 + row % 16 // 8 * 10, top + 36 + row // 16 * 18, 22, 16, k,
                    "soft-" + "abcd"[row % 8 // 2], "tiny")
        d.text(10, top + 86, "y: the place's 32 filters, a sector in a line", "note")
        for row, k in enumerate(order):
            stored = panel == 1 or row < 8
            d.label(10 + k % 16 * 23, top + 91 + k // 16 * 18, 22, 16, k,
                    "soft-" + "abcd"[row % 8 // 2] if stored else "cell", "tiny")
        d.text(10, top + 139, said, "note")
    d.key(354, (10, "soft-a", "lane 0"), (80, "soft-b", "1"), (120, "soft-c", "2"), (160, "soft-d", "3 (of four)"))
    return d.svg()
