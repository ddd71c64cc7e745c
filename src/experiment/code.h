/* Machine code of an experiment's rows for one architecture. */
#ifndef SUBCORE_EXPERIMENT_CODE_H
#define SUBCORE_EXPERIMENT_CODE_H

#include "experiment/experiment.h"

struct experiment_code {
    uint8_t *cubin; /* owned */
    size_t bytes;
};

/* Whether the experiment is written for the architecture; else the status says for which it is. */
bool code_suits(const struct experiment *e, unsigned arch, struct status *status);
/* A cubin with a kernel (experiment_kernel) for each of the rows [from, to). */
bool code_assemble(const struct experiment *e, unsigned from, unsigned to, unsigned arch, struct experiment_code *code,
                   struct status *status);
/* Warps of the one CTA that a row's kernel is launched with. */
bool code_warps(const struct experiment *e, unsigned row, unsigned arch, unsigned *warps, struct status *status);

#endif
