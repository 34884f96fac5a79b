/* Errors that the program never asks for (cuda/unchecked.c). */
#pragma once

#include "cuda/runtime.h"

/* This thread's call has failed; NULL stands for a launch by <<<>>>, whose return value is lost. */
void unchecked_note(const char *call, cudaError_t error);

/* Why this thread's call will fail, and the kernel that it launches (or NULL): for the message. */
void unchecked_because(const char *kernel, const char *why);

/* cudaGetLastError or cudaPeekAtLastError has returned the thread's errors to it. */
void unchecked_asked(void);

/* At the end of a process that would end with `status`: each that is left is a finding. */
void unchecked_end(int status);
