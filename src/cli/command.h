/* A command of `subcore`: its help, and its function. */
#ifndef SUBCORE_CLI_COMMAND_H
#define SUBCORE_CLI_COMMAND_H

#include "cli/options.h"

struct command {
    const char *name;
    const char *operands; /* as the usage line shows them */
    const char *summary;
    const char *text; /* the rest of its help, or NULL */
    cli_set options;  /* CLI_BITs; --help is always understood */
    size_t operands_min, operands_max;
    size_t file; /* number of the operand that is a file to read, from 1 (0: none is) */
    bool (*run)(const struct cli_options *options, struct status *status);
    /* In its place, of a command that ends as another program did: that program's exit status, if it was run. */
    bool (*run_other)(const struct cli_options *options, int *exit_status, struct status *status);
};

extern const struct command command_run, command_exec, command_demo, command_experiment, command_asm, command_disasm,
    command_isa, command_gpus, command_study, command_sweep, command_measure, command_area, command_config,
    command_help, command_record, command_replay, command_report, command_compare, command_trace, command_validate,
    command_version;

/* In the order of the help; NULL past the end. */
const struct command *command_at(size_t index);
/* NULL with a status that suggests. */
const struct command *command_find(const char *name, struct status *status);

/* Runs `subcore ARGV...` (without the program's name), prints an error, and returns the exit code. */
int command_main(int argc, char **argv);

void help_overview(void);
void help_command(const struct command *command);

#endif
