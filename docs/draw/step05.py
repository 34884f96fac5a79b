"""Step 5: what it moves while it multiplies, the order of a thread's FMAs, and how C is divided: warp tiles and their
lanes, the order of the blocks, and stream-K's pieces."""

import re

from _kernel import Kernel, parenthesized
from _svg import Drawing

FOLDER = "step05_doublebuffer/"
SHOWN = 8  # columns of the order of FMAs
SMS = 132  # of an H200


def draw_prefetch(sources):
    kernel = Kernel(sources, FOLDER + "register_prefetch.cu")
    last = kernel.value("BK") - 1
    body = kernel.text[kernel.text.index("for (int t = 0;"):]
    order = ["global_to_registers(", "registers_to_shared(", "__syncthreads()", "shared_to_registers(", "multiply("]
    places = [body.find(call) for call in order]
    kernel.must_have("a loop in the order that the drawing has",
                     min(places) >= 0 and places == sorted(places) and "if (k == BK - 1)" in body)
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
                d.label(x, y + 4, wide - 1, 22, (k + 1) % (last + 1), "soft-d" if k < last else "d")
            elif number == 3:
                d.label(x, y + 4, wide - 1, 22, k, "cell")
    d.label(left, top + 4, 2 * wide, 22, "LDG", "a", round=0)
    d.text(left + 3 * wide, top + 19, "words of tile t + 1 on their way")
    d.text(10, top + 40 * 3 + 26, "this k")
    d.key(top + 166, (10, "a", "4 loads are issued"), (150, "b", "10 stores"), (250, "c", "barrier"))
    d.key(top + 183, (10, "soft-d", "fragment of that k"), (150, "d", "fragment of k = 0, tile t + 1"))
    return d.svg()


def draw_stages(sources):
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
            kernel.must_have("a stage that is read where it was filled", ahead > 0 or read(t) == stage)
            style = {0: "a", count - 1: "b"}.get(ahead, "soft-b")
            d.label(left + stage * wide, y, wide - 3, high, f"tile {tile}", style)
    d.key(top + shown * (high + 3) + 16, (10, "a", "multiplied"), (110, "soft-b", "in flight or landed"),
          (260, "b", "copies are issued"))
    return d.svg()


def draw_spread(sources):
    kernel = Kernel(sources, FOLDER + "spread_copies.cu", FOLDER + "copies.cuh")
    deep, of_a, all_copies = kernel.value("BK"), kernel.value("A_COPIES"), kernel.value("COPIES")
    slots, bounds = kernel.value("SLOTS"), re.search(r"int s = (.*?); s < (.*?);", kernel.line("for (int s = k *"))
    issued = {k: range(kernel.compute(bounds[1], k=k), kernel.compute(bounds[2], k=k)) for k in range(slots)}
    once = sorted(s for k in issued for s in issued[k]) == list(range(all_copies))
    kernel.must_have("every copy once, and at most one for each k", once and max(map(len, issued.values())) == 1)
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

    of_several = -1


def loops(kernel):
    """(i, j) of the FMAs, in the order of the source."""
    body = kernel.text[kernel.text.index("void multiply("):kernel.text.index("c_reg[i][j] +=")]
    found = re.findall(r"for \(int (\w) = 0; \w < (\w+);", body)
    kernel.must_have("two loops in multiply()", len(found) == 2 and {name for name, _ in found} <= {"i", "j", "x"})
    (outer, many), (inner, few) = found
    back = re.search(r"(?<!\()int i = (.*?);", body)
    order = []
    for one in range(kernel.value(many)):
        for other in range(kernel.value(few)):
            at = {outer: one, inner: other}
            order.append((kernel.compute(back[1], **at) if back else at["i"], at["j"]))
    return order


def draw_fma_order(sources):
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


