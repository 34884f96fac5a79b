/* A link from a note names the lines of a source that it speaks of: lds128.cu.html?lines=24-27. */
const lines = /[?&]lines=(\d+)-(\d+)/.exec(location.search);
if (lines) {
    for (let i = Number(lines[1]); i <= Number(lines[2]); i++) {
        const line = document.getElementById(`__span-0-${i}`);
        if (line) line.classList.add("spoken-of");
    }
}
