/* Stands for NVIDIA's libcupti.so.13, which ends a program that runs without NVIDIA's driver. */
#include <stdint.h>
#include <stdlib.h>

int cuptiGetVersion(uint32_t *version);

__attribute__((visibility("default"))) int cuptiGetVersion(uint32_t *version)
{
    (void)version;
    abort();
}
