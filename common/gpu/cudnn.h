/* cuDNN 9, loaded at run time like cuBLAS: its backend API, in which all is a descriptor with attributes. Descriptors
 * of operations make a graph, cuDNN's heuristics name ways to compute it (engines and their settings, "knobs"), and
 * each of these becomes a plan that can be executed. What descriptors, attributes and types are called, mean and count
 * as: cuDNN's documentation, cudnn_graph Library. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/* cudnnBackendDescriptorType_t. FORWARD and OF_ELEMENTS are operations: a convolution, and what is done to each
 * element; CONVOLUTION and POINTWISE say how. VARIANT_PACK: the addresses of a launch. */
enum { CUDNN_POINTWISE = 0, CUDNN_CONVOLUTION = 1, CUDNN_ENGINE = 2, CUDNN_ENGINECFG = 3, CUDNN_ENGINEHEUR = 4,
       CUDNN_PLAN = 5, CUDNN_KNOB_CHOICE = 7, CUDNN_KNOB_INFO = 8, CUDNN_FORWARD = 10, CUDNN_OF_ELEMENTS = 13,
       CUDNN_GRAPH = 15, CUDNN_VARIANT_PACK = 16, CUDNN_TENSOR = 17 };

/* cudnnBackendAttributeName_t */
enum { CUDNN_POINTWISE_MODE = 0, CUDNN_POINTWISE_PRECISION = 1,
       CUDNN_CONVOLUTION_COMPUTE = 100, CUDNN_CONVOLUTION_MODE = 101, CUDNN_CONVOLUTION_DILATIONS = 102,
       CUDNN_CONVOLUTION_STRIDES = 103, CUDNN_CONVOLUTION_POST_PADDINGS = 104, CUDNN_CONVOLUTION_PRE_PADDINGS = 105,
       CUDNN_CONVOLUTION_DIMENSIONS = 106,
       CUDNN_ENGINEHEUR_MODE = 200, CUDNN_ENGINEHEUR_GRAPH = 201, CUDNN_ENGINEHEUR_RESULTS = 202,
       CUDNN_ENGINECFG_ENGINE = 300, CUDNN_ENGINECFG_KNOBS = 302,
       CUDNN_PLAN_HANDLE = 400, CUDNN_PLAN_ENGINECFG = 401, CUDNN_PLAN_WORKSPACE = 402,
       CUDNN_KNOB_TYPE = 600, CUDNN_KNOB_VALUE = 601,
       CUDNN_FORWARD_ALPHA = 700, CUDNN_FORWARD_BETA = 701, CUDNN_FORWARD_CONVOLUTION = 702, CUDNN_FORWARD_W = 703,
       CUDNN_FORWARD_X = 704, CUDNN_FORWARD_Y = 705,
       CUDNN_OF_ELEMENTS_POINTWISE = 750, CUDNN_OF_ELEMENTS_X = 751, CUDNN_OF_ELEMENTS_B = 752,
       CUDNN_OF_ELEMENTS_Y = 753,
       CUDNN_GRAPH_HANDLE = 800, CUDNN_GRAPH_OPERATIONS = 801, CUDNN_GRAPH_ENGINES = 802,
       CUDNN_TENSOR_ALIGNMENT = 900, CUDNN_TENSOR_TYPE = 901, CUDNN_TENSOR_DIMENSIONS = 902, CUDNN_TENSOR_STRIDES = 903,
       CUDNN_TENSOR_ID = 906, CUDNN_TENSOR_VIRTUAL = 907,
       CUDNN_PACK_IDS = 1000, CUDNN_PACK_POINTERS = 1001, CUDNN_PACK_WORKSPACE = 1003,
       CUDNN_KNOB_INFO_TYPE = 1200, CUDNN_KNOB_INFO_MOST = 1201, CUDNN_KNOB_INFO_LEAST = 1202,
       CUDNN_KNOB_INFO_STEP = 1203,
       CUDNN_ENGINE_GRAPH = 1300, CUDNN_ENGINE_INDEX = 1301, CUDNN_ENGINE_KNOBS = 1302, CUDNN_ENGINE_NOTES = 1303 };

/* cudnnBackendAttributeType_t. All but HANDLE, INT64, POINTER, DESCRIPTOR (8 bytes) and BOOLEAN (1) take 4 bytes. */
enum { CUDNN_TYPE_HANDLE = 0, CUDNN_TYPE_DATA = 1, CUDNN_TYPE_BOOLEAN = 2, CUDNN_TYPE_INT64 = 3, CUDNN_TYPE_FLOAT = 4,
       CUDNN_TYPE_POINTER = 6, CUDNN_TYPE_CONVOLUTION_MODE = 7, CUDNN_TYPE_HEUR_MODE = 8, CUDNN_TYPE_KNOB = 9,
       CUDNN_TYPE_NOTE = 11, CUDNN_TYPE_POINTWISE_MODE = 14, CUDNN_TYPE_DESCRIPTOR = 15 };

/* cudnnDataType_t, cudnnConvolutionMode_t, cudnnPointwiseMode_t, cudnnBackendHeurMode_t */
enum { CUDNN_FLOAT = 0, CUDNN_HALF = 2, CUDNN_BFLOAT16 = 9, CUDNN_CROSS_CORRELATION = 1, CUDNN_ADD = 0 };
enum { CUDNN_HEUR_B = 1, CUDNN_HEUR_FALLBACK = 2, CUDNN_HEUR_A = 3 };

/* cudnnBackendNumericalNote_t: what an engine does. TENSOR_CORE: where operands are FP32, in TF32. */
enum { CUDNN_NOTE_TENSOR_CORE = 0, CUDNN_NOTE_DOWN_CONVERT = 1, CUDNN_NOTE_REDUCED_SUMS = 2, CUDNN_NOTE_FFT = 3,
       CUDNN_NOTE_WINOGRAD = 5, CUDNN_NOTE_WINOGRAD_LAST = 8 /* with tiles of three sizes between */ };
enum { CUDNN_NOTES = 32, CUDNN_KNOBS = 64 }; /* more than there are, of an engine */
/* clang-format on */

typedef void *cudnn_descriptor;

/* Loads cuDNN and creates a handle. Besides where the loader looks and the toolkit's folder, it is looked for beside
 * the Python that is called PYTHON in the environment, or else python3 (where PyTorch is, its package nvidia-cudnn is).
 * Does nothing if it is already open. Returns NULL, or the reason it is not available: "cuDNN is not installed (...)".
 */
const char *cudnn_open(void);

/* Releases what cudnn_open acquired; does nothing before it. Descriptors have to be destroyed before. */
void cudnn_close(void);

/* "9.19.0", or "" before cudnn_open. */
const char *cudnn_version(void);

/* Its handle, as an attribute. */
const void *cudnn_handle(void);

/* A descriptor; NULL where cuDNN refuses. To be given to cudnn_destroy, which takes NULL, too. */
cudnn_descriptor cudnn_create(int kind);
void cudnn_destroy(cudnn_descriptor d);

/* Whether `count` elements of an attribute are set; whether a descriptor with all its attributes means something. */
bool cudnn_set(cudnn_descriptor d, int attribute, int type, int64_t count, const void *elements);
bool cudnn_finalize(cudnn_descriptor d);

/* Fills in up to `room` elements of an attribute and returns how many there are; with no room only that. */
int cudnn_get(cudnn_descriptor d, int attribute, int type, int64_t room, void *elements);

/* Enqueues a plan. cudaErrorNotSupported if cuDNN fails without a CUDA error. */
cudaError_t cudnn_execute(cudnn_descriptor plan, cudnn_descriptor pack, cudaStream_t stream);
