/* Every name of the driver API exists, as a weak symbol for a function that says once that it is not implemented, and
 * answers CUDA_ERROR_NOT_SUPPORTED. A definition anywhere else in this folder takes its place. */
#include <stdatomic.h>

#include "driver/driver.h"
#include "driver/entries.h"
#include "driver/say.h"

static CUresult refuse(enum entry entry)
{
    struct driver *driver = driver_get();
    atomic_uint *word = &driver->refused[entry / 32];
    unsigned bit = 1U << entry % 32;
    if ((atomic_fetch_or(word, bit) & bit) == 0)
        say("%s is not supported", entries[entry].symbol);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* The arguments are of no interest, and this file must not see the prototypes. */
#define ENTRY(symbol, name, since, twin)                                                                               \
    static CUresult refuse_##symbol(void) { return refuse(ENTRY_##symbol); }                                           \
    __attribute__((visibility("default"), weak, alias("refuse_" #symbol))) CUresult symbol(void);
#include "driver/entries.def"
#undef ENTRY

#define ENTRY(symbol, name, since, twin) {#symbol, #name, symbol, refuse_##symbol, since, twin},
const struct entry_row entries[ENTRIES] = {
#include "driver/entries.def"
};
#undef ENTRY
