/* A GPU that only executes, for runs that are recorded and for runs that are compared with the trace of another. */
#ifndef SUBCORE_TESTS_RECORD_RIG_H
#define SUBCORE_TESTS_RECORD_RIG_H

#include "check.h"
#include "examples/example.h"
#include "gpu/gpu.h"

struct rig {
    struct config config;
    struct gpu *gpu;
    struct exec_module *module;
    struct trace_writer *writer; /* of a run that is recorded (NULL: it is compared) */
    struct match check;
    struct status status;
    uint64_t out; /* device address of RIG_WORDS words */
    FILE *output; /* of printf */
};

enum { RIG_WORDS = 16384 };

/* Records into the file `path`, or compares with it. */
void rig_begin(struct rig *rig, const char *gpu, const char *path, bool record);
void rig_load(struct rig *rig, struct cubin_bytes image, const char *name);
/* A cubin of the repository. */
void rig_load_file(struct rig *rig, const char *place);
/* `launch` without module, mode and watch. False: the launch failed, see rig->status. */
bool rig_launch(struct rig *rig, const struct gpu_launch *launch);
/* Completes the trace, or checks that all of it was executed. */
void rig_end(struct rig *rig);

/* The example's host program with its cubin for the GPU's architecture. Fails the test where its own check fails. */
void rig_example(struct rig *rig, const struct example *example);

#endif
