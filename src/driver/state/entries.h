/* The names that the library exports, as a table. */
#ifndef SUBCORE_DRIVER_ENTRIES_H
#define SUBCORE_DRIVER_ENTRIES_H

#include <stdbool.h>

#include "driver/abi/result.h"

#define ENTRY(symbol, name, since, twin) ENTRY_##symbol,
enum entry {
#include "driver/state/entries.def"
    ENTRIES
};
#undef ENTRY

typedef CUresult (*entry_function)(void); /* stands for a function of any parameters */

struct entry_row {
    const char *symbol;      /* as exported: cuMemcpy2D_v2_ptds */
    const char *name;        /* as cuGetProcAddress takes it: cuMemcpy2D */
    entry_function function; /* the function of the symbol */
    entry_function refusal;  /* the same when it is not implemented */
    int since;               /* CUDA version of this form */
    bool twin;               /* its NULL stream is that of the thread */
};

/* In the order of entries.def. */
extern const struct entry_row entries[ENTRIES];

#endif
