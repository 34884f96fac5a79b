"""Refreshes what stands between the markers of the notes from recorded measurements."""

import glob
import os
import re
import sys

from report import gpus, load, tables, values
from report.course import articles, drawings, glossary, lessons, links, rungs, source, translations
from report.files import replace
from report.load import Mistake

KINDS = {"value": values.value, "lines": source.lines_value, "changed": source.changed_value}
INLINE = re.compile(r"<!-- (" + "|".join(KINDS) + r")(?:@([a-z0-9-]+))?: ")
BLOCK = re.compile(r" *<!-- (?:(code|rungs)|(table)(?:@([a-z0-9-]+))?):(?: |$)")
ANY = re.compile(r"<!-- (" + "|".join(KINDS) + r"|table|code|rungs)(@[a-z0-9-]+)?: ")
END = "<!-- end -->"


def words_of(marker):
    """The words after a marker's kind."""
    match = re.match(r" *<!-- [a-z-]+(?:@[a-z0-9-]+)?: *(.*?) *-->", marker)
    if not match:
        raise Mistake("a marker that is not closed")
    return match[1].split()


def argument(db, family, name, word, step):
    """A word of a table's marker as the value of the argument called `name` there; `step` is the marker's, if it
    has one."""
    if name == "STEP":
        return values.find_step(db, word, {"gemv": "gemv", "tensorcore": "tensor"}.get(family))
    if name == "LAST":
        return values.find_variant(db, step, word)
    if name in ("N", "K"):
        return values.whole(word)
    known = {"DTYPE": ("f16", "bf16", "f32") if family in ("gemv", "conv") else values.TENSOR_TYPES[:5],
             "LAYOUT": ("nchw", "nhwc") if family == "conv" else ("tn", "nn")}[name]
    if word not in known:
        raise Mistake(f"unknown {'type' if name == 'DTYPE' else 'layout'} {word} ({', '.join(known)})")
    return word


def table_lines(db, found, words):
    name = words[0] if words else ""
    if name not in found:
        raise Mistake(f"unknown table {name} ({', '.join(found)})")
    table, arguments = found[name]
    needed = [one for one in arguments if not one.startswith("[")]
    if not len(needed) <= len(words) - 1 <= len(arguments):
        raise Mistake(" ".join(["the marker reads table:", name, *arguments]))
    given = {"table": name, "last": None}
    for argument_name, word in zip(arguments, words[1:]):
        argument_name = argument_name.strip("[]")
        given[argument_name.lower()] = argument(db, table.family, argument_name, word, given.get("step"))
    usual = {"dtype": "f16", "layout": "tn"}
    if table.family == "conv":
        usual = values.own_kind(db, given["step"], given["last"])
    given = {**usual, **given}
    return tables.render(table, db, given)


def kind_of(begins):
    return begins[1] or begins[2]


def block_lines(db, root, found, note, begins, others):
    """The lines that belong between a block's marker, which BLOCK has matched, and its end."""
    line, kind = begins.string, kind_of(begins)
    if kind == "table":
        of = others.database(begins[3]) if begins[3] else db
        return table_lines(of, found, words_of(line)) if of else [values.NOT_MEASURED]
    asked = re.match(r" *<!-- \w+: *(.*?) *-->\s*$", line)
    if not asked:
        raise Mistake("a marker that is not closed")
    return source.excerpt(root, note, asked[1]) if kind == "code" else rungs.table_lines(root, note, asked[1])


class Others:
    """The databases of other GPUs than the one that is shown, each read when a marker first asks for it."""

    def __init__(self, folder, root):
        self.parent, self.root = os.path.dirname(os.path.abspath(folder)), root
        self.opened = {}

    def database(self, slug):
        """That of the GPU whose folder is `slug`, None where nothing of it is recorded."""
        if slug not in self.opened:
            folder = os.path.join(self.parent, slug)
            self.opened[slug] = load.open_folder(folder, self.root) if gpus.recorded(folder) else None
        return self.opened[slug]

    def value(self, slug, look_up, *arguments):
        """What a marker asks of this GPU."""
        db = self.database(slug)
        text = look_up(db, *arguments) if db else values.NOT_MEASURED
        if db and text == values.NOT_MEASURED:
            raise Mistake(f"that number is not among the recordings of {slug}: `make bench` on it continues them")
        return text


