#include "driver/queue/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "driver/queue/mark.h"

static bool bytes_copy(uint8_t **bytes, size_t count)
{
    if (*bytes == NULL)
        return true;
    uint8_t *copy = malloc(count ? count : 1);
    if (copy != NULL)
        memcpy(copy, *bytes, count);
    *bytes = copy;
    return copy != NULL;
}

bool command_copy(struct command *to, const struct command *from)
{
    assert(from->kind != COMMAND_CALL); /* its data is released once */
    *to = *from;
    switch (from->kind) {
    case COMMAND_KERNEL: return bytes_copy(&to->kernel.parameters, to->kernel.parameter_bytes);
    case COMMAND_COPY: return bytes_copy(&to->copy.staged, to->copy.width * to->copy.height * to->copy.depth);
    case COMMAND_RECORD:
    case COMMAND_WAIT: mark_hold(to->event.mark); return true;
    default: return true;
    }
}

void command_clear(struct command *command)
{
    switch (command->kind) {
    case COMMAND_KERNEL: free(command->kernel.parameters); break;
    case COMMAND_COPY: free(command->copy.staged); break;
    case COMMAND_RECORD:
    case COMMAND_WAIT: mark_release(command->event.mark); break;
    case COMMAND_CALL:
        if (command->call.release != NULL)
            command->call.release(command->call.data);
        break;
    default: break;
    }
    *command = (struct command){.kind = COMMAND_EMPTY};
}
