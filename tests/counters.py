"""Runs of steps that count, for the tests that compare counts."""

import csv
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def counted(step, *options):
    """The rows of --counters-csv of one run in the simulator, whose checks other tests have."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "csv")
        subprocess.run([f"./{step}/run", "--sim", "--no-check", *options, "--counters-csv", path], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return rows_of(path)
