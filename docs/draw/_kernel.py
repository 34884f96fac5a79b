"""What a kernel's source says, for the drawings: constants, declared values, and the indices of what it accesses.

The expressions are taken from the source and computed as C does with integers that are not negative, so a drawing
cannot differ from the kernel. Where the source no longer has what a drawing asks for, drawing fails.
"""

import csv
import re

from report.course.source import without_comments
from report.load import Mistake


def parenthesized(text, start):
    """(what stands between the bracket at `start` and its partner, the position after that)."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return text[start + 1:at], at + 1
    raise Mistake(f"no partner for the bracket in '{text[start:start + 40]}'")


def split_arguments(text):
    parts, depth, last = [], 0, 0
    for at, one in enumerate(text):
        depth += (one in "([{") - (one in ")]}")
        if one == "," and depth == 0:
            parts.append(text[last:at])
            last = at + 1
    return [part.strip() for part in [*parts, text[last:]]]


class Values(dict):
    """The names in an expression: those given, else those that the source declares."""

    def __init__(self, kernel, given):
        super().__init__(given)
        self.kernel = kernel

    def __missing__(self, name):
        if name in ("min", "max"):
            raise KeyError(name)  # they are functions
        return self.kernel.compute(self.kernel.declared(name), **self)


class Kernel:
    """A source file and headers of it; `given` are values for names that they do not declare, as a template's
    parameters."""

    of_several = 0  # declarations of a name, the one that counts

    def __init__(self, sources, path, *headers, **given):
        self.path, self.given = path, given
        self.text = "\n".join(without_comments(sources.text(one)) for one in (*headers, path))

    def refuse(self, what):
        raise Mistake(f"{self.path} no longer has {what}, which a drawing needs")

    def must_have(self, what, there):
        """What is `there`; without it drawing fails."""
        return there or self.refuse(what)

    def declared(self, name):
        """The expression that `int name = ...` gives."""
        lines = re.findall(r"\bint ([^;()]*?=(?:[^;])*);", self.text)
        found = [one for line in lines for part in split_arguments(line)
                 for one in re.findall(rf"(?s)\A{name}\s*=\s*(.*)\Z", part)]
        return self.must_have(f"a declaration of {name}", found)[self.of_several]

    def compute(self, expression, **given):
        """An integer expression's value: names are those in `given`, else the kernel's own; p.m is p_m there, and
        p.pad[0] p_pad0."""
        expression = re.sub(r"\bp(?:\.|->)(\w+)\[(\d)\]", r"p_\1\2", expression).replace("p->", "p.")
        choice = re.fullmatch(r"(.*?)\?(.*):(.*)", " ".join(expression.split()))
        if choice:
            return self.compute(choice[3 - (self.compute(choice[1], **given) != 0)], **given)
        python = re.sub(r"\b(threadIdx|blockIdx|p|d)\.(\w+)\b", r"\1_\2", " ".join(expression.split()))
        python = re.sub(r"\((?:int|int64_t)\)", "", python).replace("||", " or ").replace("&&", " and ")
        if not re.fullmatch(r"[\w\s+\-*/%()<>=&|^,]+", python):
            self.refuse(f"an expression of integers in '{expression}'")
        names = Values(self, {**self.given, **given})
        try:
            return eval(python.replace("/", "//"), {"__builtins__": {}, "min": min, "max": max}, names)
        except (SyntaxError, NameError, TypeError, RecursionError):
            return self.refuse(f"a value for '{expression}'")

    value = compute  # of a constant or variable that the kernel declares

    def returned(self, function):
        """The expression that a function returns."""
        found = re.search(rf"int {function}\([^)]*\) \{{.*?return (.*?);", self.text, re.DOTALL)
        return found[1] if found else self.refuse(f"the function {function}")

    def line(self, text):
        """The one line that holds the text."""
        found = [line for line in self.text.split("\n") if text in line]
        return self.must_have(f"one line with '{text}' ({len(found)} there are)", len(found) == 1 and found)[0]

    def subscripts(self, line, array):
        """The expressions in the brackets after an array's name, in the line that holds the text."""
        code = self.line(line)
        at = self.must_have(f"{array}[...] in the line with '{line}'", re.search(
            rf"(?<![\w.>]){re.escape(array)}(?=\[)", code))
        found, at = [], at.end()
        while code[at:at + 1] == "[":
            inside, at = parenthesized(code, at)
            found.append(inside)
        return found

    def index(self, line, array, **given):
        """The values of these expressions: a row and a column, as a rule."""
        return [self.compute(one, **given) for one in self.subscripts(line, array)]

    def arguments(self, line, call):
        """The arguments of a call, from the line on that holds the text."""
        at = self.text.find(call + "(", self.text.find(self.line(line)))
        self.must_have(f"{call}(...) after '{line}'", at >= 0)
        return split_arguments(parenthesized(self.text, at + len(call))[0])

    def element(self, line, matrix, **given):
        """Row and column of gemm_at(p.MATRIX, ld, row, column) in the line that holds the text."""
        code = self.line(line)
        at = code.find(f"gemm_at(p.{matrix},")
        self.must_have(f"gemm_at(p.{matrix}, ...) in the line with '{line}'", at >= 0)
        inside, _ = parenthesized(code, at + len("gemm_at"))
        return [self.compute(one, **given) for one in split_arguments(inside)[2:]]


def wavefronts(words, lanes_together):
    """[{bank: lane}]: a shared-memory access, lane by lane: in a wavefront each bank gives one word.

    words: for every lane the words it accesses, by lane; lanes_together: 32, or 8 for 16-byte accesses. As in
    common/base/banks.c, a part of that many lanes takes as many wavefronts as its busiest bank has words to give.
    """
    waves = []
    lanes = sorted(words)
    for first in range(0, len(lanes), lanes_together):
        given = {}  # bank: [(word, lanes)]
        for lane in lanes[first:first + lanes_together]:
            for word in words[lane]:
                row = given.setdefault(word % 32, {})
                row.setdefault(word, []).append(lane)
        for wave in range(max(map(len, given.values()))):
            waves.append({bank: list(row.items())[wave] for bank, row in given.items() if wave < len(row)})
    return waves


def rows(sources, path):
    """The rows of a CSV, by the names of its columns."""
    return list(csv.DictReader(sources.text(path).splitlines()))


def device(sources, gpu="nvidia-h200"):
    """What is known of the GPU that is recorded."""
    return next(row for row in rows(sources, "common/gpu/devices.csv") if row["slug"] == gpu)


def multiprocessors(sources):
    return int(device(sources)["sms"])


def sectors(words):
    """The 32-byte sectors that these words of global memory lie in, in order."""
    return sorted({word // 8 for word in words})
