#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "cli/compare/bound.h"
#include "cli/compare/many_gpus.h"
#include "cli/compare/range.h"
#include "cli/fidelity.h"

enum { EXIT_PROGRAM_FAILED = 1, EXIT_BAD_INPUT = 2, EXIT_HAZARDS = 3, EXIT_INTERRUPTED = 130 };

const struct command *command_at(size_t index)
{
    static const struct command *const commands[] = {
        &command_run,     &command_exec,  &command_record,     &command_demo,     &command_replay, &command_report,
        &command_compare, &command_trace, &command_experiment, &command_asm,      &command_disasm, &command_isa,
        &command_study,   &command_sweep, &command_measure,    &command_validate, &command_area,   &command_gpus,
        &command_config,  &command_help,  &command_version,
    };
    return index < sizeof commands / sizeof commands[0] ? commands[index] : NULL;
}

const struct command *command_find(const char *name, struct status *status)
{
    struct suggest suggest = suggest_begin(name);
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strcmp(command->name, name) == 0)
            return command;
        suggest_try(&suggest, command->name);
    }
    const char *best = suggest_best(&suggest);
    status_fail(status, STATUS_USAGE, "there is no command '%.100s'%s%s%s; see 'subcore help'", name,
                best ? ", did you mean " : "", best ? best : "", best ? "?" : "");
    return NULL;
}

static int exit_code(enum status_code code)
{
    switch (code) {
    case STATUS_OK: return 0;
    case STATUS_FAULT:
    case STATUS_DEADLOCK:
    case STATUS_CHECK:
    case STATUS_DIFFERENT: return EXIT_PROGRAM_FAILED;
    case STATUS_INTERRUPTED: return EXIT_INTERRUPTED;
    case STATUS_HAZARD: return EXIT_HAZARDS;
    case STATUS_USAGE:
    case STATUS_IO:
    case STATUS_FORMAT:
    case STATUS_CONFIG:
    case STATUS_MEMORY:
    case STATUS_UNSUPPORTED: break;
    }
    return EXIT_BAD_INPUT;
}

/* Of a command that runs another program only the first word is asked: the others may be that program's. */
static bool wants_help(const struct command *command, int argc, char **argv)
{
    if (command && (command->options & CLI_OPTIONS_FIRST) && argc > 1)
        argc = 1;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static bool check_operands(const struct command *command, size_t count, struct status *status)
{
    if (count < command->operands_min)
        return status_fail(status, STATUS_USAGE, "%s needs %s; see 'subcore help %s'", command->name, command->operands,
                           command->name);
    if (count > command->operands_max)
        return status_fail(status, STATUS_USAGE, "%s takes %s%s, not %zu words; see 'subcore help %s'", command->name,
                           command->operands_max ? "only " : "no operands",
                           command->operands_max ? command->operands : "", count, command->name);
    return true;
}

/* Checks the files of the command line before anything else: the user mends a missing file first, and a long run must
 * not end at a file that cannot be written. */
static bool check_files(const struct command *command, const struct cli_options *options, struct status *status)
{
    const char *const inputs[] = {
        command->file && command->file <= options->operands.count ? options->operands.items[command->file - 1] : NULL,
        options->hex,
        options->code,
        options->words,
        options->resume,
        options->baseline,
        options->schedule};
    const char *const outputs[] = {options->json,     options->csv,    options->html,
                                   options->perfetto, options->kanata, options->schedule_out};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof inputs / sizeof *inputs; i++)
        ok = !inputs[i] || file_input_check(inputs[i], status);
    for (size_t i = 0; ok && i < options->against.count; i++)
        ok = file_input_check(options->against.items[i], status);
    for (size_t i = 0; ok && i < sizeof outputs / sizeof *outputs; i++)
        ok = !outputs[i] || file_output_check(outputs[i], status);
    return ok;
}

static bool dispatch(const struct command *command, const struct cli_options *options, int *exit_status,
                     struct status *status)
{
    return bound_wanted(command, options)       ? bound_run(command, options, status)
           : range_wanted(command, options)     ? range_run(command, options, status)
           : many_gpus_wanted(command, options) ? many_gpus_run(command, options, exit_status, status)
           : command->run_other                 ? command->run_other(options, exit_status, status)
                                                : command->run(options, status);
}

static bool run_with_options(const struct command *command, int argc, char **argv, int *exit_status,
                             struct status *status)
{
    struct cli_options options;
    bool ok = cli_options_parse(&options, command->name, command->options, argc, argv, status);
    if (ok && options.help)
        help_command(command);
    else if (ok && check_operands(command, options.operands.count, status) && check_files(command, &options, status) &&
             fidelity_settle(command->name, &options, status))
        ok = dispatch(command, &options, exit_status, status);
    cli_options_free(&options);
    return ok;
}

static bool run_command(int argc, char **argv, int *exit_status, struct status *status)
{
    const char *name = argc > 0 ? argv[0] : "help";
    if (argc == 0 || name[0] == '-') {
        if (argc > 0 && strcmp(name, "--version") == 0)
            return command_version.run(NULL, status);
        if (argc > 0 && !wants_help(NULL, argc, argv))
            return status_fail(status, STATUS_USAGE, "expected a command before '%.100s'; see 'subcore help'", name);
        help_overview();
        return true;
    }
    const struct command *command = command_find(name, status);
    if (!command)
        return false;
    if (wants_help(command, argc - 1, argv + 1)) {
        help_command(command);
        return true;
    }
    return run_with_options(command, argc - 1, argv + 1, exit_status, status);
}

int command_main(int argc, char **argv)
{
    struct status status = {0};
    int exit_status = 0;
    run_command(argc, argv, &exit_status, &status);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        status_fail(&status, STATUS_IO, "standard output: %s", errno ? strerror(errno) : "it cannot be written");
    if (status.text[0])
        fprintf(stderr, "subcore: %s\n", status.text);
    return exit_status != 0 ? exit_status : exit_code(status.code);
}