def draw_warp_tiles(sources):
    kernels = {name: Source(sources, f"{FOLDER}{name}.cu") for name in ("serpentine", "warp_tiles")}
    words = {name: warp_words(kernel) for name, kernel in kernels.items()}
    d = Drawing("A block's tile, the results of warp 0 in it, and of these the ones of lanes 0, 1 and 16. " + " ".join(
        f"In {name} warp 0 has {fmas // 32} results per lane, in {rows} rows and {cols} columns: {rows + cols} words "
        f"for {fmas} FMAs." for name, (rows, cols, fmas) in words.items()))
    cell, top = 1.46, 40
    for name, kernel in kernels.items():
        rows, cols, fmas = words[name]
        bm, bn = kernel.value("BM"), kernel.value("BN")
        d.text(10, top - 22, name, "title")
        d.text(10, top - 7, f"a block has {bm} × {bn} results", "note")
        d.box(10, top, bn * cell, bm * cell, "cell", 1)
        for lane, style in [(lane, "soft-d") for lane in range(32)] + [(0, "a"), (1, "b"), (16, "c")]:
            for row in owned(kernel, lane)[0]:
                for col in owned(kernel, lane)[1]:
                    d.box(10 + col * cell, top + row * cell, 4 * cell - 0.4, 4 * cell - 0.4, style, 0)
        if bn == bm:
            d.lines(210, top + 20, (f"Warp 0 reads {rows} words", f"of A and {cols} of B",
                                    f"for {fmas:,} FMAs: {fmas / (rows + cols):.0f}", "FMAs per word."), style="")
            for line, what in enumerate((("a", "lane 0"), ("b", "lane 1"), ("c", "lane 16"),
                                         ("soft-d", "other lanes of warp 0"))):
                d.key(top + 105 + 16 * line, (210, *what))
        else:
            d.text(10, top + bm * cell + 15, f"Warp 0 reads {rows} words of A and {cols} of B for {fmas:,} FMAs:")
            d.text(10, top + bm * cell + 30, f"{fmas / (rows + cols):.0f} FMAs per word. Colours as above.")
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


