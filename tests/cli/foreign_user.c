/* Stands for a library of such a package: its DT_RPATH leads to the runtime and the libcupti.so.13 beside it. */
#include <stdint.h>

int cudaRuntimeGetVersion(int *version);
int cuptiGetVersion(uint32_t *version);
int runtime_version(void);
int cupti(void);

__attribute__((visibility("default"))) int runtime_version(void)
{
    int version = 0;
    return cudaRuntimeGetVersion(&version) == 0 ? version : -1;
}

__attribute__((visibility("default"))) int cupti(void)
{
    uint32_t version = 0;
    return cuptiGetVersion(&version);
}
