/* --gpu with several names: a command runs once for each GPU. Runs that have a document of launches are compared with
 * the first; of others, such as measurements, the texts follow each other. */
#ifndef SUBCORE_CLI_MANY_GPUS_H
#define SUBCORE_CLI_MANY_GPUS_H

#include "cli/command.h"

/* Whether the options name several GPUs and the command is one that times. */
bool many_gpus_wanted(const struct command *command, const struct cli_options *options);

/* Runs the command for each of them. Of run, demo, replay and exec it prints the comparisons in place of the texts, and
 * --json and --html are those of all runs. The exit status is that of the first run that failed, if it is another
 * program's. */
bool many_gpus_run(const struct command *command, const struct cli_options *options, int *exit_status,
                   struct status *status);

#endif
