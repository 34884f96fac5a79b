"""How step 5 divides C: warp tiles and their lanes, the order of the blocks, and stream-K's pieces."""

import re

from _kernel import Kernel, parenthesized
from _svg import Drawing

FOLDER = "step05_doublebuffer/"
SMS = 132  # of an H200


class Source(Kernel):
    """A kernel of whose declarations of a name the last counts."""

    def declared(self, name):
        found = re.findall(rf"\bint [^;]*?(?<=[ ,]){name} = ((?:[^,;(]|\((?:[^()]|\([^()]*\))*\))*)[,;]", self.text)
        return found[-1] if found else self.refuse(f"a declaration of {name}")


# ---- warp tiles


def owned(kernel, thread):
    """The rows and columns of a thread's results in the block's tile: blocks of 4 x 4, these are their first ones."""
    row, col = kernel.value("row", threadIdx_x=thread), kernel.value("col", threadIdx_x=thread)
    return ([row + i // 4 * kernel.value("ROW_STEP") for i in range(0, kernel.value("TM"), 4)],
            [col + j // 4 * kernel.value("COL_STEP") for j in range(0, kernel.value("TN"), 4)])


def warp_words(kernel):
    """The rows of A and the columns of B that warp 0 reads for one k, and its FMAs of that k."""
    rows, cols = set(), set()
    for lane in range(32):
        own = owned(kernel, lane)
        rows.update(first + one for first in own[0] for one in range(4))
        cols.update(first + one for first in own[1] for one in range(4))
    return len(rows), len(cols), 32 * kernel.value("TM") * kernel.value("TN")


def warp_tiles(sources):
    kernels = {name: Source(sources, f"{FOLDER}{name}.cu") for name in ("serpentine", "warp_tiles")}
    words = {name: warp_words(kernel) for name, kernel in kernels.items()}
    d = Drawing("A block's tile, the results of warp 0 in it, and of these the ones of lanes 0, 1 and 4. " + " ".join(
        f"In {name} warp 0 has {fmas // 32} results per lane, in {rows} rows and {cols} columns: {rows + cols} words "
        f"for {fmas} FMAs." for name, (rows, cols, fmas) in words.items()))
    cell, top = 1.46, 40
    for name, kernel in kernels.items():
        rows, cols, fmas = words[name]
        bm, bn = kernel.value("BM"), kernel.value("BN")
        d.text(10, top - 22, name, "title")
        d.text(10, top - 7, f"a block has {bm} × {bn} results", "note")
        d.box(10, top, bn * cell, bm * cell, "cell", 1)
        for lane, style in [(lane, "soft-d") for lane in range(32)] + [(0, "a"), (1, "b"),
                                                                       (16 if bn == bm else 4, "c")]:
            for row in owned(kernel, lane)[0]:
                for col in owned(kernel, lane)[1]:
                    d.box(10 + col * cell, top + row * cell, 4 * cell - 0.4, 4 * cell - 0.4, style, 0)
        if bn == bm:
            for line, text in enumerate((f"Warp 0 reads {rows} words", f"of A and {cols} of B",
                                         f"for {fmas:,} FMAs: {fmas / (rows + cols):.0f}",
                                         "FMAs per word.")):
                d.text(210, top + 20 + 15 * line, text)
            for line, what in enumerate((("a", "lane 0"), ("b", "lane 1"), ("c", "lane 16"),
                                         ("soft-d", "other lanes of warp 0"))):
                d.key(top + 105 + 16 * line, (210, *what))
        else:
            d.text(10, top + bm * cell + 15, f"Warp 0 reads {rows} words of A and {cols} of B for {fmas:,} FMAs:")
            d.text(10, top + bm * cell + 30, f"{fmas / (rows + cols):.0f} FMAs per word. Green: lane 4.")
        top += bm * cell + 44
    return d.svg()


# ---- the order of the blocks


def position(kernel, number, m, n):
    """Row and column, in tiles, of the block with this number."""
    given = {"p_m": m, "p_n": n, "tile": number, "blockIdx_x": number}
    bm, bn = kernel.value("BM"), kernel.value("BN")
    if "tile_position(" not in kernel.text:
        return kernel.value("row0", **given) // bm, kernel.value("col0", **given) // bn
    at = [kernel.compute(re.search(rf"\*{name} = (.*?);", kernel.text)[1], **given) for name in ("row0", "col0")]
    return at[0] // bm, at[1] // bn


def rasterization(sources):
    side = 8192
    kernels = {name: Source(sources, f"{FOLDER}{name}.cu") for name in ("warp_tiles", "rasterized")}
    places = {name: [position(kernel, number, side, side) for number in range(SMS)] for name, kernel in kernels.items()}
    bm, bn = kernels["rasterized"].value("BM"), kernels["rasterized"].value("BN")
    shared = {name: (len({row for row, _ in at}), len({col for _, col in at})) for name, at in places.items()}
    d = Drawing(f"The tiles of C at m = n = {side}, and those of the {SMS} blocks that run first. " + " ".join(
        f"{name}: they lie in {rows} rows and {cols} columns of tiles, and need {rows * bm + cols * bn} words of A and "
        f"B for each k." for name, (rows, cols) in shared.items()))
    d.text(10, 18, f"C at m = n = {side}: {side // bm} × {side // bn} tiles. Blue: the first {SMS}", "note")
    d.text(10, 33, "blocks. Dark and pale in turn: the order, eight by eight.", "note")
    for panel, (name, at) in enumerate(places.items()):
        left, top, wide, high = 10 + 196 * panel, 62, 5.75, 2.875
        d.text(left, top - 8, name, "title")
        for row in range(side // bm):
            for col in range(side // bn):
                d.box(left + col * wide, top + row * high, wide - 0.6, high - 0.6, "cell", 0)
        for number, (row, col) in enumerate(at):
            d.box(left + col * wide, top + row * high, wide - 0.6, high - 0.6, "a" if number // 8 % 2 == 0
                  else "soft-a", 0)
        rows, cols = shared[name]
        y = top + side // bm * high + 15
        d.text(left, y, f"{rows} × {bm} = {rows * bm:,} of A")
        d.text(left, y + 15, f"{cols} × {bn} = {cols * bn:,} of B")
        d.text(left, y + 30, f"{rows * bm + cols * bn:,} words for a k")
    return d.svg()


# ---- stream-K


def division(kernel, side):
    """(tiles of C, tiles of K, whole pieces, workers): what the launcher computes for m = n = k = side on SMS
    multiprocessors."""
    tiles = side // kernel.value("BM") * (side // kernel.value("BN"))
    given = {"tiles": tiles, "sms": SMS, "tiles_k": side // kernel.value("BK")}
    given["rest"], given["divided"] = kernel.value("rest", **given), kernel.value("divided", **given)
    line = kernel.line("divided = 0;")
    if kernel.compute(parenthesized(line, line.index("("))[0], **given):
        given["divided"] = 0
    given["work"] = given["divided"] * given["tiles_k"]
    return tiles, given["tiles_k"], tiles - given["divided"], kernel.value("workers", **given)


def begins(kernel, tiles, tiles_k, whole, workers):
    """The first unit of every piece, and the end."""
    work = (tiles - whole) * tiles_k
    given = {"d_whole": whole, "d_tiles_k": tiles_k, "d_share": work // workers, "d_extra": work % workers}
    line = re.search(r"return \(int64_t\)(\(piece - worker\).*?);", kernel.text)
    if not line:
        kernel.refuse("the sum that piece_begin returns")
    return [kernel.compute(line[1], piece=piece, **given, worker=kernel.value("worker", piece=piece, **given))
            for piece in range(whole + workers + 1)]


def waves(sources):
    kernel = Source(sources, FOLDER + "stream_k.cu")
    tiles, tiles_k, whole, workers = division(kernel, 4096)
    full, rest = divmod(tiles, SMS)
    d = Drawing(f"At 4096³ there are {tiles} tiles of C for {SMS} multiprocessors. One block per tile: {full} whole "
                f"waves, and a last one in which {SMS - rest} multiprocessors have no work. stream_k divides the last "
                f"{tiles - whole} tiles evenly among {workers} blocks, "
                f"{(tiles - whole) * tiles_k / workers / tiles_k:.2f} tiles' work each.")
    d.text(10, 18, f"4096³: {tiles} tiles on {SMS} multiprocessors (upwards), in time.", "note")
    high, wide, top = 60, 90, 48
    d.text(10, top - 7, "spread_copies: one block per tile", "title")
    for wave in range(full + 1):
        tall = high * (1 if wave < full else rest / SMS)
        d.box(10 + wave * wide, top, wide - 2, high, "cell", 0)
        d.box(10 + wave * wide, top + high - tall, wide - 2, tall, "a", 0)
        d.text(10 + wave * wide + wide / 2, top + high - 24, f"{SMS if wave < full else rest} tiles", "on", "middle")
    top += high + 36
    d.text(10, top - 7, "stream_k: the last waves divided", "title")
    share = (tiles - whole) / SMS
    d.box(10, top, share * wide - 2, high, "b", 0)
    d.text(10 + share * wide / 2, top + high - 31, f"{tiles - whole} tiles, divided", "on", "middle")
    d.text(10 + share * wide / 2, top + high - 16, f"into {workers} pieces", "on", "middle")
    for wave in range(whole // SMS):
        d.box(10 + (share + wave) * wide, top, wide - 2, high, "a", 0)
        d.text(10 + (share + wave) * wide + wide / 2, top + high - 24, f"{SMS} tiles", "on", "middle")
    d.box(10 + (share + whole / SMS) * wide, top, (full + 1 - share - whole / SMS) * wide - 2, high, "cell", 0)
    d.text(10, top + high + 16, f"Grey: no work. Saved: {100 * (1 - tiles / SMS / (full + 1)):.1f} % of the time, "
                                f"before the price.", "note")
    return d.svg()


def pieces(sources):
    kernel = Source(sources, FOLDER + "stream_k.cu")
    tiles, tiles_k, whole, workers = division(kernel, 1024)
    first = begins(kernel, tiles, tiles_k, whole, workers)
    if first[-1] != tiles * tiles_k or sorted(first) != first:
        kernel.refuse("pieces that cover the work")
    shown = 3
    among = [piece for piece in range(workers) if first[piece] < shown * tiles_k]
    left_behind = sum(begin % tiles_k != 0 for begin in first[:-1])
    d = Drawing(f"Stream-K at 1024³: {tiles} tiles of C with {tiles_k} units each, cut into {workers} pieces of "
                f"{first[1]} or {first[-1] - first[-2]} units. The first {shown} tiles and their {len(among)} pieces. "
                f"{left_behind} of the pieces begin inside a tile and leave their sums there.")
    d.text(10, 18, f"1024³: {tiles} tiles of C, {tiles_k} units each (tiles of K),", "note")
    d.text(10, 33, f"in {workers} pieces. A row is a tile of C, a box is a piece.", "note")
    wide, high = 380 / tiles_k, 30
    for tile in range(shown):
        top = 58 + tile * 54
        d.text(10, top - 5, f"tile {tile}", "title")
        for piece in among:
            begin, end = max(first[piece], tile * tiles_k), min(first[piece + 1], (tile + 1) * tiles_k)
            if begin < end:
                style = "a" if first[piece] <= tile * tiles_k and begin == tile * tiles_k else "b"
                x = 10 + (begin - tile * tiles_k) * wide
                d.box(x, top, (end - begin) * wide - 1.5, high, style if end - begin < tiles_k else "a", 1)
                if (end - begin) * wide > 18:
                    d.text(x + (end - begin) * wide / 2, top + 19, piece, "on", "middle")
    y = 58 + shown * 54 - 4
    d.text(10, y, f"Pieces have {first[1]} or {first[-1] - first[-2]} units.", "note")
    d.key(y + 18, (10, "a", "begins the tile: waits for the others, adds, stores"))
    d.key(y + 35, (10, "b", f"begins inside: leaves its sums ({left_behind} pieces do)"))
    return d.svg()


def draw(sources):
    return {"warp_tiles": warp_tiles(sources), "rasterization": rasterization(sources),
            "waves_stream_k": waves(sources),
            "pieces": pieces(sources)}
