"""The lessons: notes whose title begins with "Lesson", and a step's README that is its only lesson: each of one
idea, with its parts, a drawing and a row in the step's README, and at most 1,600 words of prose. Translations are none
of them: translations.py compares those with these."""

import glob
import os
import re

from report.course import links
from report.load import read_text

MOST = 1600
# In this order. Between the idea and the prediction stands the code, whose heading says what of it is shown.
PARTS = ["## Where we are", "## The idea", "## Predict", "## Measure", "## Do it", "*Words:", "*Sources"]


def lessons(root):
    """(path, text) of every lesson, in order."""
    for path in sorted(glob.glob(os.path.join(glob.escape(root), "step[0-9][0-9]_*", "**", "*.md"), recursive=True)):
        text = read_text(path)
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


def lacking(root):
    """A line for everything that a lesson lacks, or names and is not there."""
    for path, text in lessons(root):
        at = 0
        for part in PARTS:
            found = re.compile("^" + re.escape(part), re.MULTILINE).search(text, at)
            if not found:
                yield f'{path}: no part "{part}" in its place: {", ".join(PARTS)}'
                break
            at = found.end()
        if "![" not in text:
            yield f"{path}: no drawing"
        overview = os.path.join(os.path.dirname(path), "README.md")
        rows = read_text(os.path.join(root, overview)) if os.path.isfile(os.path.join(root, overview)) else ""
        if path != overview and f"({os.path.basename(path)})" not in rows:
            yield f"{path}: {overview} has no row for it"
        for exercise in re.findall(r"make ex NAME=(\w+)", text):
            if not os.path.isdir(os.path.join(root, "exercises", exercise)):
                yield f"{path}: there is no exercise {exercise}"
