"""check_layout.py [ROOT]: holds the layout of the course and of cudasim, as CONTRIBUTING.md has it; a line for each
fault, exit status 1 for any.

A header and its source count as one file, a step.mk not at all. Who calls whom is read from the objects that are there
and not older than their sources; a line on stdout says how many of cudasim's are not."""

import graphlib
import os
import re
import subprocess
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
    "conv": ["bench", "tensor", "gpu", "base", "ptx"],
}
# Each may use those before it.
SIMULATOR = ["base", "ptx", "isa", "machine", "exec", "load", "check", "watch", "predict", "cuda"]
MODULES = os.path.join("cudasim", "src")
PUBLIC = os.path.join("cudasim", "include")  # whose headers everybody may include, by their names
SIM_TESTS = os.path.join("cudasim", "tests")
OTHERS = ["tests", "scripts", os.path.join("docs", "draw"), SIM_TESTS]  # whose sizes are held, too
GENERATED = ["gpu/devices.inc"]  # which make writes to build/
MAX_LINES, MAX_FILES = 600, 25
SOURCES = (".c", ".h", ".cu", ".cuh", ".cpp")
TEXTS = SOURCES + (".py", ".sh", ".mk", ".awk")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
LONG = re.compile(r"^\s*(?:/\*|//|#|<!--) long: (?!\*/|-->)\S")
STEP = re.compile(r"step\d\d_\w+")


def entries(root, folder):
    path = os.path.join(root, folder)
    return sorted(os.listdir(path)) if os.path.isdir(path) else []


def folders_of(root):
    """Every folder that is checked, relative to the root, with its files."""
    tops = [os.path.join("common", name) for name in entries(root, "common")] + [MODULES, PUBLIC, *OTHERS]
    for top in tops + sorted(filter(STEP.fullmatch, os.listdir(root))):
        for folder, below, files in os.walk(os.path.join(root, top)):
            below[:] = sorted(name for name in below if name != "__pycache__")
            folder = os.path.relpath(folder, root)
            yield folder, sorted(files)


def is_long(path):
    """Does a line of this file say why it, or its folder, is long?"""
    if not os.path.isfile(path):
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        return any(map(LONG.match, file))


def is_in(folder, top):
    return (folder + os.sep).startswith(top + os.sep)


def file_included(root, folder, quote, name):
    """The file that an include reaches, relative to the root; None: none of ours."""
    if name in GENERATED:
        return os.path.join("common", name)
    places = ["common", PUBLIC]
    if is_in(folder, "cudasim"):
        places = [MODULES, PUBLIC] + ([SIM_TESTS] if is_in(folder, SIM_TESTS) else [])
    for place in places if quote == "<" else [folder, *places]:
        path = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, path)):
            return path
    return None


def may_use(module, other):
    """May this module of cudasim/src use the other one?"""
    return module in SIMULATOR and other in SIMULATOR[:SIMULATOR.index(module) + 1]


def fault_of_include(folder, name, target):
    """Why a file in `folder` may not include `name`, the file `target`; None: it may."""
    if target is None:
        return f'"{name}" is not there'
    if is_in(folder, "cudasim"):
        if not is_in(target, "cudasim"):
            return f'"{name}" is of the course'
        if is_in(folder, MODULES) and not (os.path.dirname(target) == PUBLIC and name == os.path.basename(target)):
            if is_in(target, MODULES) and target != os.path.join(MODULES, name):
                return f'"{name}" does not name its folder, as in "ptx/lex.h"'
            if not is_in(target, MODULES) or not may_use(folder.split(os.sep)[2], target.split(os.sep)[2]):
                return f'"{name}" is against the arrows: {" -> ".join(SIMULATOR)}'
        return None
    if is_in(target, "cudasim"):
        return None if os.path.dirname(target) == PUBLIC else f'"{name}" is of the inside of cudasim'
    top, *rest = folder.split(os.sep)
    if top not in ("common",) and not STEP.fullmatch(top):
        return None  # tests may include all of the course
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
    """Folders that include one another, or files that call one another, or None."""
    try:
        graphlib.TopologicalSorter({one: sorted(others) for one, others in sorted(edges.items())}).prepare()
    except graphlib.CycleError as error:
        circle = error.args[1][:0:-1]
        first = circle.index(min(circle))
        return circle[first:] + circle[:first + 1]
    return None


