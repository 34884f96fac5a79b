"""sim_trace.py WHAT FILE...: are a pipeline's bars what they should be? One line and exit status 1 where they are not.

pipeline CSV            a stage is filled, then multiplied, then filled again
current CSV RECORDED how  the bars are the recorded ones: `exactly`, or (another compiler was at work) in their order
"""

import collections
import csv
import sys


def wrong(what):
    sys.exit(what)


def bars_of(path):
    with open(path, encoding="utf-8") as file:
        return [(bar["row"], bar["what"], bar["name"], int(bar["begin"]), int(bar["end"]))
                for bar in csv.DictReader(file)]


def check_pipeline(bars):
    stages = collections.defaultdict(list)
    for row, what, name, begin, end in bars:
        if row.startswith("stage "):
            stages[row].append((begin, end, what, name))
    if len(stages) < 3:
        wrong(f"{len(stages)} stages")
    for stage, inside in stages.items():
        inside.sort()
        for n, (begin, end, what, name) in enumerate(inside):
            before = inside[n - 1] if n > 0 else (0, 0, "product", "")
            if what != ("copy", "product")[n % 2] or begin < before[1] or (n % 2 and name != before[3]):
                wrong(f"{stage}: {before}, then {(begin, end, what, name)}")
    copies = {name: (begin, end) for inside in stages.values() for begin, end, what, name in inside if what == "copy"}
    products = sorted((begin, end, name) for inside in stages.values() for begin, end, what, name in inside
                      if what == "product")
    alone = [name for begin, end, name in products[:len(copies) // 2]  # towards the end of K nothing is left to copy
             if not any(b < end and begin < e for other, (b, e) in copies.items() if other != name)]
    unread = len(copies) - len(products)  # a loop without branches may copy past the end of K
    if unread not in range(len(stages)) or alone:
        wrong(f"{len(copies)} copies, {len(products)} products; nothing is in flight during {alone}")


def check_current(bars, recorded, how):
    if how == "exactly":
        if bars != recorded:
            wrong(f"{len(set(bars) ^ set(recorded))} bars differ; type: make timeline")
        return
    stages = [[bar[:3] for bar in some if bar[0].startswith("stage ")] for some in (bars, recorded)]
    if stages[0] != stages[1]:
        wrong("the stages are not filled and multiplied as recorded; type: make timeline")


def main(what, *arguments):
    if what == "pipeline":
        check_pipeline(bars_of(*arguments))
    elif what == "current":
        check_current(bars_of(arguments[0]), bars_of(arguments[1]), arguments[2])
    else:
        wrong(__doc__)


main(*sys.argv[1:])
