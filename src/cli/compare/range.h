/* --range: a command again and again, each time with an assumed value at one of its plausible ends (range.def), and how
 * far the cycles move. */
#ifndef SUBCORE_CLI_RANGE_H
#define SUBCORE_CLI_RANGE_H

#include "cli/compare/variants.h"
#include "cli/config_table.h"
#include "config/range.h"

struct range_key {
    struct config_value value;
    struct config_range range;
    double cycles[CONFIG_ENDS]; /* with each end */
    double effect;              /* the largest change of the cycles, in cycles */
};

/* The end that a run varies. */
struct range_place {
    size_t key;
    unsigned end;
};

struct range {
    struct config_subject gpu;
    struct range_key *keys;
    size_t key_count, values;   /* values: of the whole configuration */
    struct variants runs;       /* the one as it is first, the two with many ends last */
    struct range_place *places; /* [ends], of the runs behind the first */
    size_t ends;
    double cycles, least, most; /* as it is, and with one value at an end */
    double all_least, all_most; /* with all values at the ends that take fewer and more cycles */
};

bool range_wanted(const struct command *command, const struct cli_options *options);
bool range_run(const struct command *command, const struct cli_options *options, struct status *status);

/* Prints the keys that move the cycles, the largest effect first. */
void range_text(const struct range *range, FILE *out);
void range_json(const struct range *range, struct json *json);

#endif
