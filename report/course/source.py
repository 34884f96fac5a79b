"""The kernels' source in the notes: lines that a note shows, how long a kernel is, what changes from one rung to the
next.

A rung is a kernel's file without its suffix, lds128 for step04_vectorized/lds128.cu. Its code is that file with the
headers of the steps that it includes in their places, without comments, guards and blank lines; common/ is not counted.
"""

import difflib
import glob
import os
import re

from report.load import Mistake

MOST = 25  # lines that a note shows of a source at once
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
GUARD = re.compile(r"#pragma once$")


def read(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        raise Mistake(f"no source {path}") from None


def without_comments(text):
    """C without its comments, every line where it was."""
    return TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else "\n" * found[0].count("\n"), text)


# ---- lines that a note shows


def only_line(lines, wanted, first, path):
    """The index of the one line from `first` on that holds the text `wanted`."""
    found = [number for number in range(first, len(lines)) if wanted in lines[number]]
    if not found:
        raise Mistake(f"{path} has no line with '{wanted}'" + (f" from line {first + 1} on" if first else ""))
    if len(found) > 1:
        places = ", ".join(str(one + 1) for one in found[:4])
        raise Mistake(f"{path} has '{wanted}' in lines {places}: name more of one")
    return found[0]


def end_of(lines, first, path):
    """The last line of the statement or block that begins in line `first`."""
    code = TOKEN.sub(lambda found: "\n" * found[0].count("\n"), "\n".join(lines)).split("\n")  # without strings, too
    depth = 0
    for number in range(first, len(lines)):
        depth += sum((one in "({[") - (one in ")}]") for one in code[number])
        if depth < 0:
            break
        if depth == 0 and code[number].rstrip()[-1:] in (";", "}"):
            return number
    raise Mistake(f"{path}: what begins in line {first + 1} has no end: name its last line after ..")


def excerpt(root, note, asked):
    """The Markdown lines for <!-- code: FILE FROM [.. TO] -->, in the note of that path."""
    path, _, wanted = asked.partition(" ")
    begin, _, end = (part.strip() for part in wanted.partition(" .. "))
    if not begin:
        raise Mistake("the marker reads code: FILE FROM [.. TO]")
    lines = read(root, path).split("\n")
    first = only_line(lines, begin, 0, path)
    last = only_line(lines, end, first, path) if end else end_of(lines, first, path)
    if last - first >= MOST:
        raise Mistake(f"lines {first + 1} to {last + 1} of {path} are {last - first + 1}, "
                      f"and a note shows at most {MOST} at once")
    shown = lines[first:last + 1]
    # #pragma has none
    margin = min(len(line) - len(line.lstrip()) for line in shown if line.strip() and line[0] != "#")
    shown = [line if line[:1] == "#" else line[margin:] for line in shown]
    link = os.path.relpath(path, os.path.dirname(note))
    where = f"line {first + 1}" if first == last else f"lines {first + 1} to {last + 1}"
    language = {".txt": "text", ".py": "python"}.get(os.path.splitext(path)[1], "cuda")
    return ["```" + language, *shown, "```",
            f"<sub>[{path}]({link}#L{first + 1}-L{last + 1}), {where}</sub>"]


# ---- rungs


def find(root, name):
    """The file of a rung: lds128, or step04:lds128 where steps share a name."""
    step, _, rung = name.rpartition(":")
    if not re.fullmatch(r"(step\d\d\w*)?", step) or not re.fullmatch(r"\w+", rung):
        raise Mistake(f"'{name}' is no rung: write lds128 or step04:lds128")
    steps = step if "_" in step else f"{step or 'step[0-9][0-9]'}_*"  # not step04, make's link to it
    found = sorted(glob.glob(os.path.join(glob.escape(root), steps, "**", f"{rung}.cu"), recursive=True))
    if not found:
        raise Mistake(f"no step has a kernel {name}" if not step else f"no kernel {name}")
    paths = [os.path.relpath(one, root) for one in found]
    if len(paths) > 1:
        raise Mistake(f"'{name}' may be {' or '.join(paths)}: write it as {paths[0][:6]}:{rung}")
    return paths[0]


def code(root, path, seen=None):
    """A kernel's lines of code as (file, number, text), each header of a step in the place of its first include."""
    seen = set() if seen is None else seen
    seen.add(path)
    lines = []
    for number, text in enumerate(without_comments(read(root, path)).split("\n"), 1):
        header = INCLUDE.match(text)
        near = os.path.normpath(os.path.join(os.path.dirname(path), header[1])) if header else ""
        if near.startswith("step") and os.path.isfile(os.path.join(root, near)):
            lines += code(root, near, seen) if near not in seen else []
        elif text.strip() and not GUARD.match(text):
            lines.append((path, number, text.rstrip()))
    return lines


def compared(root, one, other):
    """Two rungs' lines of code, and a difflib.SequenceMatcher of them, to which a kernel's own name, as in
    launch_lds128, is no change, nor is indentation."""
    paths = find(root, one), find(root, other)
    lines, rungs = [code(root, path) for path in paths], [os.path.basename(path)[:-len(".cu")] for path in paths]
    keys = [[re.sub(rf"_{rung}\b", "_RUNG", " ".join(text.split())) for _, _, text in of]
            for rung, of in zip(rungs, lines)]
    return lines, difflib.SequenceMatcher(None, *keys, autojunk=False)


def changed(root, one, other):
    """(lines that change, lines gone, lines new): a line in the place of another counts once."""
    edits = [(i2 - i1, j2 - j1) for what, i1, i2, j1, j2 in compared(root, one, other)[1].get_opcodes()
             if what != "equal"]
    return sum(map(max, edits)), sum(gone for gone, _ in edits), sum(new for _, new in edits)


# ---- values in a note, and the command


def lines_value(_, words, root):
    if len(words) != 1:
        raise Mistake("the marker reads lines: RUNG")
    return str(len(code(root, find(root, words[0]))))


def changed_value(_, words, root):
    if len(words) != 2:
        raise Mistake("the marker reads changed: RUNG1 RUNG2")
    return str(changed(root, *words)[0])


def main(arguments, root):
    """diff A B: prints what changes."""
    if len(arguments) != 2 or not all(arguments):
        raise Mistake("name two rungs, e.g. make diff A=lds128 B=lds128_2x2")
    lines, matcher = compared(root, *arguments)
    for group in matcher.get_grouped_opcodes(2):
        path, number, _ = lines[1][min(group[0][3], len(lines[1]) - 1)]
        print(f"@@ {path}:{number}")
        for what, i1, i2, j1, j2 in group:
            if what == "equal":
                print("".join(f"  {text}\n" for _, _, text in lines[1][j1:j2]), end="")
                continue
            print("".join(f"- {text}\n" for _, _, text in lines[0][i1:i2]), end="")
            print("".join(f"+ {text}\n" for _, _, text in lines[1][j1:j2]), end="")
    change, gone, new = changed(root, *arguments)
    print(f"{arguments[0]} ({len(lines[0])} lines of code) to {arguments[1]} ({len(lines[1])}): "
          f"{change} line{'s' * (change != 1)} of code change ({gone} gone, {new} new)")
    return 0
