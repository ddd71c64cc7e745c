/* Files of arbitrary bytes are read as cubins, fatbins and host programs. */
#include "tests/fuzz/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exercise(data, size);
    return 0;
}
