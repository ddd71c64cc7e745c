#include "driver/device/commands.h"

#include "driver/launch/kernel_execute.h"
#include "driver/memory/copy.h"
#include "driver/memory/pool.h"
#include "driver/stream/value.h"

/* A new kind of command is a row here, and its data in driver/queue/command.h. */
const struct command_handler command_handlers[COMMAND_KINDS] = {
    [COMMAND_KERNEL] = {.execute = kernel_execute, .overlaps = kernel_overlaps, .run = kernels_run},
    [COMMAND_COPY] = {.execute = copy_execute},
    [COMMAND_SET] = {.execute = set_execute},
    [COMMAND_WRITE_VALUE] = {.execute = value_write, .locked = true},
    [COMMAND_WAIT_VALUE] = {.ready = value_ready},
    [COMMAND_FREE] = {.execute = pool_free_execute, .locked = true},
};
