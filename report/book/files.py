"""The repository's files, and where their pages lie."""

import os
import posixpath
import re

COVER = "docs/start.md"


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def ending(path):
    return path.rpartition(".")[2]


def page_of(path):
    """Where a note's page lies: a README is its folder's entrance; the book's own is its cover."""
    folder, name = posixpath.split(path)
    name = re.sub(r"^README(?=\.)", "index" if folder else "repository", name)
    return "index.md" if path == COVER else posixpath.join(folder, name)
