"""The lessons: notes whose title begins with "Lesson", and a step's README that is its only lesson: each of one
idea and at most 1,600 words of prose."""

import glob
import os
import re

from report.course import links, source
from report.load import Mistake

MOST = 1600


def lessons(root):
    """(path, text) of every lesson, in order."""
    for path in sorted(glob.glob(os.path.join(glob.escape(root), "step[0-9][0-9]_*", "**", "*.md"), recursive=True)):
        text = links.read(path)
        if re.match(r"# Lesson \d", text) or "\n## Predict\n" in text:
            yield os.path.relpath(path, root), text


def words(text):
    """The words of prose: without tables, code, drawings, headings' marks and markers."""
    text = "\n".join(line for _, line in links.prose(text) if not re.match(r" *\||<sub>", line))
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"!\[.*?\]\(.*?\)", "", text, flags=re.DOTALL)
    text = re.sub(r"\]\(.*?\)", "]", text)
    return len([word for word in text.split() if re.search(r"\w", word)])


def too_long(root):
    """A line for every lesson of more than 1,600 words."""
    for path, text in lessons(root):
        if words(text) > MOST:
            yield f"{path}: {words(text)} words of prose, and a lesson has at most {MOST}"


def main(arguments, root):
    """lessons: a table of them: words, lines shown of the source, drawings, and its rungs' lines of code and
    changes."""
    if arguments:
        raise Mistake(f"unknown argument {arguments[0]}")
    print("lesson                            words  drawings  rungs: lines of code, changed since the one before")
    for path, text in lessons(root):
        pairs = re.findall(r"make diff A=([\w:]+)\s+B=([\w:]+)", text)
        rungs = ", ".join(f"{b} {len(source.code(root, source.find(root, b)))} ({source.changed(root, a, b)[0]})"
                          for a, b in dict.fromkeys(pairs))
        print(f"{path:<33} {words(text):>5}  {text.count('!['):>8}  {rungs}")
    return 0
