"""python3 -m report book [--figures DIR] [--here GPU] [--text FILE] OUT: the book's source, made of the repository's own files.

OUT gets a page for every note and for every source that a note links, the pictures, and the generator's settings
(zensical.toml). Nothing in the repository is changed. A link that leads nowhere is an error, and then OUT is not made.
"""

import os
import shutil
import subprocess

from report.arguments import Parser
from report.book import measured, navigation, pages
from report.load import Mistake

STYLE = os.path.join(os.path.dirname(__file__), "style")


def listed(root):
    """The repository's files: what git knows and what is new, or, in an archive of it or without git, all but what is built."""
    names = None
    if os.path.exists(os.path.join(root, ".git")):  # a repository around an archive does not know the archive's files
        try:
            names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True,
                                   check=True).stdout.decode("utf-8", "surrogateescape").split("\0")
        except (OSError, subprocess.CalledProcessError):  # no git, or a folder that it does not trust
            pass
    if names is None:
        names = [os.path.relpath(os.path.join(folder, name), root) for folder, below, files in os.walk(root)
                 if not below.__setitem__(slice(None), [one for one in below if one != "build" and one[0] != "."])
                 for name in files]
    return sorted({name for name in names if name and os.path.isfile(os.path.join(root, name))})


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
    parser.add_argument("--here", default="", help="this machine's GPU, as plots/data names it; none where there is none")
    parser.add_argument("--text", help="a file: this machine's tables, as `report demo` prints them")
    parser.add_argument("out")
    given = parser.parse_args(arguments)

    book = pages.Book(root, listed(root))
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
