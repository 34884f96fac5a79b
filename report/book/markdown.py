"""A note as GitHub reads it becomes one that Python-Markdown reads the same way: headings keep GitHub's anchors, what
stands in a list is indented by four, a list needs no blank line before it, the notes' markers are gone."""

import re

from report.course import links

FENCE = re.compile(r" *(```+|~~~+)")
CODE = re.compile(r"(?<!`)(`+)(?!`)((?:[^\n]|\n(?!\n))+?)(?<!`)\1(?!`)")
ITEM = re.compile(r"([-*+]|\d+\.) +(?=\S)")


def blocks(text):
    """The note in pieces: (is it a fenced block?, its text)."""
    piece, fence = [], None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if mark and fence is None:
            if piece:
                yield False, "\n".join(piece)
            piece, fence = [line], mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip("`~"):
            yield True, "\n".join([*piece, line])
            piece, fence = [], None
        else:
            piece.append(line)
    if piece:
        yield fence is not None, "\n".join(piece)


def prose(text, change):
    """The text with `change` done to its prose; code, in blocks and in lines, stays as it is."""
    kept, done = [], []

    def hide(match):
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    for fenced, piece in blocks(text):
        if not fenced:
            piece = change(CODE.sub(hide, piece))
            piece = re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], piece)
        done.append(piece)
    return "\n".join(done)


def without_markers(text):
    """Comments go: one that has its line to itself leaves an empty line, as it ends a table or a block."""
    text = re.sub(r"(?ms)^ *<!--(?:(?!-->).)*--> *$", "", text)
    return re.sub(r"(?s)<!--.*?-->", "", text)


def headings(text):
    """Every heading with the anchor that GitHub gives it."""
    met = {}

    def name(match):
        anchor = links.anchor(match[2])
        number = met.get(anchor, 0)
        met[anchor] = number + 1
        return f"{match[1]} {match[2]} {{ #{anchor}{f'-{number}' if number else ''} }}"

    return "\n".join(piece if fenced else re.sub(r"(?m)^(#{1,6}) +(.*?) *#*$", name, piece)
                     for fenced, piece in blocks(text))


def lists(text):
    """What belongs to an item is indented by four, and an empty line stands before a list's first item."""
    done, width, fence = [], 0, None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        indent = len(line) - len(line.lstrip(" "))
        item = ITEM.match(line) if fence is None else None
        before = done[-1] if done else ""
        if item:
            if before.strip() and not width:
                done.append("")
            width = item.end()
        elif line.strip() and fence is None and not indent and not before.strip():
            width = 0
        elif width and indent >= min(width, 2) and line.strip():
            text_of = line[min(indent, width):]
            if fence is None and before.strip():
                text_of = re.sub(r"^(\d+)\. ", r"\1\\. ", text_of)  # a number at the start of a line, not an item
            if mark and fence is None and before.strip():
                done.append("")
            line = "    " + text_of
        if mark:
            fence = mark[1] if fence is None else None if mark[1].startswith(fence) else fence
        done.append(line)
    return "\n".join(done)


def translated(text, change_links):
    text = headings(text)  # before the markers go, as GitHub's anchors do not see them either
    # Commands behind `$ ` and what they print are a shell's: the commands alone are copied.
    text = "\n".join(re.sub(r"\A( *```+)(?=\n(?:.*\n)*? *\$ )", r"\1console", piece) if fenced else piece
                     for fenced, piece in blocks(text))
    text = prose(text, without_markers)
    text = prose(text, lambda piece: links.LINK.sub(change_links, piece))
    text = prose(text, lambda piece: re.sub(r"<details( open)?>", r'<details markdown="1"\1>', piece))
    return lists(text)


def plain(text):
    """A line or paragraph without links' addresses, markers and markup."""
    return " ".join(re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", without_markers(text))).split())


def title(text):
    """A note's first heading, in plain text."""
    found = re.search(r"(?m)^# +(.*?) *#*$", text)
    return plain(found[1] if found else "")


def words(glossary):
    """Each word's first paragraph in plain text, by its anchor: the card that its links show."""
    return {links.anchor(word): plain(said).replace('"', "'")
            for word, said in re.findall(r"(?m)^### +(.*)\n+((?:.+\n?)+)", glossary)}
