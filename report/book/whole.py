"""python3 -m report book-whole SOURCE: is the book in SOURCE/site whole?

The generator does not notice a full disk: it leaves empty pages and says that no issues were found.
"""

import json
import os

from report.arguments import Parser
from report.load import Mistake


def bytes_of(path):
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def is_json(data):
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def cut(source):
    """The files of the book that lack their end, as paths in SOURCE/site."""
    pages, site = os.path.join(source, "pages"), os.path.join(source, "site")
    for folder, _, names in sorted(os.walk(pages)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), pages)
            if not path.endswith(".md"):
                if bytes_of(os.path.join(site, path)) != bytes_of(os.path.join(pages, path)):
                    yield path
            elif not bytes_of(os.path.join(site, path[:-2] + "html")).rstrip().endswith(b"</html>"):
                yield path[:-2] + "html"
    if not is_json(bytes_of(os.path.join(site, "search.json"))):
        yield "search.json"


def main(arguments, root):
    parser = Parser(prog="report book-whole", description=__doc__)
    parser.add_argument("source")
    source = parser.parse_args(arguments).source
    found = list(cut(source))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise Mistake(f"{found[0]} was cut short{more}: is the disk of {source} full?")
    return 0
