/* The timed run of one kernel: SMs and memory system in quanta (gpu/quantum.h). */
#ifndef SUBCORE_GPU_TIMED_H
#define SUBCORE_GPU_TIMED_H

#include "base/status.h"
#include "base/team.h"
#include "exec/exec.h"
#include "gpu/cta_scheduler.h"
#include "gpu/gpu.h"
#include "gpu/strict.h"
#include "mem/mem.h"
#include "sm/sm.h"

/* An SM with the functional state of what is resident on it. */
struct timed_sm {
    struct sm sm;
    struct exec_core core;
    struct exec_cta *cta[SM_CTAS];
    struct cta_queue queue;
    uint32_t warps_per_cta;
    uint32_t threads_per_cta;
    struct strict strict; /* slots == 0: off */
    uint64_t end;         /* of the running quantum */
};

struct timed {
    const struct config *config;
    struct memory *memory;
    struct timed_sm *sms;     /* [config->gpu.sms] */
    struct exec_core **cores; /* of the SMs */
    uint32_t ready;           /* SMs that have been initialised, the first ones */
    uint32_t used;            /* of these, those to which the kernel sends a CTA */
    struct mem *mem;
    bool short_of_memory[GPCS_MOST]; /* the host, found by a GPC */
    struct team *team;
    uint32_t quantum;
    struct code_table table;
    struct cta_scheduler scheduler;
    uint64_t now, last_cta_end;
    struct hazards *hazards;           /* NULL: not checked */
    const struct sm_observer *watched; /* whom `observer` hands on to */
    struct sm_observer observer;       /* of runs in which the machine itself has to watch */
    struct exec_fault_report fault;    /* of the last run */
};

bool timed_init(struct timed *t, const struct config *config, struct memory *memory, unsigned threads,
                struct status *status);
void timed_free(struct timed *t);

bool timed_run(struct timed *t, const struct exec_launch *launch, const struct occupancy *occupancy,
               const struct gpu_options *options, struct kernel_result *result, struct status *status);

#endif
