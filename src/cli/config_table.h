/* The tables of `subcore config`: differences between two GPUs, and assumed values. */
#ifndef SUBCORE_CLI_CONFIG_TABLE_H
#define SUBCORE_CLI_CONFIG_TABLE_H

#include "cli/options.h"
#include "config/source.h"

/* A GPU with the sources of its values. Free with config_subject_close. */
struct config_subject {
    const char *name; /* or path; borrowed */
    struct config config;
    struct config_origin origin;
};

bool config_subject_open(struct config_subject *gpu, const char *name, const struct cli_list *set,
                         struct status *status);
void config_subject_close(struct config_subject *gpu);

/* Each prints its table, as text or to the files of --csv and --json. */
bool config_diff_table(const struct config_subject *a, const struct cli_options *options, struct status *status);
bool config_assumed_of(const struct config_subject *gpu, const struct cli_options *options, struct status *status);
bool config_assumed_of_all(const struct cli_options *options, struct status *status);

/* A field of a CSV file. */
void config_csv(FILE *out, const char *text, char end);
/* File and comment of a value: "a100: A100 white paper". */
void config_where(FILE *out, const struct config_value *value);

#endif
