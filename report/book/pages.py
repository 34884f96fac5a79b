"""The pages: notes, the sources that they link, exercises, and folders."""

import posixpath
import re
import urllib.parse

from report.book import cover, exercise, markdown
from report.book.files import COVER, ending, page_of, read
from report.course import links, translations

LANGUAGES = {"cu": "cuda", "cuh": "cuda", "c": "c", "h": "c", "cpp": "cpp", "py": "python", "sh": "sh", "awk": "awk",
             "mk": "make", "sql": "sql", "gp": "gnuplot", "md": "markdown"}
PICTURES = ("svg", "png", "jpg", "gif")
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n"  # searching finds notes, not code
GLOSSARY = "docs/glossary.md"
DONE = '\n<button class="md-button done" type="button" hidden></button>\n'  # style/book.js makes it the reader's mark
LINES = re.compile(r"L(\d+)(?:-L(\d+))?$")


class Book:
    """made: the text of each page; copied: files that are shown or handed out as they are; faults: dead links.
    web: where a file of the repository is edited, less its path; empty where that is not known."""

    def __init__(self, root, files, web=""):
        self.root, self.files, self.web = root, set(files), web
        self.folders = {posixpath.dirname(path) for path in files}
        for folder in list(self.folders):
            while folder:
                folder = posixpath.dirname(folder)
                self.folders.add(folder)
        self.made, self.copied, self.faults, self.titles = {}, set(), [], {}
        self.notes, self.translated, self.waiting = [], [], []
        self.mentions = {}  # source: pages that link it
        self.words = markdown.words(read(root, GLOSSARY)) if GLOSSARY in self.files else {}
        self.metrics = exercise.metrics(root, self.files)

    def add_notes(self):
        """Every note but those of tests; then what they link, and what that links."""
        for path in sorted(self.files):
            if path.endswith(".md") and "tests" not in path.split("/"):
                self.want(path)
        for step in sorted(one for one in self.folders if re.fullmatch(r"step\d+_\w+", one)):
            self.want(step + "/")
            for path in sorted(self.files):
                if path.startswith(step + "/") and ending(path) in ("cu", "cuh"):
                    self.want(path)
        self.exercises = sorted(posixpath.dirname(path) for path in self.files
                                if re.fullmatch(r"exercises/\d+_\w+/exercise.txt", path))
        for folder in self.exercises:
            self.titles[folder], text = exercise.page(self, folder)
            made_of = next(one for one in ("exercise.cu", "exercise.patch") if f"{folder}/{one}" in self.files)
            self.made[folder + ".md"] = text + DONE + self.edit(f"{folder}/{made_of}")
        known = set()
        while self.waiting:
            path = self.waiting.pop(0)
            if path not in known:
                known.add(path)
                self.make(path)
        for path in sorted(known):  # when it is known who links whom
            if not path.endswith(("/", ".md")) and path not in self.copied:
                self.made[path + ".md"] = self.source(path)
        if "index.md" in self.made:
            page = re.sub(r"(?m)^\*\*(\[[^]]*\]\([^)]*\))\*\*$", r"\1{ .md-button .md-button--primary }",
                          self.made["index.md"], count=1)  # the first bold link, where a reader begins, as a button
            self.made["index.md"] = page + cover.contents(self) + self.edit(COVER)

    def edit(self, source):
        """The link at a page's foot to where its source is edited; book.css has its words, so no search finds them."""
        to = f"{self.web}/{urllib.parse.quote(source)}"
        return f'\n<a class="edit" rel="edit" aria-label="Edit this page" href="{to}"></a>\n' if self.web else ""

    def want(self, path):
        self.waiting.append(path)

    def make(self, path):
        if path.endswith("/"):
            self.made[path + "files.md"] = self.folder(path[:-1])
        elif path.endswith(".md"):
            text = read(self.root, path)
            (self.translated if translations.PAGE.match(path) else self.notes).append(path)
            self.titles[path] = markdown.title(text)
            mark = DONE if cover.minutes(text) or path == "docs/first-hour.md" else ""
            page = markdown.translated(text, lambda match: self.link(path, text, match))
            self.made[page_of(path)] = page + mark + (self.edit(path) if path != COVER else "")
        elif ending(path) in PICTURES:
            self.copied.add(path)

    def link(self, note, text, match):
        """A link or picture of a note, as the page has it."""
        start, link = match[0][:match.start(1) - match.start()], match[1]
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            return match[0]
        why = links.fault(self.root, note, text, link)
        path, _, anchor = urllib.parse.unquote(link).partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(note), path)) if path else note
        target = "" if target == "." else target
        if not why and target not in self.files and target not in self.folders:
            why = f"{target} does not belong to the repository"
        card = f' "{self.words[anchor]}"' if target == GLOSSARY != note and anchor in self.words else ""
        lines = LINES.match(anchor) if target in self.files else None
        if lines and not why:
            last, there = int(lines[2] or lines[1]), read(self.root, target).count("\n")
            why = f"{target} has {there} lines" if last > there else None
        if why:
            self.faults.append(f"{note}: the link {link} leads nowhere: {why}")
            return match[0]
        return f"{start}{self.address(note, target, anchor, lines)}{card})"

    def address(self, note, target, anchor, lines):
        if target == note:
            return f"#{anchor}"
        if target in self.files:
            readme = None
        else:
            readme = posixpath.join(target, "README.md")
            target = readme if readme in self.files else target + "/"
        self.want(target)
        here = posixpath.dirname(page_of(note)) or "."
        if target.endswith(".md"):
            return posixpath.relpath(page_of(target), here) + (f"#{anchor}" if anchor else "")
        if target.endswith("/"):
            return posixpath.relpath(target + "files.md", here)
        if ending(target) in PICTURES:
            return posixpath.relpath(target, here)
        self.mentions.setdefault(target, set()).add(note)
        page = posixpath.relpath(target + ".html", here)  # not .md: the lines would be lost
        if lines:
            return f"{page}?lines={lines[1]}-{lines[2] or lines[1]}#__codelineno-0-{lines[1]}"
        return page

    def source(self, path):
        """A source with numbered lines."""
        text = read(self.root, path).rstrip("\n")
        here = posixpath.dirname(path) or "."
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        linked = ", ".join(f"[{self.titles[note]}]({posixpath.relpath(page_of(note), here)})"
                           for note in sorted(self.mentions.get(path, ())))
        return (f"{UNSEARCHED}# {posixpath.basename(path)} {{ #top }}\n\n`{path}`"
                f"{', shown in ' + linked if linked else ''}\n\n"
                f'{fence}{LANGUAGES.get(ending(path), "text")} linenums="1"\n{text}\n{fence}\n{self.edit(path)}')

    def folder(self, folder):
        """What lies in a folder; what has a page can be opened."""
        inside = {path[len(folder) + 1:].partition("/")[0] for path in self.files if path.startswith(folder + "/")}
        rows = []
        for name in sorted(inside):
            path = f"{folder}/{name}"
            if path in self.folders:
                readme = f"{path}/README.md" in self.files
                self.want(f"{path}/README.md" if readme else path + "/")
                rows.append(f"* [`{name}/`]({name}/{'index.md' if readme else 'files.md'})")
                continue
            self.want(path)
            page = posixpath.relpath(page_of(path), folder)
            if not path.endswith(".md") and ending(path) not in PICTURES:
                page += ".md"
            rows.append(f"* [`{name}`]({page})")
        return f"{UNSEARCHED}# Files of {folder} {{ #top }}\n\n" + "\n".join(rows) + "\n"
