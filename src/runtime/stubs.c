/* Names of the runtime API that are not implemented exist as functions that say so once and answer
 * cudaErrorNotSupported. Weak: a definition anywhere else in this folder takes the place of one here. */
#include <stdatomic.h>
#include <stdio.h>

#include "runtime/runtime.h"

enum stub {
#define STUB(name) STUB_##name,
#include "runtime/stubs.def"
#undef STUB
    STUBS
};

static atomic_bool told[STUBS];

static cudaError_t refuse(enum stub stub, const char *name)
{
    if (!atomic_exchange(&told[stub], true))
        fprintf(stderr, "subcore: %s is not supported\n", name);
    return runtime_done(cudaErrorNotSupported);
}

/* The arguments are of no interest, and this file must not see prototypes. */
#define STUB(name)                                                                                                     \
    __attribute__((visibility("default"), weak)) cudaError_t name(void);                                               \
    cudaError_t name(void) { return refuse(STUB_##name, #name); }
#include "runtime/stubs.def"
#undef STUB
