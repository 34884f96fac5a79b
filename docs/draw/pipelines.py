"""The pipelines of step 6 as the simulator traced them: of one block which copies are in flight, and who multiplies
when.

docs/counted/pipelines.csv says which runs these are, and the files beside it have their bars (make timeline);
`make timeline` records them anew. As a program it draws the bars of one file: pipelines.py CSV TITLE [timed], to
stdout; timed: they are nanoseconds that the model of time predicts.
"""

import csv
import sys

from _kernel import rows
from _svg import Drawing

FOLDER = "docs/counted"
LEFT, LONG = 86, 304
TALL = 15
LOOKS = {"copy": ("soft-a", ""), "product": ("b", "on"), "store": ("c", "on"), "wait": ("cell", ""), "issue": ("a", "")}
LEGEND = [("soft-a", "copy in flight"), ("b", "multiplied"), ("c", "stored"), ("cell", "waits"), ("a", "copy issued")]


def bars_of(text):
    """{row: [(what, name, begin, end)]}, rows from the first stage to the last warp."""
    rows = {}
    for bar in csv.DictReader(text.splitlines()):
        rows.setdefault(bar["row"], []).append((bar["what"], bar["name"], int(bar["begin"]), int(bar["end"])))
    stages = sorted((row for row in rows if row.startswith("stage ")), key=lambda row: int(row.split()[1]))
    return {row: rows[row] for row in [*stages, *(row for row in rows if row not in stages)]}


def says(rows, title, timed):
    copies = [bar for row in rows.values() for bar in row if bar[0] == "copy"]
    products = [bar for name, row in rows.items() if name.startswith("stage ") for bar in row if bar[0] == "product"]
    during = sum(any(begin < end2 and begin2 < end and name != name2 for _, name2, begin2, end2 in copies)
                 for _, name, begin, end in products)
    stages = sum(name.startswith("stage ") for name in rows)
    return (f"{title}. {stages} stages of shared memory are filled and multiplied in turn; {during} of {len(products)} "
            f"tiles along K are multiplied while another stage is being filled.{turns(rows)} From left to right in the "
            f"{'nanoseconds predicted for an H200' if timed else 'order of the simulation, which is no time'}.")


def turns(rows):
    """"consumer 0 multiplies tile 0, consumer 1 tile 1 ...", or ""."""
    products = sorted((begin, row, name) for row, bars in rows.items() if row.startswith("consumer")
                      for what, name, begin, _ in bars if what == "product")
    if len({name for *_, name in products}) < 2:
        return ""
    return " Tiles of C are multiplied in this order: " + ", ".join(f"{tile} by {row}" for _, row, tile
                                                                    in products) + "."


def put_bar(d, bar, y, scale, stage):
    what, name, begin, end = bar
    style, inside = LOOKS[what]
    x, wide = LEFT + begin * scale, max(0.8, (end - begin) * scale - 0.6)
    high = TALL if what != "wait" else TALL - 6
    d.box(x, y + (TALL - high) / 2, wide, high, style, 1)
    text = name
    if not stage and what not in ("wait", "issue"):
        text = "stores" if what == "store" else f"tile {name}" if name else "multiplies"
    if text and wide > 7.5 * len(text):
        d.text(x + wide / 2, y + TALL / 2 + 4, text, inside, "middle")
    elif text and wide > 5.6 * len(text):
        d.text(x + wide / 2, y + TALL / 2 + 3.5, text, f"tiny {inside}".strip(), "middle")


def put_legend(d, rows, top):
    there = {LOOKS[bar[0]][0] for bars in rows.values() for bar in bars}
    x = 10
    for style, text in LEGEND:
        if style not in there:
            continue
        d.box(x, top, 10, 10, style)
        d.text(x + 14, top + 9, text, "tiny")
        x += 24 + 5.4 * len(text)


def order_notes(rows, steps):
    notes = [f"{steps} steps of the simulation: an order, not time.",
             "A step: one instruction of each warp that does not wait."]
    if any(row.startswith("consumer") for row in rows):  # wgmmas, which nobody waits for at once
        return [*notes, "A copy or product lasts until it is waited for. A consumer",
                "waits for a product when it has issued the next, so two",
                "overlap; for the last of a tile of C it waits at once."]
    return [*notes, "A copy is in flight until somebody waits for it."]


def figure(rows, title, timed=False):
    steps = max(end for bars in rows.values() for *_, end in bars)
    scale = LONG / steps
    d = Drawing(says(rows, title, timed))
    d.text(10, 18, title, "title")
    d.text(10, 34, "One block. Numbers: tiles along K, copied, then multiplied.", "note")
    put_legend(d, rows, 43)
    y, before = 62, "stage"
    for row, bars in rows.items():
        y += 8 if before == "stage" and not row.startswith("stage") else 0
        before = row.split()[0]
        d.line(LEFT, y + TALL / 2, LEFT + LONG, y + TALL / 2)
        d.text(10, y + 11, row)
        for bar in sorted(bars, key=lambda bar: list(LOOKS).index(bar[0])):
            put_bar(d, bar, y, scale, row.startswith("stage"))
        y += TALL + 4
    d.line(LEFT, y + 6, LEFT + LONG, y + 6, arrow=True)
    notes = order_notes(rows, steps)
    if timed:
        notes = [f"{steps / 1000:.2f} us, as the model of time predicts them for an H200."]
    d.lines(10, y + 21, notes, 14)
    return d.svg()


def draw(sources):
    drawings = {}
    for run in rows(sources, f"{FOLDER}/pipelines.csv"):
        drawings[run["image"]] = figure(bars_of(sources.text(f"{FOLDER}/{run['image']}.csv")), run["title"])
    return drawings


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(figure(bars_of(file.read()), sys.argv[2], timed=sys.argv[3:] == ["timed"]), end="")
