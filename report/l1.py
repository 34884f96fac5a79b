"""How many clocks L1 takes for a warp's load, where it has the lines.

A request takes as long as the slowest of three: 2 clocks; the lookup of its lines, of which each of four tag banks does
one per clock; the reading of its words, of which each of 32 data banks gives one per clock. Which tag bank a line has
follows from two parities of its number. Fitted to the 192 patterns of cudasim/tests/counted/lines.cu that stay in
place, on an H200; the other 64 are met within 3 % (tests/report/test_l1.py).
"""

import random

TAG_BITS = (0xAF6F, 0x55DA)  # of the line's number; bits above these have not been seen to matter
LEAST, LINE, WORD, BANKS = 2, 128, 4, 32


def request(addresses):
    """Clocks of one request, by the lanes' byte addresses; each lane's value lies in one word."""
    lookups, words = {}, {}
    for address in addresses:
        tag_bank = tuple(bin(address // LINE & bits).count("1") % 2 for bits in TAG_BITS)
        lookups.setdefault(tag_bank, set()).add(address // LINE)
        words.setdefault(address // WORD % BANKS, set()).add(address // WORD)
    return max(LEAST, *map(len, lookups.values()), *map(len, words.values()))


def rows(pitch, element, count):
    """The mean clocks of a warp's requests where its 32 lanes go along 32 of `count` rows each, `pitch` bytes apart: of
    2000 places, always the same ones."""
    places = random.Random(1)
    clocks = 0
    for _ in range(2000):
        first = places.randrange(max(1, count // 32)) * 32 * pitch
        at = first + places.randrange(pitch // element) * element
        clocks += request([at + lane * pitch for lane in range(32)])
    return clocks / 2000
