/* A trace file of one kernel that is made of given contents, right or wrong, with right checksums and places. */
#ifndef SUBCORE_TESTS_TRACE_CONTAINER_H
#define SUBCORE_TESTS_TRACE_CONTAINER_H

#include <stdbool.h>

#include "trace/bytes.h"
#include "trace/frame.h"
#include "trace/index.h"

struct container {
    struct trace_bytes dictionary, frame, launch; /* contents of the blocks; borrowed */
    struct trace_frame_entry entry;               /* of the frame, but its place */
    struct trace_kernel_entry kernel;             /* but its place and its bytes; the name is borrowed */
};

/* Writes the whole file to the descriptor, which is at its begin. */
bool container_write(int fd, const struct container *c);

#endif
