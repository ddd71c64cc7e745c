/* A command again and again with other values of keys: in their own processes, on all processors. */
#ifndef SUBCORE_CLI_VARIANTS_H
#define SUBCORE_CLI_VARIANTS_H

#include "base/file.h"
#include "cli/command.h"
#include "probe/result.h"

struct variant {
    char name[160];   /* for messages, behind "the run " */
    const char **set; /* owned; texts are borrowed */
    size_t sets;
    double cycles; /* of all timed launches */
};

struct variants {
    char folder[FILE_FOLDER]; /* of the runs' output */
    struct variant *item;     /* the first is the run as it is, with which the others are compared */
    size_t count;
    char kernel[RESULT_NAME]; /* the only kernel of the run, or empty */
};

bool variants_begin(struct variants *variants, size_t room, struct status *status);
void variants_end(struct variants *variants);

/* Adds a run with the assignments of `set`, and room for `more`. NULL: no memory. */
struct variant *variants_add(struct variants *variants, const char *name, const struct cli_list *set, size_t more,
                             struct status *status);

/* Runs those in [from, from + count), as many at once as --threads says, and fills in their cycles. False, with status:
 * one failed, or the user interrupted. */
bool variants_run(struct variants *variants, size_t from, size_t count, const struct command *command,
                  const struct cli_options *options, struct status *status);

/* Refuses an option for one run only; `what` is the option that asks for many. */
bool variants_check(const struct cli_options *options, const char *what, struct status *status);
/* Returns the GPU of the command: programs may have theirs from the environment. */
const char *variants_gpu(const struct command *command, const struct cli_options *options);

#endif
