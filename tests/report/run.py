"""Runs the tests here, and counts them last: "N passed, N failed"."""

import sys
import unittest

tests = unittest.defaultTestLoader.discover(".", sys.argv[1] if len(sys.argv) > 1 else "test_*.py")
result = unittest.TextTestRunner(sys.stdout, verbosity=2).run(tests)
failed = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})  # not of a subTest
print(f"{result.testsRun - failed} passed, {failed} failed")
sys.exit(not result.wasSuccessful() or not result.testsRun)
