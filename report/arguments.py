"""argparse, with mistakes in one line as everywhere."""

import argparse

from report.load import Mistake


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Mistake(f"{message} ({' '.join(self.format_usage().split())})")
