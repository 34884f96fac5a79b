/* Browsers give a page that is opened as a file no worker, which the search needs. A hidden frame takes its place.
 * Messages are cloned, as a worker's are: page and search each change what they hold. */
class FileWorker {
    constructor(url) {
        const frame = this.frame = document.createElement("iframe");
        frame.hidden = true;
        this.ready = new Promise(resolve => { frame.ready = resolve; });
        frame.answer = data => { if (this.onmessage) this.onmessage({ data: structuredClone(data) }); };
        document.body.append(frame);
        const inside = frame.contentDocument;
        inside.open();
        inside.write("<script>postMessage = data => frameElement.answer(data)</script>" +
            `<script src="${new URL(url, location.href)}" onload="frameElement.ready()"></script>`);
        inside.close();
    }
    postMessage(data) {
        this.ready.then(() => this.frame.contentWindow.onmessage({ data: structuredClone(data) }));
    }
    terminate() {
        this.frame.remove();
    }
}
if (location.protocol === "file:") {
    window.Worker = FileWorker;
    /* Nor may such a page read the list of pages that the generator's script wants of each language. */
    for (const one of document.querySelectorAll("link[rel=alternate]")) one.remove();
}
