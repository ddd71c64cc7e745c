/* Names of cuSOLVER that the headers document and that are not implemented exist as functions that say so once and
 * answer CUSOLVER_STATUS_NOT_SUPPORTED. Weak: a definition anywhere else in this folder takes the place of one here. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "blas/solver.h"

enum stub {
#define STUB(name) STUB_##name,
#include "blas/solver_names.def"
#undef STUB
    STUBS
};

static const char *const names[] = {
#define STUB(name) #name,
#include "blas/solver_names.def"
#undef STUB
};

static atomic_bool told_of_solver[STUBS];

static cusolverStatus_t refuse(enum stub stub)
{
    if (!atomic_exchange(&told_of_solver[stub], true))
        fprintf(stderr, "subcore: %s is not supported by the simulator's own cuSOLVER\n", names[stub]);
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}

/* The arguments are of no interest, and these functions must not see prototypes. */
#define STUB(name)                                                                                                     \
    __attribute__((visibility("default"), weak)) cusolverStatus_t name(void);                                          \
    cusolverStatus_t name(void) { return refuse(STUB_##name); }
#include "blas/solver_names.def"
#undef STUB
