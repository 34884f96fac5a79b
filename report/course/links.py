"""Do the links in the notes lead anywhere? Files, and headings in Markdown files; not the web. Are paragraphs whole?"""

import functools
import os
import re
import urllib.parse

from report.load import read_text

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]*)\)")  # a picture's, too
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


def anchor(heading):
    """What GitHub makes of a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"<!--.*?-->", "", heading))
    return re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")


@functools.lru_cache(maxsize=None)
def anchors(text):
    """The anchors of a note's headings, the later ones of a name with a number, and those that it names itself."""
    found, named = [], set()
    for _, line in prose(text):
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if heading:
            found.append(anchor(heading[1]))
        named.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return named.union(f"{one}-{found[:i].count(one)}" if one in found[:i] else one for i, one in enumerate(found))


def fault(root, note, text, link):
    """Why a link leads nowhere, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return None
    path, _, anchor = urllib.parse.unquote(link).partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(note), path)) if path else note
    if target.startswith("..") or not os.path.exists(os.path.join(root, target)):
        return f"no {target}"
    if anchor and target.endswith(".md"):
        there = text if target == note else read_text(os.path.join(root, target))
        if anchor not in anchors(there):
            return f"no heading #{anchor} in {target}"
    return None


def broken(root):
    """A line for every link that leads nowhere."""
    for note in notes(root):
        text = read_text(os.path.join(root, note))
        lines = dict(prose(text))
        shown = "\n".join(lines.get(number, "") for number in range(1, text.count("\n") + 2))
        shown = re.sub(r"`[^`]*`", lambda code: "`" + "\n" * code[0].count("\n"), shown)
        for link in LINK.finditer(shown):
            why = fault(root, note, text, link[1])
            if why:
                yield f"{note}:{shown.count(chr(10), 0, link.start(1)) + 1}: the link {link[1]} leads nowhere: {why}"


def torn(root, pages):
    """A line for every paragraph that a comment at the beginning of a line ends (CommonMark, HTML blocks)."""
    for note in pages:
        before = ""
        for number, line in prose(read_text(os.path.join(root, note))):
            if re.match(r" *<!-- \w+[@:]", line) and re.match(r" *[^ <|#]", before):
                yield f"{note}:{number}: a comment that begins a line ends the paragraph: join it to the word before"
            before = line
