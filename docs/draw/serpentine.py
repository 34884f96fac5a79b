"""The order in which multiply() goes through a thread's results, and how many operands each FMA shares with the one
before."""

import re

from _svg import Drawing
from tiling import FOLDER, Source

SHOWN = 8  # columns of the picture


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


def draw(sources):
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
    return {"fma_order": d.svg()}
