/* Names that the headers document and that are not implemented exist as functions that say so once and answer
 * CUFFT_NOT_SUPPORTED. Weak: a definition anywhere else in this folder takes the place of one here. */
#include <stdatomic.h>
#include <stdio.h>

#include "fft/fft.h"

enum stub {
#define STUB(name) STUB_##name,
#include "fft/names.def"
#undef STUB
    STUBS
};

static const char *const names[] = {
#define STUB(name) #name,
#include "fft/names.def"
#undef STUB
};

static atomic_bool told[STUBS];

static cufftResult refuse(enum stub stub, const char *what)
{
    if (!atomic_exchange(&told[stub], true))
        fprintf(stderr, "subcore: %s is not supported%s%s by the simulator's own cuFFT\n", names[stub],
                what ? " for " : "", what ? what : "");
    return CUFFT_NOT_SUPPORTED;
}

cufftResult fft_refuse(const char *function, const char *what)
{
    for (enum stub i = 0; i < STUBS; i++) {
        const char *a = names[i], *b = function;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return refuse(i, what);
    }
    return CUFFT_NOT_SUPPORTED;
}

/* The arguments are of no interest, and these functions must not see prototypes. */
#define STUB(name)                                                                                                     \
    __attribute__((visibility("default"), weak)) cufftResult name(void);                                               \
    cufftResult name(void) { return refuse(STUB_##name, NULL); }
#include "fft/names.def"
#undef STUB
