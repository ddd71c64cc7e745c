/* Containers of trace version 6 (.tracez): lines of warps in parts, each a zstd frame with a common dictionary.
 *
 *   text of the header, a zero byte; u32 bytes of the dictionary, u32 instructions in a part; the dictionary
 *   warps: u32 instructions, u32 parts; of each part u32 bytes and a frame
 *   index: u32 blocks; of each 10 u32 (block, cluster, CTA in the cluster, each x y z; rank), u32 warps; of each warp
 *          u32 instructions, u32 parts, u64 place, u32 instructions for each part u64 place of the index */
#ifndef SUBCORE_ACCELSIM_CONTAINER_H
#define SUBCORE_ACCELSIM_CONTAINER_H

#include "accelsim/input.h"

/* Returns whether the name is one of a container. */
bool container_is(const char *path);

/* Opens a container as the text of a .traceg, which is made in a temporary file: blocks with x fastest, and a line
 * `-cluster dim` in front. Lines are counted in that text. */
bool container_open(struct input *in, const char *path, uint64_t *taken, struct status *status);

#endif
