"""What step 5 moves while it multiplies: register_prefetch's three movements, cp_async's stages, the copies of
spread_copies."""

import re

from _kernel import Kernel
from _svg import Drawing

FOLDER = "step05_doublebuffer/"


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


def draw(sources):
    return {"prefetch": prefetch(sources), "stages": stages(sources), "spread": spread(sources)}
