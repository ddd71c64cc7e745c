/* Names that the headers document and that are not implemented exist as functions that say so once and answer
 * CUDNN_STATUS_NOT_SUPPORTED. Weak: a definition anywhere else in this folder takes the place of one here. */
#include <stdatomic.h>
#include <stdio.h>

#include "dnn/dnn.h"

enum stub {
#define STUB(name) STUB_##name,
#include "dnn/names.def"
#undef STUB
    STUBS
};

static const char *const names[] = {
#define STUB(name) #name,
#include "dnn/names.def"
#undef STUB
};

static atomic_bool told[STUBS];

static cudnnStatus_t refuse(enum stub stub, const char *what)
{
    if (!atomic_exchange(&told[stub], true))
        fprintf(stderr, "subcore: %s is not supported%s%s by the simulator's own cuDNN\n", names[stub],
                what ? " for " : "", what ? what : "");
    return CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t dnn_refuse(const char *function, const char *what)
{
    for (enum stub i = 0; i < STUBS; i++) {
        const char *a = names[i], *b = function;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return refuse(i, what);
    }
    return CUDNN_STATUS_NOT_SUPPORTED;
}

/* The arguments are of no interest, and these functions must not see prototypes. */
#define STUB(name)                                                                                                     \
    __attribute__((visibility("default"), weak)) cudnnStatus_t name(void);                                             \
    cudnnStatus_t name(void) { return refuse(STUB_##name, NULL); }
#include "dnn/names.def"
#undef STUB
