"""Step 5: what it moves while it multiplies, the order of a thread's FMAs, and how C is divided: warp tiles and their
lanes, the order of the blocks, and stream-K's pieces."""

import re

from _kernel import Kernel, parenthesized
from _svg import Drawing

FOLDER = "step05_doublebuffer/"
SHOWN = 8  # columns of the order of FMAs
SMS = 132  # of an H200


def prefetch(sources):
    kernel = Kernel(sources, FOLDER + "register_prefetch.cu")
    last = kernel.value("BK") - 1
    body = kernel.text[kernel.text.index("for (int t = 0;"):]
    order = ["global_to_registers(", "registers_to_shared(", "__syncthreads()", "shared_to_registers(", "multiply("]
    places = [body.find(call) for call in order]
    if min(places) < 0 or places != sorted(places) or "if (k == BK - 1)" not in body:
        kernel.refuse("a loop in the order that the drawing has")
    d = Drawing(f"One turn of register_prefetch's loop, k = 0 to {last} of tile t, time from left to right. The loads "
                f"of tile t + 1 from global memory begin before k = 0. At k = {last} they are stored into the other "
                "buffer, then comes the barrier. The fragment of each k is loaded while the k before it is multiplied.")
    d.text(10, 18, "One turn of the loop multiplies tile t; time runs right.", "note")
    left, wide, top = 86, 17.8, 34
    rows = ("global to", "registers"), ("registers", "to shared"), ("shared to", "registers"), ("FMAs of", "")
    for number, (one, other) in enumerate(rows):
        y = top + number * 40
        d.text(10, y + 13, one)
        d.text(10, y + 26, other)
        for k in range(last + 1):
            x = left + k * wide + (18 if k == last and number > 1 else 0)  # after the stores and the barrier
            if number == 0 and k < last:
                d.box(x, y + 4, wide, 22, "soft-a", 0)
            elif number == 1 and k == last:
                d.box(x, y + 4, 12, 22, "b", 0)
                d.box(x + 13.5, y - 4, 3, 112, "c", 0)
            elif number == 2:
                d.label(x, y + 4, wide - 1, 22, (k + 1) % (last + 1), "soft-d" if k < last else "d", "" if k < last
                        else "on")
            elif number == 3:
                d.label(x, y + 4, wide - 1, 22, k, "cell")
    d.label(left, top + 4, 2 * wide, 22, "LDG", "a", "on", 0)
    d.text(left + 3 * wide, top + 19, "words of tile t + 1 on their way")
    d.text(10, top + 40 * 3 + 26, "this k")
    d.key(top + 166, (10, "a", "4 loads are issued"), (150, "b", "10 stores"), (250, "c", "barrier"))
    d.key(top + 183, (10, "soft-d", "fragment of that k"), (150, "d", "fragment of k = 0, tile t + 1"))
    return d.svg()


def stages(sources):
    kernel = Kernel(sources, FOLDER + "cp_async.cu")
    count, shown = kernel.value("STAGES"), 8
    def filled(t):
        return kernel.compute(re.search(r"&stages\[(.*?)\]", kernel.line("copy_tile(p, &from, &stages[(t"))[1],
                                          t=t)
    def read(t):
        return kernel.compute(re.search(r"&stages\[(.*?)\]", kernel.line("now = &stages[t %"))[1], t=t)
    turns = range(3, 3 + shown)
    d = Drawing(f"The {count} stages of cp_async at the turns t = {turns[0]} to {turns[-1]} of its loop. In each turn "
                f"one stage is multiplied, one is filled with the tile {count - 1} further on, and {count - 2} are in "
                f"flight.")
    d.text(10, 18, "A row is a turn of the loop, a box the tile in a stage.", "note")
    left, wide, high, top = 78, 78, 24, 46
    for stage in range(count):
        d.text(left + stage * wide + wide / 2, top - 8, f"stage {stage}", "note", "middle")
    for number, t in enumerate(turns):
        y = top + number * (high + 3)
        d.text(10, y + 16, f"turn {t}")
        for ahead in range(count):
            tile = t + ahead
            stage = filled(tile - count + 1)
            if ahead == 0 and read(t) != stage:
                kernel.refuse("a stage that is read where it was filled")
            style, inside = (("a", "on") if ahead == 0 else ("b", "on") if ahead == count - 1 else ("soft-b", ""))
            d.label(left + stage * wide, y, wide - 3, high, f"tile {tile}", style, inside)
    d.key(top + shown * (high + 3) + 16, (10, "a", "multiplied"), (110, "soft-b", "in flight or landed"),
          (260, "b", "copies are issued"))
    return d.svg()


def copies_of(kernel, k):
    """The copies that a thread issues at this k, from the bounds of the loop over s."""
    bounds = re.search(r"int s = (.*?); s < (.*?);", kernel.line("for (int s = k *"))
    return range(kernel.compute(bounds[1], k=k), kernel.compute(bounds[2], k=k))


