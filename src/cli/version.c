#include "cli/version.h"

#include <stdio.h>

#include "cli/command.h"

static bool run(const struct cli_options *options, struct status *status)
{
    (void)options;
    (void)status;
    puts("subcore " CLI_VERSION);
    return true;
}

const struct command command_version = {
    .name = "version",
    .operands = "",
    .summary = "print the version",
    .run = run,
};
