"""python3 -m report book [OPTION]... OUT: the book's source, made of the repository's own files.

OUT gets a page for every note and for every source that a note links, the pictures, and the generator's settings
(zensical.toml). Nothing in the repository is changed. A link that leads nowhere is an error, and then OUT is not made.
"""

import os
import re
import shutil
import subprocess

from report.arguments import Parser
from report.book import measured, navigation, pages
from report.load import Mistake

STYLE = os.path.join(os.path.dirname(__file__), "style")


def is_repository(root):  # one around an archive knows neither the archive's files nor its address
    return os.path.exists(os.path.join(root, ".git"))


def git(root, *words):
    said = subprocess.run(["git", "-C", root, *words], capture_output=True, check=True).stdout
    return said.decode("utf-8", "surrogateescape")


def listed(root):
    """The repository's files: what git knows and what is new; in an archive or without git, all but what is built."""
    names = None
    if is_repository(root):
        try:
            names = git(root, "ls-files", "-co", "--exclude-standard", "-z").split("\0")
        except (OSError, subprocess.CalledProcessError):  # no git, or a folder that it does not trust
            pass
    if names is None:
        names = [os.path.relpath(os.path.join(folder, name), root) for folder, below, files in os.walk(root)
                 if not below.__setitem__(slice(None), [one for one in below if one != "build" and one[0] != "."])
                 for name in files]
    return sorted({name for name in names if name and os.path.isfile(os.path.join(root, name))})


def web_of(root):
    """Where a file is edited on the web, less its path: at the address that the repository was cloned from."""
    try:
        origin = git(root, "config", "--get", "remote.origin.url").strip() if is_repository(root) else ""
    except (OSError, subprocess.CalledProcessError):
        return ""
    found = re.match(r"(?:https?://|ssh://|(?=git@))(?:[^@/]*@)?([^:/]+)(?::\d+)?[:/](.+?)(?:\.git)?/?$", origin)
    return f"https://{found[1]}/{found[2]}/{'-/' * ('gitlab' in found[1])}edit/HEAD" if found else ""


def write(folder, path, text):
    whole = os.path.join(folder, path)
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    with open(whole, "w", encoding="utf-8") as file:
        file.write(text)


def write_all(folder, book, pictures):
    """The pages, the pictures (their sources by where they go) and the generator's settings."""
    pages_folder = os.path.join(folder, "pages")
    for path, text in book.made.items():
        write(pages_folder, path, text)
    for path, source in pictures.items():
        whole = os.path.join(pages_folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        shutil.copyfile(source, whole)
    write(folder, "zensical.toml", navigation.settings(book))


def main(arguments, root):
    parser = Parser(prog="report book", description=__doc__)
    parser.add_argument("--figures", help="a folder of figures for each GPU: DIR/nvidia-h200/size.svg")
    parser.add_argument("--here", default="", help="this machine's GPU, as plots/data names it")
    parser.add_argument("--text", help="a file: this machine's tables, as `report demo` prints them")
    parser.add_argument("--web", help="where a file is edited on the web, less its path; else where git's origin is")
    parser.add_argument("out")
    given = parser.parse_args(arguments)

    book = pages.Book(root, listed(root), given.web or web_of(root))
    book.add_notes()
    if book.faults:
        raise Mistake("\n".join(book.faults))
    book.made["measured.md"], pictures = measured.page(root, given.figures, given.here, given.text)

    for path in book.copied:
        pictures[path] = os.path.join(root, path)
    for name in os.listdir(STYLE):
        pictures["style/" + name] = os.path.join(STYLE, name)
    shutil.rmtree(given.out, ignore_errors=True)
    try:
        write_all(given.out, book, pictures)
    except OSError as error:
        shutil.rmtree(given.out, ignore_errors=True)
        raise Mistake(f"cannot write {error.filename or given.out}: {error.strerror}") from None
    print(f"book: {len(book.made)} pages, {len(pictures)} pictures and other files")
    return 0
