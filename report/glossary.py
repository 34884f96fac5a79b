"""Is docs/glossary.md whole? `python3 -m report notes --check` asks.

An entry is a heading of the third level, some sentences, and a last line that says where the course meets the term:

    ### wave quantization
    The loss in a last wave that is not full. ...

    *Met in [step 5](../step05_doublebuffer/README.md), as the last wave.*

The linked page has to have the term itself, without what stands in parentheses behind it, or one of the names after "as".
"""

import glob
import os
import re

GLOSSARY = "docs/glossary.md"
LINK = re.compile(r"(?<!!)\[[^]]+\]\(([^)\s]+)\)")
STALL = re.compile(r"\| ([a-z_]+) \(\d+\.\d+\) \|")


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def prose(text):
    """A page without its code blocks and markers, which are neither read nor linked."""
    return re.sub(r"<!--.*?-->", "", re.sub(r"(?ms)^ *(```|~~~).*?^ *\1", "", text))


def read(root, path):
    """The text of a file, or None where there is none."""
    path = os.path.join(root, path)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors(text):
    """Every heading's anchor; GitHub numbers the later ones of a name."""
    found = []
    for heading in re.findall(r"(?m)^#{1,6} (.*)$", prose(text)):
        anchor = slug(heading)
        found.append(f"{anchor}-{found.count(anchor)}" if anchor in found else anchor)
    return found


def broken(root, page, link):
    """What is wrong with a link on a page, or None. Links to other sites are not followed."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(os.path.join(root, target)):
        return f"{page}: the link {link} leads nowhere: there is no {target}"
    if anchor and anchor not in anchors(read(root, target) or ""):
        return f"{page}: the link {link} leads nowhere: {target} has no #{anchor}"
    return None


def has(text, name):
    """Is a name in a text, whatever its case and the line breaks, from the beginning of a word on?"""
    return re.search(r"(?<![^\W_])" + re.escape(" ".join(name.lower().split())), " ".join(text.lower().split())) is not None


def entries(text):
    """(heading, text below it) of every term."""
    parts = re.split(r"(?m)^### (.*)$", text)
    return list(zip([heading.strip() for heading in parts[1::2]], parts[2::2]))


def unmet(root, heading, body):
    """What is wrong with the last line of an entry, as a list."""
    met = re.search(r"(?ms)^\*Met in (.*)\.\*\s*\Z", body)
    links = LINK.findall(met[1]) if met else []
    if not links:
        return [f"{GLOSSARY}: {heading} does not end with where it is met"]
    _, _, also = met[1].rpartition("), as ")
    names = [re.sub(r" \(.*\)$", "", heading)] + ([name for name in also.split(", ") if name] if "), as " in met[1] else [])
    wrong = []
    for link in links:
        page = os.path.normpath(os.path.join(os.path.dirname(GLOSSARY), link.partition("#")[0]))
        text = read(root, page)
        if text is not None and not any(has(re.sub(r"<!--.*?-->", "", text), name) for name in names):
            wrong.append(f"{GLOSSARY}: {heading} is not met in {page}")
    return wrong


def check(root, pages):
    """What is wrong with the glossary, and with links from these pages to it: lines to print. None of it: nothing is."""
    text = read(root, GLOSSARY)
    if text is None:
        linked = any("glossary.md" in link for page in pages for link in LINK.findall(prose(read(root, page))))
        return [f"there is no {GLOSSARY}"] if linked else []
    wrong = []
    found = entries(text)
    headings = [heading for heading, _ in found]
    own = [slug(heading) for heading in headings]
    wrong += [f"{GLOSSARY}: {heading} has the anchor of another term" for i, heading in enumerate(headings)
              if own[i] in own[:i]]
    wrong += [f"{GLOSSARY}: {later} stands behind {heading}" for heading, later in zip(headings, headings[1:])
              if heading.lower() > later.lower()]
    index = LINK.findall(text.partition("\n### ")[0])
    if index != ["#" + anchor for anchor in own]:
        odd = sorted({"#" + anchor for anchor in own} ^ set(index)) or ["their order"]
        wrong.append(f"{GLOSSARY}: the index is not that of the terms: {', '.join(odd)}")
    for heading, body in found:
        wrong += unmet(root, heading, body)
    links = [(GLOSSARY, link) for link in LINK.findall(prose(text))]
    for page in pages:
        page_text = read(root, page) or ""
        if page != GLOSSARY:
            links += [(page, link) for link in LINK.findall(prose(page_text)) if "glossary.md" in link]
        if "largest stall" in page_text:
            wrong += [f"{page}: {GLOSSARY} lacks the stall reason {reason}" for reason in sorted(set(STALL.findall(page_text)))
                      if reason not in headings and f"{reason} (stall)" not in headings]
    wrong += [what for what in (broken(root, page, link) for page, link in links) if what]
    return wrong


def pages(root):
    """All pages that may link to it."""
    found = []
    for pattern in "*.md", "docs/*.md", "*/README.md", "*/*/README.md":
        found += glob.glob(os.path.join(glob.escape(root), pattern))
    return sorted({os.path.relpath(path, root) for path in found})
