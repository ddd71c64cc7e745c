/* --fidelity and --error: one switch for all commands that time launches. */
#ifndef SUBCORE_CLI_FIDELITY_H
#define SUBCORE_CLI_FIDELITY_H

#include "cli/options.h"

#define FIDELITY_OPTIONS (CLI_BIT(FIDELITY) | CLI_BIT(ERROR))

/* Checks that the words fit the command and the other options, and gives the option of --fidelity functional its older
 * name. Returns false, with status, if they do not. */
bool fidelity_settle(const char *command, struct cli_options *options, struct status *status);
/* Returns whether there is such a word, available or not. */
bool fidelity_is_known(const char *word);
/* Returns whether the run is hybrid. */
bool fidelity_is_hybrid(const struct cli_options *options);
/* Returns the percentage that a sampled run aims at (NULL: the run is not sampled). */
const char *fidelity_sample(const struct cli_options *options);

#endif
