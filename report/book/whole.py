"""python3 -m report book-whole SOURCE: is the book in SOURCE/site whole?

The generator does not notice a full disk: it leaves empty pages and says that no issues were found.
"""

import json
import pathlib

from report.arguments import Parser
from report.load import Mistake


def is_whole(made, source=None):
    """Does a file end as it should: a page, a copy of `source`, or JSON?"""
    try:
        data = made.read_bytes()
        return (data.rstrip().endswith(b"</html>") if made.suffix == ".html" else data == source.read_bytes() if source
                else json.loads(data) is not None)
    except (OSError, ValueError):
        return False


def main(arguments, root):
    parser = Parser(prog="report book-whole", description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    source = parser.parse_args(arguments).source
    pages, site = source / "pages", source / "site"
    files = [(path, path.relative_to(pages)) for path in sorted(pages.rglob("*")) if path.is_file()]
    made = [(site / inside.with_suffix(".html" if inside.suffix == ".md" else inside.suffix), path)
            for path, inside in files] + [(site / "search.json", None)]
    found = [str(one.relative_to(site)) for one, path in made if not is_whole(one, path)]
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise Mistake(f"{found[0]} was cut short{more}: is the disk of {source} full?")
    return 0
