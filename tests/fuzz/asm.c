/* Any bytes are assembled, or refused with a place and a reason. */
#include "tests/fuzz/asm_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    asm_check(data, size);
    return 0;
}
