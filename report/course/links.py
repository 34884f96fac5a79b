"""Do the links in the notes lead anywhere? Files, and headings in Markdown files; not the web."""

import os
import re
import urllib.parse

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]*)\)")
SKIPPED = {"build", "node_modules"}


def notes(root):
    """Every Markdown file of the repository, as paths below the root."""
    for folder, below, files in os.walk(root):
        below[:] = sorted(one for one in below if one not in SKIPPED and one[0] != "." and
                          not os.path.islink(os.path.join(folder, one)))
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), root)


def prose(text):
    """A note's lines with numbers, without code blocks and without code inside lines."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r" *(```+|~~~+)", line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        elif fence is None:
            yield number, line


def anchors(text):
    """The anchors of a note's headings, as GitHub makes them, and those it names itself."""
    found = set()
    for _, line in prose(text):
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if heading:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"<!--.*?-->", "", heading[1]))
            anchor = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
            number = 0
            while f"{anchor}{f'-{number}' if number else ''}" in found:
                number += 1
            found.add(f"{anchor}{f'-{number}' if number else ''}")
        found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def fault(root, note, text, link):
    """Why a link leads nowhere, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return None
    path, _, anchor = urllib.parse.unquote(link).partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(note), path)) if path else note
    if target.startswith("..") or not os.path.exists(os.path.join(root, target)):
        return f"no {target}"
    if anchor and target.endswith(".md"):
        there = text if target == note else read(os.path.join(root, target))
        if anchor not in anchors(there):
            return f"no heading #{anchor} in {target}"
    return None


def broken(root):
    """A line for every link that leads nowhere."""
    for note in notes(root):
        text = read(os.path.join(root, note))
        for number, line in prose(text):
            for link in LINK.findall(re.sub(r"`[^`]*`", "``", line)):
                why = fault(root, note, text, link)
                if why:
                    yield f"{note}:{number}: the link {link} leads nowhere: {why}"
