/* A link from a note names the lines of a source that it speaks of: lds128.cu.html?lines=24-27. */
const lines = /[?&]lines=(\d+)-(\d+)/.exec(location.search);
if (lines) {
    for (let i = Number(lines[1]); i <= Number(lines[2]); i++) {
        const line = document.getElementById(`__span-0-${i}`);
        if (line) line.classList.add("spoken-of");
    }
}

/* A page's name says its language, and the menu of languages leads from a page to its translation. */
const language = /\.([a-z]{2}-[A-Z]{2})\.html$/.exec(location.pathname);
if (language) document.documentElement.lang = language[1];
for (const entry of document.querySelectorAll(".md-select__link")) {
    const there = [...document.querySelectorAll(".md-content p > a")].find(one => one.text === entry.text.trim());
    if (there) entry.href = there.href;
}

/* How far each page was read, from 0 to 1, or "done" where the reader has marked it: in the browser's own storage. */
const read = __md_get("read") || {};
const pageOf = link => link.pathname.slice(__md_scope.pathname.length);
const here = pageOf(location);
const button = document.querySelector(".done");

function keep(state) {
    read[here] = state;
    __md_set("read", read);
    show();
}

function show() {
    for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link[href]")) {
        const state = link.hash ? 0 : read[pageOf(link)] || 0;
        if (state === "done") link.dataset.read = "✓";
        else if (state >= 0.1) link.dataset.read = `${Math.floor(state * 10)}0 %`;
        else delete link.dataset.read;
    }
    for (const part of document.querySelectorAll(".done-of")) {
        const done = part.dataset.pages.split(" ").filter(page => read[page] === "done").length;
        part.textContent = done ? `${done} done` : "";
    }
    if (button) button.textContent = read[here] === "done" ? "✓ Done" : "Mark as done";
}

if (button) {
    button.hidden = false;
    button.onclick = () => keep(read[here] === "done" ? 1 : "done");
    document.addEventListener("scroll", () => {
        const text = document.querySelector(".md-content").getBoundingClientRect();
        const share = Math.min(1, (innerHeight - text.top) / text.height);
        if (read[here] !== "done" && share >= (read[here] || 0) + 0.1) keep(share);
    }, { passive: true });
}
show();
