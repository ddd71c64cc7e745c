/* Arbitrary contents of a trace are replayed with time: the simulated time is bounded, so that an endless run is a
 * fault. libFuzzer changes one part at a time and leaves the others where they are. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "timed_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    timed_check(data, size);
    return 0;
}

#ifdef LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    unsigned i = seed % (TIMED_PARTS + 1);
    struct timed_parts parts = timed_split(data, size);
    if (size < 1 || i == TIMED_PARTS || most < size + 16 || parts.at[i] + parts.size[i] > size || parts.at[i] < 3)
        return LLVMFuzzerMutate(data, size, most);
    size_t end = parts.at[i] + parts.size[i], behind = size - end, room = parts.size[i] + (most - size);
    uint8_t *copy = malloc(room + 1);
    if (!copy)
        return size;
    memcpy(copy, data + parts.at[i], parts.size[i]);
    size_t now = LLVMFuzzerMutate(copy, parts.size[i], room < UINT16_MAX ? room : UINT16_MAX);
    memmove(data + parts.at[i] + now, data + end, behind);
    memcpy(data + parts.at[i], copy, now);
    data[parts.at[i] - 2] = (uint8_t)now;
    data[parts.at[i] - 1] = (uint8_t)(now >> 8);
    free(copy);
    return parts.at[i] + now + behind;
}
#endif
