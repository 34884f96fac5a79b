/* What tests of the machine share. */
#pragma once

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <sys/resource.h>

#include "base/heap.h"
#include "sim_case.h"

#define FAULT(what) "cudasim: " what " in kernel k: "
#define FIRST       "thread (0,0,0) of block (0,0,0): "
#define LOC(line)   ".loc 1 " #line " 0\n"
