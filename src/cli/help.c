#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/version.h"
#include "validate/wrap.h"

enum { INDENT = 30 };

static void print_option(const struct cli_option_info *info)
{
    char left[64], letter[8] = "    ";
    if (info->letter)
        snprintf(letter, sizeof letter, "-%c, ", info->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, info->name, info->value[0] ? " " : "", info->value);
    printf("%-*s", INDENT - 1, left);
    putchar(' ');
    wrap_text(info->text, INDENT, stdout);
}

void help_command(const struct command *command)
{
    const char *space = command->operands[0] ? " " : "", *options = command->options ? " [OPTION]..." : "";
    bool first = (command->options & CLI_OPTIONS_FIRST) != 0;
    printf("usage: subcore %s%s%s%s%s\n\n%c%s.\n", command->name, first ? options : "", space, command->operands,
           first ? "" : options, toupper((unsigned char)command->summary[0]), command->summary + 1);
    if (command->options)
        printf("\nOptions\n");
    for (unsigned i = 0; i < CLI_OPTION_COUNT; i++)
        if (command->options >> i & 1)
            print_option(cli_option_info((enum cli_option)i));
    if (command->text)
        printf("\n%s", command->text);
}

void help_overview(void)
{
    printf("Subcore " CLI_VERSION ", a cycle-level simulator of NVIDIA GPUs: runs real machine code and shows where\n"
           "every cycle goes, on a machine that has no GPU.\n\nusage: subcore COMMAND [OPTION]...\n\nCommands\n");
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        printf("  %-11s %s\n", command->name, command->summary);
    printf("\nFirst steps\n"
           "  subcore demo                      simulate a matrix product and explain it\n"
           "  subcore demo --list               the other demos\n"
           "  subcore demo sgemm-tiled -g a100  another kernel on another GPU\n"
           "  subcore help run                  your own kernels\n"
           "\nExit status: 0 all is well; 1 the simulated program failed (a fault, a wrong result, a deadlock), a row\n"
           "of experiment, measure or validate is not within its tolerance (rows that are known to be open count\n"
           "with --strict only), or config --diff found differences; 2 wrong usage or unusable input; 3\n"
           "--check-hazards or --check found something; 130 interrupted.\n");
}

static bool run(const struct cli_options *options, struct status *status)
{
    if (options->operands.count == 0) {
        help_overview();
        return true;
    }
    const struct command *command = command_find(options->operands.items[0], status);
    if (command)
        help_command(command);
    return command != NULL;
}

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "explain a command",
    .operands_max = 1,
    .run = run,
};
