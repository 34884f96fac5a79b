"""check_layout.py [ROOT]: holds the layout of common/ and the step folders; one line for each fault, exit status 1 for any.

Includes of common/ name the folder ("tensor/matrix.h") and follow the arrows below; no folders include one another in a
circle; a source file has at most 700 lines, or a line `/* long: why */`; a folder has at most 25 files. The simulator
(common/sim) has rules of its own."""

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
EXEMPT = ["sim"]
MAX_LINES, MAX_FILES = 700, 25
SOURCES = (".c", ".h", ".cu", ".cuh", ".cpp")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
LONG = re.compile(r"^\s*(?:/\*|//) long: \S")


def folders_of(root):
    """Every folder that is checked, relative to the root, with its files."""
    tops = [os.path.join("common", name) for name in sorted(os.listdir(os.path.join(root, "common")))]
    tops += [name for name in sorted(os.listdir(root)) if re.fullmatch(r"step\d\d_\w+", name)]
    for top in tops:
        if os.path.basename(top) in EXEMPT or not os.path.isdir(os.path.join(root, top)):
            continue
        for folder, _, files in os.walk(os.path.join(root, top)):
            built = folder == os.path.join(root, top) and not top.startswith("common")
            yield os.path.relpath(folder, root), sorted(f for f in files if not (built and f == "run"))


def folder_included(root, folder, name):
    """The folder that an include reaches, as folders_of names it; None: the file is not there."""
    for place in (os.path.join(root, folder), os.path.join(root, "common")):
        path = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(path):
            return os.path.relpath(os.path.dirname(path), root)
    return None


def fault_of_include(folder, name, target):
    """Why a file in `folder` may not include `name`, which lies in `target`; None: it may."""
    if target is None:
        return f'"{name}" is not there'
    parts = folder.split(os.sep)
    if parts[0] == "common":
        if "/" not in name:
            return f'"{name}" does not name its folder'
        if parts[1] not in ARROWS:
            return f"common/{parts[1]} is no module: ARROWS in scripts/check_layout.py lists them"
        module = target.split(os.sep)[1] if target.startswith("common" + os.sep) else target
        if module != parts[1] and module not in ARROWS[parts[1]]:
            return f'"{name}" is against the arrows: {parts[1]} may include {" ".join(ARROWS[parts[1]]) or "nothing"}'
    elif target.split(os.sep)[0] > parts[0]:
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
    for folder, files in folders_of(root):
        if len(files) > MAX_FILES:
            faults.append(f"{folder}: {len(files)} files, more than {MAX_FILES}")
        for name in files:
            if not name.endswith(SOURCES):
                continue
            path = os.path.join(folder, name)
            with open(os.path.join(root, path), encoding="utf-8") as source:
                lines = source.read().splitlines()
            if len(lines) > MAX_LINES and not any(map(LONG.match, lines)):
                faults.append(f"{path}: {len(lines)} lines, more than {MAX_LINES}, and no line `/* long: why */`")
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = folder_included(root, folder, match[1])
                fault = fault_of_include(folder, match[1], target)
                if fault:
                    faults.append(f"{path}:{number}: {fault}")
                if target and target != folder:
                    edges.setdefault(folder, set()).add(target)
    circle = circle_in(edges)
    if circle:
        faults.append("a circle of folders: " + " -> ".join(circle))
    return faults


def main():
    faults = check(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
