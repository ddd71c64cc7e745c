/* Writes traces: the work of `run`, `demo` and `exec`, executed only and recorded. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/demo.h"

static const char text[] =
    "A trace holds each instruction that each warp executed, with its threads and addresses, and the\n"
    "kernels' code: 'subcore replay' times it for any GPU that runs this code, without executing it again.\n"
    "It is recorded from execution without time; no GPU is needed.\n"
    "\n"
    "FILE is a cubin, fatbin or program whose kernel is launched once, with the options that 'subcore run'\n"
    "takes; 'demo' and the name of a demo; or, behind --, a CUDA program with its own words, as 'subcore\n"
    "exec' runs it. Without --output the trace is called NAME.trace, in this folder. It appears when it is\n"
    "complete. Each process of a program has its own trace: FILE, FILE.2, FILE.3, ...\n"
    "\n"
    "Examples\n"
    "  subcore record saxpy.cubin --grid 64 --block 256 --arg f32:2 --arg 'f32[65536]=seed:1' \\\n"
    "      --arg 'f32[65536]=iota' --arg u32:65536\n"
    "  subcore record demo sgemm-tiled -o sgemm.trace\n"
    "  subcore record --only 'reduce*:0-2' -- ./app 1024\n";

/* "x/saxpy.cubin" gives "saxpy.trace". */
static bool name_after(const char *what, char *name, size_t size, struct status *status)
{
    const char *slash = strrchr(what, '/'), *base = slash ? slash + 1 : what;
    size_t length = strcspn(base, ".");
    if (length == 0)
        length = strlen(base);
    int n = snprintf(name, size, "%.*s.trace", (int)length, base);
    return (n > 0 && (size_t)n < size && length > 0) ||
           status_fail(status, STATUS_USAGE, "no name for the trace of '%.100s': give one with --output", what);
}

static bool only_of(const char *form, const struct cli_options *options, cli_set given, struct status *status)
{
    const struct {
        bool given;
        cli_set bit;
        const char *name;
    } some[] = {
        {options->kernel != NULL, CLI_BIT(KERNEL), "kernel"}, {options->grid[0] != 0, CLI_BIT(GRID), "grid"},
        {options->block[0] != 0, CLI_BIT(BLOCK), "block"},    {options->cluster[0] != 0, CLI_BIT(CLUSTER), "cluster"},
        {options->shared != 0, CLI_BIT(SHARED), "shared"},    {options->arg.count > 0, CLI_BIT(ARG), "arg"},
        {options->report != NULL, CLI_BIT(REPORT), "report"}, {options->timed, CLI_BIT(TIMED), "timed"},
    };
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        if (some[i].given && !(given & some[i].bit))
            return status_fail(status, STATUS_USAGE, "record of %s does not take --%s", form, some[i].name);
    return true;
}

/* The first operand has been understood. */
static void drop_first(struct cli_options *options)
{
    options->operands.count--;
    memmove(options->operands.items, options->operands.items + 1,
            options->operands.count * sizeof *options->operands.items);
}

static bool run_as(const struct command *command, const struct cli_options *options, int *exit_status,
                   struct status *status)
{
    return command->run ? command->run(options, status) : command->run_other(options, exit_status, status);
}

static bool record_demo(struct cli_options *options, int *exit_status, struct status *status)
{
    if (options->operands.count > 2)
        return status_fail(status, STATUS_USAGE,
                           "record demo takes the name of one demo; 'subcore demo --list' has them");
    drop_first(options);
    return only_of("a demo", options, CLI_BIT(TIMED), status) && run_as(&command_demo, options, exit_status, status);
}

static bool record_kernel(struct cli_options *options, int *exit_status, struct status *status)
{
    if (options->operands.count > 1)
        return status_fail(
            status, STATUS_USAGE,
            "record takes one file; a CUDA program with its words stands behind --: record -- %.100s ...",
            options->operands.items[0]);
    if (!file_input_check(options->operands.items[0], status))
        return false;
    if (options->grid[0] == 0 && options->block[0] == 0)
        return status_fail(status, STATUS_USAGE,
                           "%.100s: a kernel needs --grid and --block; to run it as a CUDA program: record -- %.100s",
                           options->operands.items[0], options->operands.items[0]);
    return only_of("a kernel", options, ~CLI_BIT(REPORT), status) && run_as(&command_run, options, exit_status, status);
}

static bool run(const struct cli_options *given, int *exit_status, struct status *status)
{
    struct cli_options options = *given;
    char name[PATH_MAX] = "";
    bool demo = !given->separated && strcmp(given->operands.items[0], "demo") == 0;
    const char *what = !demo                       ? given->operands.items[0]
                       : given->operands.count > 1 ? given->operands.items[1]
                                                   : demo_default;
    options.functional = !options.timed;
    options.record = given->output ? given->output : name;
    if (strcmp(options.record, "-") == 0)
        return status_fail(status, STATUS_USAGE, "a trace cannot be written to standard output: name a file");
    if (!given->output && !name_after(what, name, sizeof name, status))
        return false;
    if (demo)
        return record_demo(&options, exit_status, status);
    if (!given->separated)
        return record_kernel(&options, exit_status, status);
    return only_of("a CUDA program", &options, CLI_BIT(REPORT), status) &&
           run_as(&command_exec, &options, exit_status, status);
}

const struct command command_record = {
    .name = "record",
    .operands = "FILE | demo [NAME] | -- PROGRAM [WORD]...",
    .summary = "execute a kernel, a demo or a CUDA program, and write a trace of its launches",
    .text = text,
    .options = CLI_BIT(OUTPUT) | CLI_BIT(ONLY) | CLI_BIT(TIMED) | CLI_BIT(GPU) | CLI_BIT(SET) | CLI_BIT(KERNEL) |
               CLI_BIT(GRID) | CLI_BIT(BLOCK) | CLI_BIT(CLUSTER) | CLI_BIT(SHARED) | CLI_BIT(ARG) | CLI_BIT(REPORT) |
               CLI_BIT(QUIET) | CLI_BIT(JSON) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .run_other = run,
};
