"""The shapes that `run --sweep random` draws (common/bench/random_shapes.c), drawn once more for the sets of
plots/random_sets.csv. So a recorded row counts where its shape was drawn, and a shape that has no row is missed."""

MASK = 2 ** 64 - 1
TOKENS = [(m, n, k) for n, k in ((4096, 14336), (14336, 4096), (8192, 28672)) for m in (1, 8, 16, 32, 64)]


def hashed(seed, index):
    """values_hash of common/base/values.h."""
    z = (seed * 0xd1342543de82ef95 + (index + 1) * 0x9e3779b97f4a7c15) & MASK
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb & MASK
    return z ^ (z >> 31)


def shapes(spread, largest, multiple, seed, count):
    """(m, n, k) of the first `count` shapes."""
    index = -1

    def draw():
        nonlocal index
        index += 1
        return hashed(seed, index) >> 32

    def log(most):
        while True:
            octave = draw() * most.bit_length() >> 32
            x = 1 << 31 | draw() >> 1
            kept = draw() * x < 1 << 63
            if kept and x << octave >> 31 <= most:
                return x << octave >> 31

    most = largest // multiple
    for number in range(count):
        yield tuple(multiple * (log(most) if spread == "log" else 1 + (draw() * most >> 32)) for _ in range(3))
        if multiple == 1 and number % 2 == 1:
            for _ in range(3):
                draw()  # how far rows stand apart


def add(db):
    """Makes the table random_shape: those of the sets, and the thin products that scripts/bench.sh records beside."""
    db.execute("CREATE TABLE random_shape (place, \"set\", draw, step, dtype, layout, m, n, k)")
    rows, places = [], {}
    for one in db.execute("SELECT * FROM random_sets").fetchall():
        place = places.setdefault(one["set"], len(places))
        for draw in "tuning", "final":
            rows += [(place, one["set"], draw, one["step"], one["dtype"], one["layout"], *shape) for shape in
                     shapes(one["spread"], one["max"], one["multiple"], one[draw + "_seed"], one["count"])]
    rows += [(len(places), "16-bit few rows", "", "step06", dtype, "tn", *shape) for dtype in ("f16", "bf16") for shape
             in TOKENS]
    db.executemany("INSERT INTO random_shape VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
