/* --bound: a command again in worse and worse company, and the cycles in the worst of it. */
#ifndef SUBCORE_CLI_BOUND_H
#define SUBCORE_CLI_BOUND_H

#include "cli/command.h"

bool bound_wanted(const struct command *command, const struct cli_options *options);
bool bound_run(const struct command *command, const struct cli_options *options, struct status *status);

#endif
