/* Sets, when their turn comes. */
#include <string.h>

#include "driver/memory/copy.h"
#include "driver/memory/host_link.h"
#include "driver/memory/space.h"
#include "exec/memory/undefined.h"

static void fill(uint8_t *row, const struct set_command *s)
{
    if (s->bytes == 1) {
        memset(row, (int)(s->value & 0xff), s->width);
        return;
    }
    for (size_t i = 0; i < s->width; i++)
        memcpy(row + i * s->bytes, &s->value, s->bytes); /* the low bytes: hosts are little-endian */
}

CUresult set_execute(struct execution *execution)
{
    const struct set_command *s = &execution->command->set;
    size_t bytes = s->width * s->bytes;
    for (size_t y = 0; y < s->height; y++) {
        uint8_t *row = place_of(execution->driver, s->address + y * s->pitch, bytes);
        if (!row)
            return CUDA_ERROR_ILLEGAL_ADDRESS;
        fill(row, s);
        memory_define(driver_memory(execution->driver), s->address + y * s->pitch, bytes);
    }
    execution->cost = set_cost(execution->driver, (uint64_t)bytes * s->height);
    return CUDA_SUCCESS;
}
