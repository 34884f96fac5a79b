"""test_library.py: python/knn.py, and with it libknn.so, against numpy. Last line: "N passed, N failed"."""
import os
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "build", "numpy")]
import knn  # noqa: E402
import numpy  # noqa: E402

passed = failed = 0


def check(name, good):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAIL {name}")


def raises(kind, text, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        return text in str(error)
    return False


def whole(rows, d, seed):
    """Integers 0 to 7: every way to compute a distance is exact, and many are equal."""
    return numpy.random.default_rng(seed).integers(0, 8, (rows, d)).astype(numpy.float32)


def expected(x, y, k):
    distance = ((x[:, None, :] - y[None, :, :]) ** 2).sum(2)
    index = numpy.argsort(distance, axis=1, kind="stable")[:, :k]
    return numpy.take_along_axis(distance, index, 1), index


def right(found, x, y, k):
    return all(numpy.array_equal(a, b) for a, b in zip(found, expected(x, y, k)))


data = whole(3000, 20, 1)
points = knn.Points(data)
for m, k in ((1, 7), (1, 3000), (5, 7), (130, 1)):
    x = whole(m, 20, m + k)
    check(f"{m} queries, {k} neighbours", right(points.search(x, k), x, data, k))
check("no query", points.search(whole(0, 20, 1), 3)[0].shape == (0, 3))
check("a turned matrix", right(points.search(numpy.asfortranarray(x), 2), x, data, 2))

# One query at a time gives the bits of many at a time.
fine = numpy.random.default_rng(5).standard_normal((2000, 33)).astype(numpy.float32)
with knn.Points(fine) as real:
    together = real.search(fine[:6], 9)
    alone = [real.search(fine[i:i + 1], 9) for i in range(6)]
    check("the same bits", all(together[part].tobytes() == b"".join(one[part].tobytes() for one in alone)
                               for part in (0, 1)))
check("a closed one", raises(ValueError, "closed", real.search, fine[:1], 1))

# What is on the device stays where it is.
on_device = knn.DeviceArray.of(data)
lent = knn.DeviceArray.of(on_device)
check("no copy", lent.address == on_device.address and lent.owner is on_device)
x = whole(4, 20, 9)
found = knn.Points(lent).search(knn.DeviceArray.of(x), 6)
check("results of the same kind", all(isinstance(one, knn.DeviceArray) for one in found))
check("and right", right([one.numpy() for one in found], x, data, 6))
del lent
check("what was lent is given back", not knn._lent)
unused = on_device.__dlpack__()
check("a capsule lends", len(knn._lent) == 1)
del unused
check("and one that nobody takes gives back", not knn._lent)

# Several threads, a handle.
answers = {}


def ask(number):
    answers[number] = points.search(whole(1 + number % 3, 20, 100 + number), 5 + number)


threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
for one in threads:
    one.start()
for one in threads:
    one.join()
check("threads", all(right(answers[number], whole(1 + number % 3, 20, 100 + number), data, 5 + number)
                     for number in range(6)))

check("k above n", raises(knn.Error, "k is below 1 or above n", points.search, x, 3001))
check("k = 0", raises(knn.Error, "k is below 1 or above n", points.search, x, 0))
check("another dimension", raises(ValueError, "queries have 3 coordinates, the points 20", points.search, x[:, :3], 1))
check("no points", raises(knn.Error, "n is below 1", knn.Points, whole(0, 20, 1)))
check("doubles", raises(TypeError, "not a matrix of float32, but 2 dimensions of float64", knn.Points, x.astype(float)))
check("a list", raises(TypeError, "list is neither numpy's nor has DLPack", points.search, [1], 1))
points.close()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
