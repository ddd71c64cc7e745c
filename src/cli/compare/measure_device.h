/* The simulated GPU as measurements see it. */
#ifndef SUBCORE_CLI_MEASURE_DEVICE_H
#define SUBCORE_CLI_MEASURE_DEVICE_H

#include "cli/session.h"
#include "mem/topology.h"
#include "validate/micro/measure.h"

enum { MEASURE_NAME = 64 };

struct measure_sim {
    struct session *session;
    struct exec_module *module;
    struct measure_device device;
    struct topology topology;
    struct status status;                     /* why a launch failed */
    uint64_t launches;                        /* so far, and their time */
    uint64_t cycles, sm_cycles, instructions; /* of the GPU, for all SMs; of warps */
    double seconds;                           /* of the host */
};

/* `name` is the GPU as the command line calls it, or NULL. The session's GPU must outlive *sim, which must not move. */
bool measure_sim_begin(struct measure_sim *sim, struct session *session, const char *name, struct status *status);

/* "a100" of "a100" or of "my/a100.toml"; NULL is the usual GPU. */
void measure_gpu_name(const char *gpu, char name[MEASURE_NAME]);

#endif
