/* Names that the headers document and that are not implemented exist as functions that say so once and answer
 * ncclInvalidUsage. Weak: a definition anywhere else in this folder takes the place of one here. */
#include <stdatomic.h>
#include <stdio.h>

#include "nccl/nccl.h"

enum stub {
#define STUB(name) STUB_##name,
#include "nccl/names.def"
#undef STUB
    STUBS
};

static const char *const names[] = {
#define STUB(name) #name,
#include "nccl/names.def"
#undef STUB
};

static atomic_bool told[STUBS];

static ncclResult_t refuse(enum stub stub, const char *what)
{
    if (!atomic_exchange(&told[stub], true))
        fprintf(stderr, "subcore: %s is not supported%s%s by the simulator's own NCCL\n", names[stub],
                what ? " for " : "", what ? what : "");
    return ncclInvalidUsage;
}

ncclResult_t nccl_refuse(const char *function, const char *what)
{
    for (enum stub i = 0; i < STUBS; i++) {
        const char *a = names[i], *b = function;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return refuse(i, what);
    }
    return ncclInvalidUsage;
}

/* The arguments are of no interest, and these functions must not see prototypes. */
#define STUB(name)                                                                                                     \
    __attribute__((visibility("default"), weak)) ncclResult_t name(void);                                              \
    ncclResult_t name(void) { return refuse(STUB_##name, NULL); }
#include "nccl/names.def"
#undef STUB
