"""The page of all figures, GPU by GPU, this machine's beside the recorded ones."""

import html
import os
import re

from report.figures import NAMED

ORDER = ["progression", "size", "article", "roofline", "tensorcore", "gemv", "knn"]


def title(path):
    """A drawn figure's title: its largest text; the file's name where it has none."""
    with open(path, encoding="utf-8") as file:
        texts = re.findall(r'(?s)<g[^>]*font-size="([\d.]+)"[^>]*>\s*<text.*?>(.*?)</text>', file.read())
    largest = max(texts, key=lambda one: float(one[0]), default=("", os.path.basename(path)[:-4]))[1]
    return html.unescape(re.sub("<[^>]*>", "", largest)).strip()


def here_sentence(root, here):
    if not here:
        return "This book was made on a machine without an NVIDIA GPU, so it has no results of that machine."
    if not os.path.isdir(os.path.join(root, "plots/data", here)):
        return (f"This book was made on a machine with `{here}`, of which nothing is recorded, so it has no results of "
                "that machine. `make bench` records them, and `make book` then sets them beside the others.")
    return f"This book was made on a machine with `{here}`; its results stand beside the others, first."


def page(root, figures, here, text):
    """The page, and the pictures it shows: where they belong, where they come from."""
    there = sorted(os.listdir(figures)) if figures and os.path.isdir(figures) else []
    there.sort(key=lambda gpu: (gpu != here, gpu != "nvidia-h200"))
    shown = {}
    for gpu in there:
        for name in os.listdir(os.path.join(figures, gpu)):
            if name.endswith(".svg"):
                shown.setdefault(name[:-4], []).append(gpu)
    pictures = {f"figures/{gpu}/{name}.svg": os.path.join(figures, gpu, name + ".svg")
                for name, gpus in shown.items() for gpu in gpus}
    lines = ["# Figures", "", "All figures of the recorded measurements, as `make plots` draws them.",
             here_sentence(root, here), ""]
    if not shown:
        lines += ["There are none in this book: gnuplot was missing where it was made.", ""]
    if text:
        with open(text, encoding="utf-8") as file:
            lines += ["## This machine", "", "```text", file.read().rstrip("\n"), "```", ""]
    for name in sorted(shown, key=lambda name: ([not name.startswith(start) for start in ORDER], name)):
        drawn = title(os.path.join(figures, shown[name][0], name + ".svg"))
        lines += [f"## {drawn} {{ #{name} }}", "", " ".join(NAMED[name].draw.__doc__.split("\n\n")[0].split()), ""]
        for gpu in shown[name]:
            whose = ", this machine's GPU" if gpu == here else ""
            lines += [f"**{gpu}{whose}**", "", f"![{drawn}, {gpu}](figures/{gpu}/{name}.svg)", ""]
    return "\n".join(lines), pictures
