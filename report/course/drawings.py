"""docs/img: drawings by the programs in docs/draw, one a file, whose draw(sources) gives a drawing's text for each name.

A drawing says which program made it, with a hash of that program, of what all programs share (docs/draw/_*.py), and of every
file that it read: when one of them changes, `make notes-check` names the drawing.
"""

import glob
import hashlib
import importlib.util
import os
import re
import sys

from report.course import source
from report.files import replace
from report.load import Mistake

PROGRAMS, IMAGES = "docs/draw", "docs/img"


class Sources:
    """What a program reads, by paths below the root."""

    def __init__(self, root):
        self.root, self.read = root, {}

    def text(self, path):
        if path not in self.read:
            self.read[path] = source.read(self.root, path)
        return self.read[path]


def loaded(path):
    """A program of docs/draw as a module; its folder is where it finds what all share."""
    spec = importlib.util.spec_from_file_location("drawing_" + os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    sys.path.insert(0, os.path.dirname(path))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


def made(root):
    """Every drawing as it should be: {path: text}."""
    files = {}
    folder = os.path.join(root, PROGRAMS)
    shared = sorted(glob.glob(os.path.join(glob.escape(folder), "_*.py")))
    for program in sorted(glob.glob(os.path.join(glob.escape(folder), "[a-z]*.py"))):
        sources = Sources(root)
        name = os.path.relpath(program, root)
        drawn = loaded(program).draw(sources)
        for path in [program, *shared]:
            sources.text(os.path.relpath(path, root))
        digest = hashlib.sha256("".join(f"{path}\n{text}\n" for path, text in sorted(sources.read.items())).encode())
        stamp = f"<!-- {name}; it and what it read: sha256 {digest.hexdigest()[:32]} -->\n"
        for image, text in drawn.items():
            path = f"{IMAGES}/{image}.svg"
            if path in files:
                raise Mistake(f"{name} draws {path}, and so does another program")
            files[path] = re.sub(r"\A(<svg [^>]*>)\n", lambda found: found[0] + stamp, text)
    return files


def stale(root):
    """A line for every drawing that is not what its program makes."""
    files = made(root)
    there = glob.glob(os.path.join(glob.escape(root), IMAGES, "*.svg"))
    for path in sorted({*files, *(os.path.relpath(one, root) for one in there)}):
        if path not in files:
            yield f"{path}: no program in {PROGRAMS} makes it"
        elif not os.path.isfile(os.path.join(root, path)) or source.read(root, path) != files[path]:
            yield f"{path} is not what {PROGRAMS} makes of today's source and measurements: run make drawings"


def main(arguments, root):
    """drawings: writes those that have changed."""
    if arguments:
        raise Mistake(f"unknown argument {arguments[0]}")
    written = 0
    os.makedirs(os.path.join(root, IMAGES), exist_ok=True)
    for path, text in made(root).items():
        if not os.path.isfile(os.path.join(root, path)) or source.read(root, path) != text:
            replace(os.path.join(root, path), text)
            print(path)
            written += 1
    if not written:
        print("drawings: nothing to change")
    return 0
