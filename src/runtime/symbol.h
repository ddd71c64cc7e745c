/* Device variables by their host twins. */
#ifndef SUBCORE_RUNTIME_SYMBOL_H
#define SUBCORE_RUNTIME_SYMBOL_H

#include <stdbool.h>

#include "runtime/abi/error.h"
#include "runtime/abi/memory.h"

/* Where `count` bytes at `offset` in a variable are, for a copy of this kind to or from it: cudaErrorInvalidSymbol,
 * cudaErrorInvalidValue outside the variable, cudaErrorInvalidMemcpyDirection. Needs a context. */
cudaError_t symbol_part(const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, bool to,
                        void **address);

#endif
