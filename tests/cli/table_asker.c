/* Stands for a library with NVIDIA's runtime inside: it asks for a table of functions that no document describes. */
#include "driver/abi/api_device.h"

int ask(void);

__attribute__((visibility("default"))) int ask(void)
{
    static const CUuuid any = {{1, 2, 3}};
    const void *table = &any;
    CUresult result = cuGetExportTable(&table, &any);
    return table ? -1 : (int)result;
}
