/* The device's work for a program besides kernels, for its timeline: copies, sets, and graphs from their first command
 * to their last. The libraries append records to a file, `subcore exec` reads them. */
#ifndef SUBCORE_REPORT_ACTIVITY_H
#define SUBCORE_REPORT_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum activity_kind {
    ACTIVITY_COPY_IN, /* from the host */
    ACTIVITY_COPY_OUT,
    ACTIVITY_COPY_DEVICE,
    ACTIVITY_SET,
    ACTIVITY_GRAPH,
    ACTIVITY_KINDS
};

struct activity {
    uint32_t layout; /* sizeof(struct activity): both sides were built from the same source */
    int32_t process;
    uint32_t kind;
    uint32_t nodes;    /* of a graph */
    uint64_t stream;   /* its id in the process */
    uint64_t bytes;    /* of copies and sets */
    uint64_t scope;    /* its ranges (report/range.h) (0: none) */
    uint64_t order;    /* commands that the process had submitted before */
    double begin, end; /* simulated seconds */
};

/* Reads the next one; false at the end, and at a record that is none. */
bool activity_next(FILE *from, struct activity *activity);

const char *activity_name(enum activity_kind kind);

#endif
