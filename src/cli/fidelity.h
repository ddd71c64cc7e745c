/* --fidelity and --error. */
#ifndef SUBCORE_CLI_FIDELITY_H
#define SUBCORE_CLI_FIDELITY_H

#include "cli/options.h"

#define FIDELITY_OPTIONS (CLI_BIT(FIDELITY) | CLI_BIT(ERROR))

/* Returns whether the words fit each other and the other options; else status says what does not. */
bool fidelity_check(const struct cli_options *options, struct status *status);
/* Returns whether nothing is timed, by --fidelity or by --functional. */
bool fidelity_functional(const struct cli_options *options);
/* Returns the percentage that a sampled run aims at; NULL: the run is not sampled. */
const char *fidelity_sample(const struct cli_options *options);

#endif
