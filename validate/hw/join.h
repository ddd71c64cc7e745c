/* Which row of a profile is which launch of a workload. The manifest names the launches in the order in which they ran
 * (validate-gpu kernels --once). The profile has them in the same order, but some may be missing, and there may be
 * others. */
#ifndef SUBCORE_VALIDATE_HW_JOIN_H
#define SUBCORE_VALIDATE_HW_JOIN_H

#include <stddef.h>

#include "examples/example.h"

enum { JOIN_NONE = -1 };

struct join_launch {
    const char *workload, *size; /* of the manifest */
    unsigned launch;
    const char *kernel;
    struct example_dim grid, block;
    bool ok;   /* of the manifest: its result was right */
    int other; /* of the manifest: its row of the profile; of the profile: its line of the manifest; or JOIN_NONE */
};

struct join {
    struct join_launch *launch;
    size_t count, room;
};

/* Adds one (NULL: no memory). */
struct join_launch *join_add(struct join *join);
void join_free(struct join *join);

/* "64x1x1" or "(64, 1, 1)" */
bool join_dim(const char *text, struct example_dim *dim);

/* Sets `other` of both. A launch goes with the next row of its kernel, grid and block. Where launches that are alike
 * stand behind each other and fewer rows do, nobody can tell which is missing, and none of them has a row. */
void join_match(struct join *manifest, struct join *profile);

#endif
