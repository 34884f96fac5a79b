"""Exact nearest neighbours on a GPU: build/step08/libknn.so (step08_knn/library/knn_prepared.h) for Python.

    points = knn.Points(data)                  # n x d, float32: made ready once
    distance, index = points.search(x, 10)     # m x d: squared distances and rows of `data`, both m x 10

What numpy holds is copied to the device, and the results are numpy's. What is on the device already, a tensor of
PyTorch or an array of CuPy or of anything else with DLPack, is used where it lies, and the results are of the same
kind, without a copy. `make build/step08/libknn.so` makes the library; KNN_LIBRARY names another one.
"""
import ctypes
import os
import sys

KNN_OK, KNN_ARGUMENT, KNN_MEMORY, KNN_CUDA = range(4)
KDL_CPU, KDL_CUDA = 1, 2
INT, FLOAT = 0, 2  # DLPack's codes of types


class Error(Exception):
    """A search or a preparation that failed: `code` is the library's, the text says why."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class _Tensor(ctypes.Structure):
    """dlpack.h: DLManagedTensor, and the DLTensor that it begins with."""


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Tensor))
_Tensor._fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                    ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                    ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                    ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
                    ("context", ctypes.c_void_p), ("deleter", _DELETER)]


def _python(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new = _python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR)
_get = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_rename = _python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer_of = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_lent = {}  # address of a managed tensor -> it, what it says, and whose memory that is, until the deleter is called


@_DELETER
def _give_back(tensor):
    _lent.pop(ctypes.addressof(tensor.contents), None)


@_DESTRUCTOR
def _unused(capsule):
    """A capsule that nobody has consumed."""
    if _is_valid(capsule, b"dltensor"):
        _lent.pop(_pointer_of(capsule, b"dltensor"), None)


class _Library:
    def __init__(self):
        here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        path = os.environ.get("KNN_LIBRARY") or os.path.join(here, "build", "step08", "libknn.so")
        try:
            self.knn = ctypes.CDLL(path)
        except OSError as error:
            raise ImportError(f"{error} (make build/step08/libknn.so makes it; KNN_LIBRARY names another)") from None
        self.cuda = ctypes.CDLL("libcudart.so.13")  # the one that the library has brought
        self.knn.knn_error.restype = self.cuda.cudaGetErrorString.restype = ctypes.c_char_p
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self.knn.knn_prepare.argtypes = [pointer, number, number, pointer, ctypes.POINTER(pointer)]
        self.knn.knn_search.argtypes = [pointer, pointer, number, number, pointer, pointer, pointer]
        self.knn.knn_free.argtypes = self.cuda.cudaFree.argtypes = [pointer]
        self.cuda.cudaMalloc.argtypes = [ctypes.POINTER(pointer), ctypes.c_size_t]
        self.cuda.cudaMemcpy.argtypes = [pointer, pointer, ctypes.c_size_t, number]
        self.cuda.cudaStreamSynchronize.argtypes = [pointer]

    def call(self, name, *arguments):
        status = getattr(self.knn, name)(*arguments)
        if status != KNN_OK:
            raise Error(status, self.knn.knn_error().decode())

    def runtime(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            raise Error(KNN_CUDA, f"{name}: {self.cuda.cudaGetErrorString(status).decode()}")


_library = _Library()


class DeviceArray:
    """A matrix of float32 or int32 in device memory, without gaps, which anything with DLPack takes."""

    def __init__(self, shape, code=FLOAT, device=0):
        self.shape, self.code, self.device, self.owner = tuple(shape), code, device, None
        address = ctypes.c_void_p()
        _library.runtime("cudaMalloc", ctypes.byref(address), max(4, self.nbytes))
        self.address = address.value
        self.free = _library.cuda.cudaFree

    @property
    def nbytes(self):
        return 4 * self.shape[0] * self.shape[1]

    @classmethod
    def of(cls, array):
        """The matrix that `array` is: copied to the device where it is numpy's, else where it lies."""
        if hasattr(array, "__array_interface__") and not hasattr(array, "__cuda_array_interface__"):
            return cls._copied(array)
        if not hasattr(array, "__dlpack__"):
            raise TypeError(f"{type(array).__name__} is neither numpy's nor has DLPack")
        kind, device = array.__dlpack_device__()
        if kind != KDL_CUDA:
            raise TypeError(f"{type(array).__name__} is not on a CUDA device; numpy() makes an array of it")
        capsule = array.__dlpack__(stream=1)  # what has been enqueued comes before the default stream
        tensor = _Tensor.from_address(_get(capsule, b"dltensor"))
        shape = tuple(tensor.shape[:tensor.ndim])
        strides = list(tensor.strides[:tensor.ndim]) if tensor.strides else [*shape[1:], 1]
        if len(shape) != 2 or strides != [shape[1], 1] or (tensor.code, tensor.bits, tensor.lanes) != (FLOAT, 32, 1):
            raise TypeError("not a matrix of float32 without gaps")
        _rename(capsule, b"used_dltensor")
        self = cls.__new__(cls)
        self.shape, self.code, self.device, self.free = shape, FLOAT, device, None
        self.address, self.owner = (tensor.data or 0) + tensor.offset, array
        if tensor.deleter:
            self.free = lambda _: tensor.deleter(ctypes.byref(tensor))
        return self

    @classmethod
    def _copied(cls, array):
        if array.ndim != 2 or array.dtype != "float32":
            raise TypeError(f"not a matrix of float32, but {array.ndim} dimensions of {array.dtype}")
        array = array if array.flags["C_CONTIGUOUS"] else array.copy(order="C")
        self = cls(array.shape)
        _library.runtime("cudaMemcpy", self.address, array.ctypes.data, self.nbytes, 1)
        return self

    def numpy(self):
        import numpy
        array = numpy.empty(self.shape, numpy.float32 if self.code == FLOAT else numpy.int32)
        _library.runtime("cudaMemcpy", array.ctypes.data, self.address, self.nbytes, 2)
        return array

    def __dlpack_device__(self):
        return KDL_CUDA, self.device

    def __dlpack__(self, stream=None, **_):
        shape = (ctypes.c_int64 * 2)(*self.shape)
        tensor = _Tensor(self.address, KDL_CUDA, self.device, 2, self.code, 32, 1, shape, None, 0, None, _give_back)
        _lent[ctypes.addressof(tensor)] = tensor, shape, self
        return _new(ctypes.addressof(tensor), b"dltensor", _unused)

    def __del__(self):
        if getattr(self, "free", None):
            self.free(self.address)


