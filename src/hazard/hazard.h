/* The hazard sanitizer: tells of each dependence that a kernel's control bits do not cover, for the warps and paths
 * that a run executes. It watches issues of a timed or a functional run and changes nothing.
 *
 * One struct serves all launches of a run. A kernel that is launched again adds to the findings. */
#ifndef SUBCORE_HAZARD_HAZARD_H
#define SUBCORE_HAZARD_HAZARD_H

#include "hazard/code.h"
#include "hazard/found.h"
#include "hazard/warp.h"

struct hazard_sm {
    struct hazard_warp *warp;
    uint32_t slots; /* grows with the slots that are used */
    struct hazard_found found;
    bool failed;
};

struct hazard_kernel {
    char *name;
    struct hazard_code code;
    struct hazard_found found; /* of all launches, sorted */
};

struct hazards {
    struct hazard_kernel *kernel; /* in the order of their first launches */
    uint32_t kernels;
    struct hazard_sm *sm; /* of the launch that runs */
    uint32_t sms;
    uint32_t current; /* kernel */
    uint32_t warps_per_cta;
    bool timed;
    bool failed; /* no memory: the findings are not all */
};

void hazards_init(struct hazards *hazards);
void hazards_free(struct hazards *hazards);

struct hazard_launch {
    const char *kernel;
    unsigned architecture;      /* of the code */
    const struct isa_inst *isa; /* first instruction; `stride` bytes to the next */
    size_t stride;
    uint32_t count;
    uint32_t sms, warps_per_cta;
    bool timed;
};

bool hazards_begin(struct hazards *hazards, const struct hazard_launch *launch);
/* The launch has ended or stopped. */
void hazards_end(struct hazards *hazards);

/* The warp in this slot issues. Different SMs may call at the same time. `cycle` is 0 in functional runs. */
void hazards_issued(struct hazards *hazards, uint32_t sm, uint32_t slot, uint64_t cta, uint32_t pc, uint32_t path,
                    uint32_t active, uint64_t cycle);
/* Something was found in the shared memory of a CTA: `kind` is one of enum hazard_kind that hazard_of_memory names. */
void hazards_noted(struct hazards *hazards, uint32_t sm, const struct hazard *hazard);
/* As sm_observer.written. */
void hazards_written(struct hazards *hazards, uint32_t sm, uint32_t slot, uint32_t pc, uint64_t cycle);

uint64_t hazards_count(const struct hazards *hazards);

#endif
