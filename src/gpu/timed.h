/* The timed run of one kernel: SMs and memory system in quanta (gpu/quantum.h). */
#ifndef SUBCORE_GPU_TIMED_H
#define SUBCORE_GPU_TIMED_H

#include "base/status.h"
#include "base/team.h"
#include "gpu/cta_scheduler.h"
#include "gpu/early.h"
#include "gpu/front.h"
#include "gpu/gpu.h"
#include "gpu/machine.h"
#include "mem/mem.h"
#include "sm/sm.h"

struct timed_sm {
    struct sm sm;
    struct cta_queue queue;
    char apart[HOST_LINE]; /* SMs of different threads share no cache line */
};

struct timed {
    const struct config *config;
    struct timed_sm *sms; /* [config->gpu.sms] */
    uint32_t ready;       /* SMs that have been initialised, the first ones */
    uint32_t used;        /* of these, those to which the kernel sends a CTA */
    struct mem *mem;
    struct front front;
    bool answered;               /* groups have replies that no GPC has taken */
    bool cut;                    /* the SMs run a part of a quantum */
    atomic_bool short_of_memory; /* the host, found by a group */
    struct team *team;
    uint32_t quantum;
    const struct timed_launch *launch; /* that runs; NULL: none */
    struct code_table table;
    struct cta_scheduler scheduler;
    uint64_t now, last_cta_end;
    uint64_t before;    /* cycles of the launches before */
    uint64_t next_save; /* when so many cycles of all launches are over; 0: not known yet */
    uint64_t end;       /* of the running quantum */
    struct early early;
    struct hazards *hazards;           /* NULL: not checked */
    const struct sm_observer *watched; /* whom `observer` hands on to */
    struct sm_observer observer;       /* of runs in which the machine itself has to watch */
};

bool timed_init(struct timed *t, const struct config *config, unsigned threads, struct status *status);
void timed_free(struct timed *t);

/* Warp instructions of the launch so far. */
uint64_t timed_instructions(const struct timed *t);

bool timed_run(struct timed *t, const struct timed_launch *launch, const struct occupancy *occupancy,
               const struct gpu_options *options, struct kernel_result *result, struct status *status);

#endif
