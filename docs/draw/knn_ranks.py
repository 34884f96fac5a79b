"""Step 8 by several ranks: who sends to whom, and where a merge puts each pair."""

from _kernel import Kernel
from _svg import Drawing

STEP = "step08_knn/"


def tree(sources):
    ranks = 5
    host = Kernel(sources, "common/knn/knn_ranks.c")
    for line in "step < ranks_count(); step *= 2", "rank % (2 * step) != 0", "send_answer(rank - step", "rank + step >=":
        host.line(line)
    levels, step = [], 1
    while step < ranks:
        levels.append([(rank, rank - step) for rank in range(ranks) if rank % step == 0 and rank % (2 * step)])
        step *= 2
    sent = sum(len(level) for level in levels)
    d = Drawing(f"{ranks} ranks, each with a share of the points, search all queries. Then in {len(levels)} steps every "
                "second one that is left sends its k best of each query to the one before it: " +
                "; ".join(", ".join(f"{a} to {b}" for a, b in level) for level in levels) + ".")
    d.text(10, 18, "Points stay (grey). The queries come to every rank, and", "note")
    d.text(10, 33, f"{sent} times m·k pairs go back, in {len(levels)} steps (orange: sent).", "note")
    wide, top, high = 66, 48, 52
    left = [60 + rank * wide for rank in range(ranks)]
    for rank, x in enumerate(left):
        d.label(x, top, wide - 10, 20, f"rank {rank}", "soft-a")
        d.label(x, top + 24, wide - 10, 26, "n / 5 points", "cell", "tiny")
    there = list(range(ranks))
    for number in range(len(levels) + 1):
        y = top + 66 + number * high
        d.text(6, y + 13, "search" if number == 0 else f"step {2 ** (number - 1)}", "note")
        for rank in there:
            d.label(left[rank], y, wide - 10, 18, "k best", "a", "on")
        for a, b in levels[number] if number < len(levels) else ():
            d.line(left[a] + 28, y + 18, left[b] + 34, y + high - 2, True, "clash")
        gone = [a for a, _ in levels[number]] if number < len(levels) else []
        there = [rank for rank in there if rank not in gone]
    return d.svg()


def places(sources):
    one = Kernel(sources, STEP + "ranks/merge.cu")
    one.line("first ? other[middle] < key : other[middle] <= key")
    one.line("(first ? i : i - k) + low")
    mine, theirs = (3, 8, 11, 20), (1, 5, 9, 30)
    k = len(mine)
    found = [(key, i + sum(other < key for other in theirs), "a") for i, key in enumerate(mine)]
    found += [(key, i + sum(other <= key for other in mine), "b") for i, key in enumerate(theirs)]
    d = Drawing(f"Two lists, {mine} and {theirs}. A thread for each of the {2 * k} pairs finds its place: that in its own "
                f"list and how many of the other list are before it. The {k} places below k = {k} are kept: "
                f"{tuple(sorted(key for key, place, _ in found if place < k))}.")
    d.text(10, 18, "place = place in its own list + how many of the other are", "note")
    d.text(10, 33, f"before it. Kept: the places 0 to {k - 1}.", "note")
    for number, (name, keys, style) in enumerate((("mine", mine, "a"), ("theirs", theirs, "b"))):
        y = 48 + number * 56
        d.text(10, y + 14, name, "note")
        for i, key in enumerate(keys):
            place = next(at for other, at, of in found if (other, of) == (key, style))
            d.label(70 + i * 78, y, 70, 20, key, style, "on")
            d.text(70 + i * 78 + 35, y + 34, f"{i} + {place - i} = {place}", "tiny", "middle")
    d.text(10, 176, "merged", "note")
    for key, place, style in found:
        d.label(70 + place * 40, 162, 36, 20, key, style if place < k else "cell", "on" if place < k else "")
    d.line(70 + k * 40 - 2, 156, 70 + k * 40 - 2, 188)
    return d.svg()


def draw(sources):
    return {"knn_ranks_tree": tree(sources), "knn_merge": places(sources)}
