"""The shapes that `run --sweep random` draws (common/bench/random_shapes.c, common/conv/conv_cases.c), drawn once more
for the sets of plots/random_sets.csv. So a recorded row counts where its shape was drawn, and a shape that has no row
is missed."""

MASK = 2 ** 64 - 1
TOKENS = [(m, n, k) for n, k in ((4096, 14336), (14336, 4096), (8192, 28672)) for m in (1, 8, 16, 32, 64)]


def hashed(seed, index):
    """values_hash of common/base/values.h."""
    z = (seed * 0xd1342543de82ef95 + (index + 1) * 0x9e3779b97f4a7c15) & MASK
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb & MASK
    return z ^ (z >> 31)


class Draw:
    """Where a draw stands: random_draw."""

    def __init__(self, spread, largest, multiple, seed):
        self.log, self.most, self.multiple = spread == "log", largest // multiple, multiple
        self.seed, self.index = seed, -1

    def bits(self):
        self.index += 1
        return hashed(self.seed, self.index) >> 32

    def below(self, count):
        return self.bits() * count >> 32

    def side(self):
        while self.log:
            octave = self.below(self.most.bit_length())
            x = 1 << 31 | self.bits() >> 1
            kept = self.bits() * x < 1 << 63
            if kept and x << octave >> 31 <= self.most:
                return self.multiple * (x << octave >> 31)
        return self.multiple * (1 + self.below(self.most))


def shapes(spread, largest, multiple, seed, count):
    """(m, n, k) of the first `count` shapes."""
    draw = Draw(spread, largest, multiple, seed)
    for number in range(count):
        yield tuple(draw.side() for _ in range(3))
        if multiple == 1 and number % 2 == 1:
            for _ in range(3):
                draw.bits()  # how far rows stand apart


def places(side, taps, stride, pad, dilation):
    """How many a filter has on a side: windows_places (common/tensor/windows.h)."""
    return (side + 2 * pad - (taps - 1) * dilation - 1) // stride + 1


def layers(spread, largest, multiple, seed, count):
    """Of the first `count` layers, as a record names them, (m, n, k) and what follows the order of dimensions in its
    layout."""
    draw = Draw(spread, largest, multiple, seed)

    def octaves(least, number):
        begin = least << draw.below(number)
        return begin + draw.below(begin)

    def second(first, other):
        return first if draw.below(4) else other

    for _ in range(count):
        c, k = draw.side(), draw.side()
        c = c if draw.below(8) else 3
        n, h = octaves(1, 7), octaves(7, 5)
        w = second(h, octaves(7, 5))
        taps = (1, 1, 3, 3, 3, 3, 5, 7)
        r = taps[draw.below(8)]
        s = second(r, taps[draw.below(8)])
        stride = (1, 1, 1, 1, 1, 2, 2, 3)[draw.below(8)]
        dilation = 1 if draw.below(8) else 2
        kept = draw.below(4) > 0
        pads = []
        for filters in r, s:
            some = draw.below(filters)
            pads.append((filters - 1) * dilation // 2 if kept else some)

        if places(h, r, stride, pads[0], dilation) <= 0 or places(w, s, stride, pads[1], dilation) <= 0:
            dilation = 1
        while True:
            p, q = places(h, r, stride, pads[0], dilation), places(w, s, stride, pads[1], dilation)
            if n * p * q * k * c * r * s <= 2 ** 36 and n * p * q * k <= 2 ** 27 and n * c * h * w <= 2 ** 27:
                break
            if n > 1:
                n //= 2
            elif h >= 28:
                h //= 2
            elif w >= 28:
                w //= 2
            elif c >= 2 * multiple:
                c = -(-(c // 2) // multiple) * multiple
            elif k >= 2 * multiple:
                k = -(-(k // 2) // multiple) * multiple
            else:
                break
        pad = "x".join(map(str, pads[:1 if pads[0] == pads[1] else 2]))
        yield (n * p * q, k, c * r * s), f"{n}x{c}x{h}x{w} {r}x{s} s{stride} p{pad} d{dilation}"


def add(db):
    """Makes the table random_shape: those of the sets, and the thin products that scripts/bench.sh records beside."""
    db.execute("CREATE TABLE random_shape (place, \"set\", draw, step, dtype, layout, m, n, k)")
    rows, places = [], {}
    for one in db.execute("SELECT * FROM random_sets").fetchall():
        place = places.setdefault(one["set"], len(places))
        for draw in "tuning", "final":
            what = one["spread"], one["max"], one["multiple"], one[draw + "_seed"], one["count"]
            drawn = layers(*what) if one["step"] == "step09" else ((shape, "") for shape in shapes(*what))
            rows += [(place, one["set"], draw, one["step"], one["dtype"], f"{one['layout']} {layer}".strip(), *shape)
                     for shape, layer in drawn]
    rows += [(len(places), "16-bit few rows", "", "step06", dtype, "tn", *shape) for dtype in ("f16", "bf16") for shape
             in TOKENS]
    db.executemany("INSERT INTO random_shape VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
