"""check_layout.py [ROOT]: holds the layout of common/ and the step folders; one line for each fault, exit status 1 for any.

Includes of common/ name the folder ("tensor/matrix.h") and follow the arrows below; no folders include one another in a
circle; a source file has at most 700 lines, or a line `/* long: why */`; a folder has at most 25 files."""

import os
import re
import sys

# What each folder of common/ may include.
ARROWS = {
    "base": [],
    "ptx": [],
    "gpu": ["base"],
    "tensor": ["gpu", "base", "ptx"],
    "bench": ["tensor", "gpu", "base"],
    "readers": ["base"],
    "gemm": ["bench", "tensor", "gpu", "base", "ptx"],
    "gemv": ["bench", "tensor", "gpu", "base", "ptx"],
    "knn": ["readers", "bench", "tensor", "gpu", "base", "ptx"],
}
GENERATED = ["gpu/devices.inc"]  # which make writes to build/
MAX_LINES, MAX_FILES = 700, 25
SOURCES = (".c", ".h", ".cu", ".cuh", ".cpp")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
LONG = re.compile(r"^\s*(?:/\*|//) long: (?!\*/)\S")
STEP = re.compile(r"step\d\d_\w+")


def folders_of(root):
    """Every folder that is checked, relative to the root, with its files."""
    modules = [os.path.join("common", name) for name in sorted(os.listdir(os.path.join(root, "common")))]
    for top in modules + sorted(filter(STEP.fullmatch, os.listdir(root))):
        for folder, _, files in os.walk(os.path.join(root, top)):
            folder = os.path.relpath(folder, root)
            yield folder, sorted(f for f in files if not (STEP.fullmatch(folder) and f == "run"))  # which make puts there


def file_included(root, folder, quote, name):
    """The file that an include reaches, relative to the root; None: none of ours."""
    if name in GENERATED:
        return os.path.join("common", name)
    for place in ["common"] if quote == "<" else [folder, "common"]:
        path = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, path)):
            return path
    return None


def fault_of_include(folder, name, target):
    """Why a file in `folder` may not include `name`, the file `target`; None: it may."""
    if target is None:
        return f'"{name}" is not there'
    top, *rest = folder.split(os.sep)
    to_top, to_module = target.split(os.sep)[:2]
    if top == "common":
        if to_top == "common" and target != os.path.join("common", name):
            return f'"{name}" does not name its folder, as in "tensor/matrix.h"'
        allowed = ARROWS.get(rest[0], [])
        if to_top != "common" or to_module not in [rest[0], *allowed]:
            return f'"{name}" is against the arrows: {rest[0]} may include {" ".join(allowed) or "nothing"}'
    elif to_top == "common":
        if to_module not in ARROWS:
            return f'"{name}" is of no module that a step may include'
    elif not STEP.fullmatch(to_top):
        return f'"{name}" is neither of common/ nor of a step'
    elif to_top > top:
        return f'"{name}" is of a later step'
    return None


def circle_in(edges):
    """Folders that include one another, or None."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        path.append(folder)
        found = next(filter(None, map(visit, sorted(edges.get(folder, ())))), None)
        path.pop()
        done.add(folder)
        return found

    return next(filter(None, map(visit, sorted(edges))), None)


def check(root):
    faults, edges = [], {}
    for name in sorted(os.listdir(os.path.join(root, "common"))):
        path = os.path.join("common", name)
        if os.path.isfile(os.path.join(root, path)):
            faults.append(f"{path}: a file of common/ belongs into a module's folder")
        elif name not in ARROWS:
            faults.append(f"{path}: no module that ARROWS in scripts/check_layout.py lists")
    for folder, files in folders_of(root):
        if len(files) > MAX_FILES:
            faults.append(f"{folder}: {len(files)} files, more than {MAX_FILES}")
        for name in files:
            if not name.endswith(SOURCES):
                continue
            path = os.path.join(folder, name)
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as source:
                lines = source.read().split("\n")
            count = len(lines) - (lines[-1] == "")
            if count > MAX_LINES and not any(map(LONG.match, lines)):
                faults.append(f"{path}: {count} lines, more than {MAX_LINES}, and no line `/* long: why */`")
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                quote, included = match.groups()
                target = file_included(root, folder, quote, included)
                if quote == "<" and target is None:
                    continue  # the system's
                fault = fault_of_include(folder, included, target)
                if fault:
                    faults.append(f"{path}:{number}: {fault}")
                if target and os.path.dirname(target) != folder:
                    edges.setdefault(folder, set()).add(os.path.dirname(target))
    circle = circle_in(edges)
    if circle:
        faults.append("a circle of folders: " + " -> ".join(circle))
    return faults


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not os.path.isdir(os.path.join(root, "common")):
        print(f"check_layout: {root} has no folder common", file=sys.stderr)
        return 2
    faults = check(root)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
