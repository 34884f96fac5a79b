"""test_library.py: python/knn.py, and with it libknn.so, against numpy. Last line: "N passed, N failed"."""
import ctypes
import os
import sys
import threading
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "build", "numpy")]
import knn  # noqa: E402
import numpy  # noqa: E402

results = []


def check(name, good):
    results.append(bool(good))
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


def right(found, x, y, k):
    distance = ((x[:, None, :] - y[None, :, :]) ** 2).sum(2)
    index = numpy.argsort(distance, axis=1, kind="stable")[:, :k]
    return numpy.array_equal(found[0], numpy.take_along_axis(distance, index, 1)) and numpy.array_equal(found[1], index)


class Tensor:
    """Of a framework with DLPack: device memory, here lent by capsules that nobody consumes."""

    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        ("PyCapsule_New", ctypes.pythonapi))

    def __init__(self, shape, dtype=2, array=None):
        self.memory, self.sides = knn._Copy(shape, array), (ctypes.c_int64 * 2)(*shape)
        self.tensor = knn._Tensor(self.memory.address, 2, 0, 2, dtype, 32, 1, self.sides, None, 0)

    def __dlpack__(self, stream=None):
        return self.new(ctypes.addressof(self.tensor), b"dltensor", None)

    def numpy(self):
        kind = numpy.float32 if self.tensor.code == 2 else numpy.int32
        return self.memory.into(numpy.empty(self.memory.shape, kind))


Tensor.__module__ = "framework.tensors"
sys.modules["framework"] = types.SimpleNamespace(__name__="framework", empty=Tensor, float32=2, int32=0)

data = whole(3000, 20, 1)
points = knn.Points(data)
for m, k in ((1, 7), (1, 3000), (5, 7), (130, 1)):
    x = whole(m, 20, m + k)
    check(f"{m} queries, {k} neighbours", right(points.search(x, k), x, data, k))
check("no query", points.search(whole(0, 20, 1), 3)[0].shape == (0, 3))
check("a turned matrix", right(points.search(numpy.asfortranarray(x), 2), x, data, 2))

fine = numpy.random.default_rng(5).standard_normal((2000, 33)).astype(numpy.float32)
with knn.Points(fine) as real:
    together = real.search(fine[:6], 9)
    alone = [real.search(fine[i:i + 1], 9) for i in range(6)]
    check("one query at a time gives the same bits", all(
        together[part].tobytes() == b"".join(one[part].tobytes() for one in alone) for part in (0, 1)))
check("a closed one", raises(ValueError, "closed", real.search, fine[:1], 1))

there, x = Tensor(data.shape, array=data), whole(4, 20, 9)
lent = knn.Points(there)
check("what is on the device is not copied", lent.points.address.value == there.memory.address.value)
found = lent.search(Tensor(x.shape, array=x), 6)
check("results of the same kind", all(isinstance(one, Tensor) for one in found))
check("and right", right([one.numpy() for one in found], x, data, 6))
there.tensor.code = 0
check("integers there", raises(TypeError, "not a matrix of float32 without gaps", lent.search, there, 1))

# Several threads, one handle.
answers = {}


def ask(number):
    answers[number] = points.search(whole(1 + number % 3, 20, 100 + number), 5 + number)


threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
for one in threads:
    one.start()
for one in threads:
    one.join()
check("threads", all(right(answers[i], whole(1 + i % 3, 20, 100 + i), data, 5 + i) for i in range(6)))

for k in (3001, 0, -1):
    check(f"k = {k}", raises(knn.Error, "k is below 1 or above n", points.search, x, k))
check("another dimension", raises(ValueError, "queries have 3 coordinates, the points 20", points.search, x[:, :3], 1))
check("no points", raises(knn.Error, "n is below 1", knn.Points, whole(0, 20, 1)))
check("doubles", raises(TypeError, "not a matrix of float32, but 2 dimensions of float64", knn.Points, x.astype(float)))
check("a list", raises(TypeError, "list is neither numpy's nor has DLPack", points.search, [1], 1))
points.close()
print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
sys.exit(not all(results))
