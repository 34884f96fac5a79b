"""make -Bn V=1 ... | compile_commands.py CUDA_DIR: a clangd database of the compile commands among them, on standard output.

nvcc's commands become clang's: clangd speaks clang's flags alone."""

import json
import os
import shlex
import sys


def clang_for_cuda(words, cuda):
    kept = [word for word in words if word.startswith(("-I", "-D", "-std="))]
    return ["clang++", "-x", "cuda", "-std=c++17", "--cuda-gpu-arch=sm_90a", f"--cuda-path={cuda}", *kept, words[-1]]


def main():
    cuda, entries = sys.argv[1], {}
    for line in sys.stdin.read().replace("\\\n", " ").splitlines():
        if " -c " not in line:
            continue
        words = shlex.split(line.removeprefix("sh scripts/make/aside.sh "))
        sources = [word for word in words if word.endswith((".c", ".cu", ".cpp"))]
        if len(sources) != 1 or sources[0] in entries:
            continue
        arguments = clang_for_cuda([w for w in words if w != sources[0]] + sources, cuda) if sources[0].endswith(".cu") \
            else words
        entries[sources[0]] = {"directory": os.getcwd(), "file": sources[0], "arguments": arguments}
    json.dump(list(entries.values()), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
