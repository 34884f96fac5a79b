"""FP32 as two TF32: the bits of one number, split as three_products splits it."""

import re
import struct

from _svg import Drawing

from report.course.source import without_comments
from report.load import Mistake

NUMBER = 1.1


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(word):
    return struct.unpack("<f", struct.pack("<I", word & 0xffffffff))[0]


def split(sources):
    text = without_comments(sources.text("step06_tensorcore/f_tf32x3/three_products.cu"))
    found = re.search(r"__float_as_uint\(x\) \+ (0x\w+?)u\) & (0x\w+?)u", text)
    if not found:
        raise Mistake("three_products.cu no longer has to_tf32, which a drawing needs")
    add, mask = int(found[1], 16), int(found[2], 16)
    a = number(bits(NUMBER))
    big = number(bits(a) + add & mask)
    small = number(bits(a - big) + add & mask)
    rest = a - big - small
    d = Drawing(f"The 23 bits of mantissa of {NUMBER}: big keeps the upper ten, rounded; small is the difference, "
                f"rounded to TF32; what is left is {abs(rest) / a:.1e} of the number.")
    d.text(10, 18, f"a = {NUMBER}, in FP32. The mantissa's bits:", "note")
    for line, (name, x) in enumerate((("a", a), ("big", big), ("|small|", abs(small)))):
        y = 34 + line * 44
        exponent = (bits(x) >> 23 & 255) - 127
        d.text(10, y + 17, name, "title")
        mantissa = [1] + [bits(x) >> 22 - n & 1 for n in range(23)]
        for n, bit in enumerate(mantissa):
            column = n - exponent + ((bits(a) >> 23 & 255) - 127)
            if column < 25 and (name == "a" or n <= 10):
                d.label(72 + column * 12.6, y, 11.6, 26, bit, "soft-" + {"a": "c", "big": "a"}.get(name, "b"))
    d.text(10, 176, f"a = big {'+' if small > 0 else '−'} |small|; lost: {abs(rest) / a:.0e} of a.", "note")
    d.text(10, 194, "small · big and big · small catch what big · big drops.", "note")
    return d.svg()


def draw(sources):
    return {"split": split(sources)}
