"""docs/img: drawings by the programs in docs/draw and the lessons' figures of measurements; README.md says how a
drawing knows what it was made of."""

import glob
import hashlib
import importlib.util
import os
import re
import shutil
import sys

from report.course import source
from report.figures import lessons
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


def drawn_by(program, sources):
    """A program's drawings by name: draw_NAME(sources) is one; draw(sources) are those whose names are not its own."""
    for name, function in vars(program).items():
        if name == "draw":
            yield from function(sources).items()
        elif name.startswith("draw_"):
            yield name.removeprefix("draw_"), function(sources)


def made(root):
    """Every drawing as it should be: {path: text}."""
    files = {}
    folder = os.path.join(root, PROGRAMS)
    shared = sorted(glob.glob(os.path.join(glob.escape(folder), "_*.py")))
    for program in sorted(glob.glob(os.path.join(glob.escape(folder), "[a-z]*.py"))):
        sources = Sources(root)
        name = os.path.relpath(program, root)
        drawn = dict(drawn_by(loaded(program), sources))
        for path in [program, *shared]:
            sources.text(os.path.relpath(path, root))
        digest = hashlib.sha256("".join(f"{path}\n{text}\n" for path, text in sorted(sources.read.items())).encode())
        stamp = f"<!-- {name}; it and what it read: sha256 {digest.hexdigest()[:32]} -->\n"
        for image, text in drawn.items():
            path = f"{IMAGES}/{image}.svg"
            if path in files:
                raise Mistake(f"{name} draws {path}, and so does another program")
            files[path] = re.sub(r"\A<svg [^>]*>\n", rf"\g<0>{stamp}", text)
    return files


def figures(root):
    """The figures of measurements by their paths."""
    return {f"{IMAGES}/{name}.svg": page for name, page in lessons.pages(root).items()}


def holds(root, path, wanted):
    """Is a file what it should be: a text, or a lessons.Page?"""
    if not os.path.isfile(os.path.join(root, path)):
        return False
    text = source.read(root, path)
    return text == wanted if isinstance(wanted, str) else wanted.holds(root, text)


def stale(root):
    """A line for every drawing that is not what its program makes."""
    files = {**made(root), **figures(root)}
    there = glob.glob(os.path.join(glob.escape(root), IMAGES, "*.svg"))
    for path in sorted({*files, *(os.path.relpath(one, root) for one in there)}):
        if path not in files:
            yield f"{path}: no program in {PROGRAMS} makes it"
        elif not holds(root, path, files[path]):
            yield f"{path} is not what {PROGRAMS} makes of today's source and measurements: run make drawings"


def main(arguments, root):
    """drawings: writes those that have changed."""
    if arguments:
        raise Mistake(f"unknown argument {arguments[0]}")
    written = 0
    os.makedirs(os.path.join(root, IMAGES), exist_ok=True)
    for path, wanted in {**made(root), **figures(root)}.items():
        if not holds(root, path, wanted):
            if not isinstance(wanted, str) and not shutil.which("gnuplot"):
                raise Mistake(f"gnuplot is missing, which draws {path}: apt-get install gnuplot-nox")
            replace(os.path.join(root, path), wanted if isinstance(wanted, str) else wanted.draw(root))
            print(path)
            written += 1
    if not written:
        print("drawings: nothing to change")
    return 0
