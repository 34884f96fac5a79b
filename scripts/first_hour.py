"""first_hour.py PAGE: runs the commands of a page in this folder, and writes what they print below each.

A block holds a command behind `$ ` and what it printed. The command may print as many lines as stand there, where
`[...]` follows them, and has to end with the status that stands behind `$ echo $?`, or else with 0. Seconds are written
as "…"."""

import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^```\n\$ (.*)\n((?:(?!```|\$ ).*\n)*)(?:\$ echo \$\?\n(\d+)\n)?```$", re.MULTILINE)


def renewed(block):
    command, before, status = block.groups()
    run = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    if run.returncode != int(status or 0):
        sys.exit(f"first-hour: '{command}' ended with {run.returncode}, not {status or 0}:\n{run.stdout}")
    text = re.sub(r"\d+(\.\d+)? s\b", "… s", run.stdout.replace(os.path.dirname(os.getcwd()), "~"))
    lines = [line.rstrip(" ") for line in text.splitlines()]
    most = before.count("\n") - 1 if before.endswith("[...]\n") else len(lines)
    lines[most:] = ["[...]"] * (len(lines) > most)
    return "\n".join(["```", "$ " + command, *lines, *(["$ echo $?", status] if status else []), "```"])


with open(sys.argv[1], encoding="utf-8") as file:
    page = BLOCK.sub(renewed, file.read())
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(page)
print(sys.argv[1])
