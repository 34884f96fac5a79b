"""make -Bn V=1 ... | compile_commands.py CUDA_DIR: a clangd database of the compile commands among them, on
standard output. A line `cd FOLDER` says where those after it run.

nvcc's commands become clang's: clangd speaks clang's flags alone."""

import json
import os
import shlex
import sys


def main():
    cuda, entries, folder = sys.argv[1], {}, os.getcwd()
    for line in sys.stdin.read().replace("\\\n", " ").splitlines():
        if line.startswith("cd ") and len(line.split()) == 2:
            folder = os.path.join(os.getcwd(), line.split()[1])
        if " -c " not in line:
            continue
        words = shlex.split(line.removeprefix("sh scripts/make/aside.sh "))
        sources = [word for word in words if word.endswith((".c", ".cu", ".cpp"))]
        if len(sources) != 1 or (folder, sources[0]) in entries:
            continue
        if sources[0].endswith(".cu"):
            kept = [word for word in words if word.startswith(("-I", "-D", "-std="))]
            words = ["clang++", "-x", "cuda", "-std=c++17", "--cuda-gpu-arch=sm_90a", f"--cuda-path={cuda}", *kept,
                     *sources]
        entries[folder, sources[0]] = {"directory": folder, "file": sources[0], "arguments": words}
    json.dump(list(entries.values()), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
