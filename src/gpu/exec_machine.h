/* The functional machine as the source of a timed run: for each SM a core and the CTAs that are resident on it. */
#ifndef SUBCORE_GPU_EXEC_MACHINE_H
#define SUBCORE_GPU_EXEC_MACHINE_H

#include "base/arena.h"
#include "base/status.h"
#include "config/config.h"
#include "exec/exec.h"
#include "gpu/machine.h"
#include "gpu/record.h"
#include "gpu/strict.h"
#include "sm/sm.h"

struct exec_machine_sm {
    struct exec_core core;
    struct exec_cta *cta[SM_CTAS];
    uint8_t *storage; /* of the CTAs, kept from launch to launch */
    size_t room;      /* bytes of it */
    uint32_t warps_per_cta;
    struct exec_machine *machine; /* of which it is */
    struct strict strict;         /* slots == 0: off */
    struct record *record;        /* NULL: not recorded */
};

struct exec_machine {
    const struct config *config;
    struct memory *memory;
    struct exec_machine_sm *sms; /* [config->gpu.sms] */
    struct exec_core **cores;    /* theirs; NULL: not made yet */
    struct arena arena;          /* CTAs, and accesses in flight */
    const struct exec_launch *launch;
    bool strict;                         /* gpu/strict.h */
    struct record *record;               /* NULL: not recorded */
    struct exec_fault_report rest_fault; /* of what was executed without time */
};

bool exec_machine_init(struct exec_machine *e, const struct config *config, struct memory *memory,
                       struct status *status);
void exec_machine_free(struct exec_machine *e);

/* Prepares for a launch and describes it. `strict`: consumers that issue too early read old values. `record`: NULL, or
 * where what executes is recorded; then one thread runs the launch. */
void exec_machine_begin(struct exec_machine *e, const struct exec_launch *launch, bool strict, struct record *record,
                        struct timed_launch *out);

/* Tells a CTA that is to start where its cluster is: the storages of its peers, which are those of other CTAs until
 * they start. */
void exec_machine_join(const struct exec_machine *e, struct exec_cta *cta, const struct cluster_place *place);

/* What went wrong in the last launch; kind EXEC_FAULT_NONE when nothing did. */
struct exec_fault_report exec_machine_fault(const struct exec_machine *e);

#endif
