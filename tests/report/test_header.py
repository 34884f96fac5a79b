"""What `report header` refuses."""

import unittest

from support import Case, report


class Header(Case):
    def test_refused(self):
        self.refused(report("header"), "header: usage: python3 -m report header FILE")
        self.refused(report("header", "none"), "header: no recorded file is called 'none' (sgemm, ")


if __name__ == "__main__":
    unittest.main()
