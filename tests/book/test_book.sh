#!/bin/sh
# What makes the book's source (report/book), on a small repository. Ends with "N passed, N failed".
. "$(dirname "$0")/../script_case.sh"

# A small repository in the place of the copy's, with its own notes.
fresh() {
    rm -rf docs step01_x README.md $out
    mkdir -p docs/img step01_x
    cat >README.md <<'END'
# A ladder

See [step 1](step01_x/README.md) and [its files](step01_x), [more](step01_x/1_first.md#a-heading-x).
Then:
* one
  over two lines

  ```sh
  code [no](link.md) <!-- kept -->
  ```
* two, <!-- value: x -->35.3<!-- end --> of `[no](link.md)`
END
    cat >step01_x/README.md <<'END'
# Step 1: one

![a drawing](../docs/img/a.svg) and [lines](k.cu#L2-L3), [`all`](k.cu), [the web](https://example.com/x.md),
[word](../docs/glossary.md#cpasync)

<!-- table: x -->
| a |
|---|
| 1 |
<!-- end -->
END
    printf '# Lesson 1.1: first\n\n## A heading: `x`\n\nText.\n\n## A heading: `x`\n' >step01_x/1_first.md
    printf '# Words\n\n### cp.async\nA "[copy](start.md)" in `flight`.\nOf its own.\n\n*Met in 1.*\n' >docs/glossary.md
    printf '%s\n\n' '# The book' '**[Begin](../step01_x/1_first.md)**' \
        '[Step 1](../step01_x/README.md), [all of it](../README.md)' >docs/start.md
    printf 'int a;\nint b;\nint c;\n' >step01_x/k.cu
    printf '<svg/>\n' >docs/img/a.svg
}
out=build/out # what is built is not read again
book() { report book $out; }
made() { fresh && status 0 book; }
report() { PYTHONPATH=. python3 -B -m report "$@"; }
navigation() { # the titles of the pages and sections in order, in one line
    sed -n '/^nav = /,/^]/p' $out/zensical.toml | grep -o '"[^"]*" = ' | tr -d '"=\n' >"$tmp/nav"
}

links_are_rewritten() {
    made || return
    holds $out/pages/repository.md '[step 1](step01_x/index.md)' || return
    holds $out/pages/repository.md '[its files](step01_x/index.md)' || return
    holds $out/pages/repository.md '[more](step01_x/1_first.md#a-heading-x)' || return
    holds $out/pages/step01_x/index.md '![a drawing](../docs/img/a.svg)' || return
    holds $out/pages/step01_x/index.md '[lines](k.cu.html?lines=2-3#__codelineno-0-2)' || return
    holds $out/pages/step01_x/index.md '[`all`](k.cu.html)' || return
    holds $out/pages/step01_x/index.md '(https://example.com/x.md)' || return
    holds $out/pages/step01_x/index.md "(../docs/glossary.md#cpasync \"A 'copy' in flight. Of its own.\")" || return
    test -f $out/pages/docs/img/a.svg
}
code_stays() {
    made || return
    holds $out/pages/repository.md '    code [no](link.md) <!-- kept -->' || return
    holds $out/pages/repository.md 'two, 35.3 of `[no](link.md)`'
}
headings_keep_githubs_anchors() {
    made || return
    holds $out/pages/docs/glossary.md '### cp.async { #cpasync }' || return
    holds $out/pages/step01_x/1_first.md '{ #a-heading-x }' || return
    holds $out/pages/step01_x/1_first.md '{ #a-heading-x-1 }'
}
a_list_is_one() { # Python-Markdown needs an empty line before it, and four blanks before what belongs to an item
    made || return
    same "$(sed -n '/^Then:/,/over/p' $out/pages/repository.md)" "Then:

* one
    over two lines"
}
sources_are_pages() {
    made || return
    holds $out/pages/step01_x/k.cu.md '```cuda linenums="1"' || return
    holds $out/pages/step01_x/k.cu.md '[Step 1: one](index.md)' || return
    holds $out/pages/step01_x/files.md '[`k.cu`](k.cu.md)'
}
lessons_are_in_order() {
    fresh
    for n in 2 10; do printf '# Lesson 1.%s: it\n' $n >step01_x/${n}_it.md; done
    printf '\n*By-road, 2 minutes*\n' >>step01_x/2_it.md
    printf '# Appendix\n' >step01_x/appendix.md
    status 0 book || return
    navigation
    holds "$tmp/nav" 'Step 1: one  1.1 First  1.2 By-road: It  1.10 It  Appendix  Words' || return
    holds $out/zensical.toml '{ "Files" = [{ "step01_x" = "step01_x/files.md" }' # where nothing is before or after them
}
pages_are_in_order() { # the cover, the first hour, the steps; what is complete after what leads there
    fresh
    mkdir -p step01_x/a_mma step01_x/best
    printf '# First hour\n' >docs/first-hour.md
    printf '# Before\n' >docs/begin.md
    printf '# Step 1a: mma\n' >step01_x/a_mma/README.md
    printf '# Step 1, best\n' >step01_x/best/README.md
    mkdir step01_x/c_ring && printf '# Step 1c: ring\n' >step01_x/c_ring/README.md
    status 0 book || return
    navigation
    holds "$tmp/nav" 'Start  Before  First hour  Step 1: one  1.1 First ' || return
    holds "$tmp/nav" ' 1.1 First  Step 1a: mma  Step 1c: ring  Step 1, best  Words'
}
translations_stand_last() { # behind a menu of languages, and neither among the lessons nor in their sum
    fresh
    printf '*8 minutes.*\n' >>step01_x/1_first.md
    printf '# 阶梯\n' >README.zh-CN.md
    printf '# 第 1.1 课\n\n**70 分钟。**\n' >step01_x/1_first.zh-CN.md
    printf '# 第 1 步\n' >step01_x/README.zh-CN.md
    status 0 book
    result=$?
    rm README.zh-CN.md
    [ $result = 0 ] || return
    navigation
    holds "$tmp/nav" 'Step 1: one  1.1 First  Words' || return
    holds $out/zensical.toml '    { "中文" = ["repository.zh-CN.md", { "第 1 步" = "step01_x/index.zh-CN.md" }, {' || return
    holds $out/zensical.toml 'link = "repository.zh-CN.html"' || return
    holds $out/pages/step01_x/1_first.zh-CN.md '<button class="md-button done"' || return
    holds $out/pages/index.md '| [Step 1: one](step01_x/index.md) | 1 | ¼' || return
    status 0 book
    if grep alternate $out/zensical.toml; then echo "a menu of one language"; return 1; fi
}
the_cover() { # docs/start.md, then the steps with what their lessons say they take; the README is a page of its own
    fresh
    printf '# Lesson 1.2: second\n\n*20 minutes.*\n' >step01_x/2_second.md
    printf '# Lesson 1.3: third\n\n*10 minutes.*\n' >step01_x/3_third.md
    status 0 book || return
    holds $out/pages/index.md '[Begin](step01_x/1_first.md){ .md-button .md-button--primary }' || return
    holds $out/pages/index.md '[Step 1](step01_x/index.md), [all of it](repository.md)' || return
    holds $out/pages/index.md '| [Step 1: one](step01_x/index.md) | 2 | ½ h | ' || return
    holds $out/pages/index.md ' data-pages="step01_x/2_second.html step01_x/3_third.html"' || return
    holds $out/pages/step01_x/2_second.md '<button class="md-button done"'
}
a_session_is_told_from_code() { # so that its commands alone are copied
    fresh
    printf '\n```\n$ make x\nmade\n```\n\n```\nmake $x\n```\n' >>step01_x/1_first.md
    status 0 book || return
    same "$(grep '^```' $out/pages/step01_x/1_first.md | paste -s -d ' ')" '```console ``` ``` ```'
}
pages_can_be_edited() { # where the clone has an address, whose password is not told
    made || return
    if grep -rq 'rel="edit"' $out/pages/step01_x; then echo "a link to edit without an address"; return 1; fi
    git init -q . && git config remote.origin.url https://me:secret@github.com/o/n.git && echo build >.git/info/exclude
    status 0 book
    result=$?
    rm -rf .git
    [ $result = 0 ] || return
    holds $out/pages/step01_x/index.md 'href="https://github.com/o/n/edit/HEAD/step01_x/README.md"' || return
    holds $out/pages/step01_x/k.cu.md 'href="https://github.com/o/n/edit/HEAD/step01_x/k.cu"'
}
an_exercise_has_its_page() { # task, goals, what is printed, then the kernel with its line numbers; its launch is folded
    fresh
    mkdir -p exercises/01_sum cudasim/watch
    echo 'METRIC(SECTORS, "sectors (of L2)", "", "inst", "Words.")' >cudasim/watch/metrics.def
    printf '%s\n' title='A sum' minutes=5 lesson=step01_x/1_first.md 'run=--m 1' 'run=--m 2' 'goal=SECTORS 2.5' \
        hint1=Look. >exercises/01_sum/exercise.txt
    printf '%s\n' '/* Exercise: mend a * b in `k`.' ' */' '#include "x.h"' '' '__global__ void k() {' \
        '    int broken;' '}' '' 'int launch() {' '    k<<<1, 1>>>();' '}' >exercises/01_sum/exercise.cu
    printf '%s\n' '@@ -5,3 +5,3 @@' ' __global__ void k() {' '-    int broken;' '+    int mended;' ' }' \
        >exercises/01_sum/solution.patch
    status 0 book || return
    sed -i 's/-5,3 +5,3/-10,2 +10,2/; s/^ __global.*//' exercises/01_sum/solution.patch # it changes the launch
    cp $out/pages/exercises/01_sum.md "$tmp/page"
    cp $out/zensical.toml "$tmp/toml"
    status 0 book || return
    rm -r exercises cudasim
    if grep -q 'What launches it' $out/pages/exercises/01_sum.md; then echo "it folds what is to change"; return 1; fi
    holds "$tmp/toml" '{ "01 A sum" = "exercises/01_sum.md" }' || return
    same "$(sed '/^??? success/,$d' "$tmp/page")" '# Exercise 01: A sum { #top }

*5 minutes. After [Lesson 1.1: first](../step01_x/1_first.md).*

Mend a \* b in `k`.

It is done when:

* The result is right, with `--m 1` and other shapes.
* The simulator finds nothing.
* *Sectors*: at most 2.5, with the first shape.

```console
$ make ex NAME=01
result    right
checks    nothing found
counters  sectors: …, at most 2.50: ok
```

The first `make ex NAME=01` copies it to `my/01_sum/exercise.cu`, the file that you change:

```cuda linenums="3"
#include "x.h"

__global__ void k() {
    int broken;
}
```

??? note "What launches it"

    ```cuda linenums="9"
    int launch() {
        k<<<1, 1>>>();
    }
    ```

??? tip "Hint 1"

    Look.' || return
    holds "$tmp/page" '    +    int mended;'
}
an_archive_is_a_repository() { # inside another one that ignores it, and with a .git of its own where git is missing
    made && prints 'book: 20 pages' || return
    git init -q "$tmp" && echo '*' >"$tmp/.gitignore" || return
    status 0 book && prints 'book: 20 pages'
    result=$?
    rm -rf "$tmp/.git" "$tmp/.gitignore"
    [ $result = 0 ] || return
    mkdir .git
    python=$(python3 -c 'import sys; print(sys.executable)')
    PYTHONPATH=. PATH=/nonexistent status 0 "$python" -B -m report book $out && prints 'book: 20 pages'
    result=$?
    rmdir .git
    return $result
}
refuses() { # LINK REASON: in a note, with the note's name
    fresh
    echo "[x]($1)" >>step01_x/1_first.md
    status 2 book || return
    says "step01_x/1_first.md: the link $1 leads nowhere: $2" || return
    if [ -e $out ]; then echo "a book was made"; return 1; fi
}
a_dead_link_fails() { refuses gone.cu 'no step01_x/gone.cu'; }
a_dead_anchor_fails() { refuses ../docs/glossary.md#gone 'no heading #gone'; }
a_dead_picture_fails() { refuses ../docs/img/gone.svg 'no docs/img/gone.svg'; }
lines_beyond_the_end_fail() { refuses k.cu#L2-L9 'step01_x/k.cu has 3 lines'; }
originals_stay() {
    fresh
    mkdir "$tmp/before.$$"
    cp -R docs step01_x README.md "$tmp/before.$$"
    status 0 book || return
    for one in docs step01_x README.md; do diff -r $one "$tmp/before.$$/$one" || return; done
}
this_machine() {
    fresh
    mkdir -p figures/nvidia-h200 figures/nvidia-x plots/data/nvidia-x
    printf '<g font-size="%s"><text>%s</text></g>' 9 'a tick' 20.0 '<tspan>Speed &lt; size</tspan>' \
        >figures/nvidia-h200/size.svg
    cp figures/nvidia-h200/size.svg figures/nvidia-x/size.svg
    status 0 report book --figures figures --here nvidia-x $out || return
    holds $out/pages/measured.md "**nvidia-x, this machine's GPU**" || return
    holds $out/pages/measured.md '## Speed < size { #size }' || return
    holds $out/pages/measured.md '![Speed < size, nvidia-h200](figures/nvidia-h200/size.svg)' || return
    test -f $out/pages/figures/nvidia-x/size.svg || return
    rm -rf plots/data/nvidia-x figures/nvidia-x
    status 0 report book --figures figures --here nvidia-x $out || return
    holds $out/pages/measured.md 'of which nothing is recorded' || return
    status 0 report book --figures figures $out || return
    holds $out/pages/measured.md 'without an NVIDIA GPU'
}
a_full_disk() { # one line, and no half book
    fresh
    status 2 sh -c "trap '' XFSZ; ulimit -f 1; PYTHONPATH=. exec python3 -B -m report book $out" && one_line || return
    says "book: cannot write $out: File too large" || return
    if [ -e $out ]; then echo "half a book is left"; return 1; fi
}
a_book_cut_short() { # by the generator, which does not say so
    made && cp -R $out/pages $out/site || return
    find $out/site -name '*.md' -exec rm {} +
    (cd $out/pages && find . -name '*.md') | while read -r one; do echo '<html></html>' >"$out/site/${one%md}html"; done
    echo '{}' >$out/site/search.json
    status 0 report book-whole $out || return
    for one in index.html search.json docs/img/a.svg; do
        cp "$out/site/$one" "$tmp/kept" && : >"$out/site/$one"
        status 2 report book-whole $out && one_line || return
        says "book: $one was cut short: is the disk of $out full?" || return
        cp "$tmp/kept" "$out/site/$one"
    done
}
the_old_book_stays() { # where the generator, a made-up one, stops, and where it goes on, on a full disk
    fresh
    mkdir -p build/book-venv/bin build/book plots/data/nvidia-x
    cp report/book/requirements.txt build/book-venv/
    echo old >build/book/index.html
    fake scripts/plots.sh :
    fake build/book-venv/bin/zensical 'echo "os error: No space left on device"' 'exit 1'
    status 2 sh scripts/book/book.sh && one_line && says "book: no space left on the disk of $copy/build" || return
    fake build/book-venv/bin/zensical 'mkdir site && : >site/index.html'
    status 2 sh scripts/book/book.sh && one_line && says "was cut short (and" && same "$(cat build/book/index.html)" old
}
a_full_printer() { # what is printed is lost with a line and a status
    PYTHONPATH=. python3 -B -m report demo "$recorded/sgemm.csv" >/dev/full 2>"$tmp/err"
    same $? 2 && one_line && says "demo: cannot write: No space left on device"
}
interrupted() { # ends with 130 and no traceback; while it reads from a pipe, which the exec waits for
    mkfifo "$tmp/pipe"
    env --default-signal=INT python3 -B -m report demo "$tmp/pipe" 2>"$tmp/err" &
    exec 9>"$tmp/pipe"
    kill -s INT $!
    wait $!
    same $? 130 && same "$(cat "$tmp/err")" ""
}
no_folder_for_it() {
    mv build "$tmp/build" && touch build
    status 2 sh scripts/book/book.sh && one_line && says "book: cannot write to the folder build"
    result=$?
    rm build && mv "$tmp/build" build
    return $result
}

cases pages_are_in_order translations_stand_last the_cover a_session_is_told_from_code pages_can_be_edited \
    links_are_rewritten code_stays headings_keep_githubs_anchors a_list_is_one sources_are_pages \
    an_archive_is_a_repository an_exercise_has_its_page lessons_are_in_order a_dead_link_fails a_dead_anchor_fails \
    a_dead_picture_fails lines_beyond_the_end_fail originals_stay this_machine a_full_disk a_book_cut_short \
    a_full_printer interrupted no_folder_for_it the_old_book_stays
ended