def objects_of(root, folders):
    """The objects of sources, by folders: [(source, object)], and the sources without one that is not older."""
    found, missing = [], []
    for folder, built in folders:
        for name in entries(root, folder):
            source = os.path.join(folder, name)
            if not name.endswith((".c", ".cu")):
                continue
            # Handlers are compiled once for each instruction set: name.c.v4.o.
            mine = [os.path.join(built, one) for one in entries(root, built)
                    if re.fullmatch(re.escape(name) + r"(\.\w+)?\.o", one)]
            age = os.path.getmtime(os.path.join(root, source))
            mine = [(source, one) for one in mine if os.path.getmtime(os.path.join(root, one)) >= age]
            found += mine
            missing += [] if mine else [source]
    return found, missing


def calls_of(root, objects):
    """Who calls whom: {(source, source): a symbol}."""
    defined, wanted = {}, []
    for source, path in objects:
        listed = subprocess.run(["nm", "-P", os.path.join(root, path)], check=True, capture_output=True, text=True)
        for symbol, kind, *_ in map(str.split, listed.stdout.splitlines()):
            if kind in "Uw":
                wanted.append((source, symbol))
            elif kind.isupper():
                defined[symbol] = source
    return {(source, defined[s]): s for source, s in sorted(wanted, reverse=True) if defined.get(s, source) != source}


def check_calls(root):
    """Faults in who calls whom, by the objects that are there, and what there is to say of those that are not."""
    built = os.path.join("cudasim", "build", "obj", "src")
    objects, missing = objects_of(root, [(os.path.join(MODULES, one), os.path.join(built, one)) for one in SIMULATOR])
    common = [os.path.join("common", one) for one in sorted(ARROWS)]
    of_common, _ = objects_of(root, [(one, os.path.join("build", "obj", one)) for one in common])
    faults, edges = [], {}
    for (source, other), symbol in sorted({**calls_of(root, of_common), **calls_of(root, objects)}.items()):
        module, to = source.split(os.sep)[2], other.split(os.sep)[2]
        if module == to or is_in(source, "common"):
            edges.setdefault(source, set()).add(other)
        elif not may_use(module, to):
            faults.append(f"{source}: {symbol} of {other} is against the arrows: {' -> '.join(SIMULATOR)}")
    circle = circle_in(edges)
    if circle:
        faults.append("a circle of calls: " + " -> ".join(circle))
    count = len(missing) + len({source for source, _ in objects})
    said = f"cudasim: the calls of {len(missing)} of {count} files are not checked: make sim builds them"
    return faults, said if missing else None


def check(root):
    faults, edges = [], {}
    for name in entries(root, MODULES):
        path = os.path.join(MODULES, name)
        if os.path.isdir(os.path.join(root, path)) and name not in SIMULATOR:
            faults.append(f"{path}: no module that SIMULATOR in scripts/check_layout.py lists")
        elif os.path.isfile(os.path.join(root, path)) and name.endswith(SOURCES):
            faults.append(f"{path}: a file of cudasim/src belongs into a module's folder")
    for name in sorted(os.listdir(os.path.join(root, "common"))):
        path = os.path.join("common", name)
        if os.path.isfile(os.path.join(root, path)):
            faults.append(f"{path}: a file of common/ belongs into a module's folder")
        elif name not in ARROWS:
            faults.append(f"{path}: no module that ARROWS in scripts/check_layout.py lists")
    for folder, files in folders_of(root):
        count = len({f.split(".")[0] for f in files if f.endswith(TEXTS) and f != "step.mk"})
        readme = os.path.join(root, folder, "README.md")
        if count > MAX_FILES and not is_long(readme):
            faults.append(f"{folder}: {count} files, more than {MAX_FILES}")
        for name in files:
            if not name.endswith(TEXTS):
                continue
            path = os.path.join(folder, name)
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as source:
                lines = source.read().split("\n")
            count = len(lines) - (lines[-1] == "")
            if count > MAX_LINES and not is_long(os.path.join(root, path)):
                faults.append(f"{path}: {count} lines, more than {MAX_LINES}, and no line `/* long: why */`")
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line) if name.endswith(SOURCES) else None
                if not match:
                    continue
                quote, included = match.groups()
                target = file_included(root, folder, quote, included)
                if target is None and (quote == "<" or any(is_in(folder, other) for other in OTHERS)):
                    continue  # the system's, or a test's own place to look
                fault = fault_of_include(folder, included, target)
                if fault:
                    faults.append(f"{path}:{number}: {fault}")
                if target and os.path.dirname(target) != folder and not any(is_in(folder, other) for other in OTHERS):
                    edges.setdefault(folder, set()).add(os.path.dirname(target))
    circle = circle_in(edges)
    if circle:
        faults.append("a circle of folders: " + " -> ".join(circle))
    calls, said = check_calls(root)
    return faults + calls, said


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not os.path.isdir(os.path.join(root, "common")):
        print(f"check_layout: {root} has no folder common", file=sys.stderr)
        return 2
    faults, said = check(root)
    if said:
        print(said)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
