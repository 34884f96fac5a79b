# shellcheck shell=sh
# To be sourced in the project's root: Python packages for the book, in build/book-venv and nowhere else.

# unless_full PROGRAM LOG: ends it with status 2 where the log says that the disk is full, or had no room to say so.
unless_full() {
    full=
    if grep -q 'No space left' "$2" || ! head -c 65536 /dev/zero 2>/dev/null >build/room; then full=1; fi
    rm -f build/room
    [ -z "$full" ] || { echo "$1: no space left on the disk of $PWD/build" >&2; exit 2; }
}

# venv PROGRAM REQUIREMENTS: installs them there, unless they are there as listed.
venv() {
    stamp=build/book-venv/$(basename "$2")
    if cmp -s "$2" "$stamp"; then return; fi
    mkdir -p build
    [ -x build/book-venv/bin/pip ] || python3 -m venv build/book-venv >build/book-venv.log 2>&1 ||
        { (unless_full "$1" build/book-venv.log) || { rm -rf build/book-venv; exit 2; }
          rm -rf build/book-venv
          echo "$1: python3 -m venv failed (build/book-venv.log); type: apt-get install -y python3-venv" >&2
          exit 2; }
    echo "$1: installing what $2 lists into build/book-venv" >&2
    build/book-venv/bin/pip install --quiet --disable-pip-version-check --only-binary=:all: -r "$2" \
        >build/book-venv.log 2>&1 ||
        { unless_full "$1" build/book-venv.log
          echo "$1: pip could not fetch what $2 lists (build/book-venv.log): is a Python index reachable?" \
              "Where one is, type: python3 -m pip download -d wheels -r $2, bring the folder here and type:" \
              "PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels make $1" >&2
          exit 2; }
    cp "$2" "$stamp"
}
