/* Issue of the legacy core: a scheduler of each sub-core, which lets an instruction go when its warp's buffer has it,
 * the scoreboard is clear, and the latch of its unit is free. The order of the warps is the policy's (core.scheduler).
 * A warp may issue two instructions in a cycle (legacy.issue_width), the second to another unit than the first
 * (legacy.issue_different). A blocked warp is passed over. */
#ifndef SUBCORE_SM_LEGACY_SCHEDULER_H
#define SUBCORE_SM_LEGACY_SCHEDULER_H

#include "sm/issue/issue.h"
#include "sm/legacy/load_store.h"

struct legacy_scheduler {
    struct legacy_scheduler_ports {
        const struct config_legacy *config;
        const struct code_table *code;
        const struct issue *issue;
        struct nap *nap;
        struct legacy_latches *out; /* in front of the collectors */
        struct legacy_load_store *memory;
        uint32_t *age; /* of the SM */
        bool naps;     /* run.skip_idle */
    } to;
};

/* A cycle of a sub-core that has warps. Returns true if anything moved. */
bool legacy_scheduler_cycle(const struct legacy_scheduler *s, uint64_t now);

#endif
