/* The command line: options as a struct, filled from argv and checked against the command's options. */
#ifndef SUBCORE_CLI_OPTIONS_H
#define SUBCORE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/options.def"

enum cli_option {
#define X(id, name, letter, value, kind, field, text) CLI_##id,
    CLI_OPTIONS(X)
#undef X
        CLI_OPTION_COUNT
};

/* A set of options, a bit each. */
typedef unsigned __int128 cli_set;
#define CLI_BIT(id) ((cli_set)1 << CLI_##id)
/* Among CLI_BITs: all words from the first operand on are operands. */
#define CLI_OPTIONS_FIRST ((cli_set)1 << 127)

enum cli_kind {
    CLI_KIND_FLAG,
    CLI_KIND_TEXT,
    CLI_KIND_COUNT,
    CLI_KIND_POSITIVE,
    CLI_KIND_LARGE,
    CLI_KIND_DIM,
    CLI_KIND_LIST
};

struct cli_list {
    const char **items; /* texts are borrowed from argv */
    size_t count;
};

struct cli_options {
    const char *gpu, *kernel, *json, *csv, *hex, *arch, *output, *diff, *plot, *report, *record; /* NULL: not given */
    const char *html, *baseline, *perfetto, *kanata, *warps, *threshold, *schedule, *schedule_out;
    const char *fidelity, *error;
    const char *code, *until_stable_ipc, *kernels, *fast_forward, *save, *resume, *write, *words, *cubins, *beside;
    struct cli_list set, arg, out, detailed, nvtx, only, size, against, operands;
    uint32_t grid[3], block[3], cluster[3];   /* all 0 when not given */
    uint32_t shared, threads, row, sample;    /* 0 when not given */
    uint32_t repeat;                          /* launches; 0 when not given */
    uint32_t part, waves, rows;               /* of published kernels; 0 when not given */
    uint64_t until_cycles, until_insts, ctas; /* 0 when not given */
    const char *check;                        /* names of checks (NULL: nothing is checked) */
    uint32_t error_exitcode;                  /* 0 when not given */
    bool range, bound;                        /* runs with assumed values at their ends, and in bad company */
    bool pass_outside;                        /* accesses outside of allocations, in mapped pages */
    bool source;                              /* counters of each instruction */
    bool keep_going;                          /* past damage of a trace */
    bool separated;                           /* the operands stand behind -- */
    const char *to, *compress;                /* of traces that are converted (NULL: not given) */
    uint32_t binary_version, trace_version;   /* 0 when not given */
    bool no_code, timed;
    bool end;            /* the program, with the timed part */
    bool serial_streams; /* of a trace */
    bool every_launch;   /* of a trace, also those that repeat an earlier one */
    bool functional, check_hazards, strict_hazards, strict, quiet, quick, list, all, sass, plain, assumed, help;
};

struct cli_option_info {
    const char *name;
    char letter;       /* 0: none */
    const char *value; /* empty: a switch */
    enum cli_kind kind;
    size_t offset; /* in struct cli_options */
    const char *text;
};

const struct cli_option_info *cli_option_info(enum cli_option option);

/* Reads argv[0..argc). `accepted` holds CLI_BITs. `command` is for messages. */
bool cli_options_parse(struct cli_options *options, const char *command, cli_set accepted, int argc, char **argv,
                       struct status *status);
void cli_options_free(struct cli_options *options);

/* The items, each with an end of line; owned. NULL: no memory. */
char *cli_list_lines(const struct cli_list *list);

/* Decimal, or hexadecimal with 0x. Nothing else may follow. */
bool cli_number(const char *text, uint64_t highest, uint64_t *out);

#endif
