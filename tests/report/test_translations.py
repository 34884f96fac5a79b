"""Translations: what keeps a page and its original together."""

import os

from support import Case, read, write

from report.course import lessons, translations
from report.load import Mistake

HERE = """# Lesson 1.1: it

[中文](1_it.zh-CN.md)

Text of <!-- value: x -->1.0<!-- end --> and <!-- value@y: z -->2<!-- end -->,
[other](../docs/other.md#here), [below](#code).

## Code

<!-- code: one.cu -->
```cuda
int x;
```
<!-- end -->

```
make it  # do it
```
![drawing](it.svg) [web](https://a.b/c)
"""
THERE = """# 第 1.1 课：它

[English](1_it.md)

[别的](../docs/other.zh-CN.md#这里)有<!-- value: x -->1.0<!-- end -->和<!-- value@y: z -->2<!-- end -->，见[下](#代码)。

## 代码

<!-- code: one.cu -->
<!-- end -->

```
make it  # 做
```
![图](it.svg)、[网](https://a.b/c)
"""
PAGE, OF = "step01_a/1_it.zh-CN.md", "step01_a/1_it.md"


class Translations(Case):
    def setUp(self):
        super().setUp()
        for path, text in (OF, HERE), (PAGE, THERE), ("docs/other.md", "[中文](other.zh-CN.md)\n# Here\n"), \
                ("docs/other.zh-CN.md", "[English](other.md)\n# 这里\n"):
            write(text, self.tmp, path)
        translations.main([PAGE, "docs/other.zh-CN.md"], self.tmp)

    def found_with(self, path, old, new):
        """What is found where a page has been changed."""
        text = read(self.tmp, path)
        self.assertIn(old, text)
        write(text.replace(old, new), self.tmp, path)
        found = list(translations.drifted(self.tmp))
        write(text, self.tmp, path)
        return found

    def test_a_good_one(self):
        self.assertEqual(list(translations.drifted(self.tmp)), [])
        self.assertRegex(read(self.tmp, PAGE), r"^<!-- translation of 1_it\.md: [0-9a-f]{8} [0-9a-f]{8} -->\n# 第")
        self.assertEqual(list(lessons.lessons(self.tmp))[1:], [], "a translation is no further lesson")

    def test_what_may_change_in_the_original(self):
        for old, new in ("1.0", "1.5"), ("int x;", "int y;"), ("Text of", "Text\nof"):
            self.assertEqual(self.found_with(OF, old, new), [])

    def test_the_original_has_changed(self):
        self.assertEqual(self.found_with(OF, "do it", "make it"), [
            f'{PAGE}: {OF} has changed since ("Code"): translate that, then type python3 -m report translated {PAGE}'])
        write(HERE.replace("Text", "Words"), self.tmp, OF)
        self.assertEqual(len(list(translations.drifted(self.tmp))), 1)
        translations.main([PAGE], self.tmp)
        self.assertEqual(list(translations.drifted(self.tmp)), [])

    def test_the_translation_differs(self):
        for old, new, what in [
                ("## 代码", "### 代码", "headings differ from those of step01_a/1_it.md: there ##, here ###"),
                ("value@y: z", "value: z", "markers differ"), ("code: one.cu", "code: two.cu", "markers differ"),
                ("make it", "make that", "code differ"), ("it.svg", "that.svg", "links differ"),
                ("other.zh-CN.md#这里", "other.md#here", "links differ"), ("[English](1_it.md)", "", "no link to"),
                ("<!-- translation", "<!-- of", "has changed since")]:
            found = self.found_with(PAGE, old, new)
            self.assertEqual(len(found), 1, found)
            self.assertIn(what, found[0])

    def test_no_original(self):
        os.remove(os.path.join(self.tmp, OF))
        self.assertEqual(list(translations.drifted(self.tmp)), [f"{PAGE}: there is no {OF}"])

    def test_what_is_no_translation(self):
        for pages in [], [OF], ["step01_a/none.zh-CN.md"]:
            self.assertRaises(Mistake, translations.main, pages, self.tmp)
