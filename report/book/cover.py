"""The book's cover, below docs/start.md: the way through the course with the time that it takes."""

import re

from report.book.files import page_of, read


def minutes(text):
    """What a lesson or an exercise says of its own time."""
    found = re.search(r"(?m)^\*+(\d+) (?:minutes|分钟)|^minutes=(\d+)", text)
    return int(found[1] or found[2]) if found else 0


def hours(sum_of):
    """In quarters of an hour."""
    quarters = round(sum_of / 15) or 1
    return f"{quarters // 4 or ''}{['', '¼', '½', '¾'][quarters % 4]}\u00a0h"


def row(book, title, link, parts):
    """One part of the course; style/book.js puts how many of its pages are done into the last cell."""
    pages = " ".join(re.sub(r"md$", "html", page) for page, _ in parts)
    return (f"| [{title}]({link}) | {len(parts)} | {hours(sum(minutes(read(book.root, path)) for _, path in parts))} "
            f'| <span class="done-of" data-pages="{pages}"></span> |')


def contents(book):
    steps = sorted({note.partition("/")[0] for note in book.notes if re.match(r"step\d+_", note)})
    whole = sum(minutes(read(book.root, note)) for note in book.notes if note.startswith("step"))
    lines = ["", "## The whole way", "", f"All lessons together take about {hours(whole)}, without the exercises.", "",
             "| | pages | time | |", "|---|--:|--:|---|"]
    for step in steps:
        readme = f"{step}/README.md"
        notes = [one for one in book.notes if one.startswith(step + "/")]
        lessons = [(page_of(one), one) for one in notes if minutes(read(book.root, one))]
        if readme in book.notes and lessons:
            lines.append(row(book, book.titles[readme], page_of(readme), lessons))
    if book.exercises:
        exercises = [(one + ".md", one + "/exercise.txt") for one in book.exercises]
        lines.append(row(book, "Exercises", "exercises/index.md", exercises))
    return "\n".join([*lines, ""])