def spread(sources):
    kernel = Kernel(sources, FOLDER + "spread_copies.cu")
    deep, of_a, all_copies = kernel.value("BK"), kernel.value("A_COPIES"), kernel.value("COPIES")
    slots = kernel.value("SLOTS")
    issued = {k: copies_of(kernel, k) for k in range(slots)}
    if sorted(s for k in issued for s in issued[k]) != list(range(all_copies)) or max(map(len, issued.values())) > 1:
        kernel.refuse("every copy once, and at most one for each k")
    d = Drawing(f"When a thread issues its {all_copies} copies of a tile. rasterized: all before k = 0. spread_copies: "
                f"one or none for each k from 0 to {slots - 1}, first the {of_a} of A, then the {all_copies - of_a} of "
                f"B; at k = {deep - 1} it waits for the next tile.")
    d.text(10, 18, "One turn of the loop. Grey: one k, 128 FMAs per thread.", "note")
    d.text(10, 33, "A coloured box: a copy, of A (blue) or of B (orange).", "note")
    left, top = 10, 60
    d.text(left, top - 6, "rasterized", "title")
    for s in range(all_copies):
        d.box(left + s * 8, top, 7, 24, "a" if s < of_a else "b", 0.5)
    wide = (380 - all_copies * 8) / deep
    for k in range(deep):
        after = 4 if k == deep - 1 else 0
        d.label(left + all_copies * 8 + k * wide + after, top, wide - 1 - after, 24, k, "cell")
    d.box(left + all_copies * 8 + (deep - 1) * wide, top - 5, 3, 34, "c", 0)
    top += 62
    d.text(left, top - 6, "spread_copies", "title")
    x = left
    for k in range(deep):
        for s in issued.get(k, ()):
            d.box(x, top, 7, 24, "a" if s < of_a else "b", 0.5)
            x += 8
        if k == deep - 1:
            d.box(x - 2, top - 5, 3, 34, "c", 0)
        d.label(x + (3 if k == deep - 1 else 0), top, wide - (4 if k == deep - 1 else 1), 24, k, "cell")
        x += wide
    d.text(left, top + 42, "Green: wait for the next tile, and the barrier.", "note")
    return d.svg()


class Source(Kernel):
    """A kernel of whose declarations of a name the last counts."""

    def declared(self, name):
        found = re.findall(rf"\bint [^;]*?(?<=[ ,]){name} = ((?:[^,;(]|\((?:[^()]|\([^()]*\))*\))*)[,;]", self.text)
        return found[-1] if found else self.refuse(f"a declaration of {name}")


def loops(kernel):
    """(i, j) of the FMAs, in the order of the source."""
    body = kernel.text[kernel.text.index("void multiply("):kernel.text.index("c_reg[i][j] +=")]
    found = re.findall(r"for \(int (\w) = 0; \w < (\w+);", body)
    if len(found) != 2 or not set(name for name, _ in found) <= {"i", "j", "x"}:
        kernel.refuse("two loops in multiply()")
    (outer, many), (inner, few) = found
    back = re.search(r"(?<!\()int i = (.*?);", body)
    order = []
    for one in range(kernel.value(many)):
        for other in range(kernel.value(few)):
            at = {outer: one, inner: other}
            order.append((kernel.compute(back[1], **at) if back else at["i"], at["j"]))
    return order


def fma_order(sources):
    names = ("cp_async", "serpentine")
    orders = {name: loops(Source(sources, f"{FOLDER}{name}.cu")) for name in names}
    if len({tuple(sorted(order)) for order in orders.values()}) > 1:
        raise ValueError("the orders are not of the same results")
    fetched = {name: 2 + sum((i != before[0]) + (j != before[1]) for before, (i, j) in zip(order, order[1:]))
               for name, order in orders.items()}
    both = {name: sum(i != before[0] and j != before[1] for before, (i, j) in zip(order, order[1:])) for name, order
            in orders.items()}
    results = len(orders[names[0]])
    d = Drawing(f"The order of a thread's {results} FMAs of one k. " + " ".join(
        f"{name}: {both[name]} times both operands change; {fetched[name]} words of A and B are read if an operand is "
        f"kept for the next FMA." for name in names))
    d.text(10, 18, "A thread's 8 × 8 results of one k. Each column", "note")
    d.text(10, 33, "needs one word of B, each row one of A.", "note")
    cell, top = 21, 62
    for panel, name in enumerate(names):
        left = 14 + panel * 196
        d.text(left - 4, top - 10, name, "title")
        shown = [(i, j) for i, j in orders[name] if j < SHOWN]
        for i, j in shown:
            d.box(left + j * cell, top + i * cell, cell - 2, cell - 2, "cell")

        def at(i, j, left=left):
            return (left + j * cell + cell / 2 - 1, top + i * cell + cell / 2 - 1)

        for before, after in zip(orders[name], orders[name][1:]):
            if before[1] < SHOWN and after[1] < SHOWN:
                d.line(*at(*before), *at(*after), arrow=after[0] in (0, 7) if panel else after[1] == 4)
            elif before[1] < SHOWN:
                d.line(*at(*before), left + SHOWN * cell - 1, at(*before)[1])
        y = top + 8 * cell + 14
        d.text(left - 4, y, f"both change: {both[name]} times")
        d.text(left - 4, y + 15, f"words read: {fetched[name]}")
    d.text(10, top + 8 * cell + 48, f"For {results} FMAs, if an operand is kept for the next one.", "note")
    return d.svg()


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
    return {"prefetch": prefetch(sources), "stages": stages(sources), "spread": spread(sources),
            "fma_order": fma_order(sources), "warp_tiles": warp_tiles(sources),
            "rasterization": rasterization(sources), "waves_stream_k": waves(sources), "pieces": pieces(sources)}
