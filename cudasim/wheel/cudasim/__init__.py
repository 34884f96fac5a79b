"""cudasim as a Python package: what `make install` installs, below this folder, and the command."""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(FOLDER, "lib", "cudasim", "libcudart.so.13")
INCLUDE = os.path.join(FOLDER, "include", "cudasim")


def main():
    """The command cudasim, in this process's place."""
    os.execv("/bin/sh", ["sh", os.path.join(FOLDER, "bin", "cudasim"), *sys.argv[1:]])
