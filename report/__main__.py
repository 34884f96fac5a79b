"""python3 -m report COMMAND [ARGUMENT]...: tables and figures of recorded measurements. README.md lists the
commands."""

import importlib
import os
import sys

from report.load import Mistake

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMANDS = {  # the function that each is, taking its arguments and the repository's root
    "notes": "report.notes:main",
    "figures": "report.figures:main",
    "compare": "report.compare:main",
    "demo": "report.demo:main",
    "counters": "report.record.counters:main",
    "cold": "report.record.cold:main",
    "sass": "report.record.sass:main",
    "latency": "report.record.latency:main",
    "limits": "report.record.latency:limits",
    "ceilings": "report.record.latency:ceilings",
    "shapes": "report.record.golden:shapes",
    "diff": "report.course.source:main",
    "drawings": "report.course.drawings:main",
    "translated": "report.course.translations:main",
    "book": "report.book:main",
    "book-whole": "report.book.whole:main",
    "exercises": "report.exercises:main",
    "header": "report.schema:main",
    "slug": "report.csvs:slug",
    "type": "report.course.rungs:type_option",
    "tidy-search": "report.csvs:tidy_search",
    "knn-sample": "report.record.knn:sample",
    "knn-rates": "report.record.knn:rates",
    "knn-summary": "report.record.knn:summary",
}


def main():
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # whatever the locale
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMANDS:
        print(f"report: unknown command '{name}' (there are {', '.join(COMMANDS)})", file=sys.stderr)
        return 2
    program = {"figures": "plots", "book-whole": "book", "exercises": "ex"}.get(name, name)
    try:
        module, function = COMMANDS[name].split(":")
        status = getattr(importlib.import_module(module), function)(sys.argv[2:], ROOT)
        sys.stdout.flush()
        return status
    except Mistake as mistake:
        print(f"{program}: {mistake}", file=sys.stderr)
        return mistake.status
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what Python would still print there
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            return 0
        print(f"{program}: {error.filename or 'cannot write'}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


sys.exit(main())
