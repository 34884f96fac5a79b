#!/bin/sh
# help: open every page of the book in headless Chromium: links, widths, search, paper; screenshots in build/book-test
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
. scripts/book/book_venv.sh

find_chromium() {
    for chromium in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$chromium" ] && chromium=$(command -v "$chromium"); then return; fi
    done
    return 1
}
if ! find_chromium; then
    install="apt-get install -y --no-install-recommends chromium"
    command -v apt-get >/dev/null ||
        { echo "book-test: Chromium is missing; install it, or name it: CHROMIUM=/path" >&2; exit 2; }
    [ "$(id -u)" = 0 ] || { echo "book-test: Chromium is missing; type: sudo $install" >&2; exit 2; }
    echo "book-test: installing chromium (apt-get)" >&2
    mkdir -p build
    # shellcheck disable=SC2086 # a command of several words
    { $install || { apt-get update && $install; }; } >build/apt.log 2>&1 ||
        { echo "book-test: apt-get could not install chromium (build/apt.log); type: apt-get update && $install" >&2
          exit 2; }
    find_chromium
fi
# A clone of a folder has no address for the links to edit.
export BOOK_WEB="${BOOK_WEB:-https://example.org/kernel-ladder/edit/main}"
sh scripts/book/book.sh
venv book-test report/book/requirements-test.txt
build/book-venv/bin/python3 -B tests/book/check.py "$chromium" build/book build/book-test
