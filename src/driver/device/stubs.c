/* Every name of the driver API exists, as a weak symbol for a function that says once that it is not implemented, and
 * answers CUDA_ERROR_NOT_SUPPORTED. A definition anywhere else in this folder takes its place. */
#include "driver/state/call.h"
#include "driver/state/entries.h"
#include "driver/state/logs.h"
#include "driver/state/say.h"

static CUresult refuse(enum entry entry)
{
    struct call call;
    const char *name = entries[entry].symbol;
    call_begin(&call, name, CALL_ANY);
    uint32_t *word = &call.driver->refused[entry / 32];
    uint32_t bit = UINT32_C(1) << entry % 32;
    if (*word & bit)
        logs_note("%s is not supported", name);
    else
        say("%s is not supported", name);
    *word |= bit;
    return call_end(&call, CUDA_ERROR_NOT_SUPPORTED);
}

/* The arguments are of no interest, and this file must not see the prototypes. */
#define ENTRY(symbol, name, since, twin)                                                                               \
    static CUresult refuse_##symbol(void) { return refuse(ENTRY_##symbol); }                                           \
    __attribute__((visibility("default"), weak, alias("refuse_" #symbol))) CUresult symbol(void);
#include "driver/state/entries.def"
#undef ENTRY

#define ENTRY(symbol, name, since, twin) {#symbol, #name, symbol, refuse_##symbol, since, twin},
const struct entry_row entries[ENTRIES] = {
#include "driver/state/entries.def"
};
#undef ENTRY
