#!/bin/sh
# help: make the book of all lessons, code and figures in build/book: open build/book/index.html, offline, too
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
. scripts/book/book_venv.sh
need_python book
need_folder book build
venv book report/book/requirements.txt

# Figures of every recorded GPU. Without gnuplot the book has none, and says so.
rm -rf build/book-figures
if sh scripts/deps.sh --check plots 2>/dev/null || sh scripts/deps.sh plots; then
    for folder in plots/data/*/; do
        gpu=$(basename "$folder")
        sh scripts/plots.sh --term svg --device "$gpu" --out "build/book-figures/$gpu" >build/book-figures.log 2>&1 ||
            { cat build/book-figures.log >&2; exit 1; }
    done
fi
here=$(gpu_slug)
if [ -n "$here" ] && [ -d "plots/data/$here" ]; then
    report demo plots/data/"$here"/sgemm.csv >build/book-here.txt
    text=build/book-here.txt
else
    text=
fi
report book --figures build/book-figures --here "$here" ${text:+--text "$text"} ${BOOK_WEB:+--web "$BOOK_WEB"} \
    build/book-source
(cd build/book-source && ../book-venv/bin/zensical build --clean --strict) >build/book.log 2>&1 ||
    { unless_full book build/book.log; cat build/book.log >&2
      echo "book: the generator failed (build/book.log)" >&2; exit 1; }
report book-whole build/book-source
# The search cuts Chinese into words, too, where it is told that there is any.
sed -i '1s/"lang":\["en"\]/"lang":["en","zh"]/' build/book-source/site/search.js build/book-source/site/search.json
rm -rf build/book
mv build/book-source/site build/book
echo "book: build/book/index.html"
