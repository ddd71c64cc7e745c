/* The functions by which our Python package gets the results of launches in its own process
 * (python/subcore/simulation.py). They are Subcore's own, no part of CUDA, and may change together with the package. */
#ifndef SUBCORE_DRIVER_BLOCK_API_H
#define SUBCORE_DRIVER_BLOCK_API_H

#include <stdint.h>

#include "driver/abi/export.h"
#include "driver/abi/result.h"

/* Returns the simulated GPU, as SUBCORE_GPU names it. */
DRIVER_API const char *subcoreBlockGpu(void);

/* Begins a block (driver/state/blocks.h) and sets *block to its number. It needs no cuInit. With `choice` 0 launches
 * are timed or executed as the settings say, with 1 they are timed, with 2 they are only executed. `name` is that of
 * its range. CUDA_ERROR_INVALID_VALUE: another choice, or a NULL pointer. CUDA_ERROR_NOT_INITIALIZED: the process is a
 * child that was forked after cuInit. CUDA_ERROR_OUT_OF_MEMORY. */
DRIVER_API CUresult subcoreBlockBegin(int choice, const char *name, uint64_t *block);

/* Ends a block, waits as cuCtxSynchronize does, in all contexts, and sets *document to JSON. It has the arrays
 * `launches` and `kernels` of docs/json.md, in the order in which the launches ended. A launch that has failed is there
 * with its error, and does not change the answer. A child that was forked within the block, after cuInit, gets empty
 * arrays.
 * CUDA_ERROR_INVALID_VALUE: there is no such block, or a NULL pointer. CUDA_ERROR_NOT_PERMITTED: a host function of a
 * stream calls. CUDA_ERROR_OUT_OF_MEMORY: launches were lost. Unless the value is invalid the block is over. */
DRIVER_API CUresult subcoreBlockEnd(uint64_t block, char **document);

/* Frees a document. NULL is allowed. */
DRIVER_API void subcoreBlockFree(char *document);

#endif