def from_dlpack(array):
    """Results for queries that were DeviceArrays themselves."""
    return array


class Points:
    """Points that are searched many times. They stay on the device, and must not change, until `close`."""

    def __init__(self, points, stream=0):
        self.handle = ctypes.c_void_p()
        self.points = DeviceArray.of(points)
        _library.call("knn_prepare", self.points.address, *self.points.shape, stream, ctypes.byref(self.handle))

    def search(self, queries, k, stream=0):
        """The k nearest points of each query: (squared distances, row numbers), in ascending order of both. Queries
        of numpy: waits for the results. Else enqueues the search on `stream`, a cudaStream_t as an integer; the
        queries must stay as they are until it has run."""
        if not self.handle:
            raise ValueError("these points are closed")
        x = DeviceArray.of(queries)
        if x.shape[1] != self.points.shape[1]:
            raise ValueError(f"queries have {x.shape[1]} coordinates, the points {self.points.shape[1]}")
        results = DeviceArray((x.shape[0], k), FLOAT, x.device), DeviceArray((x.shape[0], k), INT, x.device)
        _library.call("knn_search", self.handle, x.address, x.shape[0], k, results[1].address, results[0].address,
                      stream)
        if x.owner is None:
            _library.runtime("cudaStreamSynchronize", stream)
            return tuple(one.numpy() for one in results)
        module = sys.modules[type(queries).__module__.split(".")[0]]
        return tuple(module.from_dlpack(one) for one in results)

    def close(self):
        handle, self.handle = getattr(self, "handle", None), None
        if handle:
            _library.knn.knn_free(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    __del__ = close
