"""The order of the pages, and the generator's settings."""

import json
import os
import posixpath
import re

from report.book.files import COVER, page_of, read

FIRST = ["begin", "first-hour"]  # stand before the steps
DOCS = ["ladder", "results", "articles", "glossary", "options", "other_languages",
        "workshop"]  # after the exercises, then the rest
LANGUAGES = {"README.zh-CN.md": ("zh-CN", "中文")}  # where its pages begin, which stand last


def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def label(book, note):
    """4.2 Wide loads without bank conflicts"""
    title = book.titles[note]
    lesson = re.match(r"Lesson (\d+\.\d+): (.*)", title)
    aside = "By-road: " if lesson and "\n*By-road, " in read(book.root, note) else ""
    return f"{lesson[1]} {aside}{lesson[2][0].upper()}{lesson[2][1:]}" if lesson else title


def section(book, folder):
    """A folder: its README, its lessons, its folders in order (those of lessons begin with a letter), the appendix."""
    notes = [one for one in book.notes if posixpath.dirname(one) == folder]
    readme = f"{folder}/README.md"
    last = [f"{folder}/appendix.md"]
    entries = [page_of(readme)] if readme in notes else []
    entries += [{label(book, one): one} for one in sorted(notes, key=natural) if one not in (readme, *last)]
    below = sorted({one[len(folder) + 1:].partition("/")[0] for one in book.notes
                    if one.startswith(folder + "/") and "/" in one[len(folder) + 1:]},
                   key=lambda name: (not re.match("[a-z]_", name), natural(name)))
    for name in below:
        entries.append(section(book, f"{folder}/{name}"))
    entries += [{label(book, one): one} for one in last if one in notes]
    name = label(book, readme) if readme in notes else folder.rpartition("/")[2].replace("_", " ").capitalize()
    if len(entries) == 1:
        return {name: entries[0]} if isinstance(entries[0], str) else entries[0]
    return {name: entries}


def tree(book):
    docs = {one[5:-3]: one for one in book.notes if posixpath.dirname(one) == "docs" and one != COVER}
    rest = [one for one in DOCS if one in docs] + sorted(docs.keys() - {*FIRST, *DOCS})
    tops = {one.partition("/")[0] for one in book.notes if "/" in one}
    steps = sorted(one for one in tops if one.startswith("step"))
    others = sorted(tops - {*steps, "docs", "exercises", "cudasim"})
    nav = [{"Start": "index.md"}]
    nav += [{label(book, docs[one]): docs[one]} for one in FIRST if one in docs]
    nav += [section(book, step) for step in steps]
    if book.exercises:
        entrance = ["exercises/index.md"] if "exercises/README.md" in book.notes else []
        nav.append({"Exercises": entrance + [{f"{one[10:12]} {book.titles[one]}": one + ".md"}
                                             for one in book.exercises]})
    nav += [{label(book, docs[one]): docs[one]} for one in rest]
    nav += [{"Figures": "measured.md"}]
    nav += [section(book, "cudasim")] if "cudasim" in tops else []
    inside = [one for one in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if one in book.notes]
    inside = [{label(book, one): page_of(one)} for one in inside]
    inside += [section(book, folder) for folder in others]
    files = sorted((one for one in book.made if posixpath.basename(one) == "files.md"), key=natural)
    inside += [{"Files": [{posixpath.dirname(one): one} for one in files]}] if files else []
    nav += [{"Working on it": inside}] if inside else []
    for home, (code, name) in languages(book):
        pages = [one for one in book.translated if one.endswith(f".{code}.md") and one != home]
        pages.sort(key=lambda one: (posixpath.dirname(one), "/README." not in one, natural(one)))
        nav.append({name: [page_of(home), *({label(book, one): page_of(one)} for one in pages)]})
    return nav


def languages(book):
    return [one for one in LANGUAGES.items() if one[0] in book.translated]


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(key)} = {toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def settings(book):
    nav = "[\n" + "".join(f"    {toml(one)},\n" for one in tree(book)) + "]"
    menu = [("index.md", ("en", "English")), *languages(book)]
    return read(os.path.dirname(__file__), "zensical.toml").replace("NAV", nav, 1) + "".join(
        f'\n[[project.extra.alternate]]\nname = "{name}"\nlang = "{code}"\nlink = "{page_of(home)[:-2]}html"\n'
        for home, (code, name) in menu if menu[1:])
