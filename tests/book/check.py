"""check.py CHROMIUM BOOK SHOTS: opens every page of the book as a file, as a reader does, at 390 and 1280 px.

No page may print an error, ask the network for anything, scroll sideways, lack a picture, or hold a link to a page or
an anchor that is not there. At 1280 px no code block and no table may scroll, and no name break. The search has to
find what only one note says, while it is typed; paper has to show what the screen does. A few pages are photographed.
"""

import os
import pathlib
import re
import sys
import urllib.parse

import pypdfium2
from playwright.sync_api import Error, sync_playwright

PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
SHOWN = ["index", "step04_vectorized/2_bank_conflicts", "step04_vectorized/lds128.cu", "docs/glossary", "measured",
         "step06_tensorcore/index", "repository.zh-CN"]
PRINTED = ["step01_naive/1_coalescing", "docs/ladder", "docs/results", "step06_tensorcore/appendix",
           "exercises/13_pad_four"]
SEARCHED = [("click", "wave quantization", "docs/glossary.html"),
            ("Control+k", "wave quantization", "docs/glossary.html"),
            ("/", "停顿原因", "step01_naive/3_issue_slots.zh-CN.html")]
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
# At 1280 px: blocks of code and tables that scroll or are cut, and words of names in the text that are on two lines.
WIDER = r"""() => {
    const all = [...document.querySelectorAll('.md-content :is(pre, pre > code, table, .md-typeset__scrollwrap)')];
    const texts = [...document.querySelectorAll('.md-content :not(pre) > code')].flatMap(one => [...one.childNodes])
        .filter(one => one.data);
    const at = (node, match) => {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
    };
    return {
        cut: all.filter(one => one.clientWidth && one.scrollWidth > one.clientWidth)
            .map(one => one.innerText.slice(0, 60).replace(/\s+/g, ' ')),
        lettered: document.querySelector('[data-linenos]') ? [] :
            all.filter(one => /#{12}/.test(one.innerText)).map(one => one.innerText.slice(0, 60).replace(/\s+/g, ' ')),
        broken: texts.flatMap(node =>
            [...node.data.matchAll(/\w+/g)].filter(match => at(node, match) > 1).map(match => match[0])),
    };
}"""

