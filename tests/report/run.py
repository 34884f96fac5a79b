"""Runs the tests here: a line a test, what failed in full, and last "N passed, N failed"."""

import sys
import unittest


class Lines(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.passed = 0

    def bad(self):
        return len(self.failures) + len(self.errors)

    def startTest(self, test):
        super().startTest(test)
        self.before = self.bad()

    def stopTest(self, test):
        super().stopTest(test)
        well = self.bad() == self.before
        self.passed += well
        print("ok" if well else "FAIL", test.id())


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else "test_*.py"
    result = Lines()
    unittest.defaultTestLoader.discover(".", pattern).run(result)
    for test, trace in result.failures + result.errors:
        print(f"\n{test.id()}\n{trace}")
    failed = result.testsRun - result.passed
    print(f"{result.passed} passed, {failed} failed")
    return 1 if failed or not result.wasSuccessful() or not result.passed else 0


if __name__ == "__main__":
    sys.exit(main())
