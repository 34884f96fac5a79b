"""What the tests of report/ share: where things are, and how its commands are called."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(HERE, "data")  # a part of what was recorded on an H200; random.csv and conv.csv are made up
sys.path.insert(0, ROOT)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8", newline="") as file:
        return file.read()


def write(text, *path):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def data(kind):
    return os.path.join(DATA, kind + ".csv")


def report(*arguments, root=ROOT, **environment):
    """Runs python3 -m report: a subprocess.CompletedProcess with text."""
    return subprocess.run([sys.executable, "-B", "-m", "report", *arguments], cwd=root, encoding="utf-8", check=False,
                          capture_output=True, env={**os.environ, "PYTHONPATH": root, **environment})


class Case(unittest.TestCase):
    """A test with a folder of its own, self.tmp, and in self.data a copy of the recorded files to damage."""

    maxDiff = None

    def setUp(self):
        self.tmp = tempfile.mkdtemp(prefix="test_report.")
        self.addCleanup(shutil.rmtree, self.tmp)
        self.data = os.path.join(self.tmp, "data")
        shutil.copytree(DATA, self.data)

    def again(self):
        """A folder and copies as at the beginning."""
        self.doCleanups()
        self.setUp()

    def copy_the_code(self):
        """For the notes of a repository of its own."""
        for folder in "report", "plots":
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(self.tmp, folder),
                            ignore=shutil.ignore_patterns("data", "__pycache__", "README.md"))

    def file(self, kind):
        return os.path.join(self.data, kind + ".csv")

    def lines(self, kind):
        return read(self.file(kind)).splitlines()

    def change(self, kind, function):
        """Replaces the lines of a file, its header among them, by function(lines)."""
        write("".join(line + "\n" for line in function(self.lines(kind))), self.file(kind))

    def refused(self, run, *texts):
        """It ended with status 2 and one line that holds all of the texts."""
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for text in texts:
            self.assertIn(text, run.stderr)