def inline(db, root, line, others=None):
    """A line with its values refreshed."""
    done = ""
    while True:
        match = INLINE.search(line)
        if not match:
            return done + line
        marker = line[match.start():]
        words = words_of(marker)
        close = marker.index("-->") + 3
        end = marker.find(END)
        another = ANY.search(marker, close)
        if end < 0 or another and another.start() < end:
            raise Mistake(f"<!-- {match[1]}: ...> has no {END} on its line")
        look_up = KINDS[match[1]]
        text = others.value(match[2], look_up, words, root) if match[2] else look_up(db, words, root)
        done += line[:match.start()] + marker[:close] + text + END
        line = marker[end + len(END):]


def refresh(db, root, found, note, name, others=None):
    """The text of a note with everything between its markers made anew."""
    lines = []
    fenced, block = False, None  # block: its kind and the number of its line
    number = 0
    try:
        for number, line in enumerate(note.split("\n"), 1):
            if re.match(r" *(```|~~~)", line) and not block:
                fenced = not fenced  # a marker in a code block is an example
            begins = BLOCK.match(line)
            if fenced:
                lines.append(line)
            elif block:
                if begins:
                    raise Mistake(f"line {block[1]}: the {block[0]} has no {END}")
                if re.match(rf" *{END}", line):
                    lines.append(line)
                    block = None
            elif begins:
                if END in line:
                    raise Mistake(f"the {kind_of(begins)}'s {END} belongs on a line of its own")
                block = kind_of(begins), number
                lines.append(line)
                lines += block_lines(db, root, found, name, begins, others)
            else:
                lines.append(inline(db, root, line, others))
        if block:
            number = block[1]
            raise Mistake(f"the {block[0]} has no {END}")
    except Mistake as mistake:
        raise Mistake(f"{name}:{number}: {mistake}") from None
    return "\n".join(lines)


def notes(root):
    """The notes that may have markers, as paths below the root."""
    found = [path for pattern in ("README*.md", "docs/*.md", "step[0-9][0-9]_*/**/*.md")
             for path in sorted(glob.glob(os.path.join(glob.escape(root), pattern), recursive=True))]
    return [os.path.relpath(path, root) for path in found]


def main(arguments, root):
    if arguments == ["--help"]:
        print(load.read_text(os.path.join(load.HERE, "markers.txt")), end="")
        return 0
    check = arguments[:1] == ["--check"]
    if arguments[check:]:
        raise Mistake(f"unknown argument {arguments[check]} (usage: python3 -m report notes [--check])")
    path = os.environ.get("NOTES_CSV") or os.path.join(root, "plots/data/nvidia-h200/sgemm.csv")
    name = load.short_name(path, root)
    if not os.path.isfile(path):
        raise Mistake(f"no recorded measurements (no file {name}): `make bench` records them")
    folder = os.path.dirname(path) or "."
    db = gpus.open_shown(folder, root)
    gpus.add(db, folder, root)
    others = Others(folder, root)
    found = tables.find_tables()
    fresh = {}  # all notes first, so that a mistake in the last one leaves the first one alone
    for note in notes(root):
        with open(os.path.join(root, note), encoding="utf-8", newline="") as file:
            old = file.read()
        new = refresh(db, root, found, old, note, others)
        if new != old:
            fresh[note] = new
    for note, text in fresh.items():
        if check:
            print(f"notes: {note} is not what {name} holds: run make notes", file=sys.stderr)
        else:
            replace(os.path.join(root, note), text)
            print(note)
    if check:
        faults = [*drawings.stale(root), *links.broken(root), *links.torn(root, notes(root)), *glossary.check(root),
                  *articles.check(root), *lessons.too_long(root), *lessons.lacking(root), *translations.drifted(root)]
        for fault in faults:
            print(f"notes: {fault}", file=sys.stderr)
        return 1 if fresh or faults else 0
    if not fresh:
        print(f"notes: nothing to change, they hold what {name} does")
    return 0