def draw_rasterization(sources):
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
        d.grid(left, top, side // bm, side // bn, wide, high, "cell", 0.6, 0)
        for number, (row, col) in enumerate(at):
            d.box(left + col * wide, top + row * high, wide - 0.6, high - 0.6, "a" if number // 8 % 2 == 0
                  else "soft-a", 0)
        rows, cols = shared[name]
        y = top + side // bm * high + 15
        d.lines(left, y, (f"{rows} × {bm} = {rows * bm:,} of A", f"{cols} × {bn} = {cols * bn:,} of B",
                          f"{rows * bm + cols * bn:,} words for a k"), style="")
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
    line = kernel.must_have("the sum that piece_begin returns", re.search(
        r"return \(int64_t\)(\(piece - worker\).*?);", kernel.text))
    return [kernel.compute(line[1], piece=piece, **given, worker=kernel.value("worker", piece=piece, **given))
            for piece in range(whole + workers + 1)]


def draw_waves_stream_k(sources):
    kernel = Source(sources, FOLDER + "stream_k.cu")
    tiles, tiles_k, whole, workers = division(kernel, 4096)
    full, rest = divmod(tiles, SMS)
    share = (tiles - whole) / SMS
    d = Drawing(f"At 4096³ there are {tiles} tiles of C for {SMS} multiprocessors. One block per tile: {full} whole "
                f"waves, and a last one in which {SMS - rest} multiprocessors have no work. stream_k divides the last "
                f"{tiles - whole} tiles evenly among {workers} blocks, {share:.2f} tiles' work each. These blocks are "
                f"started first; {whole // SMS} whole waves follow.")
    d.text(10, 18, f"4096³: {tiles} tiles of C. A strip is as high as {SMS} SMs;", "note")
    d.text(10, 33, "time runs to the right, in the time of one tile.", "note")
    high, wide, top = 60, 88, 64
    d.text(10, top - 7, "spread_copies: one block per tile", "title")
    for wave in range(full + 1):
        tall = high * (1 if wave < full else rest / SMS)
        d.box(10 + wave * wide, top, wide - 2, high, "cell", 0)
        d.box(10 + wave * wide, top + high - tall, wide - 2, tall, "a", 0)
        first = wave * SMS
        d.text(10 + wave * wide + wide / 2, top + high - 31, f"wave {wave + 1}", "on", "middle")
        d.text(10 + wave * wide + wide / 2, top + high - 16, f"{first}–{min(first + SMS, tiles) - 1}", "on", "middle")
    top += high + 40
    d.text(10, top - 7, "stream_k: the last two waves in even pieces", "title")
    d.box(10, top, share * wide - 2, high, "b", 0)
    for line, text in enumerate((f"tiles {whole}–{tiles - 1}", f"in {workers} pieces,", "started first")):
        d.text(10 + share * wide / 2, top + 20 + 15 * line, text, "on", "middle")
    for wave in range(whole // SMS):
        x = 10 + (share + wave) * wide
        d.box(x, top, wide - 2, high, "a", 0)
        d.text(x + wide / 2, top + high - 31, "whole:", "on", "middle")
        d.text(x + wide / 2, top + high - 16, f"{wave * SMS}–{(wave + 1) * SMS - 1}", "on", "middle")
    d.box(10 + (share + whole / SMS) * wide, top, (full + 1 - share - whole / SMS) * wide - 2, high, "cell", 0)
    for tick in range(full + 2):
        d.text(10 + tick * wide, top + high + 15, tick, "note", "start" if tick == 0 else "middle")
    d.text(10, top + high + 33, f"Grey: no work. At most {100 * (1 - tiles / SMS / (full + 1)):.1f} % of the time is "
                                f"saved.", "note")
    return d.svg()


def draw_pieces(sources):
    kernel = Source(sources, FOLDER + "stream_k.cu")
    tiles, tiles_k, whole, workers = division(kernel, 1024)
    first = begins(kernel, tiles, tiles_k, whole, workers)
    kernel.must_have("pieces that cover the work", first[-1] == tiles * tiles_k and sorted(first) == first)
    left_behind = sum(begin % tiles_k != 0 for begin in first[:-1])
    start, shown = next(piece for piece, (begin, end) in enumerate(zip(first, first[1:]))
                        if begin // tiles_k != (end - 1) // tiles_k), 3  # the first piece with parts of two tiles
    start = first[start] // tiles_k
    few, few_sms, few_k = 3, 4, 8
    small = begins(kernel, few, few_k, 0, few_sms)
    d = Drawing(f"The idea: {few} tiles of C with {few_k} units each in one line, cut into {few_sms} pieces of "
                f"{small[1]} units, whose cuts fall inside tiles. At 1024³: {tiles} tiles of {tiles_k} units, "
                f"{workers} pieces of {first[1]} or {first[-1] - first[-2]}. Tiles {start} to {start + shown - 1} are "
                f"shown. {left_behind} of the pieces begin inside a tile and leave their sums there.")
    d.text(10, 18, f"{few} tiles of C, {few_k} units each, on {few_sms} SMs", "title")
    wide = 312 / (few * few_k)
    for line, text in enumerate(("tiles", "pieces")):
        d.text(10, 46 + line * 34, text)
    for tile in range(few):
        for unit in range(few_k):
            d.box(70 + (tile * few_k + unit) * wide, 32, wide - 1.2, 22, "cell", 0.5)
        d.text(70 + (tile + 0.5) * few_k * wide, 47, f"tile {tile}", "", "middle")
    for piece, (begin, end) in enumerate(zip(small, small[1:])):
        for tile in range(begin // few_k, (end - 1) // few_k + 1):
            at, to = max(begin, tile * few_k), min(end, (tile + 1) * few_k)
            d.box(70 + at * wide, 66, (to - at) * wide - 1.2, 22, "b" if at % few_k else "a", 0.5)
            d.text(70 + (at + to) / 2 * wide, 81, piece, "on", "middle")
    for tile in range(1, few):
        d.line(70 + tile * few_k * wide - 0.6, 28, 70 + tile * few_k * wide - 0.6, 92)
    d.text(10, 108, f"Each SM gets {small[1]} units; pieces 1 and 2 have parts of two.", "note")
    d.text(10, 136, f"1024³: {tiles} tiles, {tiles_k} units each, {workers} pieces", "title")
    wide, high = 380 / tiles_k, 26
    for row in range(shown):
        tile, top = start + row, 158 + row * 46
        d.text(10, top - 4, f"tile {tile}", "note")
        for piece, (begin, end) in enumerate(zip(first, first[1:])):
            at, to = max(begin, tile * tiles_k), min(end, (tile + 1) * tiles_k)
            if at < to:
                x = 10 + (at - tile * tiles_k) * wide
                d.box(x, top, (to - at) * wide - 1.5, high, "b" if at % tiles_k else "a", 1)
                if (to - at) * wide > 18:
                    d.text(x + (to - at) * wide / 2, top + 17, piece, "on", "middle")
    y = 158 + shown * 46 + 2
    d.key(y, (10, "a", "begins the tile: adds the others' sums, stores"))
    d.key(y + 17, (10, "b", f"begins inside: leaves its sums ({left_behind} pieces do)"))
    return d.svg()


# ---- the plan of best


def plans(sources, m, n, k):
    """What plan.h estimates for each tile of best, divided in the cheapest way: (tile, (clocks of multiply-adds, of
    blocks, of sums), tiles of C that are divided, workers)."""
    best, costs = Kernel(sources, FOLDER + "best/best.cu"), Kernel(sources, FOLDER + "best/plan.h")
    shape, left = Kernel(sources, FOLDER + "best/warp_tile.cuh"), re.search(r"LEFT = (\d+),", costs.text)
    blocks = Kernel(sources, FOLDER + "best/costs.h")
    alone = re.search(r"ALONE = ([\d.]+) / 8;", blocks.text)
    rows = re.findall(r"X\(([\d.]+), (\d+), ((?:\d+, ){7})(true|false)\)", best.text)
    said = ("WM = 8 * TM, WN = 4 * TN", "THREADS = PER_SM > 2 ? 128 : ::THREADS;",
            "products += products_of(each, per_sm, T::THREADS / 32, tiles_k * tile_of_k);",
            "products += products_of(each, per_sm, T::THREADS / 32, share * tile_of_k);", "last = blocks % per_sm",
            "ALONE * (double)(last * warps)", "(last > 0 && share < 1 ? share : 1)",
            "clocks += ceil_div(each, per_sm) * costs.overhead;",
            "clocks += pieces * costs.overhead;",
            "parts + (parts < 8 ? 1 : parts / steps)", "next_parts(parts, 8)")
    costs.must_have("the estimate that the drawing computes",
                    rows and left and alone and all(one in shape.text + costs.text + blocks.text for one in said))
    found = []
    for rate, overhead, sizes, divides in rows:
        bm, bn, bk, tm, tn, _, per_sm = map(int, sizes.rstrip(", ").split(", "))
        threads = 128 if per_sm > 2 else 256
        slices = threads // 32 // (bm // (8 * tm) * (bn // (4 * tn)))
        tiles, tiles_k = -(-m // bm) * -(-n // bn), -(-k // bk)
        step, block = bm * bn * bk / float(rate), int(overhead)
        room = SMS * per_sm if divides == "true" else 0
        whole, last = tiles % room if room else 0, 0 if tiles < room else room
        ways, parts = [(0, 0)], 2
        while parts * tiles <= room and parts <= tiles_k:
            ways.append((tiles, parts * tiles))
            parts += 1 if parts < 8 else parts // 8
        ways += [(whole + last, room)] if whole and (whole + last) * tiles_k >= room else []
        def products(each, clocks, per_sm=per_sm, threads=threads):
            last = each % per_sm
            share = float(alone[1]) / 8 * last * threads / 32
            return clocks * (each - last + last / (share if last and share < 1 else 1))
        def terms(divided, workers, tiles=tiles, tiles_k=tiles_k, step=step, per_sm=per_sm, block=block,
                  slices=slices, products=products):
            each = -(-(tiles - divided) // SMS)
            clocks = [products(each, tiles_k * step), -(-each // per_sm) * block, 0]
            if divided:
                even, share = workers % divided == 0, -(-divided * tiles_k // workers)
                clocks[0] += products(-(-workers // SMS), share * step)
                clocks[1] += block if even else block * (1 + divided / workers)
                parts = -(-workers // divided) + (not even)
                clocks[2] = int(left[1]) * (parts - 1 if slices == 1 else (parts - 1).bit_length())
            return clocks
        name = f"{bm} × {bn}" + (" (3)" if threads < 256 else "")
        found.append(min(((name, terms(*way), *way) for way in ways), key=lambda one: sum(one[1])))
    return found


def draw_plan(sources):
    side, sides = 512, (256, 512, 1024, 2048, 4096)
    rows = plans(sources, side, side, side)
    least, top = min(sum(one[1]) for one in rows), max(sum(one[1]) for one in rows)
    chosen = {one: min(plans(sources, one, one, one), key=lambda row: sum(row[1])) for one in sides}
    def told(row):
        return f"{row[0]}, " + (f"{row[2]} of them in {row[3]} pieces" if row[2] else "none divided")
    d = Drawing(f"The estimates of plan.h for best's {len(rows)} tiles at {side}³, in clocks: " + "; ".join(
        f"{row[0]} {sum(row[1]):.0f}" for row in rows) + ". What it chooses: " + "; ".join(
        f"{one}³ {told(row)}" for one, row in chosen.items()) + ".")
    d.text(10, 18, f"Estimates at {side}³, in thousands of clocks", "title")
    for number, (name, clocks, divided, workers) in enumerate(rows):
        y, x = 30 + number * 20, 90
        d.text(10, y + 12, name)
        for part, style in zip(clocks, "abc"):
            wide = part / top * 180
            d.box(x, y, wide, 15, style, 0)
            x += wide
        pieces_of = f", {workers} pieces" if divided else ""
        d.text(x + 5, y + 12, f"{sum(clocks) / 1000:.1f}{pieces_of}{' ←' if sum(clocks) == least else ''}")
    y = 30 + len(rows) * 20 + 16
    d.key(y, (10, "a", "multiply-adds"), (130, "b", "blocks: begin, store"), (290, "c", "sums added"))
    d.text(10, y + 20, "(3): three blocks of 128 threads at a time on an SM", "note")
    d.text(10, y + 46, "The cheapest at other sizes", "title")
    for number, (one, row) in enumerate(chosen.items()):
        d.text(10, y + 66 + 17 * number, f"{one}³")
        d.text(70, y + 66 + 17 * number, told(row))
    return d.svg()


# maxas: a thread's 8 words of A, 8 of B, and the register of the sum in row i and column j (its sgemm64.sass says so).
A_FROM, B_FROM = 64, 72


def by_maxas(i, j):
    return 3 - j % 2 - i % 4 // 2 * 2 + i % 2 * 4 + j // 2 * 8 + i // 4 * 32


def draw_maxas(_sources):
    cells = [(i, j) for i in range(8) for j in range(8)]
    assert sorted(by_maxas(i, j) for i, j in cells) == list(range(64))

    def clashes(sums, banks):
        """FFMAs that have to wait: of four banks where two sources share one, of two where all three do."""
        def of(i, j):
            used = {register % banks for register in (A_FROM + i, B_FROM + j, sums(i, j))}
            return len(used) < 3 if banks == 4 else len(used) == 1
        return [cell for cell in cells if of(*cell)]

    told = [(name, sums, clashes(sums, 4), clashes(sums, 2)) for name, sums in
            (("numbered row by row", lambda i, j: 8 * i + j), ("as maxas numbers them", by_maxas))]
    d = Drawing("The registers of a thread's 64 sums; A is in R64 to R71, B in R72 to R79. " + " ".join(
        f"{name[0].upper()}{name[1:]}: {len(four)} FFMAs wait on four banks, {len(two)} on two."
        for name, _, four, two in told))
    d.text(10, 18, "An FFMA reads its word of A, its word of B, its sum.", "note")
    d.text(10, 33, "Colour: register modulo 4, Maxwell's bank. Framed: two", "note")
    d.text(10, 48, "sources in one bank. The numbers are registers.", "note")
    top, left, wide, high, styles = 58, 46, 34, 19, ("a", "b", "c", "d")
    for name, sums, four, two in told:
        d.text(10, top + 14, f"{name}: {len(four)} of 64 wait", "title")
        d.text(10, top + 30, f"(by Turing's rule, all three of one parity: {len(two)})", "note")
        top += 40
        for at in range(8):
            d.label(left + at * wide, top, wide - 3, high - 3, f"{B_FROM + at}", "soft-" + styles[at % 4])
            d.label(10, top + 22 + at * high, wide - 3, high - 3, f"{A_FROM + at}", "soft-" + styles[at % 4])
        for i, j in cells:
            x, y, register = left + j * wide, top + 22 + i * high, sums(i, j)
            d.label(x, y, wide - 3, high - 3, register, styles[register % 4])
            if (i, j) in four:
                d.box(x - 1, y - 1, wide - 1, high - 1, "clash")
        top += 22 + 8 * high + 8
    d.text(10, top + 10, "Above: the words of B. To the left: those of A.", "note")
    return d.svg()
