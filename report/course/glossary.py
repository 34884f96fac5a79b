"""Is docs/glossary.md whole? `python3 -m report notes --check` asks.

An entry is a heading of the third level, some sentences, and a last line that says where the course meets the term:

    ### wave quantization
    The loss in a last wave that is not full. ...

    *Met in [step 5](../step05_doublebuffer/README.md), as the last wave.*

The linked page has to have the term itself, without what stands in parentheses behind it, or one of the names after
"as".
"""

import os
import re

from report.course import links
from report.load import read_text

GLOSSARY = "docs/glossary.md"
STALL = re.compile(r"\| ([a-z_]+) \(\d+\.\d+\) \|")


def has(text, name):
    """Is a name in a text, whatever its case and the line breaks, from the beginning of a word on?"""
    return re.search(r"(?<![^\W_])" + re.escape(" ".join(name.lower().split())),
                     " ".join(text.lower().split())) is not None


def entries(text):
    """(heading, text below it) of every term."""
    parts = re.split(r"(?m)^### (.*)$", text)
    return list(zip([heading.strip() for heading in parts[1::2]], parts[2::2]))


def unmet(root, heading, body):
    """What is wrong with the last line of an entry, as a list."""
    met = re.search(r"(?ms)^\*Met in (.*)\.\*\s*\Z", body)
    found = links.LINK.findall(met[1]) if met else []
    if not found:
        return [f"{GLOSSARY}: {heading} does not end with where it is met"]
    _, _, also = met[1].rpartition("), as ")
    names = [re.sub(r" \(.*\)$", "", heading)] + ([name for name in also.split(", ") if name] if "), as " in met[1]
                                                  else [])
    wrong = []
    for link in found:
        page = os.path.normpath(os.path.join(os.path.dirname(GLOSSARY), link.partition("#")[0]))
        if os.path.isfile(os.path.join(root, page)):
            text = re.sub(r"<!--.*?-->", "", read_text(os.path.join(root, page)))
            if not any(has(text, name) for name in names):
                wrong.append(f"{GLOSSARY}: {heading} is not met in {page}")
    return wrong


def check(root):
    """What is wrong with the glossary but for its links (links.py): lines to print. None of it: nothing is."""
    path = os.path.join(root, GLOSSARY)
    if not os.path.isfile(path):
        return []
    text = read_text(path)
    wrong = []
    found = entries(text)
    headings = [heading for heading, _ in found]
    own = [links.anchor(heading) for heading in headings]
    wrong += [f"{GLOSSARY}: {heading} has the anchor of another term" for i, heading in enumerate(headings)
              if own[i] in own[:i]]
    wrong += [f"{GLOSSARY}: {later} stands behind {heading}" for heading, later in zip(headings, headings[1:])
              if heading.lower() > later.lower()]
    index = links.LINK.findall(text.partition("\n### ")[0])
    if index != ["#" + anchor for anchor in own]:
        odd = sorted({"#" + anchor for anchor in own} ^ set(index)) or ["their order"]
        wrong.append(f"{GLOSSARY}: the index is not that of the terms: {', '.join(odd)}")
    for heading, body in found:
        wrong += unmet(root, heading, body)
    for page in links.notes(root):
        shown = read_text(os.path.join(root, page))
        if "largest stall" in shown:
            wrong += [f"{page}: {GLOSSARY} lacks the stall reason {reason}" for reason
                      in sorted(set(STALL.findall(shown)))
                      if reason not in headings and f"{reason} (stall)" not in headings]
    return wrong
