"""Exact nearest neighbours on a GPU: build/step08/libknn.so (step08_knn/library/knn_prepared.h) for Python.

    points = knn.Points(data)                  # n x d, float32: made ready once
    distance, index = points.search(x, 10)     # m x d: squared distances and rows of `data`, both m x 10

What numpy holds is copied to the device, and the results are numpy's. What is on the device already, a tensor of
PyTorch or an array of CuPy, is used where it lies (by DLPack), and the results are of the same kind, without a copy.
`make build/step08/libknn.so` makes the library; KNN_LIBRARY names another one.
"""
import ctypes
import os
import sys

KDL_CUDA, KDL_FLOAT = 2, 2  # as dlpack.h numbers them
P = ctypes.c_void_p


class Error(Exception):
    """A search or a preparation that failed; the text says why."""


class _Tensor(ctypes.Structure):
    """dlpack.h: the DLTensor that a DLManagedTensor begins with."""

    _fields_ = [("data", P), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


_pointer = ctypes.PYFUNCTYPE(P, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def _load():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.environ.get("KNN_LIBRARY") or os.path.join(root, "build", "step08", "libknn.so")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{error} (make build/step08/libknn.so makes it; KNN_LIBRARY names another)") from None
    cuda = ctypes.CDLL("libcudart.so.13")  # the one that the library has brought
    library.knn_error.restype = cuda.cudaGetErrorString.restype = ctypes.c_char_p
    library.knn_prepare.argtypes = [P, ctypes.c_int, ctypes.c_int, P, ctypes.POINTER(P)]
    library.knn_search.argtypes = [P, P, ctypes.c_int, ctypes.c_int, P, P, P]
    library.knn_free.argtypes = cuda.cudaFree.argtypes = cuda.cudaStreamSynchronize.argtypes = [P]
    cuda.cudaMalloc.argtypes = [ctypes.POINTER(P), ctypes.c_size_t]
    cuda.cudaMemcpy.argtypes = [P, P, ctypes.c_size_t, ctypes.c_int]
    return library, cuda


_knn, _cuda = _load()


def _call(name, *arguments):
    if getattr(_knn, name)(*arguments) != 0:
        raise Error(_knn.knn_error().decode())


def _runtime(name, *arguments):
    status = getattr(_cuda, name)(*arguments)
    if status != 0:
        raise Error(f"{name}: {_cuda.cudaGetErrorString(status).decode()}")


class _Copy:
    """A matrix of 4-byte numbers in device memory of our own."""

    def __init__(self, shape, array=None):
        self.shape, self.address = shape, P()
        _runtime("cudaMalloc", ctypes.byref(self.address), 4 * max(1, shape[0] * shape[1]))
        if array is not None:
            _runtime("cudaMemcpy", self.address, array.ctypes.data, array.nbytes, 1)

    def into(self, array):
        _runtime("cudaMemcpy", array.ctypes.data, self.address, array.nbytes, 2)
        return array

    def __del__(self):
        _cuda.cudaFree(self.address)


class _Lent:
    """Somebody else's matrix of float32, or any of 4-byte numbers, in device memory: it stays as long as this does."""

    def __init__(self, array, code=KDL_FLOAT):
        self.capsule = array.__dlpack__(stream=1)  # what has been enqueued comes before the default stream
        tensor = _Tensor.from_address(_pointer(self.capsule, b"dltensor"))
        self.shape = tuple(tensor.shape[:tensor.ndim])
        strides = list(tensor.strides[:tensor.ndim]) if tensor.strides else [*self.shape[1:], 1]
        if len(self.shape) != 2 or tensor.device_type != KDL_CUDA or (tensor.code, tensor.bits) != (code, 32) or \
                0 not in self.shape and strides != [self.shape[1], 1]:
            raise TypeError("not a matrix of float32 without gaps on a CUDA device")
        self.address = P((tensor.data or 0) + tensor.offset)


def _on_device(array):
    if not hasattr(array, "__array_interface__"):
        if not hasattr(array, "__dlpack__"):
            raise TypeError(f"{type(array).__name__} is neither numpy's nor has DLPack")
        return _Lent(array)
    if array.ndim != 2 or array.dtype != "float32":
        raise TypeError(f"not a matrix of float32, but {array.ndim} dimensions of {array.dtype}")
    return _Copy(array.shape, array if array.flags["C_CONTIGUOUS"] else array.copy(order="C"))


class Points:
    """Points that are searched many times. They stay on the device, and must not change, until `close`."""

    def __init__(self, points, stream=0):
        self.handle, self.points = P(), _on_device(points)
        _call("knn_prepare", self.points.address, *self.points.shape, stream, ctypes.byref(self.handle))

    def search(self, queries, k, stream=0):
        """The k nearest points of each query: (squared distances, row numbers), in ascending order of both. Queries
        of numpy: waits for the results. Else enqueues the search on `stream`, a cudaStream_t as an integer, on
        which the queries must be ready, and stay as they are until it has run."""
        if not self.handle:
            raise ValueError("these points are closed")
        x = _on_device(queries)
        if x.shape[1] != self.points.shape[1]:
            raise ValueError(f"queries have {x.shape[1]} coordinates, the points {self.points.shape[1]}")
        kind, shape = sys.modules[type(queries).__module__.split(".")[0]], (x.shape[0], max(0, k))
        where = {"device": queries.device} if kind.__name__ == "torch" else {}
        results = [kind.empty(shape, dtype=dtype, **where) for dtype in (kind.float32, kind.int32)]
        ours = isinstance(x, _Copy)
        distance, index = (_Copy(shape) if ours else _Lent(one, code) for one, code in zip(results, (KDL_FLOAT, 0)))
        _call("knn_search", self.handle, x.address, x.shape[0], k, index.address, distance.address, stream)
        if ours:
            _runtime("cudaStreamSynchronize", stream)
            distance.into(results[0]), index.into(results[1])
        return tuple(results)

    def close(self):
        handle, self.handle = getattr(self, "handle", None), None
        if handle:
            _knn.knn_free(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    __del__ = close