ADD = "document.querySelector('.md-content__inner').insertAdjacentHTML('beforeend', '{}')"
PLANTED = [
    ("they print no error", "setTimeout(() => { throw new Error('planted') })"),
    ("they ask the network for nothing", "fetch('http://127.0.0.1:9/').catch(() => null)"),
    ("no dead link", ADD.format('<a href="gone.html">x</a>')),
    ("no dead link", ADD.format('<a href="#gone">x</a>')),
    ("no missing picture", ADD.format('<p style="height: 9000px"></p><img loading="lazy" src="gone.svg">')),
    ("no code or table is cut at 1280 px", ADD.format(f'<pre style="white-space: pre">{"x" * 300}</pre>')),
    ("no figure is drawn in letters", ADD.format(f'<pre>naive {"#" * 30} 5.9</pre>')),
    ("no name breaks at 1280 px",
     ADD.format('<p style="width: 40px"><code style="word-break: break-all">one_kernel</code></p>')),
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
    """What is wrong with pages, by what is asked of them; `planted`: JavaScript that runs on each first."""
    found, errors, asked = {}, [], []
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.on("console", lambda message: errors.append(f"{page.url}: {message.text}")
            if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
    page.on("request", lambda request: asked.append(f"{page.url} asks for {request.url}")
            if not request.url.startswith(("file:", "data:", "blob:", "about:")) else None)
    for path in paths:
        page.goto(path.as_uri())
        page.evaluate(planted)
        found[path] = page.evaluate(LOOK)
        page.set_viewport_size(WIDE)
        found[path].update(page.evaluate(WIDER))
        page.set_viewport_size(PHONE)
    context.close()
    return {
        "they print no error": errors,
        "they ask the network for nothing": asked,
        "no dead link": list(dead(found)),
        "no missing picture": [f"{path}: {one}" for path, page in found.items() for one in page["missing"]],
        "none scrolls sideways at 390 px": [f"{path}: by {page['wide']} px {page['widest']}"
                                            for path, page in found.items() if page["wide"] > 0],
        "no code or table is cut at 1280 px": [f"{path}: {one}" for path, page in found.items() for one in page["cut"]],
        "no figure is drawn in letters": [f"{path}: {one}" for path, page in found.items() for one in page["lettered"]],
        "no name breaks at 1280 px": [f"{path}: {one}" for path, page in found.items() for one in page["broken"]],
    }


def unseen(browser, path):
    """Faults that are planted in a page, one at a time, and not found there."""
    return [f"{name}: {script}" for name, script in PLANTED if not look_at(browser, [path], script)[name]]


def address(book, name):
    return (book / (name + ".html")).as_uri()


def search_faults(page, book):
    """What is typed letter by letter into the search of a page stays there and is found, and the link opens."""
    for key, words, expected in SEARCHED:
        page.goto(address(book, "step01_naive/index"))
        page.wait_for_load_state("load")
        try:
            if key == "click":
                page.locator("button.md-search__button").click()
            else:
                page.keyboard.press(key)
            field = page.get_by_placeholder("Search")
            field.wait_for()
            page.wait_for_timeout(500)  # as long as a hand takes to the first letter; then the index is there
            page.keyboard.type(words, delay=60)
            if field.input_value() != words:
                yield f"opened by {key}: of '{words}' stayed '{field.input_value()}'"
            found = page.locator(f"li a[href*='{expected}?h=']").first # "?h=": a result, not a link of the page
            found.wait_for()
            page.screenshot(path=str(SHOTS / "search.png"))
            found.click()
            page.wait_for_url(f"**/{expected}*")
        except Error as error:
            yield f"opened by {key}: '{words}' does not lead to {expected}: {str(error).splitlines()[0]}"


def squeezed(text):
    """Without what depends on where lines end: blanks, and hyphens, for which PDFium has a mark of its own there."""
    return re.sub("[\\s\\-\x02\ufffe]", "", text)


def paper_faults(page, book):
    """On paper stand all rows, to their last cell, each numbered line behind its number, and no buttons."""
    for name in PRINTED:
        page.emulate_media(media="null")
        page.goto(address(book, name))
        rows = page.eval_on_selector_all(".md-content tr",
                                         "all => all.map(row => [...row.cells].map(one => one.innerText).join(' '))")
        code = page.eval_on_selector_all(".md-content code:has([data-linenos])",
                                         "all => all[0] ? all[0].textContent : ''")
        path = SHOTS / f"{name.replace('/', '-')}.pdf"
        page.pdf(path=str(path), format="A4")
        page.emulate_media(media="print")
        for button in page.locator(".md-code__nav, .md-clipboard, .headerlink, .done").all():
            if button.is_visible():
                yield f"{name}: a button is printed: {button.get_attribute('class')}"
        text = squeezed("".join(sheet.get_textpage().get_text_bounded() for sheet in pypdfium2.PdfDocument(path)))
        yield from (f"{name}: a row is cut: {one}" for one in rows if squeezed(one) not in text)
        first = int(page.locator("[data-linenos]").first.get_attribute("data-linenos")) if code else 0
        yield from (f"{name}: line {number} is not behind its number: {line}"
                    for number, line in enumerate(code.split("\n"), first)
                    if line.strip() and squeezed(f"{number}{line}") not in text)
        if not rows and not code:
            yield f"{name}: neither a table nor code"


def order_faults(page, book):
    """`Next` leads from the cover through what comes first and every step to the exercises, without lists of files."""
    page.goto(address(book, "index"))
    names = ["index"]
    while page.locator(".md-footer__link--next").count() and not names[-1].startswith("exercises/"):
        page.goto(page.locator(".md-footer__link--next").evaluate("link => link.href"))
        names.append(str(file_of(page.url).relative_to(book)).removesuffix(".html"))
    begun = names.index("step01_naive/index") if "step01_naive/index" in names else 0
    if names[:begun] != ["index", "docs/begin", "docs/first-hour"]:
        yield f"it does not begin well: {names[:4]}"
    steps = [one.partition("/")[0] for one in names[begun:-1]]
    if steps != sorted(steps):
        yield f"steps are out of order: {steps}"
    yield from (f"{one} is among the lessons" for one in names if one.endswith("files"))
    sixth = [one for one in names if one.startswith("step06")]
    if sixth[-2:] != ["step06_tensorcore/best/index", "step06_tensorcore/appendix"]:
        yield f"step 6 ends with {sixth[-2:]}"


def comfort_faults(page, book):
    """What a reader's hands find: even chevrons, words' cards, what is copied, marks that stay, where to edit."""
    page.goto(address(book, "docs/first-hour"))
    page.wait_for_load_state("load")
    sizes = set(page.eval_on_selector_all(".md-sidebar--primary .md-nav__link > .md-nav__icon", """all => all.map(one =>
        one.getBoundingClientRect()).filter(box => box.width).map(box => `${box.width} x ${box.height}`)"""))
    if len(sizes) != 1:
        yield f"chevrons of several sizes: {sizes}"
    block = page.locator(".highlight", has_text="unknown option").first
    block.hover()
    block.locator("button.md-code__button").first.click()
    page.keyboard.press("/")
    page.wait_for_timeout(500)
    page.keyboard.press("Control+v")
    copied = page.get_by_placeholder("Search").input_value()
    if copied.split() != "./step02/run --siez 64 echo $?".split():
        yield f"copied is not what is typed: {copied!r}"
    page.goto(address(book, "step04_vectorized/2_bank_conflicts"))
    word = page.locator("a[href*='glossary.html#phase']").first
    word.hover()
    try:
        page.locator(".md-tooltip2--active", has_text="lanes").wait_for(timeout=5000)
    except Error:
        yield "a word of the glossary shows no card"
    page.screenshot(path=str(SHOTS / "card.png"))
    page.goto((book / "step01_naive/1_coalescing.html").as_uri())
    page.locator(".md-header .md-select").hover()
    page.locator(".md-select__link", has_text="中文").click()
    try:  # the click does not wait for the page that it opens
        page.wait_for_url("**/1_coalescing.zh-CN.html", timeout=5000)
        page.locator("html[lang='zh-CN']").wait_for(state="attached", timeout=5000)
    except Error:
        yield f"the menu of languages leads to {page.url}"
    page.goto((book / "step04_vectorized/2_bank_conflicts.html").as_uri())
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    page.wait_for_timeout(300)
    here = page.locator(".md-nav--primary a.md-nav__link--active").first
    if not re.fullmatch(r"\d0 %", here.get_attribute("data-read") or ""):
        yield f"halfway the page counts as read: {here.get_attribute('data-read')}"
    if not page.locator("a[rel=edit]").count():
        yield "no link to edit"
    page.locator(".done").click()
    page.reload()
    if here.get_attribute("data-read") != "✓":
        yield "the mark is gone when the page is opened again"
    page.goto(address(book, "index"))
    if page.locator("tr", has_text="Step 4").locator(".done-of").inner_text() != "1 done":
        yield "the cover does not count what is done"


def scheme_faults(page, book):
    """Dark where the system is dark, light where it is light."""
    for scheme, dark in ("light", False), ("dark", True):
        page.emulate_media(color_scheme=scheme)
        for name in SHOWN:
            page.goto(address(book, name))
            page.wait_for_load_state("load")
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            bright = sum(map(int, colour[colour.index("(") + 1:-1].split(",")[:3])) > 3 * 128
            if bright == dark:
                yield f"{name} in {scheme}: its background is {colour}"
            page.screenshot(path=str(SHOTS / f"{name.replace('/', '-')}-{scheme}.png"))
    page.set_viewport_size(PHONE)
    for name in SHOWN:  # a telephone's view, and paper's
        page.goto(address(book, name))
        page.screenshot(path=str(SHOTS / f"{name.replace('/', '-')}-390.png"))
        page.pdf(path=str(SHOTS / f"{name.replace('/', '-')}.pdf"), format="A4")


def line_faults(page, book):
    """A note's link to lines of a kernel opens the source at these lines, which stand out."""
    page.goto(address(book, "step04_vectorized/1_wide_loads"))
    link = page.locator("a[href*='lines=']").first
    href = link.get_attribute("href")
    link.click()
    try:
        page.wait_for_url("**lines=**", timeout=5000)
        page.locator(".spoken-of").first.wait_for(state="attached", timeout=5000)
    except Error as error:
        yield f"{href} is not opened: {str(error).splitlines()[0]}"
    first, last = map(int, urllib.parse.parse_qs(urllib.parse.urlsplit(href).query)["lines"][0].split("-"))
    if page.locator(".spoken-of").count() != last - first + 1:
        yield f"{href}: {page.locator('.spoken-of').count()} lines stand out, not {last - first + 1}"
    box = page.locator(f"#__span-0-{first}").bounding_box()
    if not box or not 0 <= box["y"] < WIDE["height"]:
        yield f"{href}: line {first} is not in sight ({box})"
    page.screenshot(path=str(SHOTS / "lines.png"))


LOOKS = [("the search finds a term while it is typed", search_faults),
         ("paper shows what the screen does", paper_faults), ("the pages are in order", order_faults),
         ("cards, copies, marks, an edit link", comfort_faults),
         ("a link to lines opens these lines", line_faults), ("dark and light", scheme_faults)]


def main(chromium, book):
    report = Report()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"] if os.getuid() == 0 else [])
        paths = [path for path in sorted(book.rglob("*.html")) if path.name != "404.html"]  # that is a web server's
        print(f"{len(paths)} pages")
        for name, faults in look_at(browser, paths).items():
            report.check(name, faults)
        report.check("faults that are planted are found", unseen(browser, book / "step01_naive/index.html"))
        for name, look in LOOKS:  # each in a browser that has none of the earlier marks
            page = browser.new_context(viewport=WIDE).new_page()
            page.set_default_timeout(20000)
            try:
                faults = list(look(page, book))
            except Error as error:
                faults = [str(error).splitlines()[0]]
            page.context.close()
            report.check(name, faults)
        browser.close()
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


SHOTS = pathlib.Path(sys.argv[3]).resolve()
SHOTS.mkdir(parents=True, exist_ok=True)
sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve()))
