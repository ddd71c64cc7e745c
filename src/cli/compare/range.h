/* --range: a command again and again, each time with an assumed value at one of its plausible ends (range.def), and how
 * far the cycles move. */
#ifndef SUBCORE_CLI_RANGE_H
#define SUBCORE_CLI_RANGE_H

#include "base/file.h"
#include "cli/command.h"
#include "cli/config_table.h"
#include "config/range.h"
#include "probe/result.h"

struct range_key {
    struct config_value value;
    struct config_range range;
    double cycles[CONFIG_ENDS]; /* with each end */
    double effect;              /* the largest change of the cycles, in cycles */
};

/* A run of the command: as it is, with one end, or with an end of many keys. */
enum range_kind { RANGE_BASE, RANGE_END, RANGE_LEAST, RANGE_MOST };

struct range_point {
    enum range_kind kind;
    size_t key;
    unsigned end;
    const char **set; /* owned; texts are borrowed */
    size_t sets;
    double cycles;
};

struct range {
    struct config_subject gpu;
    char folder[FILE_FOLDER]; /* of the runs' output */
    struct range_key *keys;
    size_t key_count, values;   /* values: of the whole configuration */
    struct range_point *points; /* the one with RANGE_BASE first, those with RANGE_LEAST and RANGE_MOST last */
    size_t count;
    double cycles, least, most; /* as it is, and with one value at an end */
    double all_least, all_most; /* with all values at the ends that take fewer and more cycles */

    char kernel[RESULT_NAME]; /* the only kernel of the run, or empty */
};

bool range_wanted(const struct command *command, const struct cli_options *options);
bool range_run(const struct command *command, const struct cli_options *options, struct status *status);

/* Runs points [from, from + count) in processes of their own, as many at once as --threads says, and fills in their
 * cycles. False, with status: one failed, or the user interrupted. */
bool range_run_points(struct range *range, size_t from, size_t count, const struct command *command,
                      const struct cli_options *options, struct status *status);

/* Prints the keys that move the cycles, the largest effect first. */
void range_text(const struct range *range, FILE *out);
void range_json(const struct range *range, struct json *json);

#endif
