/* cuGetProcAddress: a function by its name without suffix, in the form of the CUDA version that the caller was built
 * with. A function that is not implemented is found too: callers then get its "not supported" and its name. */
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/state/call.h"
#include "driver/state/driver.h"
#include "driver/state/entries.h"

enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 }; /* bits of `flags` */

/* The first row of this name (ENTRIES: none). */
static size_t find_name(const char *name)
{
    size_t low = 0, high = ENTRIES;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ENTRIES && strcmp(entries[low].name, name) == 0 ? low : ENTRIES;
}

/* The newest row of the name that the version has, a twin of the thread's stream if one is wanted and there. */
static const struct entry_row *choose(size_t first, int version, bool twin)
{
    const struct entry_row *best = NULL;
    for (size_t i = first; i < ENTRIES && strcmp(entries[i].name, entries[first].name) == 0; ++i) {
        const struct entry_row *row = &entries[i];
        bool usable = row->since <= version && (twin || !row->twin);
        if (usable && (!best || row->twin > best->twin || row->since > best->since))
            best = row;
    }
    return best;
}

static CUresult look_up(const char *symbol, void **pfn, int version, cuuint64_t flags,
                        CUdriverProcAddressQueryResult *status)
{
    *pfn = NULL;
    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (version < 0 || version > DRIVER_CUDA_VERSION || flags > PER_THREAD_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    size_t first = find_name(symbol);
    if (first == ENTRIES)
        return CUDA_SUCCESS;
    const struct entry_row *row = choose(first, version, flags == PER_THREAD_STREAM);
    if (!row) {
        *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    } else {
        memcpy(pfn, &row->function, sizeof *pfn);
        *status = CU_GET_PROC_ADDRESS_SUCCESS;
    }
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus)
{
    CUdriverProcAddressQueryResult status;
    if (!symbol || !pfn)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = look_up(symbol, pfn, cudaVersion, flags, &status);
    if (symbolStatus)
        *symbolStatus = status;
    return result;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    CUdriverProcAddressQueryResult status;
    if (!symbol || !pfn)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = look_up(symbol, pfn, cudaVersion, flags, &status);
    return result == CUDA_SUCCESS && !*pfn ? CUDA_ERROR_NOT_FOUND : result;
}
