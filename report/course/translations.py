"""Translations: NAME.zh-CN.md beside NAME.md, with the same headings, markers, code, pictures and links.

The first line of a translation names its original and has a hash of each of its parts, less what markers fill in. Where
one differs, the original has changed since. `python3 -m report translated PAGE...` writes that line anew.
"""

import hashlib
import itertools
import os
import re

from report.course import links
from report.files import replace
from report.load import Mistake, read_text

PAGE = re.compile(r"(.+)(\.[a-z]{2}-[A-Z]{2}\.md)$")
FIRST = re.compile(r"<!-- translation of \S+: ([0-9a-f ]+) -->\n")
FILLED = re.compile(r"(<!-- \w+[@:].*?-->).*?<!-- end -->", re.DOTALL)
BLOCK = re.compile(r"(?ms)^ *```.*?^ *```$")


def original(page):
    return PAGE.sub(r"\1.md", page)


def parts(text):
    """(heading, hash) of each part; where its lines end does not count."""
    return [(part.partition("\n")[0].lstrip("# "), hashlib.sha256(" ".join(part.split()).encode()).hexdigest()[:8])
            for part in re.split(r"(?m)^(?=#+ )", FILLED.sub(r"\1", text)) if part]


def target(root, note, link, ending):
    """Where a link leads: that of an original to a translation, where there is one. This has headings of its own."""
    path, _, anchor = link.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(note), path)) if path else note
    there = re.sub(r"\.md$", ending, path)
    if not note.endswith(ending) and os.path.isfile(os.path.join(root, there)):
        path = there
    return f"{path}#{anchor}" if anchor and not path.endswith(ending) else path


def shape(root, note, text, ending):
    """What a translation has in common with its original. Links in any order, as sentences have one of their own."""
    text = FILLED.sub(r"\1", text)
    prose = "\n".join(line for _, line in links.prose(text))
    leads = {target(root, note, link, ending) for link in links.LINK.findall(prose)}
    return {"headings": re.findall(r"(?m)^(#+) ", prose),
            "markers": re.findall(r"<!-- (\w+[@:].*?) -->", text),
            "code": [re.sub(r" +# .*", "", block) for block in BLOCK.findall(text)],
            "links": sorted(leads - {note, original(note), re.sub(r"\.md$", ending, note)})}


def drifted_from(root, of, page):
    """What is wrong with one translation: lines to print."""
    ending = PAGE.match(page)[2]
    if not os.path.isfile(os.path.join(root, of)):
        yield f"{page}: there is no {of}"
        return
    text, there = read_text(os.path.join(root, page)), read_text(os.path.join(root, of))
    first = FIRST.match(text)
    known, now = first[1].split() if first else [], parts(there)
    if known != [one for _, one in now]:
        changed = ", ".join(f'"{heading}"' for heading, one in now if one not in known) or "a part less"
        yield (f"{page}: {of} has changed since ({changed}): translate that, then type "
               f"python3 -m report translated {page}")
    for one, other, said in (page, of, text), (of, page, there):
        if f"]({os.path.basename(other)})" not in said:
            yield f"{one}: no link to {other}"
    ours, theirs = shape(root, page, text, ending), shape(root, of, there, ending)
    for kind in ours:
        odd = next((pair for pair in itertools.zip_longest(theirs[kind], ours[kind]) if pair[0] != pair[1]), None)
        if odd:
            yield f"{page}: its {kind} differ from those of {of}: {' '.join(f'there {odd[0]}, here {odd[1]}'.split())}"


def drifted(root):
    """A line for every way in which a translation is no longer that of its original."""
    for page in filter(PAGE.match, links.notes(root)):
        yield from drifted_from(root, original(page), page)


def main(arguments, root):
    """python3 -m report translated PAGE...: these say now what their originals say."""
    if not arguments:
        raise Mistake("which pages? Type: python3 -m report translated NAME.zh-CN.md...")
    for page in arguments:
        of = os.path.join(root, original(page))
        if not PAGE.match(page) or not all(map(os.path.isfile, (of, os.path.join(root, page)))):
            raise Mistake(f"{page} is no translation: that of NAME.md is NAME.zh-CN.md, beside it")
        hashes = " ".join(one for _, one in parts(read_text(of)))
        text = FIRST.sub("", read_text(os.path.join(root, page)), count=1)
        replace(os.path.join(root, page), f"<!-- translation of {os.path.basename(of)}: {hashes} -->\n{text}")
    return 0
