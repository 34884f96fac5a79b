"""An exercise's page: task, goals, what is printed when they are reached, then the kernel, hints, solution."""

import posixpath
import re

from report.book import markdown
from report.book.files import page_of, read
from report.exercises import handed_out


def metrics(root, files):
    """What the simulator's counters are called in words, by their names."""
    table = next((one for one in files if one.endswith("/metrics.def")), None)
    return dict(re.findall(r'(?m)^METRIC\((\w+), "([^"]*)"', read(root, table))) if table else {}


def task(text):
    """What the comment at the head of a kernel asks for, as a note has it, and how many lines it takes."""
    comment = re.match(r"/\*(.*?)\*/\n*|", text, re.S)
    said = re.sub(r"\n *\* ?", "\n", comment[1] or "").strip()
    said = re.sub(r"^Exercise: *(.)", lambda first: first[1].upper(), said)
    return markdown.prose(said, lambda piece: re.sub(r"([*<\[])", r"\\\1", piece)), comment[0].count("\n")


def goals(told, metric_words):
    """What the exercise asks for, and what `make ex` prints when it is done; … for the number that is reached."""
    first, *others = told["run"]
    shapes = " and other shapes" if others else ""
    asked = [f"The result is right, with `{first}`{shapes}.", "The simulator finds nothing."]
    printed = ["result    right", "checks    nothing found"]
    for goal in told["goal"]:
        metric, most = goal.split()
        words = re.sub(r" \(.*\)$", "", metric_words.get(metric, metric))
        asked.append(f"*{words[0].upper()}{words[1:]}*: at most {most}{', with the first shape' if others else ''}.")
        most = most if float(most).is_integer() else f"{float(most):.2f}"
        printed.append(f"counters  {words}: …, at most {most}: ok")
    for pattern, _, words in (one.partition("| ") for one in told["ptx"]):
        asked.append(f"Not so that {words}." if pattern.startswith("!") else
                     f"As it is handed out, {words}. The PTX shows when that is over.")
    return [f"* {one}" for one in asked], printed


def host_code(lines, patch):
    """The number of lines before what only launches the kernel: it follows the last function of the device, unless the
    solution changes it."""
    device = [number for number, line in enumerate(lines, 1) if re.search(r"__(global|device)__", line)]
    number = 0
    for line in patch.splitlines():
        hunk = re.match(r"@@ -(\d+)", line)
        number = int(hunk[1]) - 1 if hunk else number + (line[:1] != "+")
        if line[:1] in "+-" and not line.startswith(("---", "+++")):
            device.append(number)
    last = max(device, default=len(lines))
    return next((number for number, line in enumerate(lines, 1) if number >= last and line.startswith("}")), len(lines))


def folded(kind, title, lines):
    return [f'??? {kind} "{title}"', "", *("    " + line for line in lines), ""]


def page(book, folder):
    """The exercise's title, and its page."""
    told = {"run": [], "goal": [], "ptx": []}
    for line in read(book.root, folder + "/exercise.txt").splitlines():
        key, _, value = line.partition("=")
        told[key] = told[key] + [value] if key in ("run", "goal", "ptx") else value
    name = posixpath.basename(folder)
    solution = folder + "/solution.patch"
    patch = read(book.root, solution).rstrip() if solution in book.files else ""
    text = handed_out(book.root, name).rstrip()
    said, above = task(text)
    lines = text.split("\n")
    end = host_code(lines, patch)

    lesson = told.get("lesson", "")
    about = [f"{told['minutes']} minutes."] * ("minutes" in told)
    if lesson in book.files:
        before = markdown.title(read(book.root, lesson))
        about.append(f"After [{before}]({posixpath.relpath(page_of(lesson), 'exercises')}).")
    asked, printed = goals(told, book.metrics) if told["run"] else ([], [])
    made = [f"# Exercise {name[:2]}: {told['title']} {{ #top }}", "", f"*{' '.join(about)}*", "", said, "",
            "It is done when:", "", *asked, "", "```console", f"$ make ex NAME={name[:2]}", *printed, "```", "",
            f"The first `make ex NAME={name[:2]}` copies it to `my/{name}/exercise.cu`, the file that you change:", "",
            f'```cuda linenums="{above + 1}"', *lines[above:end], "```", ""]
    rest = "\n".join(lines[end:]).strip("\n")
    if rest:
        number = len(lines) - rest.count("\n")
        made += folded("note", "What launches it", [f'```cuda linenums="{number}"', *rest.split("\n"), "```"])
    for number in "123":
        if f"hint{number}" in told:
            made += folded("tip", f"Hint {number}", [told[f"hint{number}"]])
    if patch:
        made += folded("success", "Solution", ["```diff", *patch.split("\n"), "```"])
    return told["title"], "\n".join(made)
