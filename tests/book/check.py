"""check.py CHROMIUM BOOK SHOTS: opens every page of the book from the file system, as a reader does, at 390 px.

No page may print an error, ask the network for anything, scroll sideways, lack a picture, or hold a link to a page or
an anchor that is not there. The search has to find what only one note says. A few pages are photographed.
"""

import os
import pathlib
import sys
import urllib.parse

from playwright.sync_api import Error, sync_playwright

PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
SHOWN = ["index", "step04_vectorized/2_bank_conflicts", "step04_vectorized/lds128.cu", "docs/glossary", "measured",
         "step06_tensorcore/index"]
SEARCHED = "wave quantization", "docs/glossary.html"
LOOK = """() => {
    const pictures = [...document.images].map(one => { one.loading = 'eager'; return one.decode().catch(() => null); });
    return Promise.all(pictures).then(() => ({
        anchors: [...document.querySelectorAll('[id], a[name]')].map(one => one.id || one.name),
        links: [...document.querySelectorAll('a[href]')].map(one => one.href),
        missing: [...document.images].filter(one => !one.naturalWidth).map(one => one.src),
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        widest: [...document.querySelectorAll('.md-content *')].filter(one => {
            const box = one.getBoundingClientRect();
            return box.right > innerWidth + 1 && !one.closest('pre, table, .md-typeset__scrollwrap, .md-nav');
        }).slice(0, 3).map(one => one.outerHTML.slice(0, 120)),
    }));
}"""

ADD = "document.querySelector('.md-content__inner').insertAdjacentHTML('beforeend', '{}')"
PLANTED = [
    ("they print no error", "setTimeout(() => { throw new Error('planted') })"),
    ("they ask the network for nothing", "fetch('http://127.0.0.1:9/').catch(() => null)"),
    ("no dead link", ADD.format('<a href="gone.html">x</a>')),
    ("no dead link", ADD.format('<a href="#gone">x</a>')),
    ("no missing picture", ADD.format('<p style="height: 9000px"></p><img loading="lazy" src="gone.svg">')),
    ("none scrolls sideways at 390 px", ADD.format('<div style="width: 450px">x</div>')),
]


class Report:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, name, faults):
        """One line for what was looked at; every fault below it."""
        if faults:
            self.failed += 1
            print(f"FAIL {name}: {len(faults)}")
            for fault in faults[:25]:
                print(f"    {fault}")
        else:
            self.passed += 1
            print(f"ok {name}")


def file_of(url):
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(url).path))


def dead(found):
    """Links to pages that are not there, and to anchors that their page lacks."""
    for path, page in found.items():
        for link in page["links"]:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme != "file":
                continue
            target = file_of(link)
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                yield f"{path.name}: {link}"
            elif anchor and target in found and anchor not in found[target]["anchors"]:
                yield f"{path}: no #{anchor} in {target.name}"


def look_at(browser, paths, planted="null"):
    """What is wrong with pages as they stand at 390 px, by what is asked of them; `planted`: JavaScript that runs on each first."""
    found, errors, asked = {}, [], []
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.on("console", lambda message: errors.append(f"{page.url}: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
    page.on("request", lambda request: asked.append(f"{page.url} asks for {request.url}")
            if not request.url.startswith(("file:", "data:", "blob:", "about:")) else None)
    for path in paths:
        page.goto(path.as_uri())
        page.evaluate(planted)
        found[path] = page.evaluate(LOOK)
    context.close()
    return {
        "they print no error": errors,
        "they ask the network for nothing": asked,
        "no dead link": list(dead(found)),
        "no missing picture": [f"{path}: {one}" for path, page in found.items() for one in page["missing"]],
        "none scrolls sideways at 390 px": [f"{path}: by {page['wide']} px {page['widest']}"
                                            for path, page in found.items() if page["wide"] > 0],
    }


def unseen(browser, path):
    """Faults that are planted in a page, one at a time, and not found there."""
    return [f"{name}: {script}" for name, script in PLANTED if not look_at(browser, [path], script)[name]]


def search_faults(browser, book):
    """What is typed into the search of a page in a folder is found, and the link opens."""
    words, expected = SEARCHED
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto((book / "step01_naive/index.html").as_uri())
    try:
        page.locator("button.md-search__button").click(timeout=10000)
        page.get_by_placeholder("Search").fill(words, timeout=20000)
        found = page.locator(f"li a[href*='{expected}?h=']").first # "?h=": a result, not a link of the page
        found.wait_for(timeout=20000)
        page.screenshot(path=str(SHOTS / "search.png"))
        found.click()
        page.wait_for_url(f"**/{expected}*", timeout=20000)
    except Error as error:
        return [f"'{words}' does not lead to {expected}: {str(error).splitlines()[0]}"]
    finally:
        context.close()
    return []


def scheme_faults(browser, book):
    """Dark where the system is dark, light where it is light."""
    faults = []
    for scheme, dark in ("light", False), ("dark", True):
        context = browser.new_context(viewport=WIDE, color_scheme=scheme)
        page = context.new_page()
        for name in SHOWN:
            page.goto((book / (name + ".html")).as_uri())
            page.wait_for_load_state("load")
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            bright = sum(map(int, colour[colour.index("(") + 1:-1].split(",")[:3])) > 3 * 128
            if bright == dark:
                faults.append(f"{name} in {scheme}: its background is {colour}")
            page.screenshot(path=str(SHOTS / f"{name.replace('/', '-')}-{scheme}.png"))
        context.close()
    return faults


def photographs(browser, book):
    """A telephone's view, and paper's."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    for name in SHOWN:
        page.goto((book / (name + ".html")).as_uri())
        page.screenshot(path=str(SHOTS / f"{name.replace('/', '-')}-390.png"))
        page.pdf(path=str(SHOTS / f"{name.replace('/', '-')}.pdf"), format="A4")
    context.close()


def line_faults(browser, book):
    """A note's link to lines of a kernel opens the source at these lines, which stand out."""
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto((book / "step04_vectorized/1_wide_loads.html").as_uri())
    link = page.locator("a[href*='lines=']").first
    href = link.get_attribute("href")
    link.click()
    page.wait_for_load_state("load")
    page.wait_for_timeout(300)
    first, last = map(int, urllib.parse.parse_qs(urllib.parse.urlsplit(href).query)["lines"][0].split("-"))
    faults = []
    if page.locator(".spoken-of").count() != last - first + 1:
        faults.append(f"{href}: {page.locator('.spoken-of').count()} lines stand out, not {last - first + 1}")
    box = page.locator(f"#__span-0-{first}").bounding_box()
    if not box or not 0 <= box["y"] < WIDE["height"]:
        faults.append(f"{href}: line {first} is not in sight ({box})")
    page.screenshot(path=str(SHOTS / "lines.png"))
    context.close()
    return faults


def main(chromium, book):
    report = Report()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"] if os.getuid() == 0 else [])
        paths = [path for path in sorted(book.rglob("*.html")) if path.name != "404.html"] # a web server's, with its addresses
        print(f"{len(paths)} pages")
        for name, faults in look_at(browser, paths).items():
            report.check(name, faults)
        report.check("faults that are planted are found", unseen(browser, book / "step01_naive/index.html"))
        report.check("the search finds a term", search_faults(browser, book))
        report.check("a link to lines opens these lines", line_faults(browser, book))
        report.check("dark and light", scheme_faults(browser, book))
        photographs(browser, book)
        browser.close()
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


SHOTS = pathlib.Path(sys.argv[3]).resolve()
SHOTS.mkdir(parents=True, exist_ok=True)
sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve()))
