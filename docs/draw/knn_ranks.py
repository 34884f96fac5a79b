"""Step 8 by several ranks: who sends to whom, and where a merge puts each pair."""

from _kernel import Kernel
from _svg import Drawing

RANKS = 5


def draw_knn_ranks_tree(sources):
    host = Kernel(sources, "common/knn/knn_ranks.c")
    for line in "step < ranks_count(); step *= 2", "rank % (2 * step) != 0", "send_answer(rank - step":
        host.line(line)  # what the next line does
    levels = [[(rank, rank - step) for rank in range(step, RANKS, 2 * step)] for step in (1, 2, 4)]
    d = Drawing(f"{RANKS} ranks, each with a share of the points, search all queries. Then in {len(levels)} steps "
                "every second one that is left sends its k best of each query to the one before it: " +
                "; ".join(", ".join(f"{a} to {b}" for a, b in level) for level in levels) + ".")
    d.text(10, 18, "Points stay (grey). The queries come to every rank, and", "note")
    d.text(10, 33, f"{sum(map(len, levels))} times m·k pairs go back, in {len(levels)} steps (orange: sent).", "note")
    there = set(range(RANKS))
    for rank in there:
        d.label(60 + rank * 66, 48, 56, 20, f"rank {rank}", "soft-a")
        d.label(60 + rank * 66, 72, 56, 26, f"n / {RANKS} points", "cell", "tiny")
    for number, level in enumerate([*levels, []]):
        y = 114 + number * 52
        d.text(6, y + 13, f"step = {2 ** (number - 1)}" if number else "search", "note")
        for rank in there:
            d.label(60 + rank * 66, y, 56, 18, "k best", "a")
        for a, b in level:
            d.line(88 + a * 66, y + 18, 94 + b * 66, y + 50, True, "clash")
        there -= {a for a, _ in level}
    return d.svg()


def draw_knn_merge(sources):
    kernel = Kernel(sources, "step08_knn/ranks/merge.cu")
    kernel.line("first ? other[middle] < key : other[middle] <= key")
    kernel.line("(first ? i : i - k) + low")
    mine, theirs = (3, 8, 11, 20), (1, 5, 9, 30)
    k = len(mine)
    kept = sorted(mine + theirs)[:k]
    d = Drawing(f"Two lists, {mine} and {theirs}. A thread for each of the {2 * k} pairs finds its place: that in its "
                f"own list and how many of the other are before it. The {k} places below k are kept: {kept}.")
    d.text(10, 18, "place = place in its own list + how many of the other are", "note")
    d.text(10, 33, f"before it. Kept: the places 0 to {k - 1}.", "note")
    d.text(10, 176, "merged", "note")
    for y, name, keys, others, style in (48, "mine", mine, theirs, "a"), (104, "theirs", theirs, mine, "b"):
        d.text(10, y + 14, name, "note")
        for i, key in enumerate(keys):
            before = sum(other < key for other in others)
            d.label(70 + i * 78, y, 70, 20, key, style)
            d.text(105 + i * 78, y + 34, f"{i} + {before} = {i + before}", "tiny", "middle")
            d.label(70 + (i + before) * 40, 162, 36, 20, key, style if key in kept else "cell")
    d.line(68 + k * 40, 156, 68 + k * 40, 188)
    return d.svg()
