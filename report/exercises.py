"""Exercises as they are handed out: exercise.cu, or a kernel of the course with the changes of exercise.patch."""

import os
import posixpath
import re

from report.files import replace
from report.load import Mistake


def told(root, name):
    """What exercise.txt says: a list for each key."""
    said = {}
    with open(f"{root}/exercises/{name}/exercise.txt", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            said.setdefault(key, []).append(value)
    return said


def begun(root, source):
    """The lines of a step's kernel as an exercise begins from them: without the comment at the head, with headers named
    from common/, and in a .cu with `exercise` for the name of the file."""
    folder, name = posixpath.split(source)

    def include(found):
        path = posixpath.normpath(posixpath.join(folder, found[1]))
        return f'#include "../{path}"' if os.path.exists(f"{root}/{path}") else found[0]

    with open(f"{root}/{source}", encoding="utf-8") as file:
        text = re.sub(r"\A/\*.*?\*/\n", "", file.read(), flags=re.S)
    text = re.sub(r'#include "(.*?)"', include, text)
    stem, kind = posixpath.splitext(name)
    return re.sub(rf"_{stem}\b", "_exercise", text).splitlines() if kind == ".cu" else text.splitlines()


def patched(lines, patch):
    """Lines with the changes of a unified diff. Each is made where its context is, next to the line that it names."""
    hunks = []
    for line in patch.splitlines():
        starts = re.match(r"@@ -(\d+)", line)
        if starts:
            hunks.append((int(starts[1]) - 1, [], []))
        elif hunks:
            if line[0] in " -":
                hunks[-1][1].append(line[1:])
            if line[0] in " +":
                hunks[-1][2].append(line[1:])
    longer = 0  # by what was changed so far
    for number, old, new in hunks:
        places = [at for at in range(len(lines) - len(old) + 1) if lines[at:at + len(old)] == old]
        if not places:
            raise Mistake(f"there are no lines as the change at line {number + 1} expects them")
        at = min(places, key=lambda place: abs(place - number - longer))
        lines = lines[:at] + new + lines[at + len(old):]
        longer += len(new) - len(old)
    return lines


def handed_out(root, name):
    """The text of my/NAME/exercise.cu as a reader gets it."""
    patch = f"{root}/exercises/{name}/exercise.patch"
    if not os.path.exists(patch):
        with open(f"{root}/exercises/{name}/exercise.cu", encoding="utf-8") as file:
            return file.read()
    source = told(root, name)["from"][0]
    with open(patch, encoding="utf-8") as file:
        try:
            return "\n".join(patched(begun(root, source), file.read())) + "\n"
        except Mistake as mistake:
            raise Mistake(f"exercises/{name}/exercise.patch: {mistake} in {source}; was that changed?") from mistake


def main(arguments, root):
    """python3 -m report exercises FOLDER NAME...: puts them there, NAME/exercise.cu."""
    folder, *names = arguments
    for name in names:
        if not os.path.isfile(f"{root}/exercises/{told(root, name).get('family', [''])[0]}.c"):
            raise Mistake(f"exercises/{name}/exercise.txt: family= names none of exercises/*.c")
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        replace(f"{folder}/{name}/exercise.cu", handed_out(root, name))
    return 0
