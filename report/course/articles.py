"""Is docs/articles.md true? `python3 -m report notes --check` asks.

Each of its rows says what a source article teaches, and where it is done here:

    | The article's | its number | ours | our number | on |

*Ours* names at least one of: a page (a link, which links.py follows), a rung, `step06:mma_sync`, a method of step 8,
`step08:direct+kpass`, a run, `./step06/run --show shapes`, a target, `make sass`. Our number is a marker's, or a dash;
what the simulator counts or a reader can count may be typed, where *on* does not name a GPU.
"""

import os
import re

from report.course import links, rungs, source
from report.load import Mistake, read_text

ARTICLES = "docs/articles.md"
COLUMNS = ["the article's", "its number", "ours", "our number", "on"]
MARKER = re.compile(r"<!-- (?:value|lines|changed)[@:].*?<!-- end -->")


def known(root):
    """What a row may name, as it names it."""
    found = set()
    for step in rungs.steps(root):
        text = source.read(root, step + "/step.c")
        shows = re.search(r"\bshows\[\] = \{(.*?)\n\};", text, re.DOTALL)
        found.update(f"./{step[:6]}/run --show {name}" for name in re.findall(r'\{"(\w+)",', shows[1] if shows else ""))
        found.update(f"{step[:6]}:{rung.name}" for rung in rungs.variants(root, step))
    of_parts = {"distance": [], "select": []}
    for rung in rungs.parts(root):
        kind, _, name = rung.name.partition("_")
        of_parts.get(kind, []).append(name)
        found.add(f"{rung.step[:6]}:{rung.name}")
    found.update(f"step08:{one}+{other}" for one in of_parts["distance"] for other in of_parts["select"])
    for path in ("Makefile", *(os.path.join("scripts/make", one) for one in
                               sorted(os.listdir(os.path.join(root, "scripts/make"))) if one.endswith(".mk"))):
        text = source.read(root, path).replace("\\\n", " ")
        for names in re.findall(r"(?m)^(?:scripted|named) [:+]?= (.*)$", text):
            found.update("make " + name for name in names.split() if re.fullmatch(r"[a-z-]+", name))
    return found


def faults_of(number, row, names):
    """What is wrong with a row's cells."""
    at = f"{ARTICLES}:{number}"
    if len(row) != len(COLUMNS):
        return [f"{at}: {len(row)} cells, not {len(COLUMNS)} ({', '.join(COLUMNS)})"]
    _, _, ours, measured, on = row
    named = re.findall(r"`((?:step\d\d:|\./step\d\d/run --show |make )[^`]*)`", ours)
    wrong = [f"{at}: there is no {one}" for one in named if one not in names]
    if not named and not links.LINK.search(ours):
        wrong.append(f"{at}: names neither a page nor a variant, run or target")
    if re.search(r"\b\d", MARKER.sub("", measured)) and re.search(r"\bH[12]00\b", on):
        wrong.append(f"{at}: a measured number that no marker fills in")
    return wrong


def check(root):
    """What is wrong with the rows but for their links (links.py): lines to print."""
    path = os.path.join(root, ARTICLES)
    if not os.path.isfile(path):
        return []
    names, wrong, rows = known(root), [], 0
    for number, line in links.prose(read_text(path)):
        if not line.startswith("|") or re.match(r"\|[-:| ]+\|$", line):
            continue
        row = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if [cell.lower() for cell in row] == COLUMNS:
            continue
        rows += 1
        wrong += faults_of(number, row, names)
    if not rows:
        raise Mistake(f"{ARTICLES} has no rows of {', '.join(COLUMNS)}")
    return wrong
