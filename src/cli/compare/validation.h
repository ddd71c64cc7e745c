/* `subcore validate`: the part to run, and the results. */
#ifndef SUBCORE_CLI_VALIDATION_H
#define SUBCORE_CLI_VALIDATION_H

#include <stdio.h>

#include "cli/options.h"
#include "cli/session.h"
#include "validate/comparison.h"

struct validation {
    const struct cli_options *options;
    char gpu[64]; /* by which references go */
    struct references references;
    struct comparison comparison;
    FILE *out;       /* NULL: no text */
    unsigned runs;   /* of measurements, experiments and kernels */
    unsigned failed; /* of these: no result, or a wrong one */
    unsigned missed; /* rows that are judged and not within their tolerance */
    unsigned open;   /* such rows that are known to differ */
    struct status *status;
};

/* Whether the operands ask for it: by its name, by its group's ("micro", "experiments", "kernels"), or not at all. */
bool validation_wants(const struct validation *v, const char *group, const char *name);

/* False, with status, when there is no memory. The reference is looked up. */
bool validation_add(struct validation *v, enum comparison_kind kind, const char *quantity, const char *unit,
                    double predicted);
bool validation_no_memory(struct validation *v);

/* Each part runs its wanted rows. Failures are printed and counted; false, with status, when the whole cannot go on. */
bool validate_measurements(struct validation *v);
bool validate_experiments(struct validation *v);
bool validate_kernels(struct validation *v);

/* `subcore validate published TABLE`: a comparison of its own (validate/published.h). */
bool validate_published(const struct cli_options *options, struct status *status);

#endif
