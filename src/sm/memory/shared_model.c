#include "sm/memory/shared_model.h"

/* Pascal: PasTiS, a timing simulator of the Jetson TX2, gives a shared-memory instruction 22 + base + 2 * conflicts
 * cycles, with a base of 1, 8 and 16 for 32, 64 and 128 bits a lane. The 22 + 1 are the configuration's. */
static const struct shared_model models[] = {
    [CONFIG_SHARED_MODEL_VOLTA] = {bank_conflicts, {0, 0, 0}, true},
    [CONFIG_SHARED_MODEL_PASCAL] = {bank_pools, {0, 8 - 1, 16 - 1}, false},
};

const struct shared_model *shared_model(enum config_shared_model name) { return &models[name]; }
