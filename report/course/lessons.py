"""The lessons: notes whose title begins with "Lesson", and a step's README that is its only lesson: each of one
idea and at most 1,600 words of prose. Translations are none of them: translations.py compares those with these."""

import glob
import os
import re

from report.course import links
from report.load import read_text

MOST = 1600


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
